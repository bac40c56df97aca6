"""The registry of record types."""

from __future__ import annotations

from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.command import CommandRecord
from annotator.domain.comment import Comment
from annotator.domain.error_label import ErrorLabel
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.project import Project
from annotator.domain.record import Record
from annotator.domain.region import Region
from annotator.domain.release import Release
from annotator.domain.response import Response
from annotator.domain.scene import Scene
from annotator.domain.settled_text import SettledText
from annotator.domain.source import Source
from annotator.domain.time_entry import TimeEntry
from annotator.domain.trajectory import Trajectory

RECORD_TYPES: tuple[type[Record], ...] = (
    Actor,
    CommandRecord,
    Comment,
    ErrorLabel,
    EventLabel,
    Item,
    Link,
    Medium,
    Polyline,
    Project,
    Region,
    Release,
    Response,
    Scene,
    SettledText,
    Source,
    TimeEntry,
    Trajectory,
    # Last: they change what the rows of items and scenes say, and a flag takes the scene of its record.
    Assignment,
    Flag,
)
"""Every record type, in the order in which rows of one command are written."""
_BY_ENTITY = {record.table.entity: record for record in RECORD_TYPES}


def record_type(entity: str) -> type[Record]:
    """Return the class of records by the name that the log has for them.

    Raises:
        KeyError: There is no such record type.
    """
    return _BY_ENTITY[entity]
