"""Computes the edits of an undo or redo from the log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from annotator.domain.disagreement import DISAGREEMENT, disagreement_edits
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import CREATED, REMOVED, Edit, ForkReopening, ForkResolution
from annotator.domain.item import Item
from annotator.domain.response import Response
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.earlier_values import readable_value
from annotator.queries.log_queries import LoggedEvent
from annotator.queries.reader import Reader
from annotator.store.projection import field_json
from annotator.store.projections import PROJECTIONS

KEPT = frozenset({"command", "actor"})
"""Record types that an undo never reverses: they describe the log itself."""


def undoing_edits(reader: Reader, command: str, *, progress: Progress, machine: str = "") -> Iterator[Edit]:
    """Yield the inverse of a command's events, newest first.

    Args:
        reader: Sees the state before the undo.
        command: Id of the command.
        progress: One step per event.
        machine: Digits of this machine; what the same person did on others is kept.

    Raises:
        UserError: The same field was changed by somebody else, or on another machine, since.
        EnvironmentFailure: An earlier value is damaged.
    """
    # Flags of disagreement follow from all answers, so they are computed again instead of being reversed.
    answers = reader.responses.made_by(command)
    is_newest = reader.history.is_newest_of_all(command, machine=machine)
    for event in _events(reader, command, newest_first=True, progress=progress):
        if answers and _is_derived(reader, event):
            continue
        if not is_newest:
            _require_untouched(reader, event, machine=machine)
        yield from _inverse(reader, event)
    yield from _derived_edits(reader, answers, is_withdrawn=True)


def redoing_edits(reader: Reader, command: str, *, progress: Progress, machine: str = "") -> Iterator[Edit]:
    """Yield a command's events again, oldest first, as edits of existing records.

    Args:
        reader: Sees the state in which the command is undone.
        command: Id of the command.
        progress: One step per event.
        machine: Digits of this machine; what the same person did on others is kept.

    Raises:
        UserError: The same field was changed by somebody else, or on another machine, since.
        EnvironmentFailure: An earlier value is damaged.
    """
    answers = reader.responses.made_by(command)
    is_newest = reader.history.is_newest_of_all(command, machine=machine)
    for event in _events(reader, command, newest_first=False, progress=progress):
        if answers and _is_derived(reader, event):
            continue
        if not is_newest:
            _require_untouched(reader, event, machine=machine)
        # Records are never deleted, so a redo restores the same record; links to its id stay valid.
        value = (
            False
            if event.field == CREATED
            else msgspec.Raw(readable_value(event.entity, event.value).encode())
        )
        edit = _edit(event, value=value)
        # The undo of a choice has opened the fork again: the redo chooses again.
        yield ForkResolution(**msgspec.structs.asdict(edit)) if "," in event.parents else edit
    yield from _derived_edits(reader, answers, is_withdrawn=False)


def _is_derived(reader: Reader, event: LoggedEvent) -> bool:
    """Return whether an event is about a flag that follows from the answers of all people alone."""
    return event.entity == "flag" and reader.responses.flag_kind(event.entity_id) == DISAGREEMENT


def _derived_edits(reader: Reader, answers: Iterable[Response], *, is_withdrawn: bool) -> Iterator[Edit]:
    """Yield what answers that are withdrawn, or brought back, change in the flags that follow from them."""
    by_item: dict[str, dict[str, Response]] = defaultdict(dict)
    for answer in answers:
        by_item[answer.item][answer.id] = answer
    for item_id, own in by_item.items():
        item = reader.get(Item, item_id)
        if item is None:
            continue
        others = [one for one in reader.find(Response, item=item_id) if one.id not in own]
        given = others if is_withdrawn else [*others, *own.values()]
        shown = prompt_digest(item)
        yield from disagreement_edits(
            item,
            [one for one in given if one.shown == shown],
            flags=reader.flags_of(item_id),
            withdrawn=own if is_withdrawn else (),
        )


def _events(reader: Reader, command: str, *, newest_first: bool, progress: Progress) -> Iterator[LoggedEvent]:
    progress.begin("Undoing" if newest_first else "Redoing", total=reader.log.event_count(command))
    for event in reader.log.events_of(command, newest_first=newest_first):
        progress.step()
        if event.entity not in KEPT:
            yield event


def _edit(event: LoggedEvent, *, value: object) -> Edit:
    # The inverse of a creation is a removal: the log has no deletion.
    field = REMOVED if event.field == CREATED else event.field
    return Edit(entity=event.entity, entity_id=event.entity_id, field=field, value=value)


def _inverse(reader: Reader, event: LoggedEvent) -> Iterator[Edit]:
    """Yield the value before an event; after a choice of several values the fork of all of them."""
    if event.field in (CREATED, REMOVED):
        yield _edit(event, value=event.field == CREATED or event.value != "true")
        return
    # A merge can leave several newest values of a field; where they are equal, one is the value before.
    values = _values_before(reader, event)
    if len(values) == 1:
        yield _edit(event, value=values[0])
        return
    for number, value in enumerate(values):
        edit = msgspec.structs.asdict(_edit(event, value=value))
        yield ForkReopening(**edit, is_first=number == 0)


def _values_before(reader: Reader, event: LoggedEvent) -> list[msgspec.Raw]:
    """Return the different values that an event has seen, the one that was shown last."""
    found = [reader.log.event(parent) for parent in event.parents.split(",")]
    before = sorted((one for one in found if one is not None), key=lambda one: (one.lamport, one.id))
    # A merge refuses such an event.
    assert len(before) == len(found), f"event {event.id} has an unknown parent"  # noqa: S101
    # By value: the last place of equal ones counts.
    values = {_field_value(one, event): None for one in reversed(before)}
    return [msgspec.Raw(value.encode()) for value in reversed(values)]


def _field_value(before: LoggedEvent, event: LoggedEvent) -> str:
    # For the first change of a field the earlier value is in the event that created the record.
    value = readable_value(before.entity, before.value)
    if before.field != CREATED:
        return value
    return field_json(PROJECTIONS[event.entity], value, field_name=event.field)


def _require_untouched(reader: Reader, event: LoggedEvent, *, machine: str) -> None:
    later = reader.log.later_author(event, machine=machine)
    if later is not None:
        changed = event.entity if event.field in (CREATED, REMOVED) else event.field
        if later.id == event.actor:
            text = f"You have changed the {changed} on another machine in the meantime."
        else:
            text = f"{later.name} has changed the {changed} in the meantime."
        raise UserError(text, hint="Edit the value manually. Both versions remain in the history.")
