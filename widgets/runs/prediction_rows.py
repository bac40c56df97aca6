"""What the table of verdicts shows of a job, read on the reading thread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotator.domain.item import Item
from annotator.domain.work import Attempt, JobQuery, ListedJob
from annotator.session import Reader
from widgets.library.predictions import is_right

REPLY_SHOWN = 200_000
"""Bytes of a reply that are shown; the file keeps all."""


@dataclass(frozen=True, kw_only=True)
class PredictionRow:
    """A job with its verdict as the table shows it.

    Attributes:
        job: The job.
        item: What it is about, None where that is no item.
        is_right: Whether the answer meets the key, None where that cannot be told.
    """

    job: ListedJob
    item: Item | None
    is_right: bool | None

    @property
    def kind(self) -> str:
        """Kind of the verdict, ``waiting`` where there is none."""
        return self.job.verdict.kind if self.job.verdict is not None else "waiting"


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
    """Return the numbers of the jobs that a query selects."""
    return reader.job_numbers(query)


def read_rows(reader: Reader, *, numbers: Iterable[int]) -> dict[int, PredictionRow]:
    """Return jobs by their numbers."""
    jobs = reader.jobs_at(numbers)
    targets = list(dict.fromkeys(job.target for job in jobs))
    items = {one.id: one for one in reader.records("item", ids=targets) if isinstance(one, Item)}
    return {
        job.number: PredictionRow(
            job=job, item=items.get(job.target), is_right=is_right(items.get(job.target), job.verdict)
        )
        for job in jobs
    }


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
