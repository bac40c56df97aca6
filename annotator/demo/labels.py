"""An annotation file about the demo's pictures, as AirCopBench's annotators would have left it.

What it says is computed from what the drones really see. Some slips that the published files hold
are planted on purpose, so that import, flags and review have something to show; ``SLIPS`` names them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from annotator.demo.camera import PICTURE_SIZE_PX
from annotator.demo.pictures import Picture, Sight
from annotator.domain import tasksets

FILE = "town_labels.json"
SLIPS = {
    "market-1-UAV1": "the count is 'around' a round number (so is that of market-1-UAV2)",
    "crossroads-1-UAV1": "the partners are parted by a full-width comma",
    "crossroads-2-UAV1": "UAV3 is named, which was not there at that moment",
    "park-1-UAV2": "help is needed, but nobody is named",
    "school-1-UAV1": "'noen' stands for 'none'",
    "gardens-1-UAV2": "'Out of FoV' is ticked without a box",
    "crossroads-1-UAV3": "the picture is annotated twice, with different answers",
}
_HIDDEN, _PLAIN = 0.45, 0.75
"""Shares of a mover's outline: below the first it counts as hidden, above the second as well seen."""
_SMALL_PX = 30
_BEGAN = datetime(2026, 5, 4, 9, 12, 7, 118_000, tzinfo=UTC)


def label_file(pictures: Sequence[Picture]) -> bytes:
    """Return the file: JSON as Label Studio's short export writes it."""
    seen_by = {picture.name: picture for picture in pictures}
    records = [
        _record(picture, _partners(picture, seen_by), number=n) for n, picture in enumerate(pictures, 1)
    ]
    twice = next(r for r in records if r["img1"].endswith("crossroads-1-UAV3.jpg"))
    # Label Studio keeps every annotation of a task, and the short export writes each as a record.
    records.append({**twice, **_second_opinion(twice, number=len(records) + 1)})
    return msgspec.json.format(msgspec.json.encode(records), indent=2) + b"\n"


def vehicles_of(picture: Picture) -> list[Sight]:
    """Return the vehicles that a picture shows."""
    return [sight for sight in picture.sights if sight.mover.kind != "person"]


def _partners(picture: Picture, pictures: Mapping[str, Picture]) -> list[Picture]:
    return [p for p in pictures.values() if p.moment is picture.moment and p is not picture]


def _record(picture: Picture, partners: Sequence[Picture], *, number: int) -> dict[str, Any]:
    """Return one record, its fields in the order of the published files."""
    vehicles = vehicles_of(picture)
    ticks = _degradations(picture, vehicles)
    helped = _helped(picture, vehicles, partners)
    record: dict[str, Any] = {
        "img1": f"/data/upload/1/{_mark(picture.name)}-{picture.name}",
        "id": number,
        "Quality": _published("quality", _quality(picture)),
        "Usibility": _published("usability", "unavailable" if picture.shot.fault == "loss" else "available"),
        "Object_type": {"choices": [_published("object_type", v) for v in ("vehicles", "pedestrians")]},
    }
    if ticks:
        record["Degradation"] = _choices("degradation", ticks)
    if rects := _issue_rects(vehicles):
        record["PerceptionIssues"] = rects
    record |= {"Collaboration_when": _published("when", "yes" if helped else "no")}
    if helped:
        record["Collaboration_what"] = [_rect(sight, "what", "more_information") for sight, _ in helped[:4]]
        record["Collaboration_why"] = _choices(
            "why", [t for t in ticks if t != "out_of_fov"] or ["occlusion"]
        )
    names = sorted({name for _, name in helped})
    record |= {
        "Object_count": str(len(vehicles)),
        "Collaboration_who": ", ".join(names) or "None",
        **_times(number),
    }
    return _with_slip(record, picture)


def _quality(picture: Picture) -> str:
    if picture.shot.fault:
        return {"noise": "poor", "loss": "very_poor"}[picture.shot.fault]
    return "good" if picture.shot.look.grain > 2.5 or picture.shot.camera.tilt_deg > 31 else "excellent"


def _with_slip(record: dict[str, Any], picture: Picture) -> dict[str, Any]:
    stem = picture.name.removesuffix(".jpg")
    if stem.startswith("market"):
        record["Object_count"] = f"around {round(int(record['Object_count']), -1)}"
    elif stem == "crossroads-1-UAV1":
        record["Collaboration_who"] = "UAV2，UAV3"
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


def _degradations(picture: Picture, vehicles: Sequence[Sight]) -> list[str]:
    found = {
        "occlusion": any(sight.shown < _HIDDEN for sight in vehicles),
        "small_target": any(_is_small(sight) for sight in vehicles),
        "out_of_fov": any(_is_cut(sight) for sight in vehicles),
        "noise": picture.shot.fault == "noise",
        "loss": picture.shot.fault == "loss",
    }
    return [name for name, is_so in found.items() if is_so]


def _issue_rects(vehicles: Sequence[Sight]) -> list[dict[str, Any]]:
    hidden = [_rect(sight, "issue", "occluded") for sight in vehicles if sight.shown < _HIDDEN]
    small = [_rect(sight, "issue", "too_small") for sight in vehicles if _is_small(sight)]
    cut = [_rect(sight, "issue", "out_of_fov") for sight in vehicles if _is_cut(sight)]
    return [*hidden[:5], *small[:3], *cut[:4]]


def _helped(
    picture: Picture, vehicles: Sequence[Sight], partners: Sequence[Picture]
) -> list[tuple[Sight, str]]:
    """Return the vehicles that another drone sees better, each with that drone's name."""
    found = []
    for sight in vehicles:
        if sight.shown >= _HIDDEN and not (picture.shot.fault and sight.shown > _PLAIN):
            continue
        for partner in partners:
            if any(o.mover.number == sight.mover.number and o.shown > _PLAIN for o in vehicles_of(partner)):
                found.append((sight, partner.shot.view))
                break
    return found


def _is_small(sight: Sight) -> bool:
    return max(sight.x2 - sight.x1, sight.y2 - sight.y1) < _SMALL_PX and not _is_cut(sight)


def _is_cut(sight: Sight) -> bool:
    width, height = PICTURE_SIZE_PX
    return sight.x1 == 0 or sight.y1 == 0 or sight.x2 == width or sight.y2 == height


def _rect(sight: Sight, value_list: str, value: str) -> dict[str, Any]:
    width, height = PICTURE_SIZE_PX
    return {
        "x": sight.x1 / width * 100,
        "y": sight.y1 / height * 100,
        "width": (sight.x2 - sight.x1) / width * 100,
        "height": (sight.y2 - sight.y1) / height * 100,
        "rotation": 0,
        "rectanglelabels": [_published(value_list, value)],
        "original_width": width,
        "original_height": height,
    }


def _published(value_list: str, value: str) -> str:
    return next(v for v in tasksets.builtin("aircop").value_lists[value_list] if v.id == value).published


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
