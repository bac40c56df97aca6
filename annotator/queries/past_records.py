"""Records as they were at an earlier position of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from annotator.domain.event import CREATED, REMOVED
from annotator.domain.record import Record
from annotator.domain.release import Release
from annotator.errors import UserError
from annotator.queries.earlier_values import readable_value
from annotator.queries.reader import Reader

WHOLE_HISTORY = 1_000_000
"""Greater than the number of events of any record."""
BATCH = 500
"""Records that are read at once."""
R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True)
class RecordHistory:
    """The events of one record: arrival numbers, fields and JSON texts, oldest first."""

    events: tuple[tuple[int, str, str], ...]

    @classmethod
    def of(cls, reader: Reader, record: str) -> RecordHistory:
        """Return the history of a record by its id."""
        entries = reversed(reader.history.of(record, limit=WHOLE_HISTORY))
        logged = [event for entry in entries if (event := reader.log.event(entry.event)) is not None]
        return cls(events=tuple((event.n, event.field, event.value) for event in logged))

    def at(self, n: int, *, kind: type[R]) -> R | None:
        """Return the record before an event, None if it did not exist then.

        Raises:
            EnvironmentFailure: A value is damaged.
        """
        fields: dict[str, msgspec.Raw] = {}
        is_removed = False
        for number, name, value in self.events:
            # The event itself is excluded: a release contains the state before its own entry.
            if number >= n:
                break
            readable_value(kind.table.entity, value)
            if name == CREATED:
                fields = msgspec.json.decode(value, type=dict[str, msgspec.Raw])
            elif name == REMOVED:
                is_removed = bool(msgspec.json.decode(value))
            else:
                fields[name] = msgspec.Raw(value.encode())
        is_there = bool(fields) and not is_removed
        return msgspec.json.decode(msgspec.json.encode(fields), type=kind) if is_there else None


class ReleasedRecords:
    """The records of a project as a release has them.

    Args:
        reader: The project.
        sha256: Digest of the release.

    Raises:
        UserError: The release is not in the log of the project.
    """

    def __init__(self, reader: Reader, sha256: str) -> None:
        self._reader = reader
        entries = reader.find(Release, sha256=sha256)
        numbers = [RecordHistory.of(reader, entry.id).events[0][0] for entry in entries]
        if not numbers:
            raise UserError(
                f"The release {sha256[:12]} is not in the log of this project.",
                hint="Open the project that it was released from.",
            )
        self._position = min(numbers)
        self._changed: frozenset[str] | None = None

    def get(self, kind: type[R], record: str) -> R | None:
        """Return a record as it was released, None if it did not exist then."""
        return RecordHistory.of(self._reader, record).at(self._position, kind=kind)

    def records(self, kind: type[R], ids: Sequence[str]) -> Iterator[R]:
        """Yield records as they were released, in the order of the ids; unknown ones are left out."""
        changed = self._changed_ids()
        for start in range(0, len(ids), BATCH):
            batch = ids[start : start + BATCH]
            present = self._reader.records(kind, ids=[one for one in batch if one not in changed])
            unchanged = {record.id: record for record in present}
            for one in batch:
                record = self.get(kind, one) if one in changed else unchanged.get(one)
                if record is not None:
                    yield record

    def get_fast(self, kind: type[R], record: str) -> R | None:
        """Return the same, faster for many records: only the changed ones are rebuilt from their events."""
        return self.get(kind, record) if record in self._changed_ids() else self._reader.get(kind, record)

    def _changed_ids(self) -> frozenset[str]:
        if self._changed is None:
            changed = self._reader.log.changed_since(self._position)
            self._changed = frozenset(one.entity_id for one in changed)
        return self._changed
