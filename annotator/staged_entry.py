"""Writes a long entry beside the edits of people: in short transactions, invisible until the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotator.domain.changes import Changes
from annotator.domain.command import CommandRecord
from annotator.domain.event import Edit
from annotator.queries.reader import Reader
from annotator.store.connection import convert_disk_errors
from annotator.store.staging import Stage
from annotator.writing.writer import Origin
from annotator.writing_thread import WritingThread

EDITS_FIRST_S = 1.0
"""Longest time for which a long entry pauses for the edits that are being saved."""


def enter_staged(
    stage: Stage,
    record: CommandRecord,
    *,
    edits: Callable[[], Iterator[Edit]],
    require_current: Callable[[Reader], None],
    writing: WritingThread,
    origin: Origin,
) -> Changes:
    """Write the edits of a command into a stage, then make them visible; not on the writing thread.

    Args:
        stage: The entry, empty so far. Nothing of it is left if this fails.
        record: The record of the command.
        edits: Begins to plan the edits.
        require_current: Refuses the entry, in its last transaction, if others have changed what it is
            based on; with a ``StagingError`` or ``StalePreparationError``.
        writing: The writing thread.
        origin: Who asked for the command.

    Raises:
        StagingError: The stage does not take an edit, or the entry was refused.
        EnvironmentFailure: The disk refuses it.
    """
    try:
        with convert_disk_errors():
            _write_edits(stage, edits(), command=record.id, writing=writing)
        return writing.write(
            lambda: writing.writer.publish(stage, record, require_current=require_current, origin=origin)
        ).result()
    finally:
        # Cancelled and Ctrl-C too. Nothing is left to remove of a published entry, but for the hidden rows
        # of an undo.
        stage.discard()


def _write_edits(stage: Stage, edits: Iterator[Edit], *, command: str, writing: WritingThread) -> None:
    """Write the edits of a long entry, and let the edits of the user pass."""
    for edit in edits:
        # They need the write lock, and the interpreter: beside a planning thread, which keeps it for 5 ms
        # at a time, an edit of 2 ms takes 50 ms.
        writing.wait_until_idle(EDITS_FIRST_S)
        if written := stage.add(edit, command=command):
            writing.note_commit(written)
    writing.note_commit(stage.write(command=command))
