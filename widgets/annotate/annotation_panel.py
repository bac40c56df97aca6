"""The annotations panel beside the stage: annotations of the displayed frames first, then other frames."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QStackedWidget, QVBoxLayout, QWidget

from annotator.domain.region import Region
from annotator.domain.scene_problems import SceneProblem
from widgets.annotate.annotation_list import AnnotationList
from widgets.annotate.annotation_rows import MarkRows, annotation_rows, counts_text
from widgets.annotate.event_form import EventForm
from widgets.annotate.region_details import RegionDetails
from widgets.focus import holds_keyboard
from widgets.labels import ElidedLabel, label
from widgets.stage.region_navigator import reveal
from widgets.stage.scene import StageScene
from widgets.stage.stage import Stage
from widgets.translation import tr

LEAST_PX, EDGE_PX = 180, 12


class AnnotationPanel(QWidget):
    """A list of annotations that is synchronised with the stage, and navigates to annotations and frames."""

    def __init__(self, stage: Stage, *, details: RegionDetails, form: EventForm) -> None:
        super().__init__()
        self._stage, self.details, self.form = stage, details, form
        self._said: tuple[StageScene | None, dict[str, int | None]] | None = None
        self._item_form: QWidget | None = None
        self.setObjectName("pane")
        self.setMinimumWidth(LEAST_PX)
        self.list, self.count = AnnotationList(), ElidedLabel(role="label")
        # The list with its details, or the form: a narrow panel has no room for both.
        self.pages, marks = QStackedWidget(), QWidget()
        self.pages.addWidget(marks)
        self.pages.addWidget(form)
        whole = self._whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.pages, 1)
        column = self._column = QVBoxLayout(marks)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part, edges in (
            (label(tr("Annotations"), role="strong"), (EDGE_PX, EDGE_PX, EDGE_PX, 8)),
            (self.count, (EDGE_PX, 4, EDGE_PX, 8)),
        ):
            framed = QVBoxLayout()
            framed.setContentsMargins(*edges)
            framed.addWidget(part)
            column.addLayout(framed)
        column.insertWidget(1, self.list, 1)
        line = QFrame()
        line.setObjectName("divider")
        column.addWidget(line)
        column.addWidget(details)
        # The keyboard goes to what is shown: a hidden list would take keys that nobody sees.
        self.pages.setFocusProxy(self.list)
        self.pages.currentChanged.connect(self._on_page_changed)
        self.list.chosen.connect(stage.select)
        self.list.sought.connect(self.show_frame)
        self.list.opened.connect(self._on_list_opened)
        details.sought.connect(self.show_region)
        form.left.connect(stage.focus_view)
        stage.hidden_regions.changed.connect(self._on_hidden_regions_changed)
        stage.selection_changed.connect(self._on_stage_selection_changed)
        stage.player.moved.connect(self._on_player_moved)
        stage.player.changed.connect(self._on_player_moved)

    def add_foot(self, foot: QWidget) -> None:
        """Add a widget below the annotations and the forms."""
        self._whole.addWidget(foot)

    def show_problem(self, problem: SceneProblem) -> None:
        """Show where a problem of the scene is corrected: its region, or its field of the form."""
        self.show()
        shown = self._stage.shown
        region = shown.regions_by_id(problem.regions[:1]) if shown is not None else {}
        if region:
            self.show_region(next(iter(region.values())))
            return
        medium = shown.scene.medium_of(problem.view) if shown is not None else None
        canvas = next((one for one in self._stage.canvases if one.medium == medium), None)
        if canvas is not None:
            self._stage.viewports.bring(canvas)
            self.pages.setCurrentWidget(self.form)
            self.form.show_field(problem.field)

    def add_item_form(self, form: QWidget) -> None:
        """Add a form below the annotations, which ``show_item_form`` shows."""
        self._item_form = form
        self._column.addWidget(form)

    def show_item_form(self, is_shown: bool) -> None:
        """Show the form in the place of the details of regions, or the details again."""
        if self._item_form is None:
            return
        self._item_form.setVisible(is_shown)
        # In a low window there is no room for both.
        self.details.setVisible(not is_shown)
        if is_shown:
            self.pages.setCurrentIndex(0)
            self.show()

    def refresh(self) -> None:
        """Update the list to the annotations of the scene on the displayed frames."""
        shown = self._stage.shown
        frames = {canvas.medium: canvas.frame for canvas in self._stage.canvases}
        # Compared by identity: comparing all annotations would cost more than the cache saves.
        if self._said is not None and self._said[0] is shown and self._said[1] == frames:
            return
        self._said = shown, frames
        rows = annotation_rows(shown, frames=frames) if shown is not None else MarkRows({})
        self.list.show_rows(rows, selected=self._stage.selected)
        self.count.setText(counts_text(shown, frames=frames) if shown is not None else "")

    def edit_place(self) -> None:
        """Set the keyboard focus to the numbers of the selected region; show the panel if it is hidden."""
        if self._stage.selected:
            self.show()
            self.details.focus_fields()

    def toggle_form(self) -> None:
        """Show the event label of the view in front with the keyboard focus, or the annotations again."""
        if not self.toggle_page(self.form):
            self.form.is_entered = False

    def toggle_page(self, page: QWidget) -> bool:
        """Show a form with the keyboard focus, or the annotations again; return whether the form is shown."""
        is_left = self.pages.currentWidget() is page and page.isVisible() and holds_keyboard(page)
        self.show()
        if is_left:
            self.pages.setCurrentIndex(0)
            self._stage.focus_view()
        else:
            self.pages.setCurrentWidget(page)
            page.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return not is_left

    def show_region(self, region: Region) -> None:
        """Select a region and make it visible, even on another frame or in a hidden view."""
        stage = self._stage
        canvas = next((one for one in stage.canvases if one.medium == region.medium), None)
        if canvas is None:
            return
        if region.frame is not None and region.frame != canvas.frame:
            self.show_frame(region.medium, region.frame)
        # First, because the view can be hidden behind an enlarged one.
        stage.viewports.bring(canvas)
        stage.select([region.id])
        stage.focus_view()
        reveal(canvas, region.id)

    def show_frame(self, medium: str, frame: int) -> None:
        """Show a frame of a video."""
        player = self._stage.player
        for video in player.videos:
            if video.shown.medium.id == medium and video.video is not None:
                player.pause()
                player.seek(video.time_of(frame))

    def _on_page_changed(self, index: int) -> None:
        page = self.pages.widget(index) if index else None
        # F6 gives the keyboard to the pages, whatever they show.
        self.pages.setFocusProxy(self.list if page is None else page)

    def _on_list_opened(self, ids: Sequence[str]) -> None:
        shown = self._stage.shown
        regions = shown.regions_by_id(ids) if shown is not None else {}
        if regions:
            self.show_region(next(iter(regions.values())))

    def _on_stage_selection_changed(self) -> None:
        self.list.follow(self._stage.selected)
        # The digit that labels the selected regions follows.
        if self.form.is_picking and any(canvas.hasFocus() for canvas in self._stage.canvases):
            self.form.setFocus()

    def _on_hidden_regions_changed(self) -> None:
        self.list.marks.show_hidden(self._stage.hidden_regions.ids)

    def _on_player_moved(self) -> None:
        # During playback, updating the rows would take time from painting the frames.
        if not self._stage.player.is_playing:
            self.refresh()
