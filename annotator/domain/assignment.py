"""An assignment: a record that one person is asked to work on."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Assignment(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Work given to a person.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        person: Id of the actor.
        role: ``annotate``, ``refine``, ``validate`` or ``review``.
        is_done: True once the person handed it in.
    """

    entity: str
    target: str
    person: str
    role: str = "refine"
    is_done: bool = False

    table = Table(
        entity="assignment",
        columns=(
            Column(name="target", value=lambda r: r.target),
            Column(name="person", value=lambda r: r.person),
        ),
        indexes=(("person", "n"), ("target", "n")),
    )
