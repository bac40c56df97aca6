"""Reads YOLO folders: one text per picture, one box, turned box or polygon a line, as shares of the picture.

Source: Ultralytics, "Object Detection Datasets", "Instance Segmentation Datasets", "OBB Datasets":
``class cx cy w h``, ``class x1 y1 … xn yn``; predictions have the confidence at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.importers.box_geometry import (
    Corners,
    ImportedShape,
    Size,
    box_from_corner,
    clip_shape,
    enclosing_box,
)
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue, ImportKeys
from annotator.importers.importer import FolderImporter, ImportContext
from annotator.importers.input_file import printable
from annotator.importers.input_folder import InputFolder
from annotator.importers.record_fields import RecordError
from annotator.importers.region_parts import raw, region_of, unknown_category
from annotator.importers.yolo_folder import YoloFolder, YoloImage

FURTHEST = 2.0
"""Shares of 0 to 1 that were rounded or cut badly go a little beyond; pixels go far beyond."""
# Whole numbers of classes, some written 3.0; then four numbers or more, as Python prints them.
_LINE = re.compile(r"\s*\d+(?:\.0+)?(?:\s+-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?){4,}\s*")
LOOKED_AT = 5


class Yolo(FolderImporter):
    """Takes the lines of label files in as regions."""

    id = "yolo"
    title = "YOLO dataset (folder)"
    files = "YOLO folders: images, labels, `data.yaml` or `classes.txt`"
    gives = "regions"

    def recognizes(self, folder: InputFolder) -> bool:
        """Look for texts of numbers, five or more a line."""
        labels = YoloFolder(folder).labels
        heads = (folder.file(name).head for name in labels[:LOOKED_AT])
        lines = [head.split("\n", 1)[0] for head in heads if head.strip()]
        return bool(lines) and all(_LINE.fullmatch(line) for line in lines)

    def read(self, folder: InputFolder, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the boxes, label file by label file."""
        yolo, keys = YoloFolder(folder), ImportKeys(format_id=self.id, dataset=context.dataset)
        context.progress.begin(f"Importing {folder.name}", total=len(yolo.labels))
        labels = _Labels(yolo.categories(), keys=keys, dataset=context.dataset)
        for name in yolo.labels:
            context.progress.step()
            picture = yolo.picture(name, size_of=lambda tail: context.size_of(context.dataset, tail))
            yield from labels.found(name, folder.file(name).text, picture)


class _Labels:
    """The label files of one folder."""

    def __init__(self, categories: dict[int, str], *, keys: ImportKeys, dataset: str) -> None:
        self._categories = categories
        self._keys = keys
        self._dataset = dataset
        self._has_reported = bool(categories)

    def found(self, name: str, text: str, picture: YoloImage) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield what the lines of one file mark."""
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            locator = f"{name}, line {number}"
            try:
                yield self._region(line, picture, number=number, locator=locator)
            except RecordError as fault:
                yield fault.issue(line=number, locator=printable(locator))

    def _region(self, line: str, picture: YoloImage, *, number: int, locator: str) -> ImportedRecord:
        words = line.split()
        index, numbers = _class_index(words[0]), _shares(words[1:])
        if picture.size is None:
            message = (
                f"The size of {picture.medium.name} is unknown, so its coordinates have no pixel values:"
                " put the images next to the labels, or add them to the project first."
            )
            raise RecordError("size", message)
        shape, score = _shape(numbers, picture.size)
        category, flags = self._category(index)
        original = raw(line)
        record = region_of(
            shape,
            category=category,
            score=score,
            made_by=Yolo.id,
            locator=locator,
            original=original,
            # The picture and the category belong to the key: the same five numbers stand in many label files.
            import_key=self._keys.key_of(bytes(original), context=f"{picture.medium.name}\0{category}"),
        )
        return ImportedRecord(
            record=record,
            line=number,
            dataset=self._dataset,
            media=(picture.medium,),
            flags=(*shape.flags, *flags) if flags else shape.flags,
        )

    def _category(self, index: int) -> tuple[str, tuple[ImportedFlag, ...]]:
        if name := self._categories.get(index):
            return name, ()
        if not self._categories:
            # Said once: it is the folder that lacks the list, not each of its boxes.
            flags = () if self._has_reported else (_unnamed(),)
            self._has_reported = True
            return str(index), flags
        return str(index), (unknown_category(str(index)),)


def _unnamed() -> ImportedFlag:
    message = "The folder has no data.yaml or classes.txt: its categories are numbers."
    return ImportedFlag(kind="categories_unnamed", field="category", message=message)


def _class_index(word: str) -> int:
    # Nearly all are plain digits; some tools write 3.0.
    if word.isascii() and word.isdecimal() and len(word) <= 6:
        return int(word)
    digits = word.partition(".")[0]
    if not digits.isascii() or not digits.isdecimal() or len(digits) > 6 or word.partition(".")[2].strip("0"):
        raise RecordError("class", f"'{printable(word[:40])}' is not a class number.")
    return int(digits)


def _shares(words: list[str]) -> list[float]:
    try:
        numbers = list(map(float, words))
    except ValueError:
        return [_share(word) for word in words]
    # Most lines come to less together, so that no number needs to be looked at; NaN is less than nothing.
    return numbers if sum(map(abs, numbers)) < FURTHEST else [_share(word) for word in words]


def _share(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise RecordError("", f"'{printable(word[:40])}' is not a number.") from None
    if not -FURTHEST < number < FURTHEST:
        raise RecordError("", f"{printable(word[:40])} is not a fraction of the image (0 to 1).")
    return number


def _shape(numbers: list[float], size: Size) -> tuple[ImportedShape, float]:
    """Return what a line marks, and its confidence, 1.0 where it has none."""
    width, height = size
    if len(numbers) < 4:
        raise RecordError("", "A line should have a class and four numbers or more.")
    # Boxes have four numbers and corners an even count; one more is the confidence.
    score = numbers.pop() if len(numbers) % 2 else 1.0
    if not 0 <= score <= 1:
        raise RecordError("confidence", "It should be between 0 and 1.")
    if len(numbers) == 4:
        cx, cy, w, h = numbers
        box = box_from_corner((cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height, field="box")
        return clip_shape(box, size=size), score
    xs, ys = numbers[::2], numbers[1::2]
    corners: Corners = tuple((x * width, y * height) for x, y in zip(xs, ys, strict=True))
    return clip_shape(enclosing_box(corners, field="polygon"), polygon=corners, size=size), score
