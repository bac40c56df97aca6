"""What one committed command changed: the one message that screens listen to."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from annotator.domain.event import CREATED, REMOVED

MAX_IDS = 1000
"""Above this many records of a kind, ids are not listed: every screen that shows the kind reloads."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Kinds, ids and fields of records that a command changed.

    Attributes:
        command: Id of the command, "" where nothing was written.
        label: What was done, in words.
        kind: ``do``, ``undo`` or ``redo``.
        initiator: Who asked, so that a widget can skip its own change.
        ids: Ids changed per kind of record; None where there are more than ``MAX_IDS``.
        fields: Fields changed per kind of record; ``CREATED`` and ``REMOVED`` stand for whole records.
        counts: Number of records changed per kind.
        saved_at: Local wall time of the COMMIT, seconds since the epoch.
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
        """Tell whether a record, or any record of a kind, was changed."""
        if entity not in self.ids:
            return False
        # Without a list any record of the kind may be among them: better one list too many read again.
        ids = self.ids[entity]
        return entity_id is None or ids is None or entity_id in ids

    def has_changed(self, entity: str, fields: Collection[str] | None = None) -> bool:
        """Tell whether records of a kind were created or removed, or one of some fields was changed.

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
        """Return both changes as one, for a screen that catches up when it is shown again."""
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
                entity: frozenset(itertools.chain.from_iterable(one.fields[entity] for one in parts))
                for entity, parts in both.items()
                # Where one of them does not say, all fields may have changed.
                if all(entity in one.fields for one in parts)
            },
            counts={
                entity: sum(one.counts.get(entity, 0) for one in both[entity])
                if changed is None
                else len(changed)
                for entity, changed in ids.items()
            },
        )


def _merged_ids(parts: Iterable[Changes], entity: str) -> frozenset[str] | None:
    merged: frozenset[str] = frozenset()
    for part in parts:
        ids = part.ids[entity]
        if ids is None:
            return None
        merged |= ids
    return merged if len(merged) <= MAX_IDS else None
