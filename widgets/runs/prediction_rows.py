"""What the table of verdicts shows of a job, read on the reading thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from annotator.domain.item import Item
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.domain.scene import Scene
from annotator.domain.work import Attempt, JobQuery, ListedJob
from annotator.quality.predictions import PROBE_SET, ProbeGuess
from annotator.quality.probe_predictions import guesses_of, is_outdated, probe_prediction
from annotator.session import Reader
from widgets.library.predictions import is_right
from widgets.library.record_types import Query

REPLY_SHOWN = 200_000
"""Bytes of a reply that are shown; the file keeps all."""
PROBE_ROWS, ITEM_BITS = 1 << 62, 24
"""Rows of a probe's items are numbered from here: the number of the job, then the place of the item in it."""


@dataclass(frozen=True, kw_only=True)
class PredictionRow:
    """A job with its verdict as the table shows it.

    Attributes:
        job: The job.
        item: What it is about, None where that is no item.
        is_right: Whether the answer meets the key, None where that cannot be told.
        is_scene: Whether it is about a scene.
        is_outdated: Whether the item was changed since it was answered.
    """

    job: ListedJob
    item: Item | None
    is_right: bool | None
    is_scene: bool = False
    is_outdated: bool = False

    @property
    def kind(self) -> str:
        """Kind of the verdict, ``waiting`` where there is none."""
        if self.is_outdated:
            return "outdated"
        return self.job.verdict.kind if self.job.verdict is not None else "waiting"

    def record_query(self) -> Query | None:
        """Return what selects the record that it is about in the Library, None for a whole run."""
        if self.item is not None:
            return ItemQuery(ids=(self.item.id,))
        if not self.job.name:
            return None
        return (SceneQuery if self.is_scene else MediumQuery)(text=self.job.name)


@dataclass(frozen=True, kw_only=True)
class PredictionDetail:
    """Everything about one job.

    Attributes:
        row: As in the table.
        attempts: Every try, the oldest first.
        request: What was asked in the last try, b"" for nothing.
        reply: What came back in it as it came, cut to a bounded length.
        is_cut: Whether it was cut.
    """

    row: PredictionRow
    attempts: tuple[Attempt, ...]
    request: bytes
    reply: bytes
    is_cut: bool


def read_numbers(reader: Reader, *, query: JobQuery) -> list[int]:
    """Return the numbers of the rows that a query selects: jobs, and the items of a probe's job."""
    numbers = reader.job_numbers(query)
    sets = reader.set_jobs(query.run, target=PROBE_SET)
    if not sets:
        return numbers
    # A probe's job has no name to search for; its items have.
    chosen = set(reader.job_numbers(msgspec.structs.replace(query, text=""))) & set(sets)
    items = [number for job in reader.jobs_at(sorted(chosen)) for number in _item_numbers(reader, job, query)]
    return [number for number in numbers if number not in chosen] + items


def read_rows(reader: Reader, *, numbers: Iterable[int]) -> dict[int, PredictionRow]:
    """Return rows by their numbers."""
    plain, of_sets = [], defaultdict[int, list[int]](list)
    for number in numbers:
        if number < PROBE_ROWS:
            plain.append(number)
        else:
            of_sets[(number - PROBE_ROWS) >> ITEM_BITS].append(number)
    jobs = reader.jobs_at(plain)
    targets = list(dict.fromkeys(job.target for job in jobs))
    items = {one.id: one for one in reader.records(Item, ids=targets)}
    others = [target for target in targets if target not in items]
    scenes = {one.id for one in reader.records(Scene, ids=others)}
    rows = {
        job.number: PredictionRow(
            job=job,
            item=items.get(job.target),
            is_right=is_right(items.get(job.target), job.verdict),
            is_scene=job.target in scenes,
        )
        for job in jobs
    }
    for job in reader.jobs_at(of_sets):
        rows |= _item_rows(reader, job, of_sets[job.number])
    return rows


def _item_numbers(reader: Reader, job: ListedJob, query: JobQuery) -> list[int]:
    """Return one number an item of a probe's job, in their order."""
    items = list(job.spec.get("items", {}))
    named = reader.item_names(items, text=query.text) if query.text else None
    first = PROBE_ROWS + (job.number << ITEM_BITS)
    return [first + place for place, item in enumerate(items) if named is None or item in named]


def _item_rows(reader: Reader, job: ListedJob, numbers: list[int]) -> dict[int, PredictionRow]:
    """Return what a probe says of some of its items, each as a row of its own."""
    ids = list(job.spec.get("items", {}))
    targets = {number: ids[number & ((1 << ITEM_BITS) - 1)] for number in numbers}
    items = {one.id: one for one in reader.records(Item, ids=[*targets.values()])}
    guesses = guesses_of(job.verdict, [*items])
    return {
        number: _item_row(job, number, target, items.get(target), guesses.get(target))
        for number, target in targets.items()
    }


def _item_row(
    job: ListedJob, number: int, target: str, item: Item | None, guess: ProbeGuess | None
) -> PredictionRow:
    verdict = job.verdict
    if verdict is not None and verdict.kind == "answer":
        # Of an item that it did not guess, or that is gone, the answer to the whole set says nothing.
        verdict = probe_prediction(verdict, item, guess) if item is not None and guess is not None else None
    name = item.name if item is not None else ""
    shown = msgspec.structs.replace(job, number=number, target=target, name=name, spec={}, verdict=verdict)
    has_changed = item is not None and guess is not None and is_outdated(item, guess)
    return PredictionRow(
        job=shown,
        item=item,
        is_right=None if has_changed else is_right(item, verdict),
        is_outdated=has_changed,
    )


def read_detail(reader: Reader, *, number: int) -> PredictionDetail | None:
    """Return everything about a job, None where it is gone."""
    row = read_rows(reader, numbers=[number]).get(number)
    if row is None:
        return None
    attempts = tuple(reader.attempts_of(row.job.key))
    # The try that was answered is the one to read; without an answer, the last one shows how it failed.
    told = next(
        (one for one in reversed(attempts) if one.state == "answered"), attempts[-1] if attempts else None
    )
    reply = reader.reply_of(told.fence) if told is not None else b""
    return PredictionDetail(
        row=row,
        attempts=attempts,
        request=reader.request_of(told.fence) if told is not None else b"",
        reply=reply[:REPLY_SHOWN],
        is_cut=len(reply) > REPLY_SHOWN,
    )
