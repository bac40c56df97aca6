"""Annotations that exist but are not painted, and the actions that show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from widgets.stage.stage import Stage

MarkKind = Literal["regions", "paths", "issues"]
SHOW_ALL = "stage.annotated"
"""Id of the action for the rendering that shows all kinds of annotations."""


@dataclass(frozen=True, kw_only=True)
class HiddenMarks:
    """Annotations of one kind that the views do not paint.

    Attributes:
        kind: Kind of the annotations.
        count: Number of them in the displayed views and frames.
        action: Id of the action that shows them.
    """

    kind: MarkKind
    count: int
    action: str


def hidden_marks(stage: Stage) -> tuple[HiddenMarks, ...]:
    """Return the annotations of the displayed frames that the rendering or the overlays leave out."""
    return tuple(found for found in _candidates(stage) if found.count and found.action)


def _candidates(stage: Stage) -> Iterator[HiddenMarks]:
    marks = [canvas.marks.marks for canvas in stage.canvases]
    switched_off = SHOW_ALL if stage.rendering == "clean" else _switched_off(stage, "regions")
    yield HiddenMarks(kind="regions", count=sum(len(one.regions) for one in marks), action=switched_off)
    if not switched_off:
        yield from _left_out_regions(stage)
    yield HiddenMarks(
        kind="paths",
        count=sum(len(one.paths) for one in marks),
        action=_annotated_only(stage, "paths"),
    )
    if not stage.is_model:
        yield HiddenMarks(kind="issues", count=_issue_count(stage), action=_annotated_only(stage, "issues"))


def _annotated_only(stage: Stage, kind: MarkKind) -> str:
    """Return the action that shows annotations which only the annotated rendering has, "" for shown ones."""
    return _switched_off(stage, kind) if stage.rendering == "annotated" else SHOW_ALL


def _issue_count(stage: Stage) -> int:
    # Use the scene of each view: while another scene is loaded, the stage's scene is newer than its views.
    boxes = (one.scene.issues_in(one.medium) for one in stage.canvases if one.scene is not None)
    return sum(len(one.lists) for one in boxes)


def _left_out_regions(stage: Stage) -> Iterator[HiddenMarks]:
    """Yield the regions that are not painted although regions are."""
    if not stage.is_model:
        hidden = stage.hidden_regions.ids
        count = sum(len(hidden & canvas.marks.ids.keys()) for canvas in stage.canvases)
        yield HiddenMarks(kind="regions", count=count, action="stage.show_hidden")
    if stage.rendering == "detected":
        count = sum(int(canvas.marks.is_unseen.sum()) for canvas in stage.canvases)
        yield HiddenMarks(kind="regions", count=count, action=SHOW_ALL)


def _switched_off(stage: Stage, kind: MarkKind) -> str:
    """Return the id of the action that shows a kind of overlay, or "" if it is shown."""
    # The model input has a rendering, but none of the stage's overlays.
    return "" if stage.is_model or stage.overlays.kinds.has(kind) else f"stage.show_{kind}"
