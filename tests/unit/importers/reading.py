"""What a reader found, as tests ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue


@dataclass(frozen=True)
class Outcome:
    """What a reader found in a file."""

    format: str
    found: list[ImportedRecord]
    rejected: list[ImportIssue]

    @property
    def records(self) -> list[Any]:
        return [entry.record for entry in self.found]

    @property
    def flags(self) -> Counter[str]:
        return Counter(flag.kind for entry in self.found for flag in entry.flags)

    def flag(self, kind: str) -> ImportedFlag:
        return next(flag for entry in self.found for flag in entry.flags if flag.kind == kind)

    def notes(self, field: str) -> list[Any]:
        return [note for record in self.records for note in record.corrections if note.field == field]


def outcome(format_id: str, entries: Iterable[ImportedRecord | ImportIssue]) -> Outcome:
    listed = list(entries)
    return Outcome(
        format=format_id,
        found=[entry for entry in listed if isinstance(entry, ImportedRecord)],
        rejected=[entry for entry in listed if isinstance(entry, ImportIssue)],
    )


Read = Callable[..., Outcome]
