"""Rows of the prediction table; read on the reading thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET, ProbeGuess
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.domain.scene import Scene
from annotator.domain.work import Attempt, JobQuery, ListedJob
from annotator.quality.probe_predictions import guesses_of, is_outdated, probe_prediction
from annotator.queries.reader import Reader
from widgets.library.predictions import is_right
from widgets.library.record_types import Query

REPLY_SHOWN = 200_000
"""Maximum number of displayed bytes of a reply; the project file has all of it."""
# Far above the row ids of jobs: both kinds of rows share one list of numbers.
PROBE_ROWS, ITEM_BITS = 1 << 62, 24
"""First row number of the items of text probes: job number, then place of the item in the job."""


@dataclass(frozen=True, kw_only=True)
class PredictionRow:
    """A job with its prediction.

    Attributes:
        job: The job.
        item: The item that the job is about, None if it is about another record.
        is_right: Whether the prediction matches the answer key, None if that is undefined.
        is_scene: Whether the job is about a scene.
        is_outdated: Whether the item has changed since the prediction.
    """

    job: ListedJob
    item: Item | None
    is_right: bool | None
    is_scene: bool = False
    is_outdated: bool = False

    @property
    def kind(self) -> str:
        """Kind of the prediction, ``waiting`` if there is none yet."""
        if self.is_outdated:
            return "outdated"
        return self.job.prediction.kind if self.job.prediction is not None else "waiting"

    def record_query(self) -> Query | None:
        """Return the Library query for the job's record, None if the job is about the whole run."""
        if self.item is not None:
            return ItemQuery(ids=(self.item.id,))
        if not self.job.name:
            return None
        return (SceneQuery if self.is_scene else MediumQuery)(text=self.job.name)


@dataclass(frozen=True, kw_only=True)
class PredictionDetail:
    """All data of one job.

    Attributes:
        row: The row of the table.
        attempts: All attempts, the oldest first.
        request: Request of the last attempt, b"" for none.
        reply: Raw reply of that attempt, truncated to a maximum length.
        is_cut: Whether the reply was truncated.
    """

    row: PredictionRow
    attempts: tuple[Attempt, ...]
    request: bytes
    reply: bytes
    is_cut: bool


def read_numbers(reader: Reader, *, query: JobQuery) -> list[int]:
    """Return the row numbers that a query selects: jobs, and the items of a text probe's job."""
    numbers = reader.runs.job_numbers(query)
    sets = reader.runs.set_jobs(query.run, target=PROBE_SET)
    if not sets:
        return numbers
    # The job of a text probe has no searchable name, but its items have.
    chosen = set(reader.runs.job_numbers(msgspec.structs.replace(query, text=""))) & set(sets)
    items = [
        number for job in reader.runs.jobs_at(sorted(chosen)) for number in _item_numbers(reader, job, query)
    ]
    return [number for number in numbers if number not in chosen] + items


def read_rows(reader: Reader, *, numbers: Iterable[int]) -> dict[int, PredictionRow]:
    """Return rows by their numbers."""
    plain, of_sets = [], defaultdict[int, list[int]](list)
    for number in numbers:
        if number < PROBE_ROWS:
            plain.append(number)
        else:
            # These numbers combine the job's number with the place of the item in the job.
            of_sets[(number - PROBE_ROWS) >> ITEM_BITS].append(number)
    jobs = reader.runs.jobs_at(plain)
    targets = list(dict.fromkeys(job.target for job in jobs))
    items = {record.id: record for record in reader.records(Item, ids=targets)}
    others = [target for target in targets if target not in items]
    scenes = {record.id for record in reader.records(Scene, ids=others)}
    rows = {
        job.number: PredictionRow(
            job=job,
            item=items.get(job.target),
            is_right=is_right(items.get(job.target), job.prediction),
            is_scene=job.target in scenes,
        )
        for job in jobs
    }
    for job in reader.runs.jobs_at(of_sets):
        rows |= _item_rows(reader, job, of_sets[job.number])
    return rows


def _item_numbers(reader: Reader, job: ListedJob, query: JobQuery) -> list[int]:
    """Return one row number per item of a text probe's job, in their order."""
    items = list(job.spec.get("items", {}))
    named = reader.runs.item_names(items, text=query.text) if query.text else None
    first = PROBE_ROWS + (job.number << ITEM_BITS)
    return [first + index for index, item in enumerate(items) if named is None or item in named]


def _item_rows(reader: Reader, job: ListedJob, numbers: list[int]) -> dict[int, PredictionRow]:
    """Return the result of a text probe for some of its items, one row each."""
    ids = list(job.spec.get("items", {}))
    targets = {number: ids[number & ((1 << ITEM_BITS) - 1)] for number in numbers}
    items = {record.id: record for record in reader.records(Item, ids=[*targets.values()])}
    guesses = guesses_of(job.prediction, [*items])
    return {
        number: _item_row(job, number, target, items.get(target), guesses.get(target))
        for number, target in targets.items()
    }


def _item_row(
    job: ListedJob, number: int, target: str, item: Item | None, guess: ProbeGuess | None
) -> PredictionRow:
    prediction = job.prediction
    if prediction is not None and prediction.kind == "answer":
        # The result of the whole set does not apply to items without a prediction and to deleted items.
        prediction = (
            probe_prediction(prediction, item, guess) if item is not None and guess is not None else None
        )
    name = item.name if item is not None else ""
    shown = msgspec.structs.replace(
        job, number=number, target=target, name=name, spec={}, prediction=prediction
    )
    has_changed = item is not None and guess is not None and is_outdated(item, guess)
    return PredictionRow(
        job=shown,
        item=item,
        # The prediction is about the previous content of the item.
        is_right=None if has_changed else is_right(item, prediction),
        is_outdated=has_changed,
    )


def read_detail(reader: Reader, *, number: int) -> PredictionDetail | None:
    """Return all data of a job, None if the job does not exist."""
    row = read_rows(reader, numbers=[number]).get(number)
    if row is None:
        return None
    attempts = tuple(reader.runs.attempts_of(row.job.request_key))
    # The answered attempt is shown; without one, the last attempt shows the failure.
    attempt = next(
        (one for one in reversed(attempts) if one.state == "answered"), attempts[-1] if attempts else None
    )
    reply = reader.runs.reply_of(attempt.fence) if attempt is not None else b""
    return PredictionDetail(
        row=row,
        attempts=attempts,
        request=reader.runs.request_of(attempt.fence) if attempt is not None else b"",
        reply=reply[:REPLY_SHOWN],
        is_cut=len(reply) > REPLY_SHOWN,
    )
