"""The form of event labels for statistics: one CSV table with one value a row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotator.domain.event_label import EventLabel
from annotator.domain.label_values import BOXES, GEOMETRY, LISTS, SEPARATOR, LabelValue, values_of
from annotator.release.cells import csv_line
from annotator.release.exporter import LabelExporter, refusal_of
from annotator.release.json_sheet import whole
from annotator.release.media_names import is_safe_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

FILE = "event_labels.csv"
COLUMNS = ("label", "dataset", "scene", "view", "image", "field", "value", *GEOMETRY)


class LabelValuesExporter(LabelExporter):
    """Event labels as a tidy table."""

    id = "label-values"
    title = "Event labels, one value a row (CSV)"
    files = "event_labels.csv: label, dataset, scene, view, image, field, value, and the geometry of boxes"
    limits = "Contains event labels of a known image, whose values are not empty and have no vertical bar."

    def write_members(self, members: ReleaseItems[EventLabel], *, folder: ReleaseFolder) -> None:
        """Write the rows of each label, under the number of the label."""
        file = folder.file(FILE)
        file.write(csv_line(COLUMNS))
        for number, label in enumerate(members, start=1):
            scene, medium = members.lookup.scene(label.scene), members.lookup.medium(label.medium)
            location = (members.lookup.dataset_of(label), scene.name if scene else "", label.view)
            head = [str(number), *location, medium.name if medium else ""]
            lines = [
                csv_line([*head, value.field, value.value], numbers=geometry_of(value))
                for value in values_of(label)
            ]
            file.write(b"".join(lines), records=1)

    def refusal(self, record: EventLabel, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent a label, None if it can."""
        medium = lookup.medium(record.medium)
        if medium is None or not is_safe_path(medium.name):
            return refusal_of(
                "media", "The image of the event label is not in the project, or has no plain name."
            )
        texts = _entries(record, LISTS)
        labels = [text for box in _entries(record, BOXES) for text in box.labels]
        if not all([*texts, *labels]) or any(SEPARATOR in text for text in labels):
            return refusal_of("value", "A value of the event label is empty, or has a vertical bar.")
        return None


def _entries(label: EventLabel, fields: Iterable[str]) -> list[Any]:
    """Return what the fields of a label that hold lists contain, together."""
    return [entry for field in fields for entry in getattr(label, field) or ()]


def geometry_of(value: LabelValue) -> list[str]:
    """Return the numbers of the box of a value, as short as possible; empty cells without one."""
    if value.box is None:
        return [""] * len(GEOMETRY)
    return [str(whole(float(getattr(value.box, name)))) for name in GEOMETRY]
