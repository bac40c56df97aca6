"""The part of a workspace that shows views: tool bar, stage, timeline and status line."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from annotator.commands.views import ShiftView
from widgets.action_registry import ActionRegistry
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.missing_media_bar import MissingMediaBar
from widgets.settings import Settings
from widgets.stage.canvas import StageCanvas
from widgets.stage.image_cache import StageImages
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.stage.tool import Tool
from widgets.stage.tools.tool_sets import TOOLS
from widgets.stage_page.status_line import StatusLine
from widgets.stage_page.tool_bar import USUAL_RENDERINGS, RenderingActions, ToolBar
from widgets.timeline.timeline import Timeline

STAGE_SHARE, BESIDE_SHARE = 18, 7
"""Shares of the width of the stage and of what is beside it."""


class StagePage(QWidget):
    """The stage with its tool bar, timeline and status line.

    Signals:
        commanded: A gesture has created a command; carries it.
    """

    commanded = Signal(object)

    def __init__(
        self,
        pictures: StageImages,
        *,
        registry: ActionRegistry,
        bridge: Bridge,
        settings: Settings,
        tools: tuple[type[Tool], ...] = TOOLS,
        actions: RenderingActions = USUAL_RENDERINGS,
    ) -> None:
        super().__init__()
        self.stage = Stage(pictures, tools=tools)
        self.stage.viewports.remember_in(settings)
        self.stage.overlays.remember_in(settings)
        self.timeline = Timeline(self.stage, registry=registry, media=pictures.media, settings=settings)
        self.tool_bar = ToolBar(self.stage, registry=registry, actions=actions)
        self.status_line = StatusLine(self.stage, registry=registry, actions=actions)
        column = column_layout(self, margins_px=0, spacing_px=0)
        self.missing = MissingMediaBar(registry=registry)
        column.addWidget(self.tool_bar)
        column.addWidget(self.missing)
        self._row = row_layout(spacing_px=0)
        self._row.addWidget(self.stage, STAGE_SHARE)
        column.addLayout(self._row, 1)
        column.addWidget(self.timeline)
        column.addWidget(self.status_line)
        self.stage.commanded.connect(self.commanded)
        self.stage.view_state_changed.connect(self._show_missing)
        registry.about_to_run.connect(self._on_board_about_to_run)
        self.stage.player.shifted.connect(self._on_player_shifted)

    def add_beside(self, widget: QWidget) -> None:
        """Add a widget to the right of the stage."""
        self._row.addWidget(widget, BESIDE_SHARE)

    def show_scene(self, shown: StageScene | None) -> None:
        """Display a scene; for the same scene, images, view transforms and the timeline position are kept."""
        self.stage.show_scene(shown)
        self.timeline.show_scene(shown)
        self._show_missing()

    def is_settled(self) -> bool:
        """Return whether every view shows its image, and the timeline its thumbnails."""
        return self.stage.is_settled() and self.timeline.is_settled()

    def leave(self) -> None:
        """Stop background work."""
        self.show_scene(None)
        self.timeline.leave()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the height between stage and timeline."""
        super().resizeEvent(event)
        self.timeline.take_room(self.height())

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause playback while the page is hidden."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.stage.player.pause()

    def _show_missing(self) -> None:
        self.missing.show_count(sum(map(_lacks_picture, self.stage.canvases)))

    def _on_board_about_to_run(self, _action_id: str) -> None:
        self.stage.tool.send_pending()

    def _on_player_shifted(self, view: str, offset_s: float) -> None:
        self.commanded.emit(ShiftView(scene=self.stage.scene, view=view, offset_s=offset_s))


def _lacks_picture(canvas: StageCanvas) -> bool:
    """Return whether a view has no image for a known reason."""
    problem = canvas.video.problem if canvas.video is not None else canvas.problem
    return canvas.showing is None and bool(problem)
