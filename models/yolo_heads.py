"""Raw heads of YOLO models: for each cell of a grid and each anchor a box, an objectness and class scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotator.predictor import CallFailed

Array = NDArray[np.float32]
Anchors = tuple[tuple[float, float], ...]
V3_ANCHORS: Anchors = (
    (10, 13), (16, 30), (33, 23), (30, 61), (62, 45), (59, 119), (116, 90), (156, 198), (373, 326),
)  # fmt: skip
"""Width and height in pixels of the input, three a head from the finest on. Source: Darknet, yolov3.cfg."""
V3_TINY_ANCHORS: Anchors = ((10, 14), (23, 27), (37, 58), (81, 82), (135, 169), (344, 319))
"""The same of two heads. Source: Darknet, yolov3-tiny.cfg."""
DEFAULTS = {2: V3_TINY_ANCHORS, 3: V3_ANCHORS}
MOST_EXPONENT = 10.0
"""e to the 10th times the widest anchor is wider than any input; an overflow would be no number."""


@dataclass(frozen=True, kw_only=True)
class HeadForm:
    """How raw heads are decoded.

    Attributes:
        anchors: Of all heads, those of the finest first; empty for Darknet's of two or three heads.
        decoding: ``darknet`` (v3, v4) or ``v5`` (v5 and v7); "" to tell by the layout.
        spread: How far a centre may leave its cell, as ``scale_x_y`` in a Darknet file; 1 for not at all.
        is_activated: Whether the sigmoids were taken already.
    """

    anchors: Anchors = ()
    decoding: Literal["", "darknet", "v5"] = ""
    spread: float = 1.0
    is_activated: bool = False

    def of(self, place: int, *, heads: int) -> Anchors:
        """Return the anchors of one head.

        Args:
            place: Its place, the finest first.
            heads: How many there are.

        Raises:
            CallFailed: They are not known.
        """
        known = self.anchors or DEFAULTS.get(heads, ())
        if not known or len(known) % heads:
            raise _misfit(f"{len(known)} anchors do not fit {heads} heads; name them in the model's options")
        each = len(known) // heads
        return known[place * each : (place + 1) * each]


def decode_head(
    heads: Sequence[Array], *, place: int, size_px: tuple[int, int], form: HeadForm, classes: int
) -> Array:
    """Return what one head found.

    Args:
        heads: All heads of one picture, the finest first.
        place: Which of them.
        size_px: Width and height of the input.
        form: How to decode it.
        classes: Number of categories, 0 where nobody says.

    Returns:
        float32 (candidates, 5 + categories): centre and size in pixels of the input, objectness, scores.

    Raises:
        CallFailed: It is no such head.
    """
    anchors = form.of(place, heads=len(heads))
    is_v5 = form.decoding == "v5" or (form.decoding == "" and heads[place].ndim == 4)
    grid = _arranged(heads[place], anchors=len(anchors), size_px=size_px, classes=classes)
    own = np.array(anchors, np.float32)[:, None, None]
    stride = np.array([size_px[0] / grid.shape[2], size_px[1] / grid.shape[1]], np.float32)
    rows, columns = np.mgrid[: grid.shape[1], : grid.shape[2]]
    cells = np.stack([columns, rows], axis=-1).astype(np.float32)
    near: Array = grid if form.is_activated else sigmoid(grid)
    # Both ways let a centre lie beyond its cell by the same rule; v5 fixes the spread at 2.
    spread = 2.0 if is_v5 else form.spread
    centres = (near[..., :2] * spread - (spread - 1) / 2 + cells) * stride
    sizes = (
        (near[..., 2:4] * 2) ** 2 * own if is_v5 else np.exp(np.minimum(grid[..., 2:4], MOST_EXPONENT)) * own
    )
    found = np.concatenate([centres, sizes, near[..., 4:]], axis=-1)
    flat: Array = found.reshape(-1, found.shape[-1])
    return flat


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + e^-x)."""
    # Beyond 60 nothing changes in float32, and e to the 89th overflows.
    raised = np.exp(-np.clip(values, -60.0, 60.0))
    return (1.0 / (1.0 + raised)).astype(np.float32)


def _arranged(head: Array, *, anchors: int, size_px: tuple[int, int], classes: int) -> Array:
    """Return a head as (anchors, rows, columns, 5 + categories), however it lies."""
    ways = [_split(head, anchors=anchors, is_last=is_last) for is_last in (False, True)]
    for grid in ways:
        if grid is not None and _fits(grid, anchors=anchors, size_px=size_px, classes=classes):
            return grid
    raise _misfit(
        f"{'x'.join(map(str, head.shape))} is no head of {anchors} anchors for {size_px[0]}x{size_px[1]}"
    )


def _split(head: Array, *, anchors: int, is_last: bool) -> Array | None:
    """Return a head with its anchors apart; None where they are not where they were looked for."""
    if head.ndim == 4:
        return head.transpose(2, 0, 1, 3) if is_last else head
    channels = head.shape[2] if is_last else head.shape[0]
    if channels % anchors:
        return None
    if is_last:
        return head.reshape(*head.shape[:2], anchors, -1).transpose(2, 0, 1, 3)
    return head.reshape(anchors, -1, *head.shape[1:]).transpose(0, 2, 3, 1)


def _fits(grid: Array, *, anchors: int, size_px: tuple[int, int], classes: int) -> bool:
    count, rows, columns, each = grid.shape
    is_whole = bool(rows and columns) and size_px[0] % columns == 0 and size_px[1] % rows == 0
    is_even = is_whole and size_px[0] // columns == size_px[1] // rows
    return count == anchors and is_even and each > 5 and classes in {0, each - 5}


def _misfit(words: str) -> CallFailed:
    return CallFailed(f"The model's output cannot be read: {words}.", kind="format", is_retryable=False)
