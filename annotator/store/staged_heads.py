"""Keeps the newest values of fields right while an undo or redo is written whose events may be deleted.

Its events are in ``head`` before they are published. Whoever writes meanwhile must not name one of them as a
parent: if the undo is refused, the parent is deleted, and the published event names one that is in no log.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from annotator.domain.event import REMOVED
from annotator.store.connection import Connection
from annotator.store.staged_rows import HORIZON

_STAGED = f"""
SELECT h.entity_id, h.field, h.event, e.parents FROM head h JOIN main.event e ON e.id=h.event
WHERE h.field='{REMOVED}' AND h.entity_id IN (SELECT value FROM json_each(?)) AND e.n>={HORIZON}
"""


def put_back_heads(connection: Connection, records: Iterable[str]) -> None:
    """Make what staged removals of records have replaced the newest values again.

    An undo whose records were changed in the meantime is not published, so its events need no heads.

    Args:
        connection: In the transaction that changes the records next.
        records: Their ids.
    """
    if connection.execute("SELECT 1 FROM staging").fetchone():
        ids = msgspec.json.encode(list(records)).decode()
        replace_by_parents(connection, connection.execute(_STAGED, (ids,)).fetchall())


def replace_by_parents(connection: Connection, staged: Iterable[tuple[str, str, str, str]]) -> None:
    """Replace newest values by those that they have replaced.

    Args:
        connection: In the caller's transaction.
        staged: Id of the record, field, event and parents, the last event first. One that is no newest value
            any more is skipped: others have changed the field, or put its parents back.
    """
    for entity_id, field, event, parents in staged:
        key = (entity_id, field)
        delete = "DELETE FROM head WHERE entity_id=? AND field=? AND event=?"
        if connection.execute(delete, (*key, event)).rowcount:
            before = [(*key, parent) for parent in parents.split(",") if parent]
            connection.executemany("INSERT INTO head (entity_id, field, event) VALUES (?, ?, ?)", before)
