"""The figure of a decision in the window: from the key of its reason to the next case on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.canvas import make_pictures, probe, where
from tests.bench.clock import median, p95
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.screen import OFFSCREEN, screen

CASES, SIZE_PX = 24, (1280, 720)
OPTIONS = tuple(Option(letter=letter, text=f"{number} cars") for number, letter in enumerate("ABCD", start=1))
_PROBE = ("-m", "tests.bench.probes.review")


@dataclass(frozen=True, kw_only=True)
class _AddItems(Command):
    """An item about each picture."""

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of("check_items")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        progress.begin(self.summary, total=None)
        for number, medium in enumerate(reader.records(Medium)):
            item = Item(
                id=new_id(),
                name=f"item_{number:05}",
                task_set="aircop",
                task="object_counting",
                state="refined",
                question="How many cars are there?",
                options=OPTIONS,
                answer_key="D",
                media=(medium.id,),
            )
            yield Edit(entity="item", entity_id=item.id, field=CREATED, value=item)


def measure_next_shown(ground: Ground) -> Iterator[Figure]:
    """Decide on items that two people answer against the key, with two keys each."""
    project = make_cases(ground.scratch / "cases", progress=ground.progress)
    ground.begin("decisions in the window", rounds=1)
    with screen(ground.scratch) as environment:
        found = probe((*_PROBE, str(project)), environment=environment or OFFSCREEN)
        location = where(environment)
    ground.progress.step()
    times = found["shown_ms"]
    note = f"p95 {p95(times):.0f} ms, {location}"
    yield Figure(name="review.next_shown_ms", value=median(times), n=len(times), note=note)


def make_cases(folder: Path, *, progress: Progress) -> Path:
    """Make a project of items that two people answer against the key, and return its path."""
    project = make_pictures(folder, size_px=SIZE_PX, progress=progress, count=CASES)
    with Session.open(project) as session:
        session.execute(_AddItems()).result()
        answers = tuple(
            GivenAnswer(item=item.id, person=person, answer="B", duration_s=20)
            for item in session.reader.records(Item)
            for person in ("ben", "chen")
        )
        session.execute(AddResponses(answers=answers)).result()
    return project
