"""The list of replies whose meaning people have settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent

from annotator.domain.actor import Actor
from annotator.domain.latest_decision import latest_decisions
from annotator.domain.settled_text import SettledText
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.column_table import CellContent, CellDelegate, ColumnModelMixin, ColumnTable, TableColumn
from widgets.focus import ENTER, paint_view_focus
from widgets.paged_model import Index
from widgets.translation import mark as _
from widgets.translation import tr

COLUMNS = (
    TableColumn(title=_("Reply")),
    TableColumn(title=_("Means"), width_px=128),
    TableColumn(title=_("Item"), width_px=176),
    TableColumn(title=_("Model"), width_px=104, hidden_below_px=760),
    TableColumn(title=_("Person"), width_px=104, hidden_below_px=640),
)
TEXT, MEANS, ITEM, MODEL, PERSON = range(5)


@dataclass(frozen=True, kw_only=True)
class SettledList:
    """The decisions of a project.

    Attributes:
        texts: The decision that counts on each reply, the latest first.
        names: Names of people by their ids.
    """

    texts: Sequence[SettledText] = ()
    names: Mapping[str, str]


def read_settled(reader: Reader) -> SettledList:
    """Read the decisions of a project; called on the reading thread."""
    found = latest_decisions(reader.find(SettledText))
    names = {actor.id: actor.name for actor in reader.records(Actor)}
    return SettledList(texts=sorted(found, key=lambda one: one.moment, reverse=True), names=names)


class SettledModel(ColumnModelMixin, QAbstractTableModel):
    """One row per decision."""

    columns = COLUMNS

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.settled = SettledList(names={})

    def show_list(self, settled: SettledList) -> None:
        """Replace the rows."""
        self.beginResetModel()
        self.settled = settled
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of decisions."""
        return 0 if parent.isValid() else len(self.settled.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell."""
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        one = self.settled.texts[index.row()]
        person = self.settled.names.get(one.person, "–")
        cells = (" ".join(one.text.split()), meaning(one), where(one), one.model or tr("All models"), person)
        return cells[index.column()]


class SettledCells(CellDelegate):
    """Paints a decision."""

    def cell(self, index: Index) -> CellContent:
        """Return the content of a cell."""
        return CellContent(
            text=str(index.data()),
            token="text" if index.column() in {TEXT, MEANS} else "text_dim",
            gives_way_in_middle=index.column() == ITEM,
        )


class SettledTable(ColumnTable):
    """Lists decisions.

    Signals:
        edit_requested: Enter was pressed on a decision.
    """

    edit_requested = Signal()

    def __init__(self) -> None:
        self.decisions = SettledModel()
        super().__init__(self.decisions, columns=COLUMNS, painter=SettledCells(), name=tr("Settled replies"))
        self.decisions.setParent(self)

    @property
    def settled(self) -> SettledText | None:
        """The current decision, None for none."""
        at, texts = self.currentIndex().row(), self.decisions.settled.texts
        return texts[at] if 0 <= at < len(texts) else None

    def show_list(self, settled: SettledList) -> None:
        """Show decisions; the current one stays current, or the one in its place follows."""
        before, at = self.settled, max(0, self.currentIndex().row())
        self.decisions.show_list(settled)
        same = (n for n, one in enumerate(settled.texts) if before and one.subject == before.subject)
        self.choose_row(next(same, min(at, len(settled.texts) - 1)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report Enter."""
        if event.key() in ENTER:
            self.edit_requested.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table, and the frame of the keyboard."""
        super().paintEvent(event)
        paint_view_focus(self)


def meaning(one: SettledText) -> str:
    """Return what a reply was decided to mean."""
    return one.answer or tr("No answer")


def where(one: SettledText) -> str:
    """Return which items a decision is about."""
    if one.item:
        return one.item
    if one.answer_format:
        return tr("All items: {format}", format=display_text.format_title(one.answer_format))
    return tr("All items")
