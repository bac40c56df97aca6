"""Which items a person is asked to answer without seeing the answer key."""

from __future__ import annotations

from annotator.domain.assignment import AssignmentRole
from annotator.domain.record import ValueObject


class ResponseQueue(ValueObject, frozen=True, kw_only=True):
    """The items that wait for an independent answer of one person.

    Attributes:
        person: Id of the actor.
        role: Role of the assignments that the queue consists of.
        is_open: Whether a person without assignments in the role answers all refined items that the person
            neither wrote nor answered; otherwise the queue is empty then.
        shows_key: Whether the answer key is shown after the answer, and the person decides on it.
    """

    person: str
    role: AssignmentRole = "validate"
    is_open: bool = True
    shows_key: bool = True


def validation_queue(person: str) -> ResponseQueue:
    """Return the items whose answer key a person checks after answering them."""
    return ResponseQueue(person=person)


def reference_queue(person: str) -> ResponseQueue:
    """Return the items that a person answers for the human reference, without ever seeing their keys."""
    return ResponseQueue(person=person, role="reference", is_open=False, shows_key=False)
