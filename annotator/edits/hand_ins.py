"""Handing work in: a part of the commands with which a person ends the work on a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotator.domain.assignment import Assignment, AssignmentRole
from annotator.domain.event import CREATED, Edit
from annotator.domain.record import new_id
from annotator.domain.time_entry import TimeEntry
from annotator.queries.reader import Reader


def hand_in_edits(
    reader: Reader,
    *,
    entity: str,
    target: str,
    person: str,
    roles: Iterable[AssignmentRole],
    active_s: float = 0.0,
) -> Iterator[Edit]:
    """Yield what marks the assignments of a person as done, and the time of work.

    Assignments of others to the same record stay as they are; so does everything if nobody is named.

    Args:
        reader: The project before the command.
        entity: Kind of the record.
        target: Id of the record.
        person: Id of the person who hands it in, "" for nobody.
        roles: What the person did, the first one for the time.
        active_s: Time of work without idle time, 0 for none or where another record keeps it.
    """
    wanted = tuple(roles)
    if not person or not wanted:
        return
    for found in reader.find(Assignment, target=target, entity=entity, person=person, is_done=0):
        if found.role in wanted:
            yield Edit(entity="assignment", entity_id=found.id, field="is_done", value=True)
    if seconds := round(active_s, 1):
        made = TimeEntry(
            id=new_id(), entity=entity, target=target, person=person, role=wanted[0], seconds=seconds
        )
        yield Edit(entity="time_entry", entity_id=made.id, field=CREATED, value=made)
