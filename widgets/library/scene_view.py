"""A scene to read: its views, the labels of each view side by side, its items."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from annotator.domain.event_label import Count, EventLabel
from widgets import theme, words
from widgets.labels import plain_tip
from widgets.library.details import SceneDetail
from widgets.library.form import Form
from widgets.library.picture_grid import PictureGrid
from widgets.library.pictures import PictureLoader
from widgets.library.row_model import Index
from widgets.translation import mark as _
from widgets.translation import tr

ABSENT = "–"
"""Shown where a question was not answered; an answer 'none' has words of its own."""
VIEW_PX = 132
FITTING_VIEWS = 2
"""Labels that share the inspector's width; more are scrolled to."""


def _values(value_list: str, values: tuple[str, ...] | None) -> str:
    if values is None:
        return ABSENT
    return ", ".join(words.value_word(value_list, value) for value in values) or tr("none")


def _yes_no(answer: bool | None) -> str:
    return ABSENT if answer is None else tr("yes") if answer else tr("no")


def _count(count: Count | None) -> str:
    if count is None or count.value is None:
        return ABSENT
    return tr("about {n}", n=count.value) if count.approximate else f"{count.value:,}"


def _quality(label: EventLabel) -> str:
    names = {1: "very_poor", 2: "poor", 3: "fair", 4: "good", 5: "excellent"}
    if label.quality is None:
        return ABSENT
    return f"{label.quality}  {words.value_word('quality', names.get(label.quality, ''))}".strip()


def _who(label: EventLabel) -> str:
    return ABSENT if label.who is None else ", ".join(label.who) or tr("none")


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
    (_("Place"), lambda label: label.locator or ABSENT),
)
"""English name of each answer of the form, and what a label says there."""


class LabelModel(QAbstractTableModel):
    """Answers as rows, labels as columns."""

    def __init__(self, labels: tuple[EventLabel, ...], *, parent: QObject) -> None:
        super().__init__(parent)
        self.labels = labels

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of answers of the form."""
        return 0 if parent.isValid() else len(LABEL_ROWS)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of labels."""
        return 0 if parent.isValid() else len(self.labels)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return the view over a column, the answer's name before a row."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return tr(LABEL_ROWS[section][0])
        return self.labels[section].view or tr("No view")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what a label says."""
        text = LABEL_ROWS[index.row()][1](self.labels[index.column()])
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text)
        if role == Qt.ItemDataRole.ForegroundRole and text == ABSENT:
            return theme.current().color("text_dim")
        return None


class LabelTable(QTableView):
    """The labels of a scene's views side by side; as high as its rows."""

    def __init__(self, labels: tuple[EventLabel, ...]) -> None:
        super().__init__()
        self.setModel(LabelModel(labels, parent=self))
        self.setObjectName("label_table")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        rows.setDefaultAlignment(align)
        columns.setDefaultAlignment(align)
        columns.setHighlightSections(False)
        columns.setDefaultSectionSize(VIEW_PX)
        if len(labels) <= FITTING_VIEWS:
            columns.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows.setMinimumSectionSize(24)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give each row the height that its words need at this width, and the table theirs."""
        super().resizeEvent(event)
        self.resizeRowsToContents()
        self.setFixedHeight(self.verticalHeader().length() + self.horizontalHeader().height() + 12)


def show_scene(form: Form, detail: SceneDetail, *, loader: PictureLoader) -> PictureGrid | None:
    """Fill a form with a scene, and return its pictures where it has any."""
    form.clear()
    pictures = None
    form.add_heading(tr("Views"))
    if detail.media:
        pictures = PictureGrid(detail.media, loader=loader)
        form.add(pictures)
    else:
        form.add_text(tr("No view"), role="dim")
    if detail.labels:
        form.add_heading(tr("Labels"))
        form.add(LabelTable(detail.labels))
    _add_items(form, detail)
    form.add_heading(tr("About"))
    form.add_fields(
        [
            (tr("Dataset"), detail.scene.dataset, "mono"),
            (tr("Tags"), ", ".join(detail.scene.tags), "body"),
            (tr("Id"), detail.id, "mono_dim"),
        ]
    )
    for label in detail.labels:
        form.add_normalised(label.normalised)
    for label in detail.labels:
        place = " ".join(filter(None, (label.view, label.locator)))
        form.add_json(tr("The record as it came: {place}", place=place), bytes(label.original))
    form.end()
    return pictures


def _add_items(form: Form, detail: SceneDetail) -> None:
    if not detail.items:
        return
    form.add_heading(tr("Items"))
    rows = [(item.name, item.question, "body") for item in detail.items]
    for name, question, role in rows:
        form.add_text(name, role="mono_dim")
        form.add_text(question, role=role)
    if detail.item_count > len(detail.items):
        form.add_text(tr("and {n} more", n=f"{detail.item_count - len(detail.items):,}"), role="dim")
