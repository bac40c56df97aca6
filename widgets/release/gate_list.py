"""The checklist of gates."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent

from annotator.release.gates import GateReport
from widgets import icons, theme
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import ENTER, paint_view_focus
from widgets.paged_model import Index
from widgets.release.gate_text import ICONS, STATES, gate_rule_text, left_text, state_token
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("State"), width_px=156),
    TableColumn(title=_("Gate")),
    TableColumn(title=_("Number left"), width_px=148, is_number=True),
    TableColumn(title=_("Rule"), width_px=120, hidden_below_px=640),
)
ICON_PX, TEXT_PX = 16, 22
REPORT_ROLE = Qt.ItemDataRole.UserRole


class GateModel(ColumnModelMixin, QAbstractTableModel):
    """One row per gate."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reports: tuple[GateReport, ...] = ()

    def show_reports(self, reports: tuple[GateReport, ...]) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.reports = reports
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of gates."""
        return 0 if parent.isValid() else len(self.reports)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role == REPORT_ROLE:
            return self.reports[index.row()]
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        report = self.reports[index.row()]
        texts = (
            tr(STATES[report.result.state]),
            tr(report.gate.title),
            left_text(report),
            gate_rule_text(report),
        )
        return texts[index.column()]


def _report_of(index: Index) -> GateReport:
    report: GateReport = index.data(REPORT_ROLE)
    return report


class GateCells(CellDelegate):
    """Paints a gate; its state is an icon with a word."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        report = _report_of(index)
        is_dim = report.result.state == "not_applicable" or index.column() == len(COLUMNS) - 1
        token = "text_dim" if is_dim else "text"
        return CellContent(
            text=str(index.data()),
            token=state_token(report) if index.column() == 0 else token,
            is_number=COLUMNS[index.column()].is_number,
        )

    def paint_before(self, painter: QPainter, room: QRect, index: Index) -> QRect:
        """Paint the icon of the state."""
        if index.column():
            return room
        report = _report_of(index)
        if name := ICONS[report.result.state]:
            rect = QRectF(room.x(), room.center().y() - ICON_PX / 2 + 1, ICON_PX, ICON_PX)
            icons.draw(painter, name, rect=rect, ink=theme.current().color(state_token(report)))
        return room.adjusted(TEXT_PX, 0, 0, 0)


class GateList(ColumnTable):
    """The gates with their states and numbers.

    Signals:
        gate_opened: Enter was pressed on a gate, or it was double-clicked.
    """

    gate_opened = Signal()

    def __init__(self) -> None:
        self.gates = GateModel()
        super().__init__(self.gates, columns=COLUMNS, painter=GateCells(), name=tr("Gates"))
        self.gates.setParent(self)
        self.doubleClicked.connect(self.gate_opened)

    @property
    def report(self) -> GateReport | None:
        """The current gate, None for none."""
        index = self.currentIndex().row()
        return self.gates.reports[index] if 0 <= index < len(self.gates.reports) else None

    def show_reports(self, reports: tuple[GateReport, ...]) -> None:
        """Show gates; the current one stays current, at first the first one that needs somebody."""
        before = self.report.gate.id if self.report is not None else ""
        self.gates.show_reports(reports)
        ids = [report.gate.id for report in reports]
        in_need = [at for at, one in enumerate(reports) if one.result.state == "fails"]
        blocking = [at for at, one in enumerate(reports) if one.is_blocking]
        first = next(iter((*blocking, *in_need)), 0)
        self.choose_row(ids.index(before) if before in ids else first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report Enter."""
        if event.key() in ENTER:
            self.gate_opened.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)
