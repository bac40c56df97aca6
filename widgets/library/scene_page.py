"""The page of one scene, in place of the list: a read-only stage above the items of the scene."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from annotator.domain.scene_progress import SETTLED, stage_of
from annotator.session import Session
from widgets import display_text, icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.empty_state import scene_without_images
from widgets.labels import ElidedLabel, caption, chip, label
from widgets.library.record_details import SceneDetail
from widgets.library.scene_form import item_states_text
from widgets.report_dialog import ReportSection, ReportTable
from widgets.settings import Settings
from widgets.stage.scene import StageScene
from widgets.stage.scene_loader import SceneLoader
from widgets.stage.stage_media import StageMedia
from widgets.stage.tools.stage_keys import StageKeys
from widgets.stage.tools.tool_sets import LOOKING_TOOLS
from widgets.stage_page.stage_page import StagePage
from widgets.theme import ROW
from widgets.translation import tr, trn

ITEM_ROWS, FEW_ROWS, LOW_PX = 5, 2, 760
"""Visible item rows, and the page height, px, up to which fewer rows are visible."""
WIDEST_COLUMN_PX = 220


class ScenePage(QWidget):
    """Shows one scene.

    Signals:
        left: Emitted when the page is closed.
        stepped: Emitted to request the next scene (1) or the previous one (-1).
        item_chosen: Emitted when an item is selected; carries its place among those of the scene.
        commanded: Emitted when a gesture shifts a video in time; carries the command.
    """

    left = Signal()
    stepped = Signal(int)
    item_chosen = Signal(int)
    commanded = Signal(object)

    def __init__(
        self,
        *,
        session: Session,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        stage_media: StageMedia,
    ) -> None:
        """Create the page without a scene.

        Args:
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
            settings: Stores the state of the timeline.
            stage_media: Images and videos of the project.
        """
        super().__init__()
        self._scenes = SceneLoader(session=session, bridge=bridge, parent=self)
        self._changes = DeferredChanges(self, bridge=bridge)
        self.setObjectName("pane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.detail: SceneDetail | None = None
        self._add_buttons(registry)
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self.facts = ElidedLabel(role="label")
        self.views = StagePage(
            stage_media.pictures, registry=registry, bridge=bridge, settings=settings, tools=LOOKING_TOOLS
        )
        self.stage = self.views.stage
        self.keys = StageKeys(
            self.stage, registry=registry, widget=self.views, owners={"scenes": self}, can_mark=False
        )
        registry.add_shortcuts_beside("stage", self)
        self.no_picture = scene_without_images(registry)
        self._middle = QStackedWidget()
        self.views.commanded.connect(self.commanded)
        self.stage.left.connect(self.left)
        self.stage.player.changed.connect(self.keys.refresh)
        self._scenes.loaded.connect(self._on_scene_read)
        self._changes.arrived.connect(self._scenes.update)
        self.items: ReportTable | None = None
        self._hint: QLabel | None = None
        self._chips = row_layout(spacing_px=4)
        self._below = column_layout(margins_px=(16, 8, 16, 8), spacing_px=4)
        self._lay_out()

    def _add_buttons(self, registry: ActionRegistry) -> None:
        self.back = QPushButton(tr("Scenes"))
        self.back.setIcon(icons.icon("chevron-left"))
        self.back.setProperty("kind", "pill")
        self.back.setToolTip(f"{tr('Back to scenes')}  Esc")
        self.back.clicked.connect(self.left)
        self.annotate = QPushButton(tr("Open in Annotate"))
        self.annotate.setProperty("kind", "pill")
        self.annotate.setToolTip(f"{tr('Open in Annotate')}  {registry.key('go.annotate')}".rstrip())
        self.annotate.clicked.connect(partial(registry.run, "go.annotate"))

    def show_detail(self, detail: SceneDetail) -> None:
        """Show a scene; an update of the same scene keeps its images."""
        self.detail = detail
        self.name.setText(detail.name)
        self.facts.setText(_facts(detail))
        self._show_chips(detail)
        self._show_items(detail)
        # The stage updates the same scene by itself.
        if detail.id != self._scenes.wanted and self.isVisible():
            self._scenes.load(detail.id)

    def step_scene(self, step: str) -> None:
        """Request the next scene ("1") or the previous one ("-1")."""
        self.stepped.emit(int(step))

    def focus_stage(self) -> None:
        """Set the keyboard focus to the stage, or to the page while the images are loading."""
        if self.stage.canvases:
            self.stage.focus_view()
        else:
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def is_settled(self) -> bool:
        """Return whether the images are shown; a hidden page loads none."""
        return self.stage.scene == self._scenes.wanted and self.views.is_settled()

    def rest(self) -> None:
        """Release the scene: a hidden page keeps no images and no videos in memory."""
        self._scenes.drop()
        self.views.show_scene(None)
        self.keys.release()

    def leave(self) -> None:
        """Stop background work before the page is closed."""
        self.rest()
        self.views.leave()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the height between the stage and the items."""
        super().resizeEvent(event)
        self._fit_items()

    def showEvent(self, event: QShowEvent) -> None:
        """Enable the shortcuts of the stage, and show the current state of the scene."""
        super().showEvent(event)
        # A spontaneous event comes from the window system: a minimised window keeps its images.
        if not event.spontaneous():
            self.keys.take()
            if self.detail is not None:
                self._scenes.load(self.detail.id)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus on to the stage, except for Tab, which moves through the page."""
        super().focusInEvent(event)
        if event.reason() not in {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}:
            self.stage.focus_view()

    def hideEvent(self, event: QHideEvent) -> None:
        """Release the scene; a minimised window keeps it."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.rest()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close at Escape, change the scene at Page Up and Page Down, move to the items at Down."""
        steps = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
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
        head = row_layout(margins_px=(12, 8, 12, 8), spacing_px=12)
        head.addWidget(self.back)
        head.addWidget(self.name)
        head.addLayout(self._chips)
        head.addWidget(self.facts, 1)
        head.addWidget(self.annotate)
        head.addWidget(self._step_button("chevron-left", tr("Previous scene"), "Page Up", -1))
        head.addWidget(self._step_button("chevron-right", tr("Next scene"), "Page Down", 1))
        column = column_layout(self, margins_px=0, spacing_px=0)
        column.addLayout(head)
        for part in (self.views, self.no_picture):
            self._middle.addWidget(part)
        column.addWidget(self._middle, 1)
        column.addLayout(self._below)

    def _step_button(self, icon: str, text: str, key: str, step: int) -> QPushButton:
        made = QPushButton()
        made.setIcon(icons.icon(icon))
        made.setProperty("kind", "pill")
        made.setToolTip(f"{text}  {key}")
        made.setAccessibleName(text)
        # No tab stop: Page Up and Page Down do the same from anywhere on the page.
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.clicked.connect(partial(self.stepped.emit, step))
        return made

    def _show_chips(self, detail: SceneDetail) -> None:
        _empty(self._chips)
        self._chips.addWidget(chip(display_text.stage_title(_stage(detail))))
        if count := sum(flag.state == "open" for flag in detail.flags):
            self._chips.addWidget(chip(trn("{n} open flag", "{n} open flags", n=count), tone="warn"))
        for tag in detail.scene.tags[:4]:
            self._chips.addWidget(chip(f"# {tag}"))

    def _show_items(self, detail: SceneDetail) -> None:
        # The table is rebuilt: the new one takes over the keyboard focus.
        had_keyboard = self.items is not None and self.items.hasFocus()
        _empty(self._below)
        self.items = self._hint = None
        head = caption(f"{tr('Items')}  {detail.item_count:,}" if detail.item_count else tr("Items"))
        self._below.addWidget(head)
        if not detail.items:
            self._below.addWidget(label(tr("No items for this scene."), role="dim"))
            return
        rows = tuple(
            (
                display_text.item_state_title(item.state),
                display_text.task_title(item.task, item.task_set),
                item.name,
                item.question,
            )
            for item in detail.items
        )
        columns = (tr("State"), tr("Task"), tr("Name"), tr("Question"))
        section = ReportSection(title=tr("Items"), columns=columns, rows=rows, open_row=self.item_chosen.emit)
        self.items = ReportTable(section)
        last = len(columns) - 1
        # Names and tasks shrink first: items of one task differ in their question.
        header = self.items.horizontalHeader()
        for column in range(last):
            header.resizeSection(column, min(header.sectionSize(column), WIDEST_COLUMN_PX))
        # A last section stretched by Qt never gets narrower than its longest text.
        header.setStretchLastSection(False)
        header.setSectionResizeMode(last, QHeaderView.ResizeMode.Stretch)
        self.items.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._below.addWidget(self.items)
        self._hint = label(
            tr("Enter: open item   ↓: items   Page Up, Page Down: change scene   Esc: back"), role="label"
        )
        self._below.addWidget(self._hint)
        self._fit_items()
        if had_keyboard:
            self.items.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fit_items(self) -> None:
        """Reduce the height of the items on a low page."""
        is_low = self.height() <= LOW_PX
        if self.items is not None and self._hint is not None:
            rows = min(self.items.model().rowCount(), FEW_ROWS if is_low else ITEM_ROWS)
            self.items.setFixedHeight((rows + 1) * ROW + 4)
            self._hint.setVisible(not is_low)

    def _on_scene_read(self, shown: StageScene | None) -> None:
        self.views.show_scene(shown)
        self.keys.refresh()
        has_views = shown is None or bool(shown.media)
        self._middle.setCurrentWidget(self.views if has_views else self.no_picture)
        # The page had the focus while the images were loading; now the stage takes it.
        if self.hasFocus():
            self.focus_stage()


def _stage(detail: SceneDetail) -> str:
    return stage_of(
        views=len(detail.scene.views),
        labelled=len({record.medium for record in detail.labels}),
        items=sum(detail.states.values()),
        settled=sum(detail.states.get(state, 0) for state in SETTLED),
    )


def _facts(detail: SceneDetail) -> str:
    views = trn("{n} view", "{n} views", n=len(detail.media))
    regions = trn("{n} region", "{n} regions", n=len(detail.regions)) if detail.regions else ""
    return "  ·  ".join(filter(None, (detail.scene.dataset, views, regions, item_states_text(detail))))


def _empty(row: QHBoxLayout | QVBoxLayout) -> None:
    while (entry := row.takeAt(0)) is not None:
        if (part := entry.widget()) is not None:
            # Hidden at once: a widget that is deleted later stays visible for one more event loop turn.
            part.hide()
            part.deleteLater()
