"""The figure of the report: a release of 5,000 items with the answers of three people."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.releases import CreateRelease
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import LETTERS, Item
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.release_filter import NEVER_RELEASED
from annotator.report.report_order import ReportOrder
from annotator.report.write import write_report
from annotator.session import Session
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.material import project_of

ITEMS, MADE = 5_000, 8_000
"""Released items, and items of the project, some of which are rejected."""
PEOPLE = ("Ann", "Bo", "Cid")
ROUNDS = 3
SEED = 20_261_126


@dataclass(frozen=True, kw_only=True)
class _WorkThrough(Command):
    """Three answers to each item."""

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of("add_responses", count=MADE * len(PEOPLE))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        drawn = random.Random(SEED)
        for item in reader.find(Item):
            progress.step()
            common = drawn.choice(LETTERS[:4])
            for person in PEOPLE:
                answer = common if drawn.random() < 0.7 else drawn.choice(LETTERS[:4])
                response = Response(
                    id=new_id(), item=item.id, person=person, answer=answer, shown=prompt_digest(item)
                )
                yield Edit(entity="response", entity_id=response.id, field=CREATED, value=response)


def measure_report(ground: Ground) -> Iterator[Figure]:
    """Write the report of a release as HTML and PDF: the state of then, all figures, both files."""
    ground.begin("report", rounds=ROUNDS)
    project, release = _released(ground)
    order = ReportOrder(
        release=str(release),
        project=str(project),
        html=str(ground.scratch / "report.html"),
        pdf=str(ground.scratch / "report.pdf"),
    )
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        figures = write_report(order, progress=Progress())
        times.append(time.perf_counter() - began)
        ground.progress.step()
    if figures.card.records != ITEMS:
        raise RuntimeError("the release lacks items")
    yield Figure(name="release.report_s", value=min(times), n=ITEMS, note=f"slowest {max(times):.1f} s")


def _released(ground: Ground) -> tuple[Path, Path]:
    project, release = ground.scratch / "reported.vantage", ground.scratch / "reported"
    shutil.rmtree(release, ignore_errors=True)
    shutil.copy(project_of(MADE, folder=ground.folder, progress=ground.progress), project)
    with Session.open(project) as session:
        session.execute(_WorkThrough()).result()
        usable = [item.id for item in session.reader.find(Item) if item.state not in NEVER_RELEASED]
        command = CreateRelease(
            out=release,
            export_format="native",
            include_flagged=True,
            selection=ItemQuery(ids=tuple(usable[:ITEMS])),
        )
        session.execute(command).result()
    return project, release
