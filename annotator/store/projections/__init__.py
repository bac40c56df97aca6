"""The projection of every record type; some have derived columns and tables."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain.assignment import Assignment
from annotator.domain.command import CommandRecord
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.record_types import RECORD_TYPES
from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.store.projection import Hooks, Projection
from annotator.store.projections import (
    assignment,
    command,
    event_label,
    flag,
    item,
    link,
    medium,
    region,
    scene,
)

_HOOKS: Mapping[type[Record], Hooks] = {
    Assignment: assignment.HOOKS,
    CommandRecord: command.HOOKS,
    EventLabel: event_label.HOOKS,
    Flag: flag.HOOKS,
    Item: item.HOOKS,
    Link: link.HOOKS,
    Medium: medium.HOOKS,
    Region: region.HOOKS,
    Scene: scene.HOOKS,
}
PROJECTIONS: dict[str, Projection] = {
    record.table.entity: Projection(record=record, hooks=_HOOKS.get(record, Hooks()))
    for record in RECORD_TYPES
}
"""Every projection by the name of its records in the log."""

# msgspec 0.22 works a type out when it is first used, and two threads that do so at once can end the process.
# Here, where one thread imports, every kind of record is worked out before any thread reads one.
for _projection in PROJECTIONS.values():
    msgspec.json.Decoder(_projection.record)
