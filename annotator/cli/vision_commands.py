"""Commands that run vision models: object detection, and the depth of regions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, workers_option
from annotator.cli.run_status import RunStatus, execute_run
from annotator.cli.weights_profile import WeightsOptions
from annotator.commands.depths import StoreDepths
from annotator.commands.detections import StoreDetections
from annotator.domain.medium import Medium
from annotator.domain.profile import Adapter
from annotator.domain.run import Run, RunKind
from annotator.domain.vision_settings import FRAMES_OF_A_VIDEO, VisionSettings
from annotator.domain.work import RunOrder
from annotator.errors import UserError
from annotator.session import Session

DETECTORS: dict[str, Adapter] = {".onnx": "onnx", ".pt": "ultralytics"}
"""Adapter of a file of weights by its ending."""
DEPTHS: dict[str, Adapter] = {".onnx": "depth-onnx", "": "depth-files"}
C = TypeVar("C", bound=Callable[..., Any])


def vision_options(function: C) -> C:
    """Give a verb the choice of a model and of media, handed over by name."""
    options = (
        click.option("--model", default="", metavar="NAME", help="Name of a model profile."),
        click.option(
            "--weights",
            type=click.Path(path_type=Path, exists=True),
            help="File of weights instead of --model; creates a profile with the name of the file.",
        ),
        click.option(
            "--set",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="With --weights: an option of the model.",
        ),
        click.option("--media", multiple=True, metavar="NAME", help="Only this media file."),
        click.option("--dataset", "datasets", multiple=True, help="Only media of this dataset."),
        click.option("--keep/--no-keep", default=True, help="Store the results in the project."),
        workers_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@project_argument
@vision_options
@click.option(
    "--frames",
    type=click.IntRange(min=1),
    default=FRAMES_OF_A_VIDEO,
    show_default=True,
    help="Number of frames of a video, evenly spaced.",
)
@click.option("--every", "every_frames", type=int, default=0, metavar="N", help="Every Nth frame of a video.")
@click.option("--every-s", type=float, default=0.0, metavar="S", help="One frame of a video every S seconds.")
@click.option("--numbers", default="", metavar="N,N,…", help="Frame numbers of a video, from 0.")
@click.option(
    "--min-score",
    type=click.FloatRange(0.0, 1.0),
    default=0.0,
    show_default=True,
    help="Minimum score, from 0 to 1.",
)
@click.option("--category", "categories", multiple=True, help="Keep only objects of this category.")
@click.option("--replace", is_flag=True, help="Remove earlier regions of the same detector first.")
@click.option("--propose", is_flag=True, help="Store proposals, which people accept or refuse.")
@json_option
def detect(
    project: Path,
    *,
    min_score: float,
    categories: tuple[str, ...],
    replace: bool,
    propose: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - the options of look_options and of frames, as click hands them over
) -> int:
    """Detect objects in PROJECT's images and videos, and store them as regions with neutral numbers.

    Exit status 1: an image has no answer. Detections are stored: another score or category needs no new
    model calls.
    """
    with open_session(project) as session:
        run = _run_model(session, "detect", chosen, adapters=DETECTORS, console=console)
        command = StoreDetections(
            run=run.id,
            min_score=min_score,
            categories=categories,
            replace=replace,
            is_proposing=propose,
        )
        return _store_results(session, run, command, is_kept=chosen["keep"], console=console).print_summary(
            console
        )


@click.command()
@project_argument
@vision_options
@json_option
def depth(project: Path, *, console: Console, **chosen: Any) -> int:  # noqa: ANN401 - as click hands them over
    """Measure the distance of PROJECT's regions with a model, or with depth maps beside the images.

    Exit status 1: an image has no answer.
    """
    with open_session(project) as session:
        run = _run_model(session, "depth", chosen, adapters=DEPTHS, console=console)
        return _store_results(
            session, run, StoreDepths(run=run.id), is_kept=chosen["keep"], console=console
        ).print_summary(console)


class VisionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a detection or depth run.

    Attributes:
        run_status: The status of the run.
        kept: The report of the stored results, None if nothing is stored.
    """

    run_status: RunStatus
    kept: msgspec.Struct | None

    def print_summary(self, console: Console) -> int:
        """Print it as ``console`` was asked for, and return the exit status."""
        kept = None if self.kept is None else msgspec.structs.asdict(self.kept)
        result = {**self.run_status.failures_json(), "kept": kept}
        console.result(result, print_text=lambda: self.print(console))
        return self.run_status.status

    def print(self, console: Console) -> None:
        """Print it as lines and tables."""
        self.run_status.print(console)
        kept: dict[str, Any] = msgspec.to_builtins(self.kept) or {}
        categories = kept.pop("categories", {})
        if kept:
            console.print("  ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in kept.items()))
        if categories:
            regions = [(name, f"{count:,}") for name, count in categories.items()]
            console.table("New regions", head=("category", "regions"), rows=regions)


def _run_model(
    session: Session, kind: RunKind, chosen: dict[str, Any], *, adapters: dict[str, Adapter], console: Console
) -> Run:
    settings = _settings(session, chosen)
    weights = WeightsOptions(file=chosen["weights"], options=chosen["options"], adapters=adapters)
    model = weights.profile(session, named=chosen["model"])
    order = RunOrder(kind=kind, models=(model,), settings=settings)
    return execute_run(session, order, workers=chosen["workers"], console=console)


def _store_results(
    session: Session, run: Run, command: StoreDetections | StoreDepths, *, is_kept: bool, console: Console
) -> VisionResult:
    if is_kept:
        execute(session, command, console=console)
    return VisionResult(run_status=RunStatus.of(session, run.id), kept=command.report if is_kept else None)


def _settings(session: Session, chosen: dict[str, Any]) -> dict[str, Any]:
    settings = VisionSettings(
        media=tuple(_media_named(session, chosen["media"])),
        datasets=chosen["datasets"],
        numbers=_numbers(chosen.get("numbers", "")),
        every_s=chosen.get("every_s", 0.0),
        every_frames=chosen.get("every_frames", 0),
        frames=chosen.get("frames", FRAMES_OF_A_VIDEO),
    )
    plain: dict[str, Any] = msgspec.to_builtins(settings)
    # Refused before the run starts, while the user can still correct it.
    VisionSettings.of(plain)
    return plain


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"'{text}' is not a list of frame numbers.", hint="Write frame numbers as 0,17,200.")
    return tuple(map(int, parts))


def _media_named(session: Session, names: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for name in names:
        media = [one.id for one in session.reader.find(Medium, name=name)]
        if not media:
            raise UserError(f"There is no medium named {name}.")
        found += media
    return found


VERBS = (detect, depth)
