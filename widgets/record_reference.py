"""The reference to a record that one part of the window asks another one to show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RecordReference:
    """Names a record.

    Attributes:
        entity: Record type.
        id: Id of the record, "" where only its name is known.
        name: Display name.
    """

    entity: str
    id: str = ""
    name: str
