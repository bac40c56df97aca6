"""An assignment: a record that one person is asked to work on."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import Column, Record, Table

AssignmentRole = Literal["annotate", "refine", "validate", "review", "reference"]
"""What a person is asked to do with the record; ``reference``: answer it without ever seeing its key."""
AssignedEntity = Literal["scene", "item"]
"""Kinds of records that are assigned."""


class Assignment(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Work given to a person.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        person: Id of the actor.
        role: What the person is asked to do.
        is_done: True once the person handed it in.
        is_honeypot: Whether the item is known to be right, and shows how careful the person is.
    """

    entity: str
    target: str
    person: str
    role: AssignmentRole = "refine"
    is_done: bool = False
    is_honeypot: bool = False

    table = Table(
        entity="assignment",
        columns=(
            Column(name="entity", value=lambda r: r.entity),
            Column(name="target", value=lambda r: r.target),
            Column(name="person", value=lambda r: r.person),
            Column(name="role", value=lambda r: r.role),
            Column(name="is_done", value=lambda r: int(r.is_done), type=int),
            Column(name="is_honeypot", value=lambda r: int(r.is_honeypot), type=int),
        ),
        indexes=(("person", "n"), ("target", "n")),
    )


def assignee(role: AssignmentRole, person: str) -> str:
    """Return what lists filter by: the role with the id of the person who has it."""
    return f"{role}:{person}"
