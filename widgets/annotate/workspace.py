"""The Annotate workspace: list of scenes, stage, and annotations panel."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from widgets.annotate.annotation_panel import AnnotationPanel
from widgets.annotate.assignment_actions import AssignmentActions
from widgets.annotate.category_actions import CategoryActions
from widgets.annotate.clip_actions import ClipActions
from widgets.annotate.derived_view_actions import DerivedViewActions
from widgets.annotate.empty_states import annotate_empty_states
from widgets.annotate.event_form import EventForm
from widgets.annotate.followed_scene import FollowedScene
from widgets.annotate.frame_step_actions import FrameStepActions
from widgets.annotate.link_actions import LinkActions
from widgets.annotate.new_item_actions import NewItemActions
from widgets.annotate.region_actions import RegionActions
from widgets.annotate.region_details import RegionDetails
from widgets.annotate.scene_finish import SceneFinish
from widgets.annotate.scene_queue import SceneQueue
from widgets.annotate.segmenter import SegmenterClient
from widgets.annotate.stage_commands import StageCommands
from widgets.annotate.tracking_actions import TrackingActions
from widgets.annotate.trajectory_editor import TrajectoryEditor
from widgets.annotate.work_clock import WorkClock
from widgets.library.record_types import Row
from widgets.record_workspace import RecordWorkspace
from widgets.stage.scene import StageScene, read_scene
from widgets.stage.scene_loader import SceneLoader
from widgets.stage.tools.tool_sets import TOOLS
from widgets.stage_page.tool_bar import USUAL_RENDERINGS
from widgets.workspace_services import WorkspaceServices

ANNOTATIONS_PX = 260
NARROW_PX = 1300
"""Window width below which the annotations panel is hidden in favour of the stage."""


class AnnotateWorkspace(RecordWorkspace):
    """The workspace of one open project."""

    def __init__(self, services: WorkspaceServices) -> None:
        super().__init__(services, renderings=USUAL_RENDERINGS, tools=TOOLS)
        self._is_stage_awaited = False
        self.timeline = self.page.timeline
        self.clock = WorkClock(self.stage, settings=services.settings, screen=self)
        self._add_stage_parts(services)
        self._add_queue_parts(services)
        self.reasons = annotate_empty_states(services.registry)
        self.put_panes(
            self.queue,
            self.annotation_panel,
            name="annotate",
            widths_px=(self.queue.width(), ANNOTATIONS_PX),
            narrow_px=NARROW_PX,
            reasons=self.reasons,
        )
        self.put_keyboard(
            search=self.queue.search,
            lists=(self.queue.grid, self.annotation_panel.pages),
            focus_home=self.focus_stage,
        )
        self._connect()
        self.use_keys(self._owners(), widget=self.middle, can_mark=True)
        # Single-letter shortcuts of the stage also work in the lists beside it, so that annotation can start
        # right after a scene is selected.
        services.registry.add_shortcuts_beside("stage", self)

    def _add_stage_parts(self, services: WorkspaceServices) -> None:
        """Create the annotations panel, and what edits the annotations of the scene on the stage."""
        session, registry = services.session, services.registry
        bridge, settings = services.bridge, services.settings
        controller, thumbnails = services.controller, services.thumbnails
        self.annotation_panel = AnnotationPanel(
            self.stage,
            details=RegionDetails(self.stage, session=session, bridge=bridge),
            form=EventForm(
                self.stage, session=session, bridge=bridge, controller=controller, clock=self.clock
            ),
        )
        self.categories = CategoryActions(
            self.stage, session=session, bridge=bridge, registry=registry, settings=settings
        )
        self.selection = RegionActions(self.stage, registry=registry)
        self.trajectory = TrajectoryEditor(
            self.page,
            marks=self.annotation_panel,
            session=session,
            bridge=bridge,
            registry=registry,
            settings=settings,
        )
        self.items = NewItemActions(
            self.stage,
            session=session,
            controller=controller,
            bridge=bridge,
            settings=settings,
            thumbnails=thumbnails,
        )
        self.segmenter = self.stage.segmenter = SegmenterClient(self, session=session)
        self.tracking = TrackingActions(self.stage, controller=controller)
        self.clips = ClipActions(self.stage, session=session, controller=controller, bridge=bridge)
        self.derived = DerivedViewActions(self.stage, controller=controller, bridge=bridge)
        self.annotation_panel.add_item_form(self.items.form)
        self.links = LinkActions(self.stage, marks=self.annotation_panel, session=session, bridge=bridge)

    def _add_queue_parts(self, services: WorkspaceServices) -> None:
        """Create the list of scenes, and what changes scenes as a whole."""
        session, registry = services.session, services.registry
        bridge, settings = services.bridge, services.settings
        controller, thumbnails = services.controller, services.thumbnails
        self.queue = SceneQueue(
            session=session, bridge=bridge, settings=settings, thumbnails=thumbnails, screen=self
        )
        self.followed = FollowedScene(self.stage, queue=self.queue, session=session, bridge=bridge)
        self._scenes = SceneLoader(session=session, bridge=bridge, parent=self)
        self.commands = StageCommands(self.page, controller=controller, scenes=self._scenes, screen=self)
        self.finish = SceneFinish(
            self.stage,
            session=session,
            bridge=bridge,
            controller=controller,
            registry=registry,
            clock=self.clock,
        )
        self.annotation_panel.add_foot(self.finish)
        self.assignments = AssignmentActions(
            self.queue, session=session, bridge=bridge, controller=controller
        )
        self.frame_steps = FrameStepActions(
            self.stage,
            queue=self.queue,
            clock=self.clock,
            session=session,
            bridge=bridge,
            controller=controller,
        )

    def _owners(self) -> dict[str, object]:
        """Return what executes the actions of each owner."""
        return {
            "annotate": self.commands,
            "scenes": self.queue,
            "queue_of_scenes": self.queue,
            "scene_finish": self.finish,
            "assignments": self.assignments,
            "frame_steps": self.frame_steps,
            "categories": self.categories,
            "annotations": self.annotation_panel,
            "selection": self.selection,
            "key_frames": self.trajectory.key_frames,
            "trajectory": self.trajectory,
            "items": self.items,
            "clips": self.clips,
            "derived_views": self.derived,
            "tracking": self.tracking,
            "links": self.links,
        }

    def focus_stage(self) -> None:
        """Set the keyboard focus to the stage, or to the list of scenes if the stage is empty."""
        # The scene is loaded asynchronously: the focus moves to the stage when its views exist.
        self._is_stage_awaited = not self.stage.canvases
        if self._is_stage_awaited:
            # A hidden panel cannot show the keyboard focus.
            waiting = self.queue.grid if self.queue.grid.isVisibleTo(self) else self.middle
            waiting.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.stage.focus_view()

    def is_settled(self) -> bool:
        """Return whether all requested data is displayed."""
        row = self.queue.listing.current_row()
        shown = self.stage.scene == (row.id if row is not None else "")
        if self.segmenter.is_busy:
            return False
        is_form_settled = self.annotation_panel.form.is_settled() and self.trajectory.is_settled()
        is_form_settled = is_form_settled and self.links.is_settled()
        return self.queue.listing.is_settled() and shown and self.page.is_settled() and is_form_settled

    def leave(self) -> None:
        """Stop background work, because the workspace is being closed."""
        super().leave()
        self.segmenter.close()
        self.tracking.leave()
        self.queue.listing.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the search text with Esc if nothing else has handled the key."""
        if event.key() != Qt.Key.Key_Escape or not self.navigation.clear_search():
            super().keyPressEvent(event)

    def _connect(self) -> None:
        self.stage.left.connect(self.navigation.clear_search)
        self.queue.opened.connect(self.focus_stage)
        self.queue.listing.chosen.connect(self._on_listing_chosen)
        self.queue.listing.found.connect(self._show_middle)
        self.followed.located.connect(self._show_middle)
        self._scenes.loaded.connect(self._show)
        self._scenes.unchanged.connect(self.stage.settle)
        self.changes.arrived.connect(self._scenes.update)
        self.changes.arrived.connect(self.annotation_panel.form.refresh)
        self.changes.arrived.connect(self.finish.refresh)
        self.finish.chosen.connect(self.annotation_panel.show_problem)
        self.annotation_panel.form.previous_scene = self._previous_scene
        self.items.toggled.connect(self.annotation_panel.show_item_form)
        self.annotation_panel.list.menu_requested.connect(self.selection.open_menu)
        self.annotation_panel.details.category_requested.connect(self.categories.ask_category)

    def _show(self, shown: StageScene | None) -> None:
        before, earlier = self.stage.scene, self.stage.shown
        self.page.show_scene(shown)
        self.annotation_panel.refresh()
        self.annotation_panel.form.refresh()
        self.finish.show_scene()
        self.clock.follow()
        self.stage_keys.refresh()
        self._show_middle()
        name = shown.scene.name if shown is not None else ""
        self.page.tool_bar.name.setText(name)
        self.followed.bring_medium()
        if (
            self._is_stage_awaited
            and self.stage.canvases
            and (self.queue.grid.hasFocus() or self.middle.hasFocus())
        ):
            self.focus_stage()
        if self.stage.scene != before:
            self.name_changed.emit(name)
            self._prefetch()
        else:
            # Changes of the stage's own gestures arrive only here.
            self.finish.refresh()
            if earlier is not None and shown is not None and earlier.scene.state != shown.scene.state:
                self.queue.refresh()

    def _show_middle(self) -> None:
        page: QWidget = self.page
        if self.followed.has_no_scene:
            page = self.reasons["no_record_scene"]
        elif absence := self.queue.absence():
            page = self.reasons[absence]
        elif self.stage.shown is not None and not self.stage.canvases:
            page = self.reasons["no_picture"]
        self.middle.setCurrentWidget(page)

    def _previous_scene(self) -> str:
        return self.queue.scene_beside(-1)

    def _prefetch(self) -> None:
        following = self.queue.scene_beside(1)
        if following and self.stage.scene:
            # Scenes are usually annotated in order, so the next one is the best guess.
            question = partial(read_scene, scene=following, roots=self._session.roots)
            self._bridge.query(self._session, question, done=self._on_next_read, channel=(id(self), "next"))

    def _on_next_read(self, shown: StageScene | None) -> None:
        if shown is not None:
            self.images.prefetch(shown.media)

    def _on_listing_chosen(self, row: Row | None) -> None:
        self._scenes.load(row.id if row is not None else "")
