"""An actor: a person or a worker who changes a project."""

from __future__ import annotations

from annotator.domain.record import Record, Table


class Actor(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Who an event is by.

    Attributes:
        name: Name that people see.
        role: ``person`` or ``worker``.
    """

    name: str
    role: str = "person"

    table = Table(
        entity="actor",
    )
