"""The list of annotations beside the stage; its selection is synchronised with that of the stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from widgets import theme
from widgets.annotate.annotation_list_model import AnnotationDelegate, AnnotationListModel
from widgets.annotate.annotation_rows import MarkRows
from widgets.focus import paint_view_focus
from widgets.translation import tr


class AnnotationList(QTableView):
    """Displays the annotations of a scene.

    A table of one column: QListView queries the model for every row whenever one is added.

    Signals:
        chosen: The user selected rows; carries the ids of their annotations.
        menu_requested: A context menu is requested; carries a screen position.
        sought: The user activated a frame; carries the id of the video's medium and the frame number.
        opened: The user activated annotations to show them on the stage; carries their ids.
    """

    chosen = Signal(object)
    menu_requested = Signal(QPoint)
    sought = Signal(str, int)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.marks = AnnotationListModel(self)
        self._is_following = False
        self.setModel(self.marks)
        self.setItemDelegate(AnnotationDelegate(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(theme.ROW)
        self.verticalHeader().setDefaultSectionSize(theme.ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(tr("Annotations of the scene"))
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.clicked.connect(self._on_row_taken)
        self.activated.connect(self._on_row_taken)
        self.activated.connect(self._on_row_opened)

    def show_rows(self, rows: MarkRows, *, selected: Sequence[str]) -> None:
        """Replace the rows.

        Args:
            rows: The rows.
            selected: Ids of the selected annotations.
        """
        # A model reset scrolls to the top: restore the position afterwards.
        index = self.verticalScrollBar().value()
        self._is_following = True
        self.marks.show_rows(rows)
        self._is_following = False
        self.follow(selected)
        self.verticalScrollBar().setValue(index)

    def follow(self, selected: Sequence[str]) -> None:
        """Select the rows of annotations that were selected elsewhere, including fully selected links."""
        if self._is_following:
            return
        selection = QItemSelection()
        indices = self.marks.rows.indices_of(selected)
        # In runs of rows: with a range for each row, selecting thousands of regions takes longer than a
        # frame.
        for first, last in _runs(indices):
            selection.select(self.marks.index(first, 0), self.marks.index(last, 0))
        # The programmatic selection must not be reported as a selection by the user.
        self._is_following = True
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(selection, flags.ClearAndSelect)
        self._is_following = False
        if indices:
            self.scrollTo(self.marks.index(indices[0], 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, and a frame while the list has the keyboard focus."""
        super().paintEvent(event)
        paint_view_focus(self)

    def keyboardSearch(self, _text: str, /) -> None:
        """Disable the keyboard search: letters are shortcuts of the stage."""

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Return the target of a navigation key: Home and End go to the first and last row, as in lists."""
        if action == QAbstractItemView.CursorAction.MoveHome:
            return self.marks.index(0, 0)
        if action == QAbstractItemView.CursorAction.MoveEnd:
            return self.marks.index(len(self.marks.rows) - 1, 0)
        return super().moveCursor(action, modifiers)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request a context menu at the pointer or, from the keyboard, at the current row."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            self.menu_requested.emit(event.globalPos())
        else:
            middle = self.visualRect(self.currentIndex()).center()
            self.menu_requested.emit(self.viewport().mapToGlobal(middle))

    def _on_row_taken(self, index: QModelIndex) -> None:
        row = self.marks.rows[index.row()]
        if row.kind == "frame":
            self.sought.emit(row.medium, row.frame)

    def _on_row_opened(self, index: QModelIndex) -> None:
        if ids := self.marks.rows[index.row()].ids:
            self.opened.emit(ids)

    def _on_selection_changed(self, _now: QItemSelection, _before: QItemSelection) -> None:
        if self._is_following:
            return
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        ids = dict.fromkeys(one for index in rows for one in self.marks.rows[index].ids)
        # The stage answers with its own selection, which must not change the one being made here.
        self._is_following = True
        self.chosen.emit(tuple(ids))
        self._is_following = False


def _runs(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of each run without gaps; all regions of a view are one run."""
    for _, run in groupby(enumerate(indices), key=lambda pair: pair[1] - pair[0]):
        members = [index for _, index in run]
        yield members[0], members[-1]
