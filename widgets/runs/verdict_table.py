"""The table of verdicts: one row a job, at any size; rows are fetched by pages as they are looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from functools import partial

from PySide6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from annotator.session import Session
from widgets import theme
from widgets.bridge import Bridge
from widgets.library.row_model import Index
from widgets.runs import wording
from widgets.runs.verdict_rows import VerdictRow, read_rows
from widgets.translation import mark as _
from widgets.translation import tr

PAGE, KEPT_PAGES, PAGES_AT_ONCE = 100, 64, 4
COLUMNS = (
    (_("Item"), 200, 0),
    (_("Model"), 110, 480),
    (_("Verdict"), 128, 0),
    (_("Says"), 84, 0),
    (_("Key"), 76, 640),
    (_("Right"), 76, 0),
    (_("In the model's words"), 0, 780),
)
"""Title, width and the width of the table below which the column gives way; 0 px takes the rest."""
ITEM, MODEL, VERDICT, ANSWER, KEY, RIGHT, WORDS = range(7)
EDGE_PX = 8
TEXT_SHOWN = 300
TONES = {"answer": "text", "unparsed": "warn", "empty": "warn", "error": "bad", "waiting": "text_dim"}


class VerdictModel(QAbstractTableModel):
    """Jobs of a selection.

    Signals:
        rows_arrived: A page of rows came in.
    """

    rows_arrived = Signal()

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.numbers: list[int] = []
        self._session, self._bridge = session, bridge
        self._pages: OrderedDict[int, dict[int, VerdictRow]] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: list[int] = []
        self._is_asking = False
        self._asked: tuple[list[int], list[int]] = ([], [])
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        # One question per turn of the event loop, however many cells are painted in it.
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._ask)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of jobs."""
        return 0 if parent.isValid() else len(self.numbers)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a column's heading."""
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return tr(COLUMNS[section][0]) if is_title else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell; None until it has come."""
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            row = self.row(index.row())
            return None if row is None else text_of(row, index.column())
        return None

    def row(self, at: int) -> VerdictRow | None:
        """Return a row by its place in the list; None, and asked for, where it is not there yet."""
        page = at // PAGE
        if page not in self._pages or page in self._stale:
            self._want(page)
        return self._pages.get(page, {}).get(self.numbers[at])

    def place_of(self, number: int) -> int:
        """Return the place of a job in the list, -1 where it is not in it."""
        at = bisect_left(self.numbers, number)
        return at if at < len(self.numbers) and self.numbers[at] == number else -1

    def show_numbers(self, numbers: list[int]) -> None:
        """Show another selection, or the same one with rows that may have changed."""
        if numbers == self.numbers:
            self.refresh()
            return
        self.beginResetModel()
        self.numbers = numbers
        self._pages.clear()
        self._stale.clear()
        self._wanted.clear()
        self.endResetModel()

    def refresh(self) -> None:
        """Ask again for the rows that are looked at; they stay on the screen until then."""
        self._stale = set(self._pages)
        if self._pages:
            self._tell_changed(min(self._pages), max(self._pages))

    def is_settled(self) -> bool:
        """Tell whether no row is being asked for."""
        return not (self._wanted or self._is_asking)

    def _want(self, page: int) -> None:
        if page not in self._wanted:
            self._wanted.append(page)
            self._soon.start()

    def _ask(self) -> None:
        if self._is_asking or not self._wanted:
            return
        # What was passed on the way is forgotten: the last rows asked for are those on the screen.
        pages, self._wanted = self._wanted[-PAGES_AT_ONCE:], []
        numbers = [number for page in pages for number in self.numbers[page * PAGE : (page + 1) * PAGE]]
        self._is_asking = True
        self._asked = (pages, self.numbers)
        self._bridge.ask(
            self._session,
            partial(read_rows, numbers=numbers),
            done=self._on_rows,
            failed=self._on_rows_failed,
        )

    def _on_rows(self, rows: dict[int, VerdictRow]) -> None:
        self._is_asking = False
        pages, asked = self._asked
        # The selection may have changed since: its pages are other rows now.
        for page in pages if asked is self.numbers else ():
            self._pages[page] = {
                number: rows[number]
                for number in self.numbers[page * PAGE : (page + 1) * PAGE]
                if number in rows
            }
            self._pages.move_to_end(page)
            self._stale.discard(page)
            self._tell_changed(page, page)
        while len(self._pages) > KEPT_PAGES:
            gone, _rows = self._pages.popitem(last=False)
            self._stale.discard(gone)
        self.rows_arrived.emit()
        self._ask()

    def _on_rows_failed(self, error: BaseException) -> None:
        self._is_asking = False
        self._bridge.failed.emit(error)

    def _tell_changed(self, first_page: int, last_page: int) -> None:
        last = min((last_page + 1) * PAGE, len(self.numbers)) - 1
        if last >= first_page * PAGE:
            self.dataChanged.emit(self.index(first_page * PAGE, 0), self.index(last, len(COLUMNS) - 1))


class _VerdictPainter(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, VerdictModel):
            return
        tokens, rect = theme.current(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, tokens.color("raised"))
        row = model.row(index.row())
        if row is None:
            return
        column = index.column()
        painter.setFont(theme.font("mono" if column in {ITEM, ANSWER, KEY} else "body"))
        painter.setPen(tokens.color(token_of(row, column)))
        room = rect.adjusted(EDGE_PX, 0, -EDGE_PX, 0)
        text = QFontMetrics(painter.font()).elidedText(
            text_of(row, column),
            Qt.TextElideMode.ElideMiddle if column == ITEM else Qt.TextElideMode.ElideRight,
            room.width(),
        )
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)


class VerdictTable(QTableView):
    """Shows the verdicts of a run.

    Signals:
        chosen: The keyboard is at another job; carries its number, 0 for none.
    """

    chosen = Signal(int)

    def __init__(self, *, session: Session, bridge: Bridge) -> None:
        super().__init__()
        self.verdicts = VerdictModel(session=session, bridge=bridge, parent=self)
        self.setModel(self.verdicts)
        self.setItemDelegate(_VerdictPainter(self))
        self.setAccessibleName(tr("Verdicts"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lay_out_headers()
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def show_numbers(self, numbers: list[int]) -> None:
        """Show a selection of jobs; the keyboard stays at its job where that is still there."""
        at = self.number_at_hand()
        is_same = numbers == self.verdicts.numbers
        self.verdicts.show_numbers(numbers)
        if not is_same and numbers:
            self.choose(max(0, self.verdicts.place_of(at)))
        elif not numbers:
            self.chosen.emit(0)

    def number_at_hand(self) -> int:
        """Return the number of the job that the keyboard is at, 0 for none."""
        place = self.currentIndex().row()
        return self.verdicts.numbers[place] if 0 <= place < len(self.verdicts.numbers) else 0

    def choose(self, place: int) -> None:
        """Put the keyboard at a row."""
        # Not selectRow: it would ask for the keys that are held down right now.
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().setCurrentIndex(
            self.verdicts.index(place, 0), flags.ClearAndSelect | flags.Rows
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide what there is no room for."""
        for at, (_title, _width, hidden_below_px) in enumerate(COLUMNS):
            self.setColumnHidden(at, event.size().width() < hidden_below_px)
        # Somebody has to take the rest where the model's words give way.
        modes = QHeaderView.ResizeMode
        mode = modes.Stretch if self.isColumnHidden(WORDS) else modes.Interactive
        self.horizontalHeader().setSectionResizeMode(ITEM, mode)
        super().resizeEvent(event)

    def _lay_out_headers(self) -> None:
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(theme.ROW)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setHighlightSections(False)
        # A header asks for each of its columns whether every row is selected: seconds for 10^5 rows.
        columns.setSelectionModel(QItemSelectionModel(self.verdicts, columns))
        columns.setFixedHeight(theme.ROW)
        for at, (_title, width_px, _hidden) in enumerate(COLUMNS):
            mode = QHeaderView.ResizeMode.Interactive if width_px else QHeaderView.ResizeMode.Stretch
            columns.setSectionResizeMode(at, mode)
            if width_px:
                columns.resizeSection(at, width_px)

    def _on_current_row_changed(self, _now: QModelIndex, _before: QModelIndex) -> None:
        self.chosen.emit(self.number_at_hand())


def text_of(row: VerdictRow, column: int) -> str:
    """Return the text of a cell, on one line."""
    job, verdict = row.job, row.job.verdict
    words = (verdict.text or verdict.words) if verdict is not None else ""
    found = (
        job.name or tr("All items of the run"),
        job.model,
        wording.verdict_word(row.kind),
        verdict.answer[:TEXT_SHOWN] if verdict is not None else "",
        row.item.key[:TEXT_SHOWN] if row.item is not None else "",
        wording.right_word(row.is_right),
        words[:TEXT_SHOWN],
    )[column]
    return " ".join(found.split())


def token_of(row: VerdictRow, column: int) -> str:
    """Return the token that inks a cell."""
    if column == VERDICT:
        return TONES[row.kind]
    if column == RIGHT:
        return "good" if row.is_right else "warn"
    return "text_dim" if column in {MODEL, WORDS} else "text"
