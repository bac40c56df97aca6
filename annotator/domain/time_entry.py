"""A time entry: how long a person worked on a record before handing it in."""

from __future__ import annotations

from annotator.domain.assignment import AssignmentRole
from annotator.domain.record import Column, Record, Table


class TimeEntry(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Active time of a person on a record, without idle time.

    The active time on event labels is a field of the labels, that of independent answers one of the
    responses.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        person: Id of the actor.
        role: What the person did with the record.
        seconds: Active time since the last entry.
    """

    entity: str
    target: str
    person: str
    role: AssignmentRole = "refine"
    seconds: float = 0.0

    table = Table(
        entity="time_entry",
        columns=(
            Column(name="entity", value=lambda r: r.entity),
            Column(name="target", value=lambda r: r.target),
            Column(name="person", value=lambda r: r.person),
            Column(name="role", value=lambda r: r.role),
            Column(name="seconds", value=lambda r: r.seconds, type=float),
        ),
        indexes=(("target", "n"),),
    )
