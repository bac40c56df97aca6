"""The stage: displays the views of a scene side by side, with the current tool."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.commands.command import Command
from annotator.media.render import Rendering
from widgets.medium_view import MediumView
from widgets.stage.canvas import StageCanvas
from widgets.stage.comment_pins import CommentPins
from widgets.stage.hidden_regions import HiddenRegions
from widgets.stage.image_cache import StageImages
from widgets.stage.interpolation import Interpolation
from widgets.stage.link_lines import LinkLines
from widgets.stage.model_view import ModelViews
from widgets.stage.overlay_choice import OverlayChoice
from widgets.stage.scene import StageScene
from widgets.stage.stage_videos import StageVideos
from widgets.stage.tool import PromptAnswers, Tool
from widgets.stage.viewport_controller import ViewportController

MOST_VIEWS = 12
"""Maximum number of views displayed at once; the stage is designed for scenes with one to six views."""


class Stage(QWidget):
    """Displays a scene and lets the user annotate it.

    Attributes:
        segmenter: Answers the prompts of the segment tool, None where there is none.
        note: How a long operation ended, for the line below the stage, until the selection changes.

    Signals:
        commanded: A tool has created a command; carries it. The receiver calls ``show_scene`` with the new
            annotations on success, and ``refuse`` on failure.
        refused: A command could not be executed.
        selection_changed: The selection has changed.
        left: Esc was pressed with nothing to cancel.
        view_state_changed: View transform, pointer, tool or rendering has changed.
        menu_requested: A context menu is requested; carries the view and a screen position.
        marks_shown: A scene is displayed, or its annotations have changed.
    """

    commanded = Signal(object)
    refused = Signal()
    selection_changed = Signal()
    left = Signal()
    view_state_changed = Signal()
    menu_requested = Signal(object, QPoint)
    marks_shown = Signal()

    def __init__(self, pictures: StageImages, *, tools: tuple[type[Tool], ...]) -> None:
        """Set up without a scene.

        Args:
            pictures: Loads the images.
            tools: The available tools, the default one first.
        """
        super().__init__()
        self._pictures = pictures
        self.shown: StageScene | None = None
        self.canvases: tuple[StageCanvas, ...] = ()
        self.selected: tuple[str, ...] = ()
        self.large: StageCanvas | None = None
        self.front: StageCanvas | None = None
        self.rendering: Rendering = "annotated"
        self.note = ""
        self.segmenter: PromptAnswers | None = None
        self._models = ModelViews(pictures)
        self._videos = StageVideos(pictures.videos, models=self._models, parent=self)
        self.player = self._videos.player
        self.viewports, self.overlays = ViewportController(self), OverlayChoice(self)
        self.hidden_regions, self.interpolation = HiddenRegions(self), Interpolation(self)
        self._lines, self.pins = LinkLines(), CommentPins(self)
        self.view_state_changed.connect(self._on_view_state_changed)
        self.player.changed.connect(self._on_view_state_changed)
        self._tools = {tool.id: tool(self) for tool in tools}
        self.tools = tuple(self._tools)
        self.tool = self._tools[tools[0].id]
        self.setMinimumSize(QSize(200, 160))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def scene(self) -> str:
        """Id of the displayed scene, or ""."""
        return self.shown.scene.id if self.shown is not None else ""

    @property
    def is_model(self) -> bool:
        """Whether model inputs are displayed."""
        return self._models.is_on

    def show_scene(self, shown: StageScene | None, *, is_reloaded: bool = False) -> None:
        """Display a scene.

        Args:
            shown: The scene, None for none.
            is_reloaded: Whether the media are loaded again; else images, videos and view transforms of the
                same scene are kept.
        """
        before, self.shown = self.shown, shown
        # New annotations of the same media must not reload images or reset zoom and playback.
        if is_reloaded or before is None or shown is None or before.media != shown.media:
            self._show_views(shown)
        elif shown is not None:
            self._videos.follow(shown)
        self._show_marks()
        # After the annotations are set: the draft is removed in the same repaint in which they appear.
        self.settle()
        self.marks_shown.emit()

    def settle(self) -> None:
        """Notify the tool that its annotations are displayed, or could not be made."""
        self.tool.settled()

    def refuse(self) -> None:
        """Let the tools and forms return to what is stored, because a command could not be executed."""
        self.settle()
        self.refused.emit()

    def send(self, command: Command) -> None:
        """Emit a command for execution."""
        self.commanded.emit(command)

    def select(self, ids: Sequence[str]) -> None:
        """Replace the selection."""
        # Pending key moves belong to the old selection.
        self.tool.send_pending()
        self.selected, self.note = tuple(ids), ""
        for canvas in self.canvases:
            canvas.selected = frozenset(ids)
            canvas.update()
        self.selection_changed.emit()

    def show_hint(self) -> None:
        """Update the hint of the tool."""
        self.view_state_changed.emit()

    def choose_tool(self, tool: str | Tool) -> None:
        """Switch to another tool; the draft of the previous one is discarded.

        Args:
            tool: Id of one of the stage's tools, or another tool, such as that of an answer.
        """
        if isinstance(tool, str):
            # The user has chosen it, but a model's input has no overlays, so a tool would work invisibly.
            self.leave_model()
            tool = self._tools[tool]
        self.tool.give_up()
        self.tool = tool
        for canvas in self.canvases:
            canvas.tool = self.tool
            canvas.show_cursor()
            canvas.update()
        self.tool.taken()
        self.view_state_changed.emit()

    def choose_rendering(self, rendering: Rendering) -> None:
        """Set the rendering: no annotations, regions by number, or links and paths as well."""
        self.rendering = rendering
        for canvas in self.canvases:
            canvas.rendering = rendering
            canvas.refresh()
        self._models.refresh(self.canvases)
        self.view_state_changed.emit()

    def toggle_model(self) -> None:
        """Toggle the display of model inputs."""
        self._models.is_on = not self._models.is_on
        self._models.refresh(self.canvases)
        self.viewports.place_loupes()
        self.view_state_changed.emit()

    def leave_model(self) -> bool:
        """Leave the display of model inputs; return whether it was on."""
        was_model = self.is_model
        if was_model:
            self.toggle_model()
        return was_model

    def toggle_large(self) -> None:
        """Enlarge the front view, or show all views."""
        self.make_large(None if self.large is not None else self.front)
        self.focus_view()

    def give_up(self) -> None:
        """Cancel drawing; otherwise clear the selection; otherwise show all views."""
        if self.tool.give_up():
            return
        if self.selected:
            self.select([])
        elif self.large is not None:
            self.make_large(None)
            self.focus_view()
        else:
            self.left.emit()

    def canvas_at(self, at: QPoint) -> StageCanvas | None:
        """Return the view at a screen position, or None."""
        here = self.mapFromGlobal(at)
        return next((one for one in self.canvases if one.isVisible() and one.geometry().contains(here)), None)

    def focus_view(self) -> None:
        """Set the keyboard focus to the front view."""
        if self.front is not None:
            self.front.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_settled(self) -> bool:
        """Return whether every view shows its image or an error, and no change is pending."""
        is_waiting = any(canvas.is_loading or canvas.is_rendering for canvas in self.canvases)
        return not (is_waiting or self.tool.is_pending)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the layout."""
        super().resizeEvent(event)
        self.lay_out()

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause the videos: the stage is not visible."""
        super().hideEvent(event)
        # A change that waits for a pause is sent before another workspace is shown.
        self.tool.send_pending()
        self.player.pause()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Hide the loupe when its key is released."""
        if not event.isAutoRepeat():
            self.viewports.hide_loupe()

    def _show_views(self, shown: StageScene | None) -> None:
        had_keyboard = any(canvas.hasFocus() for canvas in self.canvases)
        self.tool.give_up()
        self.viewports.hide_loupe()
        for canvas in self.canvases:
            # deleteLater runs in the event loop: until then, late events must not reach tools or other views.
            canvas.tool, canvas.companions, canvas.lines = None, (), None
            self._models.forget(canvas)
            canvas.stop_waiting()
            self._pictures.cancel(canvas)
            canvas.hide()
            canvas.deleteLater()
        media = shown.media[:MOST_VIEWS] if shown is not None else ()
        self.canvases = tuple(self._make(medium, scene=shown) for medium in media if shown is not None)
        for canvas in self.canvases:
            canvas.companions = self.canvases
            canvas.lines = self._lines
        self._lines.show_views(self.canvases)
        self._videos.begin(self.canvases)
        self.large = None
        self.bring_forward(self.canvases[0] if self.canvases else None)
        self.lay_out()
        self.select([])
        for canvas in self.canvases:
            if canvas.video is None:
                canvas.begin_loading()
                self._pictures.load(
                    canvas.shown, done=canvas.take_loaded, previewed=canvas.take_preview, owner=canvas
                )
        if had_keyboard:
            self.focus_view()

    def _make(self, medium: MediumView, *, scene: StageScene) -> StageCanvas:
        canvas = StageCanvas(medium, video=self._videos.make(medium, scene=scene))
        canvas.setParent(self)
        canvas.tool, canvas.rendering, canvas.kinds = self.tool, self.rendering, self.overlays.kinds
        canvas.hidden_by_user = self.hidden_regions.ids
        canvas.interpolated_at, canvas.pins_at = self.interpolation.boxes_at, self.pins.at
        canvas.transform_changed.connect(partial(self.viewports.follow, canvas))
        canvas.pointed.connect(self.viewports.place_loupes)
        canvas.pointed.connect(self.view_state_changed)
        canvas.opened.connect(partial(self._on_canvas_opened, canvas))
        canvas.focused.connect(partial(self.bring_forward, canvas))
        canvas.focused.connect(self.view_state_changed)
        canvas.menu_requested.connect(partial(self.menu_requested.emit, canvas))
        canvas.drafted.connect(self.view_state_changed)
        canvas.pin_pressed.connect(self.pins.choose)
        canvas.picture_shown.connect(self._on_canvas_picture_shown)
        canvas.show()
        return canvas

    def _show_marks(self) -> None:
        if self.shown is None:
            return
        for canvas in self.canvases:
            canvas.show_scene(self.shown)
        # Deleted annotations leave the selection; those on other frames of a video stay in it.
        left = tuple(chosen for chosen in self.selected if self.shown.has_mark(chosen))
        if left != self.selected:
            self.select(left)
        self._models.refresh(self.canvases)

    def bring_forward(self, canvas: StageCanvas | None) -> None:
        """Make a view the front one, which keys and frame numbers refer to."""
        self.front = canvas
        self.player.front = canvas.video if canvas is not None else None

    def lay_out(self) -> None:
        """Place the views."""
        for canvas, rect in zip(self.canvases, self.viewports.view_rects(), strict=True):
            canvas.setVisible(rect.isValid())
            if rect.isValid():
                canvas.setGeometry(rect)
            if canvas.video is not None:
                # Hidden views are not decoded during playback.
                canvas.video.is_aside = not rect.isValid()
        self.viewports.place_loupes()

    def make_large(self, canvas: StageCanvas | None) -> None:
        """Enlarge one view to the whole stage; None shows all views."""
        self.large = canvas
        self.lay_out()
        self.view_state_changed.emit()

    def _on_canvas_opened(self, canvas: StageCanvas) -> None:
        if not self.viewports.bring_front(canvas):
            self.make_large(None if self.large is not None else canvas)
            self.focus_view()

    def _on_view_state_changed(self) -> None:
        self._lines.follow()

    def _on_canvas_picture_shown(self) -> None:
        if not any(canvas.is_loading for canvas in self.canvases):
            # The real size of an image can differ from the size recorded in the project.
            self.lay_out()
        if self.is_model:
            self._models.refresh(self.canvases)
        self.view_state_changed.emit()
