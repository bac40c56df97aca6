"""Outputs of YOLO v8 and later and of RT-DETR as boxes: candidates, or lists of end-to-end models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotator.model_api import CallFailed
from models.boxes import BoxArrays, Boxes

Array = NDArray[np.float32]
Form = Literal["table", "finished"]
"""Candidates with their class scores (v8 to v13, RT-DETR); finished boxes (v10, v26, other end-to-end)."""
MOST_VALUES = 64_000_000
"""Upper limit of values of one output: 200 times that of YOLO at 640 pixels and 80 classes."""
MOST_FINISHED = 5_000
"""End-to-end models return 100 to 1,000 boxes; a longer table of six columns has two classes."""
STRIDES = (8, 16, 32)
"""Pixels of a grid cell, of all YOLO families since v3. Source: Redmon and Farhadi 2018, 2.3."""
OLDER = (
    "a YOLO version before v8 and YOLOX write an objectness score; open the .pt file with the adapter "
    "ultralytics, or export a newer model"
)
MASK_COLUMNS = 32
"""Of models that segment as well. Source: Ultralytics YOLO, ``Segment``."""
NORMALISED_BELOW = 1.5
"""Corners below this are fractions of the input: in pixels they would be a box of one pixel."""


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
    """

    form: Form | None = None
    classes: int = 0
    task: str = ""
    width_px: int
    height_px: int
    least_score: float
    has_logits: bool = False

    def read(self, outputs: Sequence[NDArray[np.generic]], *, pictures: int) -> list[BoxArrays]:
        """Return the candidates of each picture in pixels of the input, not suppressed yet.

        Args:
            outputs: As the model wrote them.
            pictures: How many pictures it was given.

        Raises:
            CallFailed: They are of an older family or no known form, or hold what no detector can mean.
        """
        arrays = [_sound(output) for output in outputs]
        if not arrays or arrays[0].ndim != 3 or _are_apart(arrays):
            raise _misfit(f"its outputs have an unknown format: {_shapes(arrays) or 'none'}; {OLDER}")
        candidates = arrays[0]
        if len(candidates) != pictures:
            raise _misfit(f"its outputs do not match an input of {pictures} images: {_shapes(arrays)}")
        read = self._finished if self._is_finished(candidates) else self._table
        return [read(rows) for rows in candidates]

    def _is_finished(self, output: Array) -> bool:
        if self.form:
            return self.form == "finished"
        rows = output.shape[1]
        # A grid has one candidate for each cell, that of older families three.
        is_table = rows in {count * self._cells for count in (1, 3)}
        return output.shape[2] == 6 and rows <= MOST_FINISHED and not is_table

    @property
    def _cells(self) -> int:
        return sum(math.ceil(self.width_px / s) * math.ceil(self.height_px / s) for s in STRIDES)

    def _table(self, output: Array) -> BoxArrays:
        """Read rows of: centre, size, a score for each class, perhaps more."""
        rows = self._rows(output)
        classes = self.classes or rows.shape[1] - 4
        self._require(rows, columns=rows.shape[1] - 4 - classes, is_turned=rows is not output)
        scores, numbers = self._best(rows[:, 4 : 4 + classes])
        is_kept = scores >= self.least_score
        kept = rows[is_kept].astype(np.float64)
        boxes = _turned_bounds(kept[:, :4], turn=kept[:, -1]) if self.task == "obb" else _corners(kept[:, :4])
        return self._found(boxes, scores=scores[is_kept], classes=numbers[is_kept])

    def _require(self, rows: Array, *, columns: int, is_turned: bool) -> None:
        """Refuse a table with other columns than the task has, and one with objectness.

        Args:
            rows: The table.
            columns: Columns behind the scores of the classes.
            is_turned: Whether the file has candidates as columns, as exports of v8 and later do.
        """
        # Files of older families do not state their task; without names, the layout identifies them.
        is_unnamed_grid = not self.classes and not is_turned and len(rows) in {self._cells, 3 * self._cells}
        if self.task == "" and (is_unnamed_grid or columns in {1, 1 + MASK_COLUMNS}):
            raise _misfit(OLDER)
        known = {"segment": {MASK_COLUMNS}, "obb": {1}, "detect": {0}}.get(self.task, {0, MASK_COLUMNS})
        if self.classes and columns not in known and not (self.task == "pose" and columns >= 0):
            raise _misfit(f"{columns + 4 + self.classes} columns do not fit {self.classes} categories")

    def _rows(self, output: Array) -> Array:
        """Return a table with candidates as rows, transposed if necessary."""
        if output.ndim != 2:
            raise _misfit(f"a table of candidates has the unexpected shape {output.shape}")
        # One column more is the angle of turned boxes, or the objectness of an older family.
        wanted = {self.classes + 4, self.classes + 5} if self.classes else set()
        fits = [axis for axis in (1, 0) if output.shape[axis] in wanted]
        # If the number of categories is unknown: there are far more candidates than columns.
        axis = fits[0] if fits else int(output.shape[1] <= output.shape[0])
        if output.shape[axis] < 5:
            raise _misfit(f"a table of candidates has the unexpected shape {output.shape}")
        return output if axis == 1 else output.T

    def _finished(self, rows: Array) -> BoxArrays:
        """Read rows of: x1 y1 x2 y2 score class."""
        if rows.shape[1] != 6:
            raise _misfit(f"a list of boxes has the unexpected shape {rows.shape}")
        scores = self._score(rows[:, 4])
        is_kept = scores >= self.least_score
        kept = rows[is_kept].astype(np.float64)
        return self._found(kept[:, :4], scores=scores[is_kept], classes=self._numbers(kept[:, 5]))

    def _best(self, scores: Array) -> tuple[Array, NDArray[np.int64]]:
        if scores.shape[1] < 1:
            raise _misfit("it has no score for any category")
        numbers = scores.argmax(axis=1)
        return self._score(scores.max(axis=1)), numbers

    def _score(self, values: Array) -> Array:
        scores = sigmoid(values) if self.has_logits else values
        # Half precision rounds a score of 1.0 up slightly.
        if len(scores) and (scores.min() < -0.01 or scores.max() > 1.01):
            hint = 'if they are values before the sigmoid, set the model option {"logits": true}'
            raise _misfit(
                f"scores are between {scores.min():.3g} and {scores.max():.3g}, not 0 and 1; {hint}"
            )
        clipped: Array = np.clip(scores, 0.0, 1.0)
        return clipped

    def _numbers(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        numbers = np.rint(values).astype(np.int64)
        if len(numbers) and (numbers.min() < 0 or (self.classes and numbers.max() >= self.classes)):
            raise _misfit("it returned categories that it does not define")
        return numbers

    def _found(self, boxes: Boxes, *, scores: Array, classes: NDArray[np.int64]) -> BoxArrays:
        if len(boxes) and np.abs(boxes).max() <= NORMALISED_BELOW:
            boxes = boxes * np.array([self.width_px, self.height_px] * 2, np.float64)
        return BoxArrays(boxes=boxes, scores=scores.astype(np.float64), classes=classes.astype(np.int64))


def _are_apart(arrays: Sequence[Array]) -> bool:
    """Return whether boxes are in one output and their scores in another."""
    return len(arrays) > 1 and any(array.ndim == 3 and array.shape[-1] == 4 for array in arrays)


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + e^-x)."""
    # Beyond 60 nothing changes in float32, and e to the 89th overflows.
    raised = np.exp(-np.clip(values, -60.0, 60.0))
    return (1.0 / (1.0 + raised)).astype(np.float32)


def _sound(output: NDArray[np.generic]) -> Array:
    array = np.asarray(output)
    if array.dtype.kind not in "fiu" or array.size > MOST_VALUES:
        raise _misfit(f"an output is {array.dtype} with the shape {array.shape}")
    numbers = array.astype(np.float32, copy=False)
    if not np.isfinite(numbers).all():
        raise _misfit("an output contains values that are not finite numbers")
    return numbers


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


def _shapes(arrays: Sequence[Array]) -> str:
    return ", ".join("x".join(map(str, array.shape)) for array in arrays)


def _misfit(message: str) -> CallFailed:
    return CallFailed(
        f"The model's output cannot be read: {message}.", kind="format", is_retryable=False, was_sent=True
    )
