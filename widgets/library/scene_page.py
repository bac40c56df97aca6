"""The page of one scene, in the place of the list: its views large, its items below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from annotator.domain.scene_progress import SETTLED, stage_of
from widgets import icons, words
from widgets.labels import ElidedLabel, caption, chip, label
from widgets.library.details import SceneDetail
from widgets.library.picture_grid import LargePicture
from widgets.library.pictures import PictureLoader
from widgets.library.scene_stage import SceneStage
from widgets.library.scene_view import progress_words
from widgets.report import ReportTable, Section
from widgets.theme import ROW
from widgets.translation import tr, trn

ITEM_ROWS, FEW_ROWS, LOW_PX = 5, 3, 760
"""Rows of items seen at once, and on a page that is no higher than this; the pictures have the rest."""


class ScenePage(QWidget):
    """Shows one scene.

    Signals:
        left: Back to the list.
        stepped: The next scene (1) or the one before (-1) is wanted.
        item_chosen: An item is wanted; carries its place among those of the scene.
    """

    left = Signal()
    stepped = Signal(int)
    item_chosen = Signal(int)

    def __init__(self, loader: PictureLoader) -> None:
        super().__init__()
        self.setObjectName("pane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.detail: SceneDetail | None = None
        self.back = QPushButton(tr("Scenes"))
        self.back.setIcon(icons.icon("chevron-left"))
        self.back.setProperty("kind", "pill")
        self.back.setToolTip(f"{tr('Back to the scenes')}  Esc")
        self.back.clicked.connect(self.left)
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel(role="label")
        self.stage = SceneStage(loader)
        self.stage.opened.connect(self._on_stage_opened)
        self.items: ReportTable | None = None
        self._chips = QHBoxLayout()
        self._chips.setSpacing(4)
        self._below = QVBoxLayout()
        self._below.setContentsMargins(16, 8, 16, 8)
        self._below.setSpacing(4)
        self._lay_out()

    def show_detail(self, detail: SceneDetail) -> None:
        """Show a scene; the same one again keeps its pictures."""
        before, self.detail = self.detail, detail
        self.name.setText(detail.name)
        self.facts.setText(_facts(detail))
        self._show_chips(detail)
        if before is None or _stage_parts(before) != _stage_parts(detail):
            self.stage.show_detail(detail)
        self._show_items(detail)

    def is_settled(self) -> bool:
        """Tell whether its pictures are on the screen."""
        return self.stage.is_settled()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Lead back at Escape, to the other scenes at Page Up and Page Down, to the items at Down."""
        steps = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        if event.key() in {Qt.Key.Key_Escape, Qt.Key.Key_Backspace}:
            self.left.emit()
        elif event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Down and self.items is not None:
            self.items.setFocus(Qt.FocusReason.TabFocusReason)
            self.items.selectRow(0)
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.setSpacing(12)
        head.addWidget(self.back)
        head.addWidget(self.name)
        head.addLayout(self._chips)
        head.addWidget(self.facts, 1)
        head.addWidget(self._step_button("chevron-left", tr("Scene before"), "Page Up", -1))
        head.addWidget(self._step_button("chevron-right", tr("Next scene"), "Page Down", 1))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stage, 1)
        column.addLayout(self._below)

    def _step_button(self, icon: str, text: str, key: str, step: int) -> QPushButton:
        made = QPushButton()
        made.setIcon(icons.icon(icon))
        made.setProperty("kind", "pill")
        made.setToolTip(f"{text}  {key}")
        made.setAccessibleName(text)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.clicked.connect(partial(self.stepped.emit, step))
        return made

    def _show_chips(self, detail: SceneDetail) -> None:
        _empty(self._chips)
        self._chips.addWidget(chip(words.stage_word(_stage(detail))))
        if count := sum(flag.state == "open" for flag in detail.flags):
            self._chips.addWidget(chip(trn("{n} open flag", "{n} open flags", n=count), tone="warn"))
        for tag in detail.scene.tags[:4]:
            self._chips.addWidget(chip(f"# {tag}"))

    def _show_items(self, detail: SceneDetail) -> None:
        had_keyboard = self.items is not None and self.items.hasFocus()
        _empty(self._below)
        self.items = None
        head = caption(f"{tr('Items')}  {detail.item_count:,}" if detail.item_count else tr("Items"))
        self._below.addWidget(head)
        if not detail.items:
            self._below.addWidget(label(tr("No item is about this scene yet."), role="dim"))
            return
        rows = tuple(
            (
                words.state_word(item.state),
                words.task_word(item.task, item.task_set),
                item.name,
                item.question,
            )
            for item in detail.items
        )
        columns = (tr("State"), tr("Task"), tr("Name"), tr("Question"))
        section = Section(title=tr("Items"), columns=columns, rows=rows, open_row=self.item_chosen.emit)
        self.items = ReportTable(section)
        last = len(columns) - 1
        self.items.horizontalHeader().setSectionResizeMode(last, QHeaderView.ResizeMode.Stretch)
        self.items.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.items.setFixedHeight(
            (min(len(rows), ITEM_ROWS if self.height() > LOW_PX else FEW_ROWS) + 1) * ROW + 4
        )
        self._below.addWidget(self.items)
        self._below.addWidget(
            label(
                tr("Enter: the item   ↓ items   Page Up, Page Down: other scenes   Esc: back"), role="label"
            )
        )
        if had_keyboard:
            self.items.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_stage_opened(self, at: int) -> None:
        if self.detail is not None:
            LargePicture(self.window(), media=self.detail.media, loader=self.stage.loader, at=at).open()


def _stage(detail: SceneDetail) -> str:
    return stage_of(
        views=len(detail.scene.views),
        labelled=len({record.medium for record in detail.labels}),
        items=sum(detail.states.values()),
        settled=sum(detail.states.get(state, 0) for state in SETTLED),
    )


def _stage_parts(detail: SceneDetail) -> tuple[object, ...]:
    return detail.id, detail.media, detail.regions, detail.links


def _facts(detail: SceneDetail) -> str:
    views = trn("{n} view", "{n} views", n=len(detail.media))
    regions = trn("{n} region", "{n} regions", n=len(detail.regions)) if detail.regions else ""
    return "  ·  ".join(filter(None, (detail.scene.dataset, views, regions, progress_words(detail))))


def _empty(row: QHBoxLayout | QVBoxLayout) -> None:
    while (entry := row.takeAt(0)) is not None:
        if (part := entry.widget()) is not None:
            part.hide()
            part.deleteLater()
