"""The form of AirCopBench's annotations: Label Studio's JSON-MIN in its clean spelling, a file per dataset.

Source: AirCopBench, ``Data_Annotation``; values as ``resources/tasksets/aircop.toml`` lists them.
"""

from __future__ import annotations

import re
from typing import Any

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.record import FieldCorrection
from annotator.release.exporter import LabelExporter, refusal_of
from annotator.release.json_sheet import JsonSheet, file_stem, whole
from annotator.release.media_names import is_safe_path, release_path
from annotator.release.release_filter import WithholdReason
from annotator.release.release_folder import ReleaseFolder
from annotator.release.release_items import RecordLookup, ReleaseItems

TASK_SET = "aircop"
SAMPLE_NAMES = re.compile(r"(Real|Sim)_(\d+)_UAVs")
"""Datasets whose annotation files have a short name: ``Real_2_UAVs`` is in ``Real2_Sample.json``."""

_VIEW_NAME = re.compile(r"UAV(?:0|[1-9][0-9]*)")
# At most 18 digits, which fit into the 64 bits that importers accept.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")


class AircopLabelsExporter(LabelExporter):
    """Event labels in the shape of AirCopBench's annotation files."""

    id = "aircop-labels"
    title = "AirCopBench labels (Label Studio JSON)"
    files = "DATASET_Sample.json: a list of records in Label Studio's export format, one file per dataset"
    limits = (
        "Contains event labels of a known image whose object count is empty, a number, or text from a file."
    )

    def write_members(self, members: ReleaseItems[EventLabel], *, folder: ReleaseFolder) -> None:
        """Write each label into its dataset's file."""
        sheets: dict[str, JsonSheet] = {}
        for label in members:
            dataset = members.lookup.dataset_of(label)
            if dataset not in sheets:
                sheets[dataset] = JsonSheet(folder.file(file_name(dataset)))
            sheets[dataset].add(record_of(label, image=image_of(label, lookup=members.lookup)))
        for sheet in sheets.values():
            sheet.close()

    def refusal(self, record: EventLabel, *, lookup: RecordLookup) -> WithholdReason | None:
        """Return why the form cannot represent a label, None if it can."""
        if not image_of(record, lookup=lookup):
            return refusal_of(
                "media", "The image of the event label is not in the project, or has no plain name."
            )
        if record.count is not None and _count(record) is None:
            return refusal_of("count", "The object count is not a number.")
        if strangers := [name for name in record.who or () if not _VIEW_NAME.fullmatch(name)]:
            return refusal_of("who", f"A partner is not named UAV and a number: {', '.join(strangers)}.")
        return None


def file_name(dataset: str) -> str:
    """Return the name of the file that holds a dataset's labels, as the published files are called."""
    short = SAMPLE_NAMES.sub(r"\1\2", dataset) if SAMPLE_NAMES.fullmatch(dataset) else file_stem(dataset)
    return f"{short}_Sample.json" if short else "Sample.json"


def image_of(label: EventLabel, *, lookup: RecordLookup) -> str:
    """Return the value of ``img1``: as it came, since programs find the image in other files by this text.

    Returns:
        Of a label made here the image's name, with its folder if only that identifies the view; "" if the
        image is not in the project or has no path.
    """
    medium = lookup.medium(label.medium)
    if medium is None:
        return ""
    if came := _imported_image(label, name=medium.name):
        return came
    # Images of Sim5 have the same name in the folder of each UAV. The pattern allows leading zeros in the
    # view's number, and excludes longer numbers that begin with it.
    number = re.escape(label.view.removeprefix("UAV"))
    is_told = not label.view or bool(re.search(rf"UAV[-_ ]?0*{number}(?!\d)", medium.name))
    image = medium.name if is_told else release_path(medium)
    return image if is_safe_path(image) else ""


def _imported_image(label: EventLabel, *, name: str) -> str:
    """Return the text that named the label's image in its file, "" if the image is another one."""
    note = _note_on(label, "medium")
    if note is None or not isinstance(note.original, str) or not isinstance(note.value, str):
        return ""
    # Several uploads under one name are told apart by a number that their file does not have.
    stem, dot, ending = note.value.rpartition(".") if "." in note.value else (note.value, "", "")
    pattern = rf"{re.escape(stem)}(?: copy [0-9]+)?{re.escape(dot + ending)}"
    is_same = re.fullmatch(pattern, name) is not None
    return note.original if is_same and ".." not in re.split(r"[/\\]", note.original) else ""


def _note_on(label: EventLabel, field: str) -> FieldCorrection | None:
    return next((note for note in label.corrections if note.field == field), None)


def record_of(label: EventLabel, *, image: str) -> dict[str, Any]:
    """Return a label as a JSON-MIN record: keys in one order, unanswered ones left out.

    ``Usibility`` is spelt as all published files spell it.
    """
    fields = {
        "img1": image,
        "id": label.source_task,
        "Quality": _numbered("quality", label.quality),
        "Usibility": _numbered("usability", label.usable),
        "Object_type": _choices("object_type", label.object_types),
        "Degradation": _choices("degradation", label.degradations),
        "Other Degradation": (label.other_degradation or "").strip() or None,
        "PerceptionIssues": _boxes("issue", label.issue_boxes),
        "Collaboration_when": _numbered("when", label.when),
        "Collaboration_what": _boxes("what", label.what_boxes),
        "Collaboration_why": _choices("why", label.why),
        "Object_count": _count(label),
        "Collaboration_who": _who(label),
        "annotator": _annotator(label.annotator),
        "annotation_id": label.source_annotation,
        "created_at": label.created_at or None,
        "updated_at": label.updated_at or None,
        "lead_time": None if label.lead_time_s is None else whole(label.lead_time_s),
    }
    # Unanswered fields are absent in the published files, never null.
    return {name: value for name, value in fields.items() if value is not None}


def _numbered(value_list: str, number: int | None) -> str | None:
    values = task_set_files.builtin(TASK_SET).value_lists[value_list]
    return next((value.published for value in values if number is not None and value.number == number), None)


def _published(value_list: str, value_id: str) -> str:
    """Return the published spelling of a value, or the value itself if the list does not contain it."""
    values = task_set_files.builtin(TASK_SET).value_lists[value_list]
    return next((value.published for value in values if value.id == value_id), value_id)


def _choices(value_list: str, ids: tuple[str, ...] | None) -> str | dict[str, list[str]] | None:
    """Return selected choices as Label Studio does: one as text, several as a list in an object."""
    if ids is None:
        return None
    texts = [_published(value_list, value_id) for value_id in ids]
    return texts[0] if len(texts) == 1 else {"choices": texts}


def _boxes(value_list: str, boxes: tuple[PercentBox, ...] | None) -> list[dict[str, Any]] | None:
    return None if boxes is None else [_box(value_list, box) for box in boxes]


def _box(value_list: str, box: PercentBox) -> dict[str, Any]:
    return {
        "x": whole(box.x),
        "y": whole(box.y),
        "width": whole(box.width),
        "height": whole(box.height),
        "rotation": whole(box.rotation),
        "rectanglelabels": [_published(value_list, label) for label in box.labels],
        "original_width": box.image_width_px,
        "original_height": box.image_height_px,
    }


def _count(label: EventLabel) -> str | None:
    """Return the number, or the text of the file from which none could be read."""
    count, note = label.count, _note_on(label, "count")
    if count is None:
        return None
    if count.value is None:
        return note.original if note is not None and isinstance(note.original, str) else None
    return f"around {count.value}" if count.approximate else str(count.value)


def _annotator(name: str) -> str | int | None:
    """Return the annotator, as a number if possible: published files count annotators."""
    return int(name) if _WHOLE.fullmatch(name) else name or None


def _who(label: EventLabel) -> str | None:
    """Return the partners; of a label that nobody has worked on here, a text without any as it came."""
    if label.who is None:
        return None
    note = _note_on(label, "who")
    if not label.who and label.state == "imported" and note is not None and isinstance(note.original, str):
        return note.original
    return ", ".join(label.who) or "None"
