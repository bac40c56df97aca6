"""The event labels of a scene: side by side where they fit, else one below the other."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from annotator.domain.event_form import ANSWERS
from annotator.domain.event_label import EventLabel, ObjectCount
from widgets import display_text, theme
from widgets.labels import plain_tip
from widgets.library.row_model import Index
from widgets.locator_text import locator_text
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

ABSENT = "–"
"""Text of an unanswered question; the answer 'none' has a text of its own."""
NARROWEST_PX = 104
"""Least width of a column, px, at which several labels stand side by side."""
CELL_MARGIN_PX = 12
GAP_PX = 12
"""Space above the name of a view where labels stand one below the other, px."""


def _values(value_list: str, values: tuple[str, ...] | None) -> str:
    if values is None:
        return ABSENT
    return join_texts(display_text.listed_value_title(value_list, value) for value in values) or tr("none")


def _yes_no(answer: bool | None) -> str:
    return ABSENT if answer is None else tr("yes") if answer else tr("no")


def _count(count: ObjectCount | None) -> str:
    if count is None or count.value is None:
        return ABSENT
    return tr("about {n}", n=count.value) if count.approximate else f"{count.value:,}"


def _quality(label: EventLabel) -> str:
    # 1 is the worst, 5 the best; the titles come from the value list 'quality' of the task set.
    names = {1: "very_poor", 2: "poor", 3: "fair", 4: "good", 5: "excellent"}
    if label.quality is None:
        return ABSENT
    return (
        f"{label.quality}  {display_text.listed_value_title('quality', names.get(label.quality, ''))}".strip()
    )


def _who(label: EventLabel) -> str:
    return ABSENT if label.who is None else join_texts(label.who) or tr("none")


def _boxes(boxes: tuple[object, ...] | None) -> str:
    return ABSENT if boxes is None else f"{len(boxes):,}"


LABEL_ROWS: tuple[tuple[str, Callable[[EventLabel], str]], ...] = (
    (_("Quality"), _quality),
    (_("Usable"), lambda label: _yes_no(label.usable)),
    (_("Object types"), lambda label: _values("object_type", label.object_types)),
    (_("Count"), lambda label: _count(label.count)),
    (_("Degradation"), lambda label: _values("degradation", label.degradations)),
    (_("Other"), lambda label: label.other_degradation or ABSENT),
    (_("Issue boxes"), lambda label: _boxes(label.issue_boxes)),
    (_("When"), lambda label: _yes_no(label.when)),
    (_("What boxes"), lambda label: _boxes(label.what_boxes)),
    (_("Who"), _who),
    (_("Why"), lambda label: _values("why", label.why)),
    (_("Annotator"), lambda label: label.annotator or ABSENT),
    (_("Place"), lambda label: locator_text(label.locator) or ABSENT),
)
"""English title of each answer, and the function that reads its value from a label."""
ANSWER_TEXTS = {field: text for field, (_title, text) in zip(ANSWERS, LABEL_ROWS, strict=False)}
"""The function that reads an answer from a label, by its field; the last rows are no answers."""


class LabelModel(QAbstractTableModel):
    """Model of the answers of labels.

    Side by side, answers are rows and labels are columns. Stacked, there is one column: for each label a row
    with the name of its view, and its answers below.
    """

    def __init__(self, labels: tuple[EventLabel, ...], *, parent: QObject) -> None:
        super().__init__(parent)
        self.labels = labels
        self.is_stacked = False

    def stack(self, is_stacked: bool) -> None:
        """Set whether the labels stand one below the other."""
        self.beginResetModel()
        self.is_stacked = is_stacked
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of answers; stacked, of all labels and of the names of their views."""
        if parent.isValid():
            return 0
        return len(self.labels) * (len(LABEL_ROWS) + 1) if self.is_stacked else len(LABEL_ROWS)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of labels that stand side by side."""
        if parent.isValid():
            return 0
        return min(1, len(self.labels)) if self.is_stacked else len(self.labels)

    def is_view(self, row: int) -> bool:
        """Return whether a row holds the name of a view."""
        return self.is_stacked and row % (len(LABEL_ROWS) + 1) == 0

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return the view as heading of a column, the answer's name as heading of a row."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal:
            return self._view(section)
        return "" if self.is_view(section) else tr(LABEL_ROWS[self._label_and_answer(section, 0)[1]][0])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the value of a label, or the name of a view."""
        is_view = self.is_view(index.row())
        label, answer = self._label_and_answer(index.row(), index.column())
        text = self._view(label) if is_view else LABEL_ROWS[answer][1](self.labels[label])
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text)
        if role == Qt.ItemDataRole.FontRole and is_view:
            return _view_font()
        if role == Qt.ItemDataRole.ForegroundRole and text == ABSENT:
            return theme.current().color("text_dim")
        return None

    def _label_and_answer(self, row: int, column: int) -> tuple[int, int]:
        """Return the label and the answer of a cell; the answer is -1 for the name of a view."""
        if not self.is_stacked:
            return column, row
        label, index = divmod(row, len(LABEL_ROWS) + 1)
        return label, index - 1

    def _view(self, label: int) -> str:
        return self.labels[label].view or tr("No view")


def _view_font() -> QFont:
    font = theme.font("body")
    font.setBold(True)
    return font


class LabelTable(QTableView):
    """Table of the labels of a scene, as high as its rows, in which no text is cut."""

    def __init__(self, labels: tuple[EventLabel, ...]) -> None:
        super().__init__()
        self._labels = LabelModel(labels, parent=self)
        self.setModel(self._labels)
        self.setObjectName("label_table")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        # Without a selection the table would be a tab stop that shows no focus.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        rows.setDefaultAlignment(align)
        columns.setDefaultAlignment(align)
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows.setMinimumSectionSize(24)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the labels and fit each row to its wrapped text at the new width."""
        super().resizeEvent(event)
        self._arrange()
        # Word wrap changes the heights with the width of the columns.
        self.resizeRowsToContents()
        self._space_views()
        head = 0 if self._labels.is_stacked else self.horizontalHeader().height()
        self.setFixedHeight(self.verticalHeader().length() + head + 12)

    def _arrange(self) -> None:
        is_stacked = not self._fits_side_by_side()
        if is_stacked != self._labels.is_stacked:
            self._labels.stack(is_stacked)
            self.horizontalHeader().setVisible(not is_stacked)
            # Qt lays the new columns out later; the heights of the rows depend on their width now.
            self.updateGeometries()

    def _fits_side_by_side(self) -> bool:
        labels = self._labels.labels
        if len(labels) <= 1:
            return True
        names = self.verticalHeader().sizeHint().width()
        return (self.width() - names) // len(labels) >= self._widest_text_px()

    def _widest_text_px(self) -> int:
        metrics = QFontMetrics(theme.font("body"))
        words = [
            word
            for label in self._labels.labels
            for text in (label.view, *(value(label) for _title, value in LABEL_ROWS))
            for word in text.split()
        ]
        widest = max((metrics.horizontalAdvance(word) for word in words), default=0)
        return max(NARROWEST_PX, widest + CELL_MARGIN_PX)

    def _space_views(self) -> None:
        for row in filter(self._labels.is_view, range(1, self._labels.rowCount())):
            self.setRowHeight(row, self.rowHeight(row) + GAP_PX)
