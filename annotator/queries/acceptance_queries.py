"""Whether a person may accept an item, asked before the person tries."""

from __future__ import annotations

from annotator.domain.review import AcceptanceLimit
from annotator.store.acceptance import AcceptanceGate
from annotator.store.connection import Connection


class AcceptanceQueries:
    """The part of the review queries that says beforehand what the gate refuses to whom."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def acceptance_limit(self, item: str, *, person: str) -> AcceptanceLimit:
        """Return whether a person may accept an item, as the project's rule of separate acceptance says."""
        gate = AcceptanceGate(self._connection, actor=person, command="")
        if not gate.is_separate:
            return "none"
        return "own_item" if gate.is_own(item) else "own_edits"
