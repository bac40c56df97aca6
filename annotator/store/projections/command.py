"""Projection of commands: what can be undone and redone."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.command import CommandRecord
from annotator.store.connection import Connection
from annotator.store.projection import Hooks, Row

# All three columns of the index command_stack: found without a look at the commands that are not undone.
DROP = "UPDATE command SET state='dropped' WHERE actor=? AND kind='do' AND state='undone'"


def _move_stack(connection: Connection, rows: Sequence[Row]) -> None:
    """Keep ``state``: a new command drops what was undone before it; undo and redo move their target."""
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
