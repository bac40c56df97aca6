"""Verbs that have models look at pictures: detection, and the depth of what is marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import do, json_option, opened, project_argument
from annotator.cli.working import begin, existing, standing_words, work_on
from annotator.commands.depths import KeepDepths
from annotator.commands.detections import KeepDetections
from annotator.domain.looking import FRAMES_OF_A_FILM, LookSettings
from annotator.domain.medium import Medium
from annotator.domain.profile import Adapter, Profile
from annotator.domain.run import Run, RunKind
from annotator.domain.work import FailureCount, RunOrder
from annotator.errors import UserError
from annotator.session import Session

FOUND_PROBLEMS = 1
SHOWN_FAILURES = 10
DETECTORS: dict[str, Adapter] = {".onnx": "onnx", ".pt": "ultralytics"}
"""Adapter of a file of weights by its ending."""
DEPTHS: dict[str, Adapter] = {".onnx": "depth-onnx", "": "depth-files"}
C = TypeVar("C", bound=Callable[..., Any])


def look_options(function: C) -> C:
    """Give a verb the choice of a model and of media, handed over by name."""
    options = (
        click.option("--model", default="", metavar="NAME", help="Name of a model profile."),
        click.option(
            "--weights",
            type=click.Path(path_type=Path, exists=True),
            help="Instead: a file of weights; a profile under its name is made for it.",
        ),
        click.option(
            "--set",
            "told",
            multiple=True,
            metavar="NAME=VALUE",
            help="With --weights: an option of the model.",
        ),
        click.option("--media", multiple=True, metavar="NAME", help="Only this medium."),
        click.option("--dataset", "datasets", multiple=True, help="Only media of this dataset."),
        click.option("--keep/--no-keep", default=True, help="Keep what was found with the project."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@project_argument
@look_options
@click.option(
    "--frames",
    type=int,
    default=FRAMES_OF_A_FILM,
    show_default=True,
    help="Of a film so many, evenly spaced.",
)
@click.option("--every", "every_frames", type=int, default=0, metavar="N", help="Of a film each Nth frame.")
@click.option("--every-s", type=float, default=0.0, metavar="S", help="Of a film a frame each S seconds.")
@click.option("--numbers", default="", metavar="N,N,…", help="Of a film these frames, counted from 0.")
@click.option("--min-score", type=float, default=0.0, help="Keep nothing less certain, 0..1.")
@click.option("--category", "categories", multiple=True, help="Keep only things of this category.")
@click.option("--replace", is_flag=True, help="Remove earlier regions of the same detector first.")
@json_option
def detect(
    project: Path,
    *,
    min_score: float,
    categories: tuple[str, ...],
    replace: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of look_options and of frames, as click hands them over
) -> int:
    """Find things in PROJECT's pictures and films, and keep them as regions with neutral numbers."""
    with opened(project) as session:
        run = _looked(session, "detect", chosen, adapters=DETECTORS, console=console)
        kept = KeepDetections(run=run.id, min_score=min_score, categories=categories, replace=replace)
        if chosen["keep"]:
            do(session, kept, console=console)
        told = Told.of(session, run, kept=kept.report if chosen["keep"] else None)
    console.result(told.to_json(), words=lambda: told.print(console))
    return told.status


@click.command()
@project_argument
@look_options
@json_option
def depth(project: Path, *, console: Console, **chosen: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Measure how far away the regions of PROJECT are, by a model or by depth maps beside the pictures."""
    with opened(project) as session:
        run = _looked(session, "depth", chosen, adapters=DEPTHS, console=console)
        kept = KeepDepths(run=run.id)
        if chosen["keep"]:
            do(session, kept, console=console)
        told = Told.of(session, run, kept=kept.report if chosen["keep"] else None)
    console.result(told.to_json(), words=lambda: told.print(console))
    return told.status


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a run that looked at pictures.

    Attributes:
        run: The run.
        standing: How it stands, in words.
        failed: Pictures without an answer.
        failures: Why.
        kept: What was kept, None where nothing was to be.
    """

    run: Run
    standing: str
    failed: int
    failures: tuple[FailureCount, ...]
    kept: msgspec.Struct | None

    @classmethod
    def of(cls, session: Session, run: Run, *, kept: msgspec.Struct | None) -> Told:
        """Return what is to be said of a run."""
        standing = session.reader.run_progress(run.id)
        return cls(
            run=run,
            standing=standing_words(run, standing),
            failed=standing.failed,
            failures=tuple(session.reader.run_failures(run.id)),
            kept=kept,
        )

    @property
    def status(self) -> int:
        """The exit status."""
        return FOUND_PROBLEMS if self.failed or self.run.state == "stopped" else 0

    def to_json(self) -> dict[str, Any]:
        """Return it as the object that ``--json`` prints."""
        return {
            "run": self.run.id,
            "state": self.run.state,
            "failed": self.failed,
            "failures": msgspec.to_builtins(self.failures),
            "kept": msgspec.to_builtins(self.kept),
        }

    def print(self, console: Console) -> None:
        """Print it as lines and tables."""
        console.say(self.standing)
        kept: dict[str, Any] = msgspec.to_builtins(self.kept) or {}
        categories = kept.pop("categories", {})
        if kept:
            console.say("  ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in kept.items()))
        if categories:
            regions = [(name, f"{count:,}") for name, count in categories.items()]
            console.table("New regions", head=("category", "regions"), rows=regions)
        if self.failures:
            rows = [(one.kind, f"{one.count:,}", one.sample) for one in self.failures[:SHOWN_FAILURES]]
            console.table("Failures", head=("kind", "calls", "for instance"), rows=rows)


def _looked(
    session: Session, kind: RunKind, chosen: dict[str, Any], *, adapters: dict[str, Adapter], console: Console
) -> Run:
    model = _model(session, chosen, adapters=adapters)
    order = RunOrder(kind=kind, models=(model,), settings=_settings(session, chosen))
    run = begin(session, order, console=console)
    return work_on(session, run, console=console) if run.state == "running" else existing(session, run.id)


def _settings(session: Session, chosen: dict[str, Any]) -> dict[str, Any]:
    settings = LookSettings(
        media=tuple(_media_called(session, chosen["media"])),
        datasets=chosen["datasets"],
        numbers=_numbers(chosen.get("numbers", "")),
        every_s=chosen.get("every_s", 0.0),
        every_frames=chosen.get("every_frames", 0),
        frames=chosen.get("frames", FRAMES_OF_A_FILM),
    )
    plain: dict[str, Any] = msgspec.to_builtins(settings)
    # Refused here, where the person can still mend it.
    LookSettings.of(plain)
    return plain


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"'{text}' is no list of frame numbers.", hint="Write them as 0,17,200.")
    return tuple(map(int, parts))


def _media_called(session: Session, names: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for name in names:
        media = [one.id for one in session.reader.find("medium", name=name) if isinstance(one, Medium)]
        if not media:
            raise UserError(f"There is no medium called {name}.")
        found += media
    return found


def _model(session: Session, chosen: dict[str, Any], *, adapters: dict[str, Adapter]) -> str:
    """Return the name of the profile that is meant; one for a file of weights is made.

    Raises:
        UserError: Neither or both were given, or the weights are of another kind.
    """
    name: str = chosen["model"]
    weights: Path | None = chosen["weights"]
    if bool(name) == (weights is not None):
        raise UserError("Say which model: --model NAME, or --weights FILE.")
    if weights is None:
        if chosen["told"]:
            raise UserError("Options of a profile are in the profile: --set goes with --weights.")
        return name
    adapter = adapters.get("" if weights.is_dir() else weights.suffix.lower())
    if adapter is None:
        raise UserError(
            f"{weights.name} is not known by its ending.", hint=f"Known are {', '.join(adapters)}."
        )
    made = Profile(
        name=weights.stem,
        adapter=adapter,
        model=weights.stem,
        path=str(weights.resolve()),
        in_flight=1,
        options=_options(chosen["told"]),
    )
    _save(session, made)
    return made.name


def _save(session: Session, made: Profile) -> None:
    profiles = session.runs.profiles()
    known = profiles.get(made.name)
    if known is not None and known.path != made.path:
        raise UserError(
            f"There is a model {made.name!r} already, with other weights.",
            hint="Use it with --model, or give the file another name.",
        )
    if known != made:
        session.runs.save_profiles({**profiles, made.name: made})


def _options(told: tuple[str, ...]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for one in told:
        name, is_given, text = one.partition("=")
        if not is_given:
            raise UserError(
                f"'{one}' is no option.", hint="Write it as NAME=VALUE, for instance slice_px=640."
            )
        try:
            options[name.strip()] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            # Words need no quotes here.
            options[name.strip()] = text
    return options


VERBS = (detect, depth)
