"""The figure of agreement: three people who answered 100,000 items."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import LETTERS
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.progress import Progress
from annotator.quality.agreement.project_agreement import measure_project
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.figure import Figure
from tests.bench.ground import SOME, Ground

PEOPLE = ("Ann", "Bo", "Cid")
ROUNDS = 3
SEED = 20_261_125


@dataclass(frozen=True, kw_only=True)
class _AnswerAll(Command):
    """Three answers to each item; two of three people follow the first letter of most items."""

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of("add_responses", count=SOME * len(PEOPLE))

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        drawn = random.Random(SEED)
        numbers = reader.items.numbers(ItemQuery())[:SOME]
        for row in reader.items.rows(numbers):
            common = drawn.choice(LETTERS[:4])
            for person in PEOPLE:
                answer = common if drawn.random() < 0.7 else drawn.choice(LETTERS[:4])
                response = Response(id=new_id(), item=row.id, person=person, answer=answer, shown="same")
                yield Edit(entity="response", entity_id=response.id, field=CREATED, value=response)
        progress.step()


def measure_agreement_time(ground: Ground) -> Iterator[Figure]:
    """Measure percent agreement, three coefficients, scores and all intervals, reading included."""
    ground.begin("agreement of people", rounds=ROUNDS)
    path = _answered(ground)
    with Session.open(path) as session:
        session.execute(_AnswerAll()).result()
        times = []
        for _ in range(ROUNDS):
            began = time.process_time()
            found = measure_project(session.reader)
            times.append(time.process_time() - began)
            ground.progress.step()
    units = sum(one.units for one in found)
    yield Figure(name="people.agreement_s", value=min(times), n=units, note=f"slowest {max(times):.1f} s")


def _answered(ground: Ground) -> Path:
    path = ground.scratch / "answered.vantage"
    shutil.copy(ground.some, path)
    return path
