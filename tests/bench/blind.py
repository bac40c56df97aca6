"""Figures of the blind filter: which planted shortcuts policies find, and how many good items they lose."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.eval_settings import item_for_model
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress
from annotator.quality.blind import ItemDecision, decide_all
from annotator.quality.context import CheckContext
from annotator.quality.policy import DEFAULT_POLICY, Policy
from annotator.quality.predictions import ItemPredictions, collect_predictions, existing_run
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.figure import Figure
from tests.bench.giveaways import GIVEAWAYS, can_take, plant, planted_in
from tests.bench.ground import Ground
from tests.bench.process import REPO, run_python

ITEMS, EACH, SEED = 1_000, 40, 11
DEMO_SEEDS = (7, 8, 9)
"""Cities whose questions are taken: one has about 400 with options that have texts."""
DEMO_FILE = "demo.vantage"
TIMEOUT_S = 3_600.0
EMBEDDED, PROBE = "SmolLM2", "Text probe"
MODELS = (EMBEDDED, PROBE)
POLICIES: tuple[tuple[str, Policy, tuple[str, ...]], ...] = (
    # Asked once, and in any order of the options alike: "in every rotation" and "k of n" come to the same.
    ("embedded", Policy(kind="any"), (EMBEDDED,)),
    ("probe", Policy(kind="any"), (PROBE,)),
    ("any", Policy(kind="any"), MODELS),
    ("all", Policy(kind="all"), MODELS),
    ("mean", Policy(kind="mean", margin=0.2), MODELS),
    ("significance", Policy(kind="significance", alpha=0.05), MODELS),
    ("calibrated", DEFAULT_POLICY, MODELS),
)
"""Name of the figures, policy, and whose answers it decides by."""
FIGURES = tuple(f"blind.{name}_{what}" for name, _, _ in POLICIES for what in ("recall", "lost"))


def measure_blind(ground: Ground) -> Iterator[Figure]:
    """Ask the embedded model and the probe about items of the demo, and let each policy decide."""
    items = plant(_demo_items(ground), each=EACH, seed=SEED)
    item_predictions = _item_predictions(items, ground)
    for name, policy, models in POLICIES:
        decided = decide_all(
            [_only(one, models) for one in item_predictions], policy, progress=ground.progress
        )
        yield from figures_of(name, decided, text=f"{policy.text} of {', '.join(models)}")


def figures_of(name: str, decided: Sequence[ItemDecision], *, text: str) -> Iterator[Figure]:
    """Yield what a policy found of the planted items, and what it took of the others.

    Args:
        name: Of the figures: ``blind.NAME_recall`` and ``blind.NAME_lost``.
        decided: What it made of all items.
        text: Which policy it is, for the note.
    """
    planted = [one for one in decided if planted_in(one.item_predictions.item)]
    others = [one for one in decided if not planted_in(one.item_predictions.item)]
    by_kind = ", ".join(f"{kind} {share:.0%}" for kind, share in _by_kind(planted).items())
    yield Figure(
        name=f"blind.{name}_recall",
        value=_share(planted),
        n=len(planted),
        baseline="guessing",
        baseline_value=_loss(planted),
        ratio=_share(planted) / _loss(planted),
        note=f"{text}; {by_kind}",
    )
    undecided = sum(one.decision == "undecided" for one in decided)
    yield Figure(
        name=f"blind.{name}_lost",
        value=_share(others),
        n=len(others),
        baseline="guessing",
        baseline_value=_loss(others),
        ratio=_share(others) / _loss(others),
        note=f"{text}; {undecided} undecided; the demo's own words may tell as well",
    )


@dataclass(frozen=True, kw_only=True)
class _Enter(Command):
    """Put items into an empty project as they are."""

    items: tuple[Item, ...]

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of_text(f"Enter {len(self.items)} items")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        del reader
        progress.begin(self.summary, total=len(self.items))
        for item in self.items:
            progress.step()
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)


def _demo_items(ground: Ground) -> list[Item]:
    """Return so many different questions of the demo, drawn from several cities.

    Raises:
        EnvironmentFailure: There are too few.
    """
    found: dict[str, Item] = {}
    for seed in DEMO_SEEDS:
        with Session.open(demo_project(ground.folder / f"demo-{seed}", seed=seed)) as session:
            items = session.reader.find(Item)
            context = CheckContext.of(session.reader)
            found |= {
                _words(item): item for item in items if can_take(item_for_model(item, context.task(item)))
            }
    if len(found) < ITEMS:
        raise EnvironmentFailure(f"The demo has {len(found):,} questions with options, not {ITEMS:,}.")
    return random.Random(SEED).sample(list(found.values()), ITEMS)


def demo_project(folder: Path, *, seed: int) -> Path:
    """Return the demo of a city, made by a process of its own where it is not there.

    Raises:
        EnvironmentFailure: It could not be made.
    """
    project = folder / DEMO_FILE
    if not project.is_file():
        made = (str(REPO / "main.py"), "demo", str(folder), "--seed", str(seed))
        run_python(made, timeout_s=TIMEOUT_S)
    return project


def _words(item: Item) -> str:
    # The same question with the same options in another scene is no other question to a blind model.
    return f"{item.task}\n{item.scene}\n{item.question}\n{sorted(option.text for option in item.options)}"


def _item_predictions(items: Sequence[Item], ground: Ground) -> list[ItemPredictions]:
    """Return what the models say of items in a project of their own, asked by a process of its own.

    Raises:
        EnvironmentFailure: The embedded model is not installed, or its process failed.
    """
    project = ground.scratch / "blind.vantage"
    _enter(items, project)
    # Settings of its own: the person's profiles of the same names may say something else.
    environment = {"VANTAGE_CONFIG": str(ground.scratch / "settings")}
    asked = ("blind", str(project), "--models", ",".join(MODELS), "--outcome", "none", "--json")
    ground.begin("the blind filter")
    # It ends with 1 where it found something, which it should.
    command = (str(REPO / "main.py"), *asked)
    run_python(command, environment=environment, timeout_s=TIMEOUT_S, good_ends=(0, 1))
    with Session.open(project) as session:
        run = existing_run(session.reader, "last", kinds=("blind",))
        if run.state != "done":
            raise EnvironmentFailure(f"The models could not be asked: {run.message}")
        return collect_predictions(session.reader, run, progress=ground.progress)


def _enter(items: Iterable[Item], project: Path) -> None:
    # Records of the demo that items name are not there: blind questions need none of them.
    bare = tuple(
        msgspec.structs.replace(item, scene="", media=(), state="drafted", import_key="") for item in items
    )
    with Session.create(project) as session:
        session.execute(_Enter(items=bare)).result()


def _only(item_predictions: ItemPredictions, models: Sequence[str]) -> ItemPredictions:
    kept = tuple(prediction for prediction in item_predictions.predictions if prediction.model in models)
    return msgspec.structs.replace(item_predictions, predictions=kept)


def _by_kind(decided: Sequence[ItemDecision]) -> dict[str, float]:
    counts = Counter(planted_in(one.item_predictions.item) for one in decided)
    found = Counter(planted_in(one.item_predictions.item) for one in decided if one.decision == "guessed")
    return {kind: found[kind] / counts[kind] for kind in GIVEAWAYS if counts[kind]}


def _share(decided: Sequence[ItemDecision]) -> float:
    return sum(one.decision == "guessed" for one in decided) / len(decided)


def _loss(decided: Sequence[ItemDecision]) -> float:
    return sum(one.loss for one in decided) / len(decided)
