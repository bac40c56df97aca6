"""Projection of commands: what can be undone and redone."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.command import CommandRecord
from annotator.store.connection import Connection
from annotator.store.projection import Hooks, Row

# Uses all three columns of the index command_stack, so that commands that are not undone are not read.
DROP = "UPDATE command SET state='dropped' WHERE actor=? AND kind='do' AND state='undone'"


def _move_stack(connection: Connection, rows: Sequence[Row]) -> None:
    """Update ``state``: a new command drops the undone ones; undo and redo change that of their target."""
    for row in rows:
        record = row.record
        assert isinstance(record, CommandRecord)
        if record.kind == "do":
            connection.execute(DROP, (row.actor,))
        else:
            state = "undone" if record.kind == "undo" else "done"
            connection.execute("UPDATE command SET state=? WHERE id=?", (state, record.target))


HOOKS = Hooks(
    derived=("state TEXT NOT NULL DEFAULT 'done'",),
    tables=("CREATE INDEX command_stack ON command(actor, kind, state, n)",),
    on_insert=_move_stack,
)
