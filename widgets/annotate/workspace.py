"""The Annotate workspace: list of scenes, stage, and annotations panel."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from annotator.commands.command import Command
from annotator.commands.regions import RemoveRegions, UnlinkRegions
from annotator.commands.views import AlignViews
from annotator.domain.changes import Changes
from annotator.domain.query import RelatedSceneQuery
from annotator.session import Session
from widgets import display_text
from widgets.action_registry import ActionRegistry
from widgets.annotate.annotation_panel import AnnotationPanel
from widgets.annotate.category_actions import CategoryActions
from widgets.annotate.event_form import EventForm
from widgets.annotate.followed_scene import FollowedScene
from widgets.annotate.key_frame_actions import KeyFrameActions
from widgets.annotate.new_item_actions import NewItemActions
from widgets.annotate.region_actions import RegionActions
from widgets.annotate.region_details import RegionDetails
from widgets.annotate.scene_list import RELATED_SCENES, is_filtered
from widgets.annotate.stage_page import StagePage
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges
from widgets.empty_state import EmptyState
from widgets.labels import ElidedLabel
from widgets.library.grid_layout import SPACE_PX
from widgets.library.record_grid import RecordGrid
from widgets.library.record_list import RecordList
from widgets.library.record_types import FoundRecords, Row
from widgets.library.thumbnails import ThumbnailLoader
from widgets.project_controller import ProjectController
from widgets.search_box import SearchBox
from widgets.settings import Settings
from widgets.stage.keys import StageKeys
from widgets.stage.scene import StageScene, read_scene
from widgets.stage.scene_loader import SceneLoader
from widgets.stage.stage_media import StageMedia
from widgets.translation import tr
from widgets.workspace_navigation import WorkspaceNavigation
from widgets.workspace_panes import WorkspacePanes

SCROLL_BAR_PX = 10
ANNOTATIONS_PX = 260
NARROW_PX = 1300
"""Window width below which the annotations panel is hidden in favour of the stage."""


class AnnotateWorkspace(QWidget):
    """The workspace of one open project.

    Signals:
        place_changed: Another scene is displayed; carries its name, or "".
    """

    place_changed = Signal(str)

    def __init__(
        self,
        *,
        session: Session,
        controller: ProjectController,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        thumbnails: ThumbnailLoader,
        stage_media: StageMedia,
    ) -> None:
        super().__init__()
        self._session, self._controller, self._bridge, self._registry = session, controller, bridge, registry
        self._is_stage_awaited = False
        self._stage_media, self._settings = stage_media, settings
        self.page = StagePage(stage_media.pictures, registry=registry, bridge=bridge, settings=settings)
        self.stage, self.timeline = self.page.stage, self.page.timeline
        self.mark_pane = AnnotationPanel(
            self.stage,
            details=RegionDetails(self.stage, session=session, bridge=bridge),
            form=EventForm(self.stage, session=session, bridge=bridge, controller=controller),
        )
        self.categories = CategoryActions(
            self.stage, session=session, bridge=bridge, registry=registry, settings=settings
        )
        self.selection = RegionActions(self.stage, registry=registry)
        self.key_frames = KeyFrameActions(self.stage)
        self.items = NewItemActions(self.stage, session=session, controller=controller, bridge=bridge)
        self.mark_pane.add_item_form(self.items.form)
        self.search, self.count = SearchBox(), ElidedLabel(role="label")
        self.listing = RecordList(
            RELATED_SCENES,
            session=session,
            bridge=bridge,
            settings=settings,
            thumbnails=thumbnails,
            screen=self,
        )
        self.followed = FollowedScene(
            self.stage, listing=self.listing, search=self.search, session=session, bridge=bridge
        )
        self._scenes = SceneLoader(session=session, bridge=bridge, parent=self)
        self._changes = DeferredChanges(self, bridge=bridge)
        self.reasons = {
            "no_scene": EmptyState(
                icon="scene",
                headline=tr("No scenes"),
                words=tr(
                    "A scene contains the images of one moment, one per view. Import annotations to create "
                    "scenes."
                ),
                registry=registry,
                steps=("project.import",),
            ),
            "nothing": EmptyState(
                icon="search",
                headline=tr("No matches"),
                words=tr("No scene name contains this text."),
                registry=registry,
            ),
            "no_record_scene": EmptyState(
                icon="scene",
                headline=tr("No scene contains this record"),
                words=tr(
                    "Annotations belong to the images of a scene. Select a scene in the list, or another "
                    "record in the Library."
                ),
                registry=registry,
                steps=("go.library",),
            ),
            "no_picture": EmptyState(
                icon="picture-missing",
                headline=tr("No images in this scene"),
                words=tr("Import the images of this scene. Images are assigned to scenes by file name."),
                registry=registry,
                steps=("project.import",),
            ),
        }
        self._lay_out()
        self._connect()
        self._keys = StageKeys(
            self.stage,
            registry=registry,
            place=self._middle,
            owners={
                "annotate": self,
                "scenes": self,
                "categories": self.categories,
                "annotations": self.mark_pane,
                "selection": self.selection,
                "key_frames": self.key_frames,
                "items": self.items,
            },
            can_mark=True,
        )
        # Single-letter shortcuts of the stage also work in the lists beside it, so that annotation can start
        # right after a scene is selected.
        registry.place_beside("stage", self)

    @property
    def grid(self) -> RecordGrid:
        """The grid of scene thumbnails."""
        assert self.listing.grid is not None  # noqa: S101 - scenes have pictures
        return self.listing.grid

    def step_scene(self, step: str) -> None:
        """Show the next ("1") or previous ("-1") scene."""
        place = self.listing.table.place() + int(step)
        if 0 <= place < self.listing.model.rowCount():
            self.grid.choose(place)

    def remove_selected(self) -> None:
        """Remove the selected regions and paths; a display of model inputs is only left, to show them."""
        shown = self.stage.shown
        if shown is None or self.stage.leave_model():
            return
        known = {path.id for path in shown.marks.paths}
        regions = tuple(one for one in self.stage.selected if one not in known)
        paths = tuple(one for one in self.stage.selected if one in known)
        if regions or paths:
            self._execute(RemoveRegions(regions=regions, paths=paths))

    def unlink_selected(self) -> None:
        """Unlink the selected regions; a display of model inputs is only left, to show them."""
        shown = self.stage.shown
        if shown is None or self.stage.leave_model():
            return
        linked = {region for link in shown.marks.links for region in link.regions}
        if regions := tuple(one for one in self.stage.selected if one in linked):
            self._execute(UnlinkRegions(scene=shown.scene.id, regions=regions))

    def match_ground(self) -> None:
        """Compute the ground-plane alignment of the views, so that they can be moved together."""
        if self.stage.scene:
            self._execute(AlignViews(scene=self.stage.scene))

    def take_keys(self) -> None:
        """Make this stage the handler of the stage actions, because the workspace is visible."""
        self._keys.take()

    def focus_stage(self) -> None:
        """Set the keyboard focus to the stage, or to the list of scenes if the stage is empty."""
        # The scene is loaded asynchronously: the focus moves to the stage when its views exist.
        self._is_stage_awaited = not self.stage.canvases
        if self._is_stage_awaited:
            # A hidden panel cannot show the keyboard focus.
            waiting = self.grid if self.grid.isVisibleTo(self) else self._middle
            waiting.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.stage.focus_view()

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed."""
        row = self.listing.current_row()
        shown = self.stage.scene == (row.id if row is not None else "")
        is_form_settled = self.mark_pane.form.is_settled()
        return self.listing.is_settled() and shown and self.page.is_settled() and is_form_settled

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        self.page.leave()
        self.listing.leave()
        self._keys.release()

    def hideEvent(self, event: QHideEvent) -> None:
        """Release the stage actions of a hidden stage; a minimised window keeps them."""
        super().hideEvent(event)
        # Spontaneous events come from the window system, as when the window is minimised.
        if not event.spontaneous():
            self._keys.release()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the search text with Esc if nothing else has handled the key."""
        if event.key() != Qt.Key.Key_Escape or not self.navigation.clear_search():
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the annotations panel out of a narrow window, and back."""
        super().resizeEvent(event)
        self.panes.fit(window_px=self.window().width())

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(tr("Search scenes"))
        self.search.setAccessibleName(tr("Search scenes"))
        left = _column(self.search, self.grid, self.count, margin=12)
        for unseen in (self.listing.table, self.listing.facets):
            # RecordList always has these widgets; they are hidden here, and deleted with the workspace.
            unseen.setParent(self)
            unseen.hide()
        left.setFixedWidth(self.grid.shape.cell.width() + 2 * SPACE_PX + SCROLL_BAR_PX)
        self._middle = QStackedWidget()
        for page in (self.page, *self.reasons.values()):
            self._middle.addWidget(page)
        self.panes = WorkspacePanes(
            left,
            self._middle,
            self.mark_pane,
            settings=self._settings,
            name="annotate",
            widths_px=(left.width(), ANNOTATIONS_PX),
            narrow_px=NARROW_PX,
        )
        self.navigation = WorkspaceNavigation(
            panes=self.panes,
            search=self.search,
            lists=(self.grid, self.mark_pane.list),
            focus_home=self.focus_stage,
            parent=self,
        )
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.panes)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.left.connect(self.grid.setFocus)
        self.stage.left.connect(self.navigation.clear_search)
        self.grid.opened.connect(self._on_grid_opened)
        self.listing.chosen.connect(self._on_listing_chosen)
        self.listing.found.connect(self._on_listing_found)
        self.followed.located.connect(self._show_middle)
        self.page.commanded.connect(self._execute)
        self.stage.player.changed.connect(self._on_player_changed)
        self._scenes.loaded.connect(self._show)
        self._scenes.unchanged.connect(self.stage.settle)
        self._changes.arrived.connect(self._scenes.update)
        self._changes.arrived.connect(self.mark_pane.form.refresh)
        self.mark_pane.form.previous_scene = self._previous_scene
        self.items.toggled.connect(self.mark_pane.show_item_form)
        self.mark_pane.list.menu_requested.connect(self.selection.open_menu)
        self.mark_pane.details.category_requested.connect(self.categories.ask_category)
        self._controller.about_to_change.connect(self._on_controller_about_to_change)

    def _execute(self, command: Command) -> None:
        work = self._controller.execute(
            command, title=display_text.summary_word(command.summary), initiator=self, is_gesture=True
        )
        # The tool paints its draft until the annotations are displayed or have failed.
        work.finished.connect(self._on_work_finished)
        work.failed.connect(self._on_work_failed)

    def _show(self, shown: StageScene | None) -> None:
        before = self.stage.scene
        self.page.show_scene(shown)
        self.mark_pane.refresh()
        self.mark_pane.form.refresh()
        self._keys.refresh()
        self._show_middle()
        name = shown.scene.name if shown is not None else ""
        self.page.tool_bar.name.setText(name)
        self.followed.bring_medium()
        if (
            self._is_stage_awaited
            and self.stage.canvases
            and (self.grid.hasFocus() or self._middle.hasFocus())
        ):
            self.focus_stage()
        if self.stage.scene != before:
            self.place_changed.emit(name)
            self._prefetch()

    def _show_middle(self) -> None:
        answer = self.listing.answer
        page: QWidget = self.page
        if self.followed.has_no_scene:
            page = self.reasons["no_record_scene"]
        elif answer is not None and not len(answer.numbers):
            page = self.reasons["nothing" if answer.total else "no_scene"]
        elif self.stage.shown is not None and not self.stage.canvases:
            page = self.reasons["no_picture"]
        self._middle.setCurrentWidget(page)

    def _previous_scene(self) -> str:
        place = self.listing.table.place() - 1
        row = self.listing.model.row(place) if place >= 0 else None
        return row.id if row is not None else ""

    def _prefetch(self) -> None:
        place = self.listing.table.place() + 1
        row = self.listing.model.row(place) if place < self.listing.model.rowCount() else None
        if row is not None and self.stage.scene:
            # Scenes are usually annotated in order, so the next one is the best guess.
            question = partial(read_scene, scene=row.id, roots=self._session.roots)
            self._bridge.query(self._session, question, done=self._on_next_read, channel=(id(self), "next"))

    def _on_next_read(self, shown: StageScene | None) -> None:
        if shown is not None:
            self._stage_media.pictures.prefetch(shown.media)

    def _on_listing_chosen(self, row: Row | None) -> None:
        self._scenes.load(row.id if row is not None else "")

    def _on_listing_found(self, answer: FoundRecords) -> None:
        count = tr("{n} of {total}", n=f"{len(answer.numbers):,}", total=f"{answer.total:,}")
        is_part = len(answer.numbers) < answer.total
        has_filters = isinstance(answer.query, RelatedSceneQuery) and is_filtered(answer.query) and is_part
        self.count.setText(
            "  ·  ".join(filter(None, (count, tr("filters of the Library") if has_filters else "")))
        )
        self._show_middle()

    def _on_search_text_changed(self, text: str) -> None:
        # The text is also set by code, together with the query.
        if text != self.listing.query.text:
            self.listing.find_words(text)

    def _on_grid_opened(self, _index: QModelIndex) -> None:
        self.focus_stage()

    def _on_player_changed(self) -> None:
        self._keys.refresh()

    def _on_controller_about_to_change(self) -> None:
        self.stage.tool.send_pending()

    def _on_work_finished(self, changes: Changes) -> None:
        self._scenes.update(changes)

    def _on_work_failed(self, _error: BaseException) -> None:
        self.stage.settle()


def _column(head: QWidget, body: QWidget, foot: QWidget, *, margin: int) -> QWidget:
    """Return a panel with a header, an expanding body and a footer."""
    made = QWidget()
    made.setObjectName("pane")
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for part, stretch, edges in ((head, 0, (margin, margin, margin, 8)), (foot, 0, (margin, 4, margin, 8))):
        framed = QVBoxLayout()
        framed.setContentsMargins(*edges)
        framed.addWidget(part)
        column.addLayout(framed, stretch)
    column.insertWidget(1, body, 1)
    return made
