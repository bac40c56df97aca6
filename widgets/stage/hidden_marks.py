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
    rendering, is_annotated = stage.rendering, stage.rendering == "annotated"
    yield HiddenMarks(
        kind="regions",
        count=sum(len(one.regions) for one in marks),
        action=SHOW_ALL if rendering == "clean" else _switched_off(stage, "regions"),
    )
    if rendering != "clean" and not _switched_off(stage, "regions"):
        yield from _left_out_regions(stage)
    yield HiddenMarks(
        kind="paths",
        count=sum(len(one.paths) for one in marks),
        action=_switched_off(stage, "paths") if is_annotated else SHOW_ALL,
    )
    if not stage.is_model:
        # Use the scene of each view: while another scene is loaded, the stage's scene is newer than its
        # views.
        boxes = [one.scene.issues_in(one.medium) for one in stage.canvases if one.scene is not None]
        yield HiddenMarks(
            kind="issues",
            count=sum(len(one.lists) for one in boxes),
            action=_switched_off(stage, "issues") if is_annotated else SHOW_ALL,
        )


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
