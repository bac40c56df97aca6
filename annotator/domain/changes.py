"""The changes of a committed command, as reported to all subscribers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from annotator.domain.event import CREATED, REMOVED

MAX_IDS = 1000
"""Above this number of records of a type ids are not listed, and every view of the type reloads."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Types, ids and fields of the records that a command changed.

    Attributes:
        command: Id of the command, "" where nothing was written.
        label: Description of the command.
        kind: ``do``, ``undo`` or ``redo``; ``elsewhere`` for commands of other programs, which are not named.
        initiator: Object that ran the command, so that a widget can skip its own change.
        ids: Changed ids by record type; None for more than ``MAX_IDS``.
        fields: Changed fields by record type; ``CREATED`` and ``REMOVED`` stand for whole records.
        counts: Number of changed records by record type.
        saved_at: Local wall time of the COMMIT, seconds since the epoch; 0 for those of other programs.
    """

    command: str = ""
    label: str = ""
    kind: str = "do"
    initiator: object = None
    ids: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    saved_at: float = 0.0

    def concerns(self, entity: str, entity_id: str | None = None) -> bool:
        """Return whether a record, or any record of a type, was changed."""
        if entity not in self.ids:
            return False
        # Without a list of ids any record of the type may have changed.
        ids = self.ids[entity]
        return entity_id is None or ids is None or entity_id in ids

    def has_changed(self, entity: str, fields: Collection[str] | None = None) -> bool:
        """Return whether records of a type were created or removed, or one of some fields was changed.

        Args:
            entity: Kind of record.
            fields: Names of the fields that matter, None for all.
        """
        if entity not in self.ids:
            return False
        changed = self.fields.get(entity)
        if fields is None or changed is None:
            return True
        return not changed.isdisjoint((CREATED, REMOVED, *fields))

    def merged(self, later: Changes) -> Changes:
        """Return both changes as one, for a view that is updated when it is shown again."""
        both: dict[str, list[Changes]] = {
            entity: [one for one in (self, later) if entity in one.ids]
            for entity in dict.fromkeys((*self.ids, *later.ids))
        }
        ids = {entity: _merged_ids(parts, entity) for entity, parts in both.items()}
        return replace(
            later,
            initiator=None,
            ids=ids,
            fields={
                entity: frozenset[str]().union(*(part.fields[entity] for part in parts))
                for entity, parts in both.items()
                # If one of them has no list of fields, all fields may have changed.
                if all(entity in part.fields for part in parts)
            },
            counts={entity: _merged_count(both[entity], entity, changed) for entity, changed in ids.items()},
        )


def _merged_count(parts: Iterable[Changes], entity: str, ids: frozenset[str] | None) -> int:
    return sum(part.counts.get(entity, 0) for part in parts) if ids is None else len(ids)


def _merged_ids(parts: Iterable[Changes], entity: str) -> frozenset[str] | None:
    merged: frozenset[str] = frozenset()
    for part in parts:
        ids = part.ids[entity]
        if ids is None:
            return None
        merged |= ids
    return merged if len(merged) <= MAX_IDS else None
