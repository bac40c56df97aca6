"""The figure of the review queue: the next case after a decision, among 20,000 flags on 100,000 items."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.review import KeepRecord
from annotator.domain.event import CREATED, Edit
from annotator.domain.flag import Flag, Severity
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.review import ReviewQuery
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.figure import Figure
from tests.bench.ground import SOME, Ground

FLAGS = 20_000
ROUNDS = 20
ORIGINS: tuple[tuple[str, str, Severity, int], ...] = (
    ("people_disagree", "response", "warning", 3),
    ("person_against_key", "response", "warning", 1),
    ("consensus_against_key", "consensus", "warning", 4),
    ("option_style", "check", "note", 0),
    ("key_missing", "check", "error", 0),
)


@dataclass(frozen=True, kw_only=True)
class _RaiseFlags(Command):
    """Flags of all origins, one on every fifth item."""

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of("check_items")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        numbers = reader.items.numbers(ItemQuery())[: SOME : SOME // FLAGS]
        for row, (kind, origin, severity, voters) in zip(
            reader.items.rows(numbers), cycle(ORIGINS), strict=False
        ):
            flag = Flag(
                id=new_id(),
                entity="item",
                target=row.id,
                kind=kind,
                field="answer_key" if voters else "",
                severity=severity,
                raised_by=origin,
                evidence={"responses": [str(voter) for voter in range(voters)]},
            )
            yield Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)
        progress.step()


def measure_next_case(ground: Ground) -> Iterator[Figure]:
    """Measure what a reviewer waits for after each decision: the next case of the queue, by its worth."""
    ground.begin("review queue", rounds=ROUNDS)
    path = ground.scratch / "flagged.vantage"
    shutil.copy(ground.some, path)
    query, times = ReviewQuery(), []
    with Session.open(path) as session:
        session.execute(_RaiseFlags()).result()
        began = time.perf_counter()
        case = session.reader.reviews.next_case(query)
        first = time.perf_counter() - began
        count = session.reader.reviews.count(query)
        for _ in range(ROUNDS):
            if case is None:
                break
            decision = KeepRecord(entity=case.entity, target=case.target, reason="The answer key is right.")
            session.execute(decision).result()
            began = time.perf_counter()
            case = session.reader.reviews.next_case(query, after=case)
            times.append(time.perf_counter() - began)
            ground.progress.step()
    note = f"slowest {max(times) * 1e3:.0f} ms; the first after opening {first * 1e3:.0f} ms"
    yield Figure(name="review.next_case_ms", value=sorted(times)[len(times) // 2] * 1e3, n=count, note=note)
