"""Figures of saving and of memory."""

from __future__ import annotations

import time
from collections.abc import Iterator

from annotator.commands.item_edits import SetQuestion
from annotator.domain.query import ItemQuery
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.bench.bare import BareCommits
from tests.bench.clock import interleaved, median, p95
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import PROBE, run_python

EDITS = 400
WARM_UP = 30
PAUSE_S = 0.01
"""Rest after each pair: nobody's hands are faster, and what is put off until they rest is put off rightly."""


def measure_saving(ground: Ground) -> Iterator[Figure]:
    """Edit questions, each edit in turn with a bare commit on the same disk."""
    with Session.open(ground.many) as session, BareCommits(ground.scratch / "bare.db") as bare:
        edits = iter(some_edits(session.reader, count=EDITS + WARM_UP))
        works = {
            "edit": lambda: session.execute(next(edits)).result(),
            "bare": bare.commit,
            "rest": lambda: time.sleep(PAUSE_S),
        }
        ground.begin("saving", rounds=EDITS)
        times = interleaved(works, rounds=EDITS, warm_up=WARM_UP, progress=ground.progress)
    for name, share in (("store.save_ratio", p95), ("store.save_p50_ratio", median)):
        edit, plain = share(times["edit"]), share(times["bare"])
        yield Figure(
            name=name, value=edit / plain, n=EDITS, ratio=edit / plain, baseline_value=plain * 1000,
            baseline="ms, a bare WAL + FULL commit", note=f"an edit takes {edit * 1000:.2f} ms",
        )  # fmt: skip


def measure_memory(ground: Ground) -> Iterator[Figure]:
    """Do all of it, the export included, in a process of its own, and read its largest size."""
    ground.begin("memory")
    ran = run_python([*PROBE, "work", str(ground.many), str(ground.scratch / "released")])
    idle = run_python([*PROBE, "idle"])
    yield Figure(
        name="store.peak_mb", value=ran.peak_mb or None, n=1, baseline="the same imports, no work",
        baseline_value=idle.peak_mb or None, ratio=ran.peak_mb / idle.peak_mb if idle.peak_mb else None,
        note="" if ran.peak_mb else "this system does not tell",
    )  # fmt: skip


def some_edits(reader: Reader, *, count: int) -> list[SetQuestion]:
    """Return edits of the questions of items that lie evenly over the project; each changes something."""
    # Far apart, so that no edit finds its pages warm from the one before.
    numbers = reader.items.numbers(ItemQuery())
    rows = reader.items.rows(numbers[:: max(1, len(numbers) // count)][:count])
    return [SetQuestion(item=row.id, text=_changed(row.question)) for row in rows]


def _changed(question: str) -> str:
    """Return the question with one question mark more, or without those that earlier benches gave it."""
    plain = question.rstrip("?")
    return f"{plain}?" if question.endswith("??") else f"{question}?"
