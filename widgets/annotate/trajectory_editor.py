"""Everything of the Annotate workspace that concerns flights: plot, key frames, form."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.annotate.annotation_panel import AnnotationPanel
from widgets.annotate.key_frame_actions import KeyFrameActions
from widgets.annotate.trajectory_form import TrajectoryForm
from widgets.annotate.trajectory_model import TrajectoryModel
from widgets.annotate.trajectory_panel import TrajectoryPanel
from widgets.bridge import Bridge
from widgets.settings import Settings
from widgets.stage_page.stage_page import StagePage


class TrajectoryEditor(QObject):
    """Shows the flights of the scene beside its videos, and edits one of them."""

    def __init__(
        self,
        page: StagePage,
        *,
        marks: AnnotationPanel,
        session: Session,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
    ) -> None:
        super().__init__(page)
        self.model = TrajectoryModel(page.stage, session=session, bridge=bridge)
        self.key_frames = KeyFrameActions(self.model, settings=settings)
        self.form = TrajectoryForm(self.model, key_frames=self.key_frames, registry=registry)
        self._marks = marks
        marks.pages.addWidget(self.form)
        self.form.left.connect(page.stage.focus_view)
        self.panel = TrajectoryPanel(self.model, registry=registry, settings=settings)
        page.add_beside(self.panel)
        self.panel.pose_toggled.connect(self.key_frames.toggle_pose)
        self.panel.key_frame_moved.connect(self.key_frames.move_key_frame)

        page.timeline.timeline_view.can_move_key_frames = True
        page.timeline.timeline_view.key_frame_moved.connect(self._on_view_key_frame_moved)

    def is_settled(self) -> bool:
        """Return whether the flights of the scene are shown."""
        return self.model.is_settled()

    def toggle_form(self) -> None:
        """Show the flight of the view in front with the keyboard focus, or the annotations again."""
        self._marks.toggle_page(self.form)

    def toggle_plot(self) -> None:
        """Show or hide the plot."""
        self.panel.toggle()

    def _on_view_key_frame_moved(self, view: str, from_s: float, to_s: float) -> None:
        flight = self.model.found.of_view(view)
        if flight is None:
            return
        frame, to = flight.pose_at(from_s), flight.pose_at(to_s)
        if frame is not None and to is not None:
            self.key_frames.move_key_frame(frame, to, flight=flight)
