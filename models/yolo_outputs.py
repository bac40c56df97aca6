"""What YOLO models write, read into boxes: tables with and without objectness, raw heads, finished lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotator.predictor import CallFailed
from models.boxes import Boxes, Found
from models.yolo_heads import HeadForm, decode_head, sigmoid

Array = NDArray[np.float32]
Form = Literal["table", "finished", "numbered", "pair", "heads", "grid"]
"""Candidates with their class scores (v5 to v13); finished boxes (v10, v26 and other end-to-end ones); the
same of all pictures in one list (v7); boxes and scores apart (v4); raw heads (v3, v4, v5 without its last
layer); candidates whose places still count in grid cells (YOLOX)."""
FORMS: tuple[Form, ...] = ("table", "finished", "numbered", "pair", "heads", "grid")
MOST_VALUES = 64_000_000
"""Of one output: 200 times those of YOLO at 640 pixels and 80 classes."""
MOST_FINISHED = 5_000
"""End-to-end models give 100 to 1,000 boxes; a longer table of six columns has two classes."""
STRIDES = (8, 16, 32)
"""Pixels of a grid cell, of all families since YOLOv3. Source: Redmon and Farhadi 2018, 2.3."""
DARKNET = HeadForm()
MASK_COLUMNS = 32
"""Of models that segment as well. Source: Ultralytics YOLO, ``Segment``."""
NORMALISED_BELOW = 1.5
"""All corners below this are shares of the input: in pixels it would be one box of a pixel in the corner."""


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """How the outputs of a model are read.

    Attributes:
        form: Which form, None to tell by their shapes.
        classes: Number of categories, 0 where nobody says.
        task: What the model was made for as its metadata say: ``detect``, ``segment``, ``pose``, ``obb``; "".
        width_px: Of the input.
        height_px: The same.
        least_score: Candidates below it are left out, 0..1.
        has_logits: Whether scores are before the sigmoid.
        heads: How raw heads are decoded.
    """

    form: Form | None = None
    classes: int = 0
    task: str = ""
    width_px: int
    height_px: int
    least_score: float
    has_logits: bool = False
    heads: HeadForm = DARKNET

    def read(self, outputs: Sequence[NDArray[np.generic]], *, pictures: int) -> list[Found]:
        """Return the candidates of each picture in pixels of the input, not suppressed yet.

        Args:
            outputs: As the model wrote them.
            pictures: How many pictures it was given.

        Raises:
            CallFailed: They are of no known form, or hold what no detector can mean.
        """
        arrays = [_sound(output) for output in outputs]
        form = self.form or self._form_of(arrays, pictures=pictures)
        if form == "numbered":
            return self._numbered(arrays[0], pictures=pictures)
        if any(len(array) != pictures for array in arrays[: len(arrays) if form == "heads" else 1]):
            raise _misfit(f"it was given {pictures} pictures and wrote of others: {_shapes(arrays)}")
        return [self._of_one(form, [array[n] for array in arrays]) for n in range(pictures)]

    def _of_one(self, form: Form, arrays: list[Array]) -> Found:
        if form == "table":
            return self._table(arrays[0])
        if form == "grid":
            return self._grid(arrays[0])
        if form == "finished":
            return self._finished(_columns(arrays[0], wanted=6))
        if form == "pair":
            return self._pair(arrays)
        return self._heads([array for array in arrays if array.ndim in {3, 4}])

    def _form_of(self, arrays: list[Array], *, pictures: int) -> Form:
        if not arrays:
            raise _misfit("it writes nothing")
        first = arrays[0]
        if first.ndim == 2 and first.shape[1] == 7:
            return "numbered"
        if _are_apart(arrays, pictures=pictures):
            return "pair"
        if first.ndim == 3:
            return "finished" if self._is_finished(first) else "table"
        if all(array.ndim in {4, 5} for array in arrays):
            return "heads"
        raise _misfit(f"its outputs are of no known form: {_shapes(arrays)}")

    def _is_finished(self, output: Array) -> bool:
        rows = output.shape[1]
        is_table = rows in {count * self._cells for count in (1, 3)}
        return output.shape[2] == 6 and rows <= MOST_FINISHED and not is_table

    @property
    def _cells(self) -> int:
        return sum(math.ceil(self.width_px / s) * math.ceil(self.height_px / s) for s in STRIDES)

    def _table(self, output: Array) -> Found:
        """Read rows of: centre, size, perhaps objectness, a score for each class, perhaps more."""
        rows = self._rows(output)
        extra = rows.shape[1] - 4 - self.classes if self.classes else int(output.shape[0] >= output.shape[1])
        # Exports of Ultralytics name their task and have none; files that say nothing may be of v5 to v7.
        has_objectness = self.task == "" and extra in {1, 1 + MASK_COLUMNS}
        begin = 5 if has_objectness else 4
        classes = self.classes or rows.shape[1] - begin
        self._require(extra, columns=rows.shape[1])
        scores, numbers = self._best(rows[:, begin : begin + classes])
        if has_objectness:
            scores = scores * self._score(rows[:, 4])
        is_kept = scores >= self.least_score
        kept = rows[is_kept].astype(np.float64)
        boxes = _turned_bounds(kept[:, :4], turn=kept[:, -1]) if self.task == "obb" else _corners(kept[:, :4])
        return self._found(boxes, scores=scores[is_kept], classes=numbers[is_kept])

    def _require(self, extra: int, *, columns: int) -> None:
        known = {0, 1, MASK_COLUMNS, 1 + MASK_COLUMNS} if self.task in {"", "detect", "segment"} else {1}
        if self.classes and extra not in known and not (self.task == "pose" and extra >= 0):
            raise _misfit(f"{columns} columns do not fit {self.classes} categories")

    def _rows(self, output: Array) -> Array:
        """Return a table with candidates as rows, however it lies."""
        if output.ndim != 2:
            raise _misfit(f"a table of candidates has not the shape {output.shape}")
        wanted = {self.classes + 4, self.classes + 5} if self.classes else set()
        fits = [axis for axis in (1, 0) if output.shape[axis] in wanted]
        # Where nobody says how many categories there are: candidates outnumber columns by far.
        axis = fits[0] if fits else int(output.shape[1] <= output.shape[0])
        if output.shape[axis] < 5:
            raise _misfit(f"a table of candidates has not the shape {output.shape}")
        return output if axis == 1 else output.T

    def _grid(self, output: Array) -> Found:
        """Read YOLOX: places in cells of grids, sizes as logarithms. Source: Ge et al. 2021, section 2.1."""
        rows = self._rows(output)
        if len(rows) != self._cells:
            raise _misfit(f"{len(rows)} candidates do not fill the grids of {self.width_px}x{self.height_px}")
        cells, strides = _cell_places(self.width_px, self.height_px)
        centres = (rows[:, :2] + cells) * strides[:, None]
        sizes = np.exp(np.clip(rows[:, 2:4], None, 20.0)) * strides[:, None]
        decoded = np.concatenate([centres, sizes, rows[:, 4:]], axis=1).astype(np.float32)
        return self._table(decoded)

    def _finished(self, rows: Array) -> Found:
        """Read rows of: x1 y1 x2 y2 score class."""
        scores = self._score(rows[:, 4])
        is_kept = scores >= self.least_score
        kept = rows[is_kept].astype(np.float64)
        return self._found(kept[:, :4], scores=scores[is_kept], classes=self._numbers(kept[:, 5]))

    def _numbered(self, output: Array, *, pictures: int) -> list[Found]:
        """Read rows of: number of the picture, x1 y1 x2 y2, class, score."""
        if output.ndim != 2 or output.shape[1] != 7:
            raise _misfit(f"a list of boxes has not the shape {output.shape}")
        if len(output) and not (output[:, 0].min() >= 0 and output[:, 0].max() < pictures):
            raise _misfit("it found things in pictures that it was not given")
        return [self._finished(output[output[:, 0] == n][:, [1, 2, 3, 4, 6, 5]]) for n in range(pictures)]

    def _pair(self, arrays: list[Array]) -> Found:
        """Read boxes x1 y1 x2 y2 in one output, and a score for each class in another."""
        flat = [array.reshape(len(array), -1) for array in arrays if array.ndim == 2 or array.shape[1] == 1]
        boxes = next((array for array in flat if array.shape[1] == 4), None)
        # With four categories both have four columns: boxes come first.
        score = next((array for array in flat if array is not boxes), None)
        if boxes is None or score is None:
            raise _misfit("boxes and scores cannot be told apart")
        if len(score) != len(boxes):
            score = score.T
        if len(score) != len(boxes):
            raise _misfit(f"{len(boxes)} boxes have {score.shape} scores")
        best, numbers = self._best(score)
        is_kept = best >= self.least_score
        kept = boxes[is_kept].astype(np.float64)
        return self._found(kept, scores=best[is_kept], classes=numbers[is_kept])

    def _heads(self, heads: list[Array]) -> Found:
        """Read raw heads: an anchor at each place of several grids. Source: Redmon and Farhadi 2018, 2.1."""
        parts = []
        size = self.width_px, self.height_px
        ordered = sorted(heads, key=lambda head: -head.size)
        for place in range(len(ordered)):
            rows = decode_head(ordered, place=place, size_px=size, form=self.heads, classes=self.classes)
            scores, numbers = rows[:, 5:].max(axis=1), rows[:, 5:].argmax(axis=1)
            scores = scores * rows[:, 4]
            is_kept = scores >= self.least_score
            kept = _corners(rows[is_kept, :4].astype(np.float64))
            parts.append(self._found(kept, scores=scores[is_kept], classes=numbers[is_kept]))
        return Found.joined(parts)

    def _best(self, scores: Array) -> tuple[Array, NDArray[np.int64]]:
        if scores.shape[1] < 1:
            raise _misfit("it has no score for any category")
        numbers = scores.argmax(axis=1)
        return self._score(scores.max(axis=1)), numbers

    def _score(self, values: Array) -> Array:
        scores = sigmoid(values) if self.has_logits else values
        # Half precision rounds a sure 1.0 up a little.
        if len(scores) and (scores.min() < -0.01 or scores.max() > 1.01):
            hint = 'where they are before the sigmoid, say so in the options of the model: {"logits": true}'
            raise _misfit(
                f"scores lie between {scores.min():.3g} and {scores.max():.3g}, not 0 and 1; {hint}"
            )
        clipped: Array = np.clip(scores, 0.0, 1.0)
        return clipped

    def _numbers(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        numbers = np.rint(values).astype(np.int64)
        if len(numbers) and (numbers.min() < 0 or (self.classes and numbers.max() >= self.classes)):
            raise _misfit("it found things of categories that it does not have")
        return numbers

    def _found(self, boxes: Boxes, *, scores: Array, classes: NDArray[np.int64]) -> Found:
        if len(boxes) and np.abs(boxes).max() <= NORMALISED_BELOW:
            boxes = boxes * np.array([self.width_px, self.height_px] * 2, np.float64)
        return Found(boxes=boxes, scores=scores.astype(np.float64), classes=classes.astype(np.int64))


def _are_apart(arrays: Sequence[Array], *, pictures: int) -> bool:
    """Tell whether boxes are in one output and their scores in another."""
    flat = [array for array in arrays if array.ndim == 3 or (array.ndim == 4 and array.shape[2] == 1)]
    return len(flat) > 1 and any(array.shape[-1] == 4 for array in flat) and len(flat[0]) == pictures


def _sound(output: NDArray[np.generic]) -> Array:
    array = np.asarray(output)
    if array.dtype.kind not in "fiu" or array.size > MOST_VALUES:
        raise _misfit(f"an output is {array.dtype} of the shape {array.shape}")
    numbers = array.astype(np.float32, copy=False)
    if not np.isfinite(numbers).all():
        raise _misfit("an output holds values that are no numbers")
    return numbers


def _columns(output: Array, *, wanted: int) -> Array:
    if output.ndim != 2 or output.shape[1] != wanted:
        raise _misfit(f"a list of boxes has not the shape {output.shape}")
    return output


def _corners(boxes: Boxes) -> Boxes:
    """Return centres and sizes as corners."""
    half = boxes[:, 2:] / 2
    return np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], axis=1)


def _turned_bounds(boxes: Boxes, *, turn: NDArray[np.float64]) -> Boxes:
    """Return the corners of the upright boxes around turned ones.

    Args:
        boxes: float64 (n, 4), centre and size.
        turn: float64 (n,), radians.
    """
    cos, sin = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    width = boxes[:, 2] * cos + boxes[:, 3] * sin
    height = boxes[:, 2] * sin + boxes[:, 3] * cos
    return _corners(np.column_stack([boxes[:, 0], boxes[:, 1], width, height]))


def _cell_places(width_px: int, height_px: int) -> tuple[Array, Array]:
    cells, strides = [], []
    for stride in STRIDES:
        rows, columns = np.mgrid[: math.ceil(height_px / stride), : math.ceil(width_px / stride)]
        cells.append(np.stack([columns.ravel(), rows.ravel()], axis=1))
        strides.append(np.full(rows.size, stride))
    return np.concatenate(cells).astype(np.float32), np.concatenate(strides).astype(np.float32)


def _shapes(arrays: Sequence[Array]) -> str:
    return ", ".join("x".join(map(str, array.shape)) for array in arrays)


def _misfit(words: str) -> CallFailed:
    return CallFailed(
        f"The model's output cannot be read: {words}.", kind="format", is_retryable=False, was_sent=True
    )
