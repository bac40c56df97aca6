"""Titles of the fields of records."""

from __future__ import annotations

import re

from widgets.translation import mark, tr

FIELDS = {
    "active_time_s": mark("Active time"),
    "altitude_m": mark("Altitude"),
    "annotator": mark("Annotator"),
    "answer_format": mark("Answer format"),
    "answer_key": mark("Answer key"),
    "bbox": mark("Box"),
    "box": mark("Box"),
    "captured_at": mark("Capture time"),
    "carried_from": mark("Carried from"),
    "category": mark("Category"),
    "corrections": mark("Normalised at import"),
    "clip": mark("Frames of the source"),
    "copied": mark("Copied fields"),
    "count": mark("Count"),
    "created_at": mark("Created at"),
    "dataset": mark("Dataset"),
    "decided_from": mark("Decided from"),
    "degradations": mark("Degradation"),
    "depth": mark("Depth"),
    "derived_from": mark("Derived from"),
    "difficulty": mark("Difficulty"),
    "duration_s": mark("Duration"),
    "encoding": mark("Encoding"),
    "exif": mark("File metadata"),
    "extras": mark("Additional fields"),
    "footage": mark("Footage"),
    "frame": mark("Frame"),
    "frames": mark("Frames"),
    "height_m": mark("Height"),
    "height_px": mark("Height"),
    "import_key": mark("Import digest"),
    "instruction_detailed": mark("Detailed instruction"),
    "instruction_goal": mark("Goal instruction"),
    "is_abnormal": mark("Abnormal event"),
    "is_in_image": mark("In the image itself"),
    "is_locked": mark("Locked"),
    "is_proposed": mark("Proposed"),
    "mapped_from": mark("Mapped from"),
    "is_room": mark("Room"),
    "issue_boxes": mark("Issue boxes"),
    "issue_classes": mark("Issue classes"),
    "key_frame_labels": mark("Key frame labels"),
    "key_frames": mark("Key frames"),
    "kind": mark("Kind"),
    "label": mark("Label"),
    "latitude_deg": mark("Latitude"),
    "lead_time_s": mark("Labelling time"),
    "licence": mark("Licence"),
    "locator": mark("Place"),
    "longitude_deg": mark("Longitude"),
    "made_by": mark("Origin"),
    "media": mark("Media"),
    "media_type": mark("Kind"),
    "medium": mark("Media file"),
    "metadata": mark("Metadata"),
    "name": mark("Name"),
    "number": mark("Number"),
    "object_types": mark("Object types"),
    "options": mark("Options"),
    "original": mark("Original record"),
    "other_degradation": mark("Other degradation"),
    "path": mark("Place"),
    "points": mark("Points"),
    "polygon": mark("Polygon"),
    "provenance": mark("Provenance"),
    "quality": mark("Quality"),
    "question": mark("Question"),
    "recipe": mark("Recipe"),
    "regions": mark("Regions"),
    "scene": mark("Scene"),
    "score": mark("Score"),
    "sha256": mark("Content digest"),
    "size_bytes": mark("Size"),
    "source": mark("Source"),
    "source_annotation": mark("Annotation number in the source"),
    "source_task": mark("Task number in the source"),
    "state": mark("State"),
    "style": mark("Kind of path"),
    "tags": mark("Tags"),
    "task": mark("Task"),
    "task_set": mark("Task set"),
    "track": mark("Track"),
    "updated_at": mark("Changed at"),
    "usable": mark("Usable"),
    "view": mark("View"),
    "views": mark("Views"),
    "visible": mark("Visible"),
    "what_boxes": mark("What boxes"),
    "when": mark("When"),
    "who": mark("Who"),
    "why": mark("Why"),
    "width_px": mark("Width"),
}
"""English titles of the fields of items, scenes, media, labels, regions and paths."""

PLACE = re.compile(r"^(?P<name>\w+)\[(?P<place>\d+)\]$")


def field_title(field: str) -> str:
    """Return the title of a field; ``issue_boxes[2]`` is 'Issue boxes 3'.

    Fields of imported files keep their names, so that the user can find them in the file.
    """
    found = PLACE.match(field)
    if found and found["name"] in FIELDS:
        return f"{tr(FIELDS[found['name']])} {int(found['place']) + 1}"
    return tr(FIELDS[field]) if field in FIELDS else field
