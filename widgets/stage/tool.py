"""Interface of tools, and the part of the stage that they can use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.commands.command import Command
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of

if TYPE_CHECKING:
    from annotator.segment_prompt import SegmentPrompt, SegmentReply
    from widgets.stage.canvas import StageCanvas
    from widgets.stage.scene import StageScene
    from widgets.stage.viewport_controller import ViewportController
EDGE_REACH_PX = 12
"""A click so near to the image, device-independent pixels, means its edge."""


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """A pointer position.

    Attributes:
        canvas: The view under the pointer, or in which the button was pressed.
        x: Image pixels; can lie outside the image.
        y: Image pixels; can lie outside the image.
        view: The same position in the widget, device-independent pixels.
        modifiers: Pressed modifier keys.
        is_down: Whether the left button is pressed.
    """

    canvas: StageCanvas
    x: float
    y: float
    view: QPoint
    modifiers: Qt.KeyboardModifier
    is_down: bool

    def held(self) -> tuple[float, float]:
        """Return the position clamped to the image."""
        size = self.canvas.image_size
        return min(max(self.x, 0.0), float(size.width())), min(max(self.y, 0.0), float(size.height()))

    @property
    def is_inside(self) -> bool:
        """Whether the position lies in the image, or so near to it that its edge is meant."""
        x, y = self.held()
        away_px = math.hypot(self.x - x, self.y - y) * self.canvas.transform.zoom
        return away_px <= EDGE_REACH_PX * self.canvas.ratio()

    @property
    def is_adding(self) -> bool:
        """Whether the modifiers extend the selection."""
        wanted = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        return bool(self.modifiers & wanted)


class PromptAnswers(Protocol):
    """Answers prompts with outlines, without waiting."""

    def ask(
        self,
        file: str,
        frame: int | None,
        prompt: SegmentPrompt,
        *,
        done: Callable[[SegmentReply], None],
    ) -> None:
        """Ask for the outline at a prompt; a later request replaces it."""

    def forget(self) -> None:
        """Drop the answer to the last request."""


class ToolStage(Protocol):
    """The part of the stage that tools can use."""

    @property
    def canvases(self) -> Sequence[StageCanvas]:
        """The views."""

    @property
    def front(self) -> StageCanvas | None:
        """The front view, which keys refer to, or None."""

    @property
    def viewports(self) -> ViewportController:
        """The controller of zoom, pan and layout."""

    @property
    def scene(self) -> str:
        """Id of the scene."""

    @property
    def shown(self) -> StageScene | None:
        """The scene with all its annotations, or None."""

    @property
    def segmenter(self) -> PromptAnswers | None:
        """What answers the prompts of the segment tool, or None."""

    @property
    def selected(self) -> tuple[str, ...]:
        """Ids of the selected annotations."""

    def select(self, ids: Sequence[str]) -> None:
        """Replace the selection."""

    def choose_tool(self, tool: str) -> None:
        """Switch to another tool."""

    def focus_view(self) -> None:
        """Set the keyboard focus to the front view."""

    def show_hint(self) -> None:
        """Update the displayed hint, which has changed."""

    def send(self, command: Command) -> None:
        """Send a command; ``settled`` of the tool is called when it is displayed or has failed."""

    def canvas_at(self, at: QPoint) -> StageCanvas | None:
        """Return the view at a screen position, or None."""


def key_slot(action: str) -> str:
    """Return the placeholder for an action's shortcut in a hint; users can change shortcuts."""
    return f"{{{action}}}"


class Tool:
    """A state of the stage: handles press, move, release and keys.

    The base class does nothing; it is the tool of a stage that does not allow annotation.
    """

    id: ClassVar[str] = ""
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.ArrowCursor

    def __init__(self, stage: ToolStage) -> None:
        self.stage = stage

    def taken(self) -> None:
        """Start with the selection; called when the tool becomes current."""

    def press(self, at: Pointer) -> None:
        """Handle a press of the left button."""

    def move(self, at: Pointer) -> None:
        """Handle a pointer move, with or without the button pressed."""

    def release(self, at: Pointer) -> None:
        """Handle the release: send one command or none."""

    def double(self, at: Pointer) -> bool:
        """Handle a double click; return False to leave it to the stage."""
        return False

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Handle a key; return False to leave it to others."""
        return False

    def wants(self, event: QKeyEvent) -> bool:
        """Return whether a key belongs to the tool even if it is a shortcut of the window."""
        return False

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the draft; the painter's unit is the device pixel."""

    def give_up(self) -> bool:
        """Discard the draft; return whether there was one."""
        return False

    def box_of(self, region: Region) -> Box:
        """Return the box of a region as painted, which differs from the stored one during a move."""
        return region.box

    def step(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) candidate of the tool; return False if it has none."""
        return False

    @property
    def hint(self) -> str:
        """The available keys, or ""; ``key_slot`` gives placeholders for shortcuts of actions."""
        return ""

    @property
    def is_pending(self) -> bool:
        """Whether a change waits for a pause in the input before it is sent."""
        return False

    def send_pending(self) -> None:
        """Send a waiting change, because another gesture begins."""

    def shape_of(self, region: Region) -> RotatedBox | None:
        """Return the rectangle of a region as painted; None for a point or any other polygon."""
        return rotated_box_of(region)

    def settled(self) -> None:
        """Discard drafts of annotations that are displayed now."""
