"""An interactive view: zoom, pan and the current tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QWheelEvent,
)

from annotator.domain.region import Region
from widgets.medium_view import MediumView
from widgets.stage.comment_pins import comment_at
from widgets.stage.image_view import ImageView
from widgets.stage.tool import Pointer
from widgets.stage.video_playback import VideoPlayback
from widgets.stage.view_annotations import ViewAnnotations
from widgets.stage.view_transform import ViewTransform

if TYPE_CHECKING:
    from widgets.stage.tool import Tool

WHEEL_FACTOR = 1.2
"""Zoom factor of one wheel notch."""
# Qt counts eighths of a degree, and a usual wheel turns by 15 degrees a notch.
NOTCH = 120
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
STEPS = {Qt.Key.Key_Left: "-1", Qt.Key.Key_Right: "1"}
"""Number of frames that each arrow key steps."""
TABS = frozenset({Qt.Key.Key_Tab, Qt.Key.Key_Backtab})
PLAIN = frozenset({Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier})


class StageCanvas(ImageView):
    """Displays one medium with its annotations, and forwards mouse and keyboard events to the tool.

    Signals:
        transform_changed: The user zoomed or panned; the new transform is the widget's ``transform``.
        pointed: The pointer moved over the image, or left it.
        opened: A double click that the tool did not handle: enlarge this view, or show all.
        focused: The view received the keyboard focus.
        handled: A tool begins a gesture or a change in this view.
        drafted: The tool may have changed its draft.
        tapped: The space bar was pressed and released without panning.
        menu_requested: A context menu is requested; carries a screen position.
        stepped: An arrow key that the tool does not handle; carries the number of frames to step.
        pin_pressed: The pin of a comment was pressed; carries the id of the comment.
    """

    transform_changed = Signal()
    pointed = Signal()
    opened = Signal()
    focused = Signal()
    handled = Signal()
    drafted = Signal()
    tapped = Signal()
    menu_requested = Signal(QPoint)
    stepped = Signal(str)
    pin_pressed = Signal(str)

    def __init__(self, shown: MediumView, *, video: VideoPlayback | None = None) -> None:
        super().__init__(shown, video=video)
        self.tool: Tool | None = None
        self.pointer: tuple[float, float] | None = None
        self._panning: QPoint | None = None
        self._has_space = self._is_tap = self._is_on_pin = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def ready_tool(self) -> Tool | None:
        """The current tool; None if there is no image, or the view shows a model's input."""
        return None if self.picture is None or self.is_model_input else self.tool

    def change_transform(self, transform: ViewTransform) -> None:
        """Set the view transform on request of the user."""
        self.show_transform(transform)
        self.transform_changed.emit()

    def take_marks(self, marks: ViewAnnotations) -> None:
        """Set the annotations, and update what is under the pointer."""
        super().take_marks(marks)
        self._hover()

    def paint_draft(self, painter: QPainter) -> None:
        """Paint the tool's draft."""
        if self.tool is not None:
            self.tool.paint(painter, self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer."""
        # Qt reports a vertical wheel as a horizontal one while Alt is held.
        notches = (event.angleDelta().y() or event.angleDelta().x()) / NOTCH
        at, ratio = event.position(), self.ratio()
        self.change_transform(
            self.transform.zoomed(WHEEL_FACTOR**notches, at=(at.x() * ratio, at.y() * ratio))
        )
        self._point(event.position().toPoint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pan, or forward the event to the tool."""
        at = event.position().toPoint()
        # The space bar with a click pans: its release must not start or stop the video.
        self._is_tap = False
        is_pull = event.button() == LEFT and (self._has_space or self.is_model_input)
        if event.button() == MIDDLE or is_pull:
            self._panning = at
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == LEFT and (comment := self._comment_at(at)):
            self._is_on_pin = True
            self.pin_pressed.emit(comment)
        elif event.button() == LEFT and self.ready_tool is not None:
            # Annotations belong to the displayed frame, so playback stops before the tool begins.
            self.handled.emit()
            self.ready_tool.press(self._pointer(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, or forward the event to the tool."""
        at = event.position().toPoint()
        if self._panning is not None:
            moved, ratio = at - self._panning, self.ratio()
            self._panning = at
            self.change_transform(self.transform.panned(moved.x() * ratio, moved.y() * ratio))
        self._point(at)
        if self._panning is None and not self._is_on_pin and self.ready_tool is not None:
            self.ready_tool.move(self._pointer(event))
            if event.buttons() & LEFT:
                self.drafted.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End panning, or forward the event to the tool."""
        if self._panning is not None:
            self._panning = None
            self.show_cursor()
        elif event.button() == LEFT and self._is_on_pin:
            self._is_on_pin = False
        elif event.button() == LEFT and self.ready_tool is not None:
            self.ready_tool.release(self._pointer(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Forward the event to the tool; if it is not handled, enlarge this view or show all."""
        if event.button() != LEFT:
            return
        # Qt sends this event in place of the second press; the release after it is the pin's, too.
        self._is_on_pin = bool(self._comment_at(event.position().toPoint()))
        if self._is_on_pin:
            return
        if self.ready_tool is None or not self.ready_tool.double(self._pointer(event)):
            self.opened.emit()

    def region_at(self, x: float, y: float) -> Region | None:
        """Return the visible region at an image point, or within the hit distance of it."""
        hidden = self.hidden_by_user
        if self.rendering != "annotated":
            hidden = hidden | self.marks.unseen_ids()
        return self.marks.region_at(x, y, reach=self.reach(), hidden=hidden)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request a context menu at the pointer or, from the keyboard, at the centre of the view."""
        is_by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        self.menu_requested.emit(event.globalPos() if is_by_mouse else self.mapToGlobal(self.rect().center()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the pointer position."""
        self.pointer = self.hovered = None
        self.pointed.emit()
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Set the tool's cursor."""
        self.show_cursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan with the space bar; forward other keys to the tool, and step frames with keys it ignores."""
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Space:
            # Auto-repeat events alone are no tap: the key was pressed in another widget.
            self._is_tap = self._is_tap or not event.isAutoRepeat()
            self._has_space = True
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        elif self.ready_tool is not None and self.ready_tool.key(self, event):
            # Keys move the selection, which belongs to a frame. Without a selection they only pan, and a
            # video can go on playing.
            if self.selected:
                self.handled.emit()
                self.drafted.emit()
        elif key in STEPS and self.video is not None and event.modifiers() in PLAIN:
            self.stepped.emit(STEPS[key])
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Stop panning with the space bar."""
        # A held key sends release events with auto-repeat as well.
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            is_tap, self._has_space, self._is_tap = self._is_tap, False, False
            self.show_cursor()
            if is_tap:
                self.tapped.emit()
        super().keyReleaseEvent(event)

    def event(self, event: QEvent) -> bool:
        """Accept the space bar, and Enter while the tool draws, before shortcuts of the window do."""
        is_wanted = (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (event.key() == Qt.Key.Key_Space or self._is_for_tool(event))
        )
        if is_wanted:
            event.accept()
            return True
        # Qt uses Tab to move the focus, before a widget gets the key.
        is_tab = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in TABS
        if is_tab and self._is_for_tool(cast("QKeyEvent", event)):
            self.keyPressEvent(cast("QKeyEvent", event))
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Update the focus frame."""
        super().focusInEvent(event)
        self.focused.emit()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Update the focus frame."""
        super().focusOutEvent(event)
        if self.tool is not None:
            self.tool.send_pending()
        # The release event goes to the widget that has the focus then.
        self._has_space = self._is_tap = False
        self.update()

    def show_cursor(self) -> None:
        """Set the cursor of the tool."""
        tool = None if self.is_model_input else self.tool
        self.setCursor(tool.cursor if tool is not None else Qt.CursorShape.ArrowCursor)

    def _is_for_tool(self, event: QKeyEvent) -> bool:
        return self.ready_tool is not None and self.ready_tool.wants(event)

    def _comment_at(self, at: QPoint) -> str:
        """Return the id of the comment whose pin is at a point of the widget, "" for none."""
        tool = self.ready_tool
        # A tool with another cursor places something where the pointer is, also under a pin.
        if tool is None or tool.cursor != Qt.CursorShape.ArrowCursor:
            return ""
        ratio = self.ratio()
        marks = self.pins_at(self.medium, self.frame)
        return comment_at(marks, at.x() * ratio, at.y() * ratio, transform=self.transform, ratio=ratio)

    def _pointer(self, event: QMouseEvent) -> Pointer:
        x, y = self.image_point(event.position().toPoint())
        return Pointer(
            canvas=self,
            x=x,
            y=y,
            view=event.position().toPoint(),
            modifiers=event.modifiers(),
            is_down=bool(event.buttons() & LEFT),
        )

    def _point(self, at: QPoint) -> None:
        x, y = self.image_point(at)
        size = self.image_size
        is_inside = 0 <= x < size.width() and 0 <= y < size.height()
        self.pointer = (x, y) if is_inside else None
        self._hover()
        self.pointed.emit()

    def _hover(self) -> None:
        before = self.hovered
        self.hovered = (
            self.region_at(*self.pointer) if self.pointer is not None and self.has_regions() else None
        )
        if before is not self.hovered:
            self.update()
