"""Carries boxes to the following frames of a video by a tracker, off the GUI thread."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from annotator.commands.tracked_regions import ProposeTrackedRegions
from annotator.domain.region import Region
from annotator.domain.tracks import frame_of
from annotator.media.video_tracking import Track, track_boxes
from annotator.progress import Progress
from annotator.session import Session
from widgets.project_controller import ProjectController
from widgets.stage.canvas import StageCanvas
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage
from widgets.task import Task
from widgets.translation import tr, trn

FRAMES = 30
"""Number of frames that are tracked if no out mark is set: about a second."""


class TrackingActions(QObject):
    """Tracks the selected boxes of the front video, or all of its frame."""

    def __init__(self, stage: Stage, *, controller: ProjectController) -> None:
        super().__init__(stage)
        self._stage, self._controller = stage, controller
        self._task: Task | None = None
        self._tracked: tuple[Region, ...] = ()

    def track(self) -> None:
        """Track boxes up to the out mark or over the next frames; the results are proposals."""
        canvas = self._canvas()
        if canvas is None or canvas.video is None or self._task is not None or self._stage.leave_model():
            return
        self._stage.player.pause()
        regions, frame = self._regions(canvas), canvas.frame or 0
        if not regions:
            # The command says what is missing.
            self._stage.send(ProposeTrackedRegions(tracks={}))
            return
        medium, file, last = canvas.shown.medium, canvas.shown.file, self._last(canvas, frame)
        boxes = [region.box for region in regions]

        def tracks(_session: Session, progress: Progress) -> list[Track]:
            return track_boxes(medium, file, boxes=boxes, frame=frame, last=last, progress=progress)

        self._task = self._controller.run_query(tracks, title=tr("Tracking boxes"))
        self._tracked = tuple(regions)
        self._task.finished.connect(self._on_task_finished)
        self._task.failed.connect(self._on_task_failed)

    def leave(self) -> None:
        """Stop tracking, because the workspace is being closed."""
        task, self._task = self._task, None
        if task is not None:
            task.supersede()

    def _canvas(self) -> StageCanvas | None:
        """Return the view whose video is tracked: the front one, else the first with a video."""
        canvases = [self._stage.front, *self._stage.canvases]
        return next((one for one in canvases if one is not None and one.video is not None), None)

    def _regions(self, canvas: StageCanvas) -> list[Region]:
        """Return the boxes to track: the selected ones on the displayed frame, without any all of it."""
        here = [
            region for region in canvas.marks.marks.regions if not region.is_proposed and not region.is_point
        ]
        chosen = {region.id for region in selected_regions(self._stage)}
        return [region for region in here if region.id in chosen] or here

    def _last(self, canvas: StageCanvas, frame: int) -> int:
        video, out_s = canvas.video, self._stage.player.out_s
        last = video.number_at(out_s) if video is not None and out_s is not None else 0
        return last if last > frame else frame + FRAMES

    def _on_task_finished(self, tracks: list[Track]) -> None:
        # The workspace was closed meanwhile.
        if self._task is None:
            return
        self._task, regions = None, self._tracked
        found = {
            region.id: tuple((one.box, one.confidence) for one in track.boxes)
            for region, track in zip(regions, tracks, strict=True)
            if track.boxes
        }
        if found:
            self._stage.send(ProposeTrackedRegions(tracks=found))
        shown = self._stage.shown
        # Another scene can be on the stage by now.
        if shown is not None and shown.has_mark(regions[0].id):
            self._stage.note = _outcome(regions, tracks)
            self._stage.show_hint()

    def _on_task_failed(self, _error: BaseException) -> None:
        self._task = None


def _outcome(regions: Sequence[Region], tracks: Sequence[Track]) -> str:
    """Return how far the boxes were tracked, and which were lost where."""
    frame = frame_of(regions[0])
    pairs = zip(regions, tracks, strict=True)
    lost = [(region, frame + len(track.boxes)) for region, track in pairs if track.is_lost]
    if not lost:
        last = frame + max(len(track.boxes) for track in tracks)
        return trn(
            "{n} box tracked to frame {last}",
            "{n} boxes tracked to frame {last}",
            n=len(regions),
            last=f"{last:,}",
        )
    locations = ", ".join(
        tr("{n} after frame {frame}", n=region.number, frame=f"{at:,}") for region, at in lost
    )
    return tr("Lost: {places}", places=locations)
