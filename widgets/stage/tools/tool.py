"""What a tool is, and what it may ask of the stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from annotator.commands.command import Command
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of

if TYPE_CHECKING:
    from widgets.stage.canvas import StageCanvas
    from widgets.stage.scene import StageScene
    from widgets.stage.viewport_controller import ViewportController


@dataclass(frozen=True, kw_only=True)
class Pointer:
    """Where the pointer is.

    Attributes:
        canvas: The view that it is in, or was pressed in.
        x: Image pixels; may lie outside of the picture.
        y: Image pixels.
        view: The same point in the widget.
        modifiers: Keys held down.
        is_down: Whether the left button is down.
    """

    canvas: StageCanvas
    x: float
    y: float
    view: QPoint
    modifiers: Qt.KeyboardModifier
    is_down: bool

    def held(self) -> tuple[float, float]:
        """Return the point, or the nearest one inside of the picture."""
        size = self.canvas.image_size
        return min(max(self.x, 0.0), float(size.width())), min(max(self.y, 0.0), float(size.height()))

    @property
    def is_adding(self) -> bool:
        """Whether the keys say that a selection grows."""
        wanted = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        return bool(self.modifiers & wanted)


class ToolStage(Protocol):
    """What a tool may ask of the stage."""

    @property
    def canvases(self) -> Sequence[StageCanvas]:
        """The views."""

    @property
    def front(self) -> StageCanvas | None:
        """The view that keys are about, None for none."""

    @property
    def looks(self) -> ViewportController:
        """How the views are looked at."""

    @property
    def scene(self) -> str:
        """Id of the scene."""

    @property
    def shown(self) -> StageScene | None:
        """The scene with all that is marked in it, None for none."""

    @property
    def selected(self) -> tuple[str, ...]:
        """Ids of the marks that are selected."""

    def select(self, ids: Sequence[str]) -> None:
        """Select marks in place of those that are."""

    def choose_tool(self, tool: str) -> None:
        """Take another tool in hand."""

    def focus_view(self) -> None:
        """Give the keyboard to the view in front."""

    def show_hint(self) -> None:
        """Show what the tool says of its keys: that has changed."""

    def send(self, command: Command) -> None:
        """Do a command; ``settled`` of the tool is called when its marks are there, or it failed."""

    def canvas_at(self, at: QPoint) -> StageCanvas | None:
        """Return the view at a point of the screen."""


def key_slot(action: str) -> str:
    """Return what stands in a hint for the key of an action, which people can change."""
    return f"{{{action}}}"


class Tool:
    """A state of the stage: what pressing, moving, releasing and keys do.

    The base does nothing, and is what the stage has where nothing can be marked.
    """

    id: ClassVar[str] = ""
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.ArrowCursor

    def __init__(self, stage: ToolStage) -> None:
        self.stage = stage

    def taken(self) -> None:
        """Begin with what is selected: the tool was taken in hand."""

    def press(self, at: Pointer) -> None:
        """Begin."""

    def move(self, at: Pointer) -> None:
        """Go on; the button may be up."""

    def release(self, at: Pointer) -> None:
        """End: one command, or nothing."""

    def double(self, at: Pointer) -> bool:
        """Take a double click; False leaves it to the stage."""
        return False

    def key(self, canvas: StageCanvas, event: QKeyEvent) -> bool:
        """Take a key; False leaves it to others."""
        return False

    def wants(self, event: QKeyEvent) -> bool:
        """Tell whether a key is the tool's even where an action of the window has it."""
        return False

    def paint(self, painter: QPainter, canvas: StageCanvas) -> None:
        """Paint the draft; the painter counts device pixels."""

    def give_up(self) -> bool:
        """Drop the draft; False where there is none."""
        return False

    def box_of(self, region: Region) -> Box:
        """Return where a region is painted: while it is being moved, that is not its own place."""
        return region.box

    def step(self, step: int) -> bool:
        """Go to the next thing that the tool can take (1), or the one before (-1); False for none."""
        return False

    @property
    def hint(self) -> str:
        """What the keys do now, "" for nothing in particular; ``key_slot`` stands for keys of actions."""
        return ""

    @property
    def is_pending(self) -> bool:
        """Whether a change is made that is sent after a pause."""
        return False

    def send_pending(self) -> None:
        """Send a change that waits for a pause: another gesture begins."""

    def shape_of(self, region: Region) -> RotatedBox | None:
        """Return the rectangle of a region as it is painted, None for a point or any other polygon."""
        return rotated_box_of(region)

    def settled(self) -> None:
        """Drop what was painted in the place of marks that are there now."""
