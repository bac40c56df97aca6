"""Computes the edits of an undo or redo from the log."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.store.projection import field_json
from annotator.store.projections import PROJECTIONS
from annotator.store.reader import LoggedEvent, Reader

KEPT = frozenset({"command", "actor"})
"""Record types that an undo never reverses: they describe the log itself."""


def undoing_edits(reader: Reader, command: str, *, progress: Progress) -> Iterator[Edit]:
    """Yield the inverse of a command's events, newest first.

    Args:
        reader: Sees the state before the undo.
        command: Id of the command.
        progress: One step per event.

    Raises:
        UserError: Somebody else has changed the same field since.
    """
    for event in _events(reader, command, newest_first=True, progress=progress):
        _require_untouched(reader, event)
        yield _edit(event, value=_value_before(reader, event))


def redoing_edits(reader: Reader, command: str, *, progress: Progress) -> Iterator[Edit]:
    """Yield a command's events again, oldest first, as edits of existing records.

    Args:
        reader: Sees the state in which the command is undone.
        command: Id of the command.
        progress: One step per event.

    Raises:
        UserError: Somebody else has changed the same field since.
    """
    for event in _events(reader, command, newest_first=False, progress=progress):
        _require_untouched(reader, event)
        # Records are never deleted, so a redo restores the same record; links to its id stay valid.
        value = False if event.field == CREATED else msgspec.Raw(event.value.encode())
        yield _edit(event, value=value)


def _events(reader: Reader, command: str, *, newest_first: bool, progress: Progress) -> Iterator[LoggedEvent]:
    progress.begin("Undoing" if newest_first else "Redoing", total=reader.event_count(command))
    for event in reader.events_of(command, newest_first=newest_first):
        progress.step()
        if event.entity not in KEPT:
            yield event


def _edit(event: LoggedEvent, *, value: object) -> Edit:
    # The inverse of a creation is a removal: the log has no deletion.
    field = REMOVED if event.field == CREATED else event.field
    return Edit(entity=event.entity, entity_id=event.entity_id, field=field, value=value)


def _value_before(reader: Reader, event: LoggedEvent) -> object:
    if event.field == CREATED:
        return True
    if event.field == REMOVED:
        return event.value != "true"
    # A merge can leave several newest values of a field; where they are equal, either is the one before.
    found = [reader.event(parent) for parent in event.parents.split(",")]
    before = found[0]
    assert before is not None, f"event {event.id} names a parent that the log does not have"
    if len({one.value for one in found if one is not None}) > 1:
        raise UserError(
            f"The choice of a value for the {event.field} cannot be undone.",
            hint="Enter the other value; the history shows both.",
        )
    # For the first change of a field the earlier value is in the event that created the record.
    if before.field != CREATED:
        return msgspec.Raw(before.value.encode())
    value = field_json(PROJECTIONS[event.entity], before.value, field_name=event.field)
    return msgspec.Raw(value.encode())


def _require_untouched(reader: Reader, event: LoggedEvent) -> None:
    other = reader.later_actor(event)
    if other:
        changed = event.entity if event.field in (CREATED, REMOVED) else event.field
        raise UserError(
            f"{other} has changed the {changed} in the meantime.",
            hint="Edit the value manually. Both versions remain in the history.",
        )
