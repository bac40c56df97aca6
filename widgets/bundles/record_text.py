"""Texts of record types and of the values of forks."""

from __future__ import annotations

from widgets.field_text import stored_value_text
from widgets.translation import mark, tr

ENTITIES = {
    "actor": mark("Person"),
    "assignment": mark("Assignment"),
    "comment": mark("Comment"),
    "error_label": mark("Error label"),
    "event_label": mark("Event label"),
    "flag": mark("Flag"),
    "item": mark("Item"),
    "link": mark("Link"),
    "medium": mark("Media file"),
    "path": mark("Path"),
    "project": mark("Project"),
    "region": mark("Region"),
    "release": mark("Release"),
    "response": mark("Answer of a person"),
    "scene": mark("Scene"),
    "settled_text": mark("Settled text"),
    "source": mark("Source"),
    "trajectory": mark("Trajectory"),
}
"""English texts of the record types."""


def entity_title(entity: str) -> str:
    """Return the text of a record type; its name where a newer version has added it."""
    return tr(ENTITIES[entity]) if entity in ENTITIES else entity


def fork_value_text(field: str, value: str) -> str:
    """Return one of the values of a fork on one line.

    Args:
        field: Name of the field.
        value: JSON text.
    """
    return stored_value_text(field, value) or tr("another record")
