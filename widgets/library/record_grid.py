"""A list as a grid of images; paints only visible cells, for lists of any size."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from widgets import theme
from widgets.focus import ENTER
from widgets.labels import plain_tip
from widgets.library.cell_painter import SIZES, ThumbnailCellPainter, ThumbnailCellState
from widgets.library.grid_layout import SPACE_PX, GridLayout
from widgets.library.row_model import RowModel
from widgets.library.thumbnails import ThumbnailLoader
from widgets.settings import Settings
from widgets.translation import tr

USUAL_SIZE = 1
REST_MS = 50
"""Thumbnails are requested after this time without a paint event, ms: three frames."""
DRAG_PX = 6
"""Mouse movements below this distance, px, are a click."""
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
FLAGS = QItemSelectionModel.SelectionFlag


# Not a QListView: it lays out every row, which takes a second for each change of a long list.
class RecordGrid(QAbstractScrollArea):
    """Shows a ``RowModel`` as cells, and shares the selection with the table of the list.

    Signals:
        typed: Emitted when a letter is typed; carries it, for the search box.
        opened: Emitted on a double click or Enter; carries the index of the cell.
    """

    typed = Signal(str)
    opened = Signal(QModelIndex)

    def __init__(
        self,
        model: RowModel,
        *,
        selection: QItemSelectionModel,
        loader: ThumbnailLoader,
        settings: Settings,
    ) -> None:
        super().__init__()
        self._model, self._selection = model, selection
        self._loader, self._settings = loader, settings
        self._anchor = 0
        self._pressed: QPoint | None = None
        self._band: QRect | None = None
        self._banded = QItemSelection()
        self._size = min(max(settings.number("library/cells", USUAL_SIZE), 0), len(SIZES) - 1)
        self.shape = GridLayout(size=SIZES[self._size], columns=1, count=0)
        self._painter: ThumbnailCellPainter | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr(model.kind.title))
        # paintEvent fills the whole area, so that Qt does not have to clear it first.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        for signal in (model.modelReset, model.dataChanged, loader.arrived, selection.selectionChanged):
            signal.connect(self._on_view_changed)
        selection.currentChanged.connect(self._on_current_changed)
        self._resting = QTimer(self)
        self._resting.setSingleShot(True)
        self._resting.setInterval(REST_MS)
        self._resting.timeout.connect(self._on_resting)
        model.modelReset.connect(self._lay_out)

    def current_position(self) -> int:
        """Return the position of the current cell, -1 for none."""
        return self._selection.currentIndex().row()

    def position_at(self, at: QPoint) -> int:
        """Return the position of the cell at a point of the viewport, -1 for none."""
        return self.shape.position_at(at + QPoint(0, self.verticalScrollBar().value()))

    def cell_rect(self, position: int) -> QRect:
        """Return the rectangle of a cell in the viewport."""
        return self.shape.rect(position).translated(0, -self.verticalScrollBar().value())

    def change_size(self, step: int) -> None:
        """Enlarge (1) or reduce (-1) the cells; the current cell stays visible."""
        self._size = min(max(self._size + step, 0), len(SIZES) - 1)
        self._settings.keep("library/cells", self._size)
        self._lay_out()
        self.show_position(self.current_position())

    def show_position(self, position: int) -> None:
        """Scroll until a cell is visible."""
        if position < 0:
            return
        bar, rect = self.verticalScrollBar(), self.cell_rect(position)
        if rect.top() < SPACE_PX:
            bar.setValue(bar.value() + rect.top() - SPACE_PX)
        elif rect.bottom() > self.viewport().height() - SPACE_PX:
            bar.setValue(bar.value() + rect.bottom() + SPACE_PX - self.viewport().height())

    def visible_positions(self) -> range:
        """Return the positions of the visible cells."""
        top = self.verticalScrollBar().value()
        return self.shape.positions_in(top, top + self.viewport().height())

    def choose(
        self, position: int, *, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Make a cell current, and select it by the modifiers: alone, range or toggle."""
        if not 0 <= position < self._model.rowCount():
            return
        index = self._model.index(position, 0)
        if modifiers & SHIFT:
            # From the anchor, not from the current cell: a second Shift+click corrects the first.
            self._selection.setCurrentIndex(index, FLAGS.NoUpdate)
            self._selection.select(self._span(self._anchor, position), FLAGS.ClearAndSelect)
        elif modifiers & CONTROL:
            self._anchor = position
            self._selection.setCurrentIndex(index, FLAGS.Toggle | FLAGS.Rows)
        else:
            self._anchor = position
            self._selection.setCurrentIndex(index, FLAGS.ClearAndSelect | FLAGS.Rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move in two dimensions, open the cell at Enter, and pass letters to the search box."""
        height = self.viewport().height()
        target = self.shape.target(max(0, self.current_position()), key=Qt.Key(event.key()), height_px=height)
        modifiers = event.modifiers() & (SHIFT | CONTROL)
        if target is not None:
            # Ctrl moves the current cell and keeps the selection, as in file managers.
            if modifiers == CONTROL:
                self._selection.setCurrentIndex(self._model.index(target, 0), FLAGS.NoUpdate)
            else:
                self.choose(target, modifiers=modifiers)
        elif event.key() in ENTER and self.current_position() >= 0:
            self.opened.emit(self._model.index(self.current_position(), 0))
        elif event.key() == Qt.Key.Key_Space and self.current_position() >= 0:
            self.choose(self.current_position(), modifiers=CONTROL)
        elif event.text().strip() and event.text().isprintable() and not event.modifiers() & ~SHIFT:
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the cell under the pointer, or start a rubber band."""
        at = event.position().toPoint()
        index = self.position_at(at)
        if event.button() == Qt.MouseButton.RightButton:
            # The context menu acts on the selection: a right click inside the selection must keep it.
            if index >= 0 and not self._is_selected(index):
                self.choose(index)
            return
        # In contents coordinates: the rubber band grows while the view scrolls.
        self._pressed = at + QPoint(0, self.verticalScrollBar().value())
        is_adding = bool(event.modifiers() & (CONTROL | SHIFT))
        if index >= 0:
            self.choose(index, modifiers=event.modifiers())
        elif not is_adding:
            self._selection.clearSelection()
        # With Ctrl or Shift the rubber band adds to the existing selection.
        self._banded = QItemSelection(self._selection.selection()) if is_adding else QItemSelection()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Update the rubber band, and select the cells that it intersects."""
        if self._pressed is None:
            return
        at = event.position().toPoint()
        bar = self.verticalScrollBar()
        # A pointer outside the viewport scrolls it, so that the rubber band can grow.
        if at.y() < 0 or at.y() > self.viewport().height():
            bar.setValue(bar.value() + (at.y() if at.y() < 0 else at.y() - self.viewport().height()))
        end = at + QPoint(0, bar.value())
        # Small movements during a click do not start a rubber band.
        if self._band is None and (end - self._pressed).manhattanLength() < DRAG_PX:
            return
        self._band = QRect(self._pressed, end).normalized()
        self._select_band(self._band)
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the rubber band."""
        self._pressed = self._band = None
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the cell."""
        index = self.position_at(event.position().toPoint())
        if index >= 0:
            self.opened.emit(self._model.index(index, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible cells, then request their thumbnails."""
        painter = QPainter(self.viewport())
        tokens = theme.current()
        painter.fillRect(event.rect(), tokens.color("surface"))
        cells = self._cell_painter()
        cells.visible.clear()
        current = self.current_position()
        for index in self.visible_positions():
            row = self._model.row(index)
            state = ThumbnailCellState(
                is_selected=self._is_selected(index),
                is_current=index == current,
                has_keyboard=self.hasFocus(),
                is_unread=row is not None and row.id in self._model.unread,
            )
            cells.paint(painter, self.cell_rect(index), row=row, state=state)
        if self._band is not None:
            shown = self._band.translated(0, -self.verticalScrollBar().value())
            ground = tokens.color("accent")
            ground.setAlpha(40)
            painter.fillRect(shown, ground)
            painter.setPen(tokens.color("accent"))
            painter.drawRect(shown.adjusted(0, 0, -1, -1))
        painter.end()
        # Requested when scrolling pauses: loading every thumbnail that is passed would cost frames.
        self._resting.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the layout; the first visible cell stays visible."""
        # A view at its top stays there.
        first = next(iter(self.visible_positions()), 0) if self.verticalScrollBar().value() else 0
        self._lay_out()
        if first:
            self.verticalScrollBar().setValue(self.shape.rect(first).top() - SPACE_PX)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaint after scrolling."""
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Repaint the focus indicator."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint without the focus indicator."""
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the full name of the cell under the pointer as a tool tip."""
        if isinstance(event, QHelpEvent):
            index = self.position_at(event.pos())
            row = self._model.row(index) if index >= 0 else None
            QToolTip.showText(event.globalPos(), plain_tip(row.name) if row else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def _cell_painter(self) -> ThumbnailCellPainter:
        # Cached images are valid for one theme and one scale factor; a window can move to another screen.
        ratio, known = self.devicePixelRatioF(), self._painter
        if known is None or (known.theme, known.ratio) != (theme.current().name, ratio):
            known = self._painter = ThumbnailCellPainter(self._loader, size=self.shape.size, ratio=ratio)
        return known

    def _lay_out(self) -> None:
        height = self.viewport().height()
        shape = self._fitting_shape(height)
        if shape.size != self.shape.size:
            self._painter = None
        self.shape = shape
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, shape.height_px - height))
        bar.setPageStep(height)
        # A wheel notch is three single steps by default, that is, one row.
        bar.setSingleStep(shape.step.height() // 3)
        self.viewport().update()

    def _fitting_shape(self, height: int) -> GridLayout:
        """Return the layout beside the scroll bar if the whole width needs one.

        Decided from the width of grid and bar together: with that of the viewport, a layout that needs a bar
        only where there is none shows and hides it for ever.
        """
        bar = self.verticalScrollBar()
        bar_px = bar.sizeHint().width()
        width = self.viewport().width() + (bar_px if bar.isVisibleTo(self) else 0)
        whole = self._shape_of(width)
        return whole if whole.height_px <= height else self._shape_of(width - bar_px)

    def _shape_of(self, width: int) -> GridLayout:
        return GridLayout.fit(SIZES[self._size], width_px=width, count=self._model.rowCount())

    def _is_selected(self, index: int) -> bool:
        return self._selection.isSelected(self._model.index(index, 0))

    def _span(self, one: int, other: int) -> QItemSelection:
        last = self._model.columnCount() - 1
        # The anchor can be beyond the end if the list has become shorter.
        first, end = sorted((min(one, self._model.rowCount() - 1), other))
        return QItemSelection(self._model.index(first, 0), self._model.index(end, last))

    def _select_band(self, band: QRect) -> None:
        chosen = QItemSelection(self._banded)
        for start, end in self.shape.runs_in(band):
            chosen.merge(self._span(start, end), FLAGS.Select)
        self._selection.select(chosen, FLAGS.ClearAndSelect)

    def is_settled(self) -> bool:
        """Return whether all visible thumbnails have been requested."""
        return not (self._resting.isActive() and self.isVisible())

    def _on_resting(self) -> None:
        self._loader.request(list(self._cell_painter().visible))

    def _on_view_changed(self, *_what: object) -> None:
        self.viewport().update()

    def _on_current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        if self.isVisible():
            self.show_position(current.row())
        self.viewport().update()
