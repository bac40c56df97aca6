"""Tasks of Label Studio's exports, taken apart into results, whichever form they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from annotator.importers.box_geometry import Size, image_size
from annotator.importers.json_text import JsonElement
from annotator.importers.record_fields import RecordError, RecordFields, wrong_type
from annotator.importers.region_parts import share

_LISTS = ("annotations", "completions", "predictions")
_META = frozenset(
    {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "comments"}
)
_ENDINGS = (
    ".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".gif",
    ".mp4", ".avi", ".mov", ".mkv", ".webm",
)  # fmt: skip


class _Group(msgspec.Struct):
    result: list[msgspec.Raw] = []


class _Groups(msgspec.Struct):
    annotations: list[_Group] = []
    completions: list[_Group] = []
    predictions: list[_Group] = []


_as_groups = msgspec.json.Decoder(_Groups)
_as_lists = msgspec.json.Decoder(dict[str, msgspec.Raw])
_as_list = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True, slots=True)
class LabelStudioResult:
    """One result of an annotation or prediction.

    Attributes:
        value: The region, choice or text.
        kind: ``rectanglelabels``, ``choices`` …; "" if it follows only from the value.
        name: Name of its control.
        target: Name of the control of the image.
        id: Its id, "" for none.
        size: Width and height of the image, None if missing.
        original: The original JSON.
        locator: Its position: "task 12, annotation 1, result 3".
        made_by: Name of the model of a prediction, "" for annotations.
        score: Its confidence, otherwise that of the prediction, otherwise 1.0.
        is_first: Whether it belongs to the first annotation of its task.
    """

    value: dict[str, Any]
    kind: str
    name: str
    target: str
    id: str
    size: Size | None
    original: bytes
    locator: str
    made_by: str = ""
    score: object = 1.0
    is_first: bool = True

    @property
    def is_track(self) -> bool:
        """Whether it is about frames of a video."""
        return "sequence" in self.value


@dataclass(frozen=True, slots=True)
class LabelStudioTask:
    """One task: an image or video with its results.

    Attributes:
        members: Its fields.
        original: Its JSON text.
        line: Line on which it begins.
        locator: "task 12" by its id, or by its place in the file.
    """

    members: dict[str, Any]
    original: bytes
    line: int
    locator: str

    @classmethod
    def of(cls, element: JsonElement, *, line: int, number: int) -> LabelStudioTask:
        """Return the task of a row.

        Raises:
            RecordError: It is no object.
        """
        if not isinstance(element.value, dict):
            raise wrong_type("", element.value, expected="an object")
        key = element.value.get("id")
        named = f"task {key}" if type(key) is int else f"record {number}"
        return cls(element.value, element.original, line, named)

    def media_name(self, result: LabelStudioResult) -> str:
        """Return the name or address of the picture or video that a result is about.

        Raises:
            RecordError: The task has none.
        """
        data = self.members.get("data", self.members)
        if not isinstance(data, dict):
            raise wrong_type("data", data, expected="an object")
        texts = {name: text for name, text in data.items() if isinstance(text, str) and text.strip()}
        if result.target in texts:
            return texts[result.target]
        # Addresses of its own disk end in ?d=path, signed ones of clouds carry more behind the path.
        for text in texts.values():
            names = text.partition("?d=")[2], text.partition("?")[0]
            if any(name.lower().endswith(_ENDINGS) for name in names):
                return text
        raise RecordError("data", "The record contains no image or video.")


def results_of(task: LabelStudioTask) -> list[LabelStudioResult]:
    """Return the results of a task in its order.

    Raises:
        RecordError: A part of it has another shape.
    """
    # JSON-MIN has no lists of annotations.
    if any(isinstance(task.members.get(name), list) for name in _LISTS):
        return list(_grouped(task))
    return list(_listed(task))


def _grouped(task: LabelStudioTask) -> Iterator[LabelStudioResult]:
    try:
        raws = _as_groups.decode(task.original)
    except msgspec.ValidationError as error:
        raise RecordError("", f"{str(error)[:200]}.") from error
    for list_name in _LISTS:
        groups: list[_Group] = getattr(raws, list_name)
        for number, group in enumerate(groups, start=1):
            # Read a second time, undecoded: msgspec gives the bytes of each result, which are its original.
            prediction = RecordFields(task.members[list_name][number - 1], where=list_name)
            made_by, score = "", 1.0
            if list_name == "predictions":
                made_by = prediction.text("model_version") or "model"
                found = share(prediction.get("score"), field="score")
                score = 1.0 if found is None else found
            for index, raw in enumerate(group.result, start=1):
                members = prediction.members["result"][index - 1]
                locator = f"{task.locator}, {list_name[:-1]} {number}, result {index}"
                is_first = number == 1 or list_name == "predictions"
                yield _result(members, bytes(raw), locator, made_by=made_by, score=score, is_first=is_first)


def _listed(task: LabelStudioTask) -> Iterator[LabelStudioResult]:
    """Yield the results of JSON-MIN: every list of objects is one control's places, the rest are facts."""
    for name, raw in _as_lists.decode(task.original).items():
        value = task.members[name]
        if name in _META or not isinstance(value, list):
            continue
        for index, part in enumerate(_as_list.decode(raw), start=1):
            locator = f"{task.locator}, {name[:80]} {index}"
            yield _result({"value": value[index - 1], "from_name": name}, bytes(part), locator)


def _size(fields: RecordFields, value: dict[str, Any]) -> Size | None:
    # Old exports write original_width in the value, videos originalWidth.
    sides = [
        fields.get(name) or value.get(name) or value.get(video_name)
        for name, video_name in (("original_width", "originalWidth"), ("original_height", "originalHeight"))
    ]
    return image_size(sides, field="original_width")


def _result(
    members: object, original: bytes, locator: str, *, made_by: str = "", score: float = 1.0,
    is_first: bool = True,
) -> LabelStudioResult:  # fmt: skip
    fields = RecordFields(members, where="result")
    value = fields.get("value")
    value = value if isinstance(value, dict) else {}
    size = _size(fields, value)
    key = fields.get("id") or value.get("id")
    own_score = fields.get("score")
    return LabelStudioResult(
        value=value,
        kind=fields.text("type") or "",
        name=fields.text("from_name") or "",
        target=fields.text("to_name") or "",
        id=key if isinstance(key, str) else "",
        size=size,
        original=original,
        locator=locator,
        made_by=made_by,
        score=score if own_score is None else own_score,
        is_first=is_first,
    )
