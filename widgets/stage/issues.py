"""Issue boxes of event labels: where perception is hard, and what further information is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.event_label import EventLabel, PercentBox
from widgets import display_text
from widgets.translation import join_texts

Floats = npt.NDArray[np.float64]
VALUE_LISTS = ("issue", "what")
"""Value lists with the display texts."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IssueBoxes:
    """Issue boxes in one image.

    Attributes:
        corners: float64 (n, 4, 2), x y, clockwise from the upper left corner, fractions of width and height.
        labels: Value ids of each box.
        lists: Value list of each box.
        turns_deg: float64 (n,), clockwise rotation about the upper left corner in pixel space, degrees.
    """

    corners: Floats
    turns_deg: Floats
    labels: tuple[tuple[str, ...], ...] = ()
    lists: tuple[str, ...] = ()

    def corners_in(self, *, width: int, height: int) -> Floats:
        """Return the rotated corners, float64 (n, 4, 2), x y, image pixels.

        Args:
            width: Width of the image, pixels. Rotation is defined in pixels, not in fractions.
            height: Height of the image, pixels.
        """
        corners = self.corners * (width, height)
        turns = np.radians(self.turns_deg)[:, None]
        away = corners - corners[:, :1]
        x = away[..., 0] * np.cos(turns) - away[..., 1] * np.sin(turns)
        y = away[..., 0] * np.sin(turns) + away[..., 1] * np.cos(turns)
        return np.asarray(corners[:, :1] + np.stack([x, y], axis=-1))

    def label_texts(self) -> list[str]:
        """Return the label of each box in the current language."""
        pairs = zip(self.lists, self.labels, strict=True)
        return [
            join_texts(display_text.listed_value_title(name, value) for value in values)
            for name, values in pairs
        ]


def issues_of(labels: Iterable[EventLabel], *, medium: str) -> IssueBoxes:
    """Return the boxes of all event labels of a medium.

    Args:
        labels: Event labels of a scene.
        medium: Id of the medium.
    """
    # A dictionary removes duplicates: annotators of the same medium can agree on a box.
    found: dict[tuple[str, PercentBox], None] = {}
    for label in labels:
        if label.medium == medium:
            lists = zip(VALUE_LISTS, (label.issue_boxes, label.what_boxes), strict=True)
            found |= {(name, box): None for name, boxes in lists for box in boxes or ()}
    corners = [
        ((b.x, b.y), (b.x + b.width, b.y), (b.x + b.width, b.y + b.height), (b.x, b.y + b.height))
        for _, b in found
    ]
    return IssueBoxes(
        corners=np.array(corners, np.float64).reshape(-1, 4, 2) / 100,
        turns_deg=np.array([box.rotation for _, box in found], np.float64),
        labels=tuple(box.labels for _, box in found),
        lists=tuple(name for name, _ in found),
    )


def largest_of_each(
    texts: Sequence[str], outlines: Sequence[Floats], *, size: tuple[int, int]
) -> dict[str, int]:
    """Return, for each text, the index of the largest outline with that text that lies in the view.

    Args:
        texts: One text per outline.
        outlines: float64 (corners, 2) each, x y, device pixels of the view.
        size: Width and height of the view, device pixels.
    """
    found: dict[str, tuple[float, int]] = {}
    for at, (text, outline) in enumerate(zip(texts, outlines, strict=True)):
        first, last = outline.min(axis=0), outline.max(axis=0)
        if np.all(last >= 0) and np.all(first < size):
            found[text] = max(found.get(text, (-1.0, -1)), (float(np.prod(last - first)), at))
    return {text: at for text, (_, at) in found.items()}
