"""What one committed command changed: the one message that screens listen to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_IDS = 1000
"""Above this many records of a kind, ids are not listed: every screen that shows the kind reloads."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Kinds and ids of records that a command touched.

    Attributes:
        command: Id of the command, "" where nothing was written.
        label: What was done, in words.
        kind: ``do``, ``undo`` or ``redo``.
        initiator: Who asked, so that a widget can skip its own change.
        ids: Ids touched per kind of record; None where there are more than ``MAX_IDS``.
        counts: Number of records touched per kind.
        saved_at: Local wall time of the COMMIT, seconds since the epoch.
    """

    command: str = ""
    label: str = ""
    kind: str = "do"
    initiator: object = None
    ids: Mapping[str, frozenset[str] | None] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    saved_at: float = 0.0

    def concerns(self, entity: str, entity_id: str | None = None) -> bool:
        """Tell whether a record, or any record of a kind, was touched."""
        if entity not in self.ids:
            return False
        # Without a list any record of the kind may be among them: better one list too many read again.
        ids = self.ids[entity]
        return entity_id is None or ids is None or entity_id in ids
