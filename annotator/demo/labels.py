"""An annotation file about the demo's images, as AirCopBench's annotators would have left it.

What it says is computed from what the drones really see. Some slips that the published files hold
are planted on purpose, so that import, flags and review have something to show; ``cases`` names them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from annotator.demo.captures import Picture
from annotator.demo.cases import ANNOTATED_TWICE
from annotator.demo.judgement import Judgement, judge
from annotator.demo.truth import VisibleObject
from annotator.domain import task_set_files

FILE = "town_labels.json"
_BEGAN = datetime(2026, 5, 4, 9, 12, 7, 118_000, tzinfo=UTC)


def label_file(pictures: Sequence[Picture]) -> bytes:
    """Return the file: JSON as Label Studio's short export writes it."""
    records = [
        _record(picture, judge(picture, partners=_partners(picture, pictures)), number=n)
        for n, picture in enumerate((p for p in pictures if p.shot.view != "ground"), 1)
    ]
    twice = next(r for r in records if r["img1"].endswith(f"{ANNOTATED_TWICE}.jpg"))
    # Label Studio keeps every annotation of a task, and the short export writes each as a record.
    records.append({**twice, **_second_opinion(twice, number=len(records) + 1)})
    return msgspec.json.format(msgspec.json.encode(records), indent=2) + b"\n"


def _partners(picture: Picture, pictures: Sequence[Picture]) -> list[Picture]:
    return [
        p
        for p in pictures
        if p.moment.name == picture.moment.name and p.name != picture.name and p.shot.view != "ground"
    ]


def _record(picture: Picture, judgement: Judgement, *, number: int) -> dict[str, Any]:
    """Return one record, its fields in the order of the published files."""
    record: dict[str, Any] = {
        "img1": f"/data/upload/1/{_mark(picture.name)}-{picture.name}",
        "id": number,
        "Quality": _published("quality", judgement.quality),
        "Usibility": _published("usability", "available" if judgement.is_usable else "unavailable"),
        "Object_type": {"choices": [_published("object_type", v) for v in ("vehicles", "pedestrians")]},
    }
    if judgement.degradations:
        record["Degradation"] = _choices("degradation", judgement.degradations)
    if judgement.other:
        record["Other Degradation"] = judgement.other
    if rects := _issue_rects(picture, judgement):
        record["PerceptionIssues"] = rects
    record |= {"Collaboration_when": _published("when", "yes" if judgement.helped else "no")}
    if judgement.helped:
        record["Collaboration_what"] = [
            _rect(picture, help_.visible_object, "what", "more_information") for help_ in judgement.helped[:4]
        ]
        record["Collaboration_why"] = _choices("why", judgement.why)
    record |= {
        "Object_count": str(len(judgement.vehicles)),
        "Collaboration_who": ", ".join(judgement.who) or "None",
        **_times(number),
    }
    return _with_slip(record, picture)


def _with_slip(record: dict[str, Any], picture: Picture) -> dict[str, Any]:
    stem = picture.name.removesuffix(".jpg")
    # The places are those of cases.LABEL_SLIPS; tests hold the two together.
    if stem.startswith("market"):
        record["Object_count"] = f"around {round(int(record['Object_count']), -1)}"
    elif stem == "crossroads-1-UAV1":
        record["Collaboration_who"] = record["Collaboration_who"].replace(", ", "，")
    elif stem == "crossroads-2-UAV1":
        record["Collaboration_who"] = "UAV2, UAV3"
    elif stem == "park-1-UAV2":
        record["Collaboration_who"] = "None"
    elif stem == "school-1-UAV1" and record["Collaboration_who"] == "None":
        record["Collaboration_who"] = "noen"
    elif stem == "gardens-1-UAV2":
        record["Degradation"] = _published("degradation", "out_of_fov")
        record.pop("PerceptionIssues", None)
    return record


def _second_opinion(record: Mapping[str, Any], *, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "Quality": _published("quality", "fair"),
        "Object_count": str(int(record["Object_count"]) - 3),
        **_times(number),
    }


def _issue_rects(picture: Picture, judgement: Judgement) -> list[dict[str, Any]]:
    hidden = [_rect(picture, visible_object, "issue", "occluded") for visible_object in judgement.hidden[:5]]
    small = [_rect(picture, visible_object, "issue", "too_small") for visible_object in judgement.small[:3]]
    cut = [_rect(picture, visible_object, "issue", "out_of_fov") for visible_object in judgement.cut[:4]]
    return [*hidden, *small, *cut]


def _rect(picture: Picture, visible_object: VisibleObject, value_list: str, value: str) -> dict[str, Any]:
    width, height = picture.shot.size_px
    return {
        "x": visible_object.x1 / width * 100,
        "y": visible_object.y1 / height * 100,
        "width": (visible_object.x2 - visible_object.x1) / width * 100,
        "height": (visible_object.y2 - visible_object.y1) / height * 100,
        "rotation": 0,
        "rectanglelabels": [_published(value_list, value)],
        "original_width": width,
        "original_height": height,
    }


def _published(value_list: str, value: str) -> str:
    return next(
        v for v in task_set_files.builtin("aircop").value_lists[value_list] if v.id == value
    ).published


def _choices(value_list: str, values: Sequence[str]) -> str | dict[str, list[str]]:
    """Return one choice as text and several as an object, as the published files do."""
    texts = [_published(value_list, value) for value in values]
    return texts[0] if len(texts) == 1 else {"choices": texts}


def _times(number: int) -> dict[str, Any]:
    made = _BEGAN + timedelta(minutes=4 * number)
    changed = made + timedelta(minutes=2, seconds=11 * number)
    return {
        "annotator": 1,
        "annotation_id": 40 + number,
        "created_at": made.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "updated_at": changed.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "lead_time": round((changed - made).total_seconds() - 3.125, 3),
    }


def _mark(name: str) -> str:
    """Return eight hex digits such as Label Studio puts before the name of an uploaded file."""
    return hashlib.sha256(name.encode()).hexdigest()[:8]
