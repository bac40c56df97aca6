"""A read-only scene: views, event labels side by side, and items."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.medium import Medium
from annotator.domain.trajectory import Trajectory
from widgets import display_text, theme
from widgets.field_text import value_text
from widgets.labels import plain_tip
from widgets.library.image_grid import ImageGrid
from widgets.library.record_details import SceneDetail
from widgets.library.record_form import RecordForm
from widgets.library.row_model import Index
from widgets.media_loader import MediaLoader
from widgets.translation import mark as _
from widgets.translation import tr, trn

ABSENT = "–"
"""Text of an unanswered question; the answer 'none' has a text of its own."""
VIEW_PX = 132
FITTING_VIEWS = 2
"""Labels that share the inspector's width; further labels are reached by scrolling."""
NUMBERS_SHOWN = 24
LINKS_SHOWN = 40


def _values(value_list: str, values: tuple[str, ...] | None) -> str:
    if values is None:
        return ABSENT
    return ", ".join(display_text.value_word(value_list, value) for value in values) or tr("none")


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
    return f"{label.quality}  {display_text.value_word('quality', names.get(label.quality, ''))}".strip()


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
"""English title of each answer, and the function that reads its value from a label."""


class LabelModel(QAbstractTableModel):
    """Model with answers as rows and labels as columns."""

    def __init__(self, labels: tuple[EventLabel, ...], *, parent: QObject) -> None:
        super().__init__(parent)
        self.labels = labels

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of answers."""
        return 0 if parent.isValid() else len(LABEL_ROWS)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of labels."""
        return 0 if parent.isValid() else len(self.labels)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        """Return the view as heading of a column, the answer's name as heading of a row."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return tr(LABEL_ROWS[section][0])
        return self.labels[section].view or tr("No view")

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the value of a label."""
        text = LABEL_ROWS[index.row()][1](self.labels[index.column()])
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text)
        if role == Qt.ItemDataRole.ForegroundRole and text == ABSENT:
            return theme.current().color("text_dim")
        return None


class LabelTable(QTableView):
    """Table of the labels of a scene, as high as its rows."""

    def __init__(self, labels: tuple[EventLabel, ...]) -> None:
        super().__init__()
        self.setModel(LabelModel(labels, parent=self))
        self.setObjectName("label_table")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        # Without a selection the table would be a tab stop that shows no focus.
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
        """Fit each row to its wrapped text at the new width, and the table to its rows."""
        super().resizeEvent(event)
        # Word wrap changes the heights with the width of the columns.
        self.resizeRowsToContents()
        self.setFixedHeight(self.verticalHeader().length() + self.horizontalHeader().height() + 12)


def show_scene(
    form: RecordForm, detail: SceneDetail, *, loader: MediaLoader, has_pictures: bool = True
) -> ImageGrid | None:
    """Fill a form with a scene, and return the widget of its images, None for none.

    Args:
        form: The form to fill.
        detail: The scene.
        loader: Loads its images.
        has_pictures: Whether to add images and items; False if the scene page already shows them.
    """
    form.clear()
    pictures = None
    if has_pictures:
        form.add_heading(tr("Views"))
    if detail.media and has_pictures:
        pictures = ImageGrid(detail.media, loader=loader)
        form.add(pictures)
    elif has_pictures:
        form.add_text(tr("No view"), role="dim")
    if detail.labels:
        form.add_heading(tr("Labels"))
        form.add(LabelTable(detail.labels))
    _add_marks(form, detail)
    if has_pictures:
        _add_items(form, detail)
    _add_facts(form, detail)
    _add_media(form, detail)
    form.add_heading(tr("Details"))
    form.add_fields(
        [
            (tr("Dataset"), detail.scene.dataset, "mono"),
            (tr("Tags"), ", ".join(detail.scene.tags), "body"),
        ]
    )
    for label in detail.labels:
        form.add_normalised(label.corrections)
    for label in detail.labels:
        place = " ".join(filter(None, (label.view, label.locator)))
        form.add_json(tr("Original record: {place}", place=place), bytes(label.original))
    form.end()
    return pictures


def progress_words(detail: SceneDetail) -> str:
    """Return the number of items by state: '3 drafted, 2 accepted'."""
    known = [state for state in display_text.STATES if detail.states.get(state)]
    return ", ".join(f"{display_text.state_word(state)} {detail.states[state]:,}" for state in known)


def _add_marks(form: RecordForm, detail: SceneDetail) -> None:
    """Add the annotations of the images: regions by their neutral ids, links and trajectories."""
    if detail.regions:
        form.add_heading(tr("Regions"))
        form.add_fields(
            [
                (shown.view or shown.medium.name, _region_words(detail, shown.medium.id), "body")
                for shown in detail.media
            ]
        )
    if detail.links:
        numbers = {region.id: region.number for region in detail.regions}
        form.add_heading(tr("Links"))
        lines = [
            " – ".join(f"{numbers[region]}" for region in link.regions if region in numbers)
            for link in detail.links[:LINKS_SHOWN]
        ]
        form.add_text(", ".join(filter(None, lines)))
        if len(detail.links) > LINKS_SHOWN:
            form.add_text(tr("and {n} more", n=f"{len(detail.links) - LINKS_SHOWN:,}"), role="dim")
    if detail.trajectories:
        form.add_heading(tr("Trajectories"))
        form.add_fields(
            [
                (flight.view or flight.name or tr("Flight"), flight_words(flight), "body")
                for flight in detail.trajectories
            ]
        )


def _region_words(detail: SceneDetail, medium: str) -> str:
    numbers = sorted({region.number for region in detail.regions if region.medium == medium})
    shown = ", ".join(f"{number}" for number in numbers[:NUMBERS_SHOWN])
    more = tr("and {n} more", n=len(numbers) - NUMBERS_SHOWN) if len(numbers) > NUMBERS_SHOWN else ""
    return " ".join(filter(None, (shown, more))) or tr("none")


def flight_words(flight: Trajectory) -> str:
    """Return a trajectory as text: number of poses, length in metres, duration in seconds, key frames."""
    # Sum of the straight segments between poses, which is slightly shorter than the flown path.
    places = [(pose.x_m, pose.y_m, pose.z_m) for pose in flight.poses]
    length = sum(math.dist(one, other) for one, other in pairwise(places))
    seconds = flight.times_s[-1] - flight.times_s[0] if flight.times_s else 0
    parts = [
        trn("{n} pose", "{n} poses", n=len(places)),
        f"{length:,.1f} m" if length else "",
        f"{seconds:,.1f} s" if seconds else "",
        trn("{n} key frame", "{n} key frames", n=len(flight.key_frames)) if flight.key_frames else "",
    ]
    return " · ".join(filter(None, parts))


def _add_facts(form: RecordForm, detail: SceneDetail) -> None:
    if detail.scene.metadata:
        form.add_heading(tr("Facts"))
        fields = [
            (display_text.plain(name), value_text(name, value), "body")
            for name, value in sorted(detail.scene.metadata.items())
        ]
        form.add_fields(fields)


def _add_media(form: RecordForm, detail: SceneDetail) -> None:
    form.add_heading(tr("Media"))
    for shown in detail.media:
        medium = shown.medium
        form.add_fields(
            [
                (shown.view or tr("No view"), medium.name, "mono"),
                (tr("Kind"), " · ".join(filter(None, _medium_facts(medium))), "body"),
                (tr("Capture time"), medium.captured_at.replace("T", " "), "body"),
                (tr("Position"), position_words(medium), "body"),
                (
                    tr("Licence"),
                    medium.licence or display_text.no_licence(),
                    "body" if medium.licence else "dim",
                ),
                (tr("Source"), detail.sources.get(medium.source, ""), "mono"),
            ]
        )


def _medium_facts(medium: Medium) -> tuple[str, ...]:
    return (
        display_text.kind_word(medium.media_type),
        medium.encoding,
        f"{medium.width_px} × {medium.height_px}" if medium.width_px else "",
        f"{medium.duration_s:,.1f} s" if medium.duration_s else "",
        display_text.size_word(medium.size_bytes)
        if medium.size_bytes
        else display_text.health_word("unseen"),
    )


def position_words(medium: Medium) -> str:
    """Return the position of a medium: latitude, longitude and altitude; "" if unknown."""
    if medium.latitude_deg is None or medium.longitude_deg is None:
        return ""
    height = f", {medium.altitude_m:,.1f} m" if medium.altitude_m is not None else ""
    return f"{medium.latitude_deg:.6f}°, {medium.longitude_deg:.6f}°{height}"


def _add_items(form: RecordForm, detail: SceneDetail) -> None:
    if not detail.items:
        return
    form.add_heading(tr("Items"))
    form.add_text(progress_words(detail), role="dim")
    for item in detail.items:
        form.add_text(item.name, role="mono_dim")
        form.add_text(item.question)
    if detail.item_count > len(detail.items):
        form.add_text(tr("and {n} more", n=f"{detail.item_count - len(detail.items):,}"), role="dim")
