"""Rows about the work of people: what is assigned to them, and how long they worked on it."""

from __future__ import annotations

from annotator.domain.record import ValueObject


class AssignedRow(ValueObject, frozen=True, kw_only=True):
    """One assignment.

    Attributes:
        person: Id of the actor.
        role: What the person is asked to do.
        task: Task of an item as ``set/task``, dataset of a scene.
        target: Id of the record.
        is_done: Whether the person has handed it in, and nobody has sent it back.
        is_open: Whether it still waits for somebody.
        is_honeypot: Whether the record is known to be right.
    """

    person: str
    role: str
    task: str
    target: str
    is_done: bool
    is_open: bool
    is_honeypot: bool = False


class TimeRow(ValueObject, frozen=True, kw_only=True):
    """Active time of a person on one record.

    Attributes:
        person: Id of the actor.
        role: What the person did.
        task: Task of an item as ``set/task``, dataset of a scene.
        target: Id of the record.
        name: Name of the record.
        seconds: Active time, without idle time.
    """

    person: str
    role: str
    task: str
    target: str
    name: str
    seconds: float
