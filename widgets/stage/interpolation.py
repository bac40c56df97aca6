"""Interpolated boxes of tracks: shown on the frames between two boxes until they are confirmed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from annotator.commands.interpolation import InterpolateTracks
from annotator.domain.region import Region
from annotator.domain.tracks import frame_of, frames_between, gaps_of, interpolate, track_of
from annotator.media.render import COLOURS, UNLINKED
from widgets.stage.reprojected_regions import ReprojectedRegion, outline_of
from widgets.stage.selection import selected_regions
from widgets.translation import tr

if TYPE_CHECKING:
    from widgets.stage.scene import StageScene
    from widgets.stage.stage import Stage

Track = tuple[str, int]
"""Medium id of the video, and number of the object."""
Gap = tuple[Region, Region]


@dataclass(frozen=True, kw_only=True, eq=False)
class InterpolatedRegion(ReprojectedRegion):
    """Interpolated position of a region on a frame between two others."""

    @property
    def label(self) -> str:
        """Label: the region's number, and that the box is not confirmed."""
        return tr("{n} interpolated", n=self.region.number)


class Interpolation(QObject):
    """The tracks whose interpolated boxes a stage displays.

    Signals:
        changed: The set of interpolated tracks has changed.
    """

    changed = Signal()

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self._tracks: dict[Track, list[Gap]] = {}
        stage.marks_shown.connect(self._on_stage_marks_shown)

    def toggle(self) -> None:
        """Show the interpolated boxes of the selected tracks, or hide them if all are shown."""
        wanted = {(one.medium, one.number): one for one in self._selected()}
        if not wanted:
            return
        if wanted.keys() <= self._tracks.keys():
            self._tracks = {track: gaps for track, gaps in self._tracks.items() if track not in wanted}
        else:
            self._tracks |= {track: self._gaps(region) for track, region in wanted.items()}
        self._show()

    def confirm(self) -> None:
        """Store the displayed interpolated boxes; if there are none, those of the selected tracks."""
        firsts = [gaps[0][0] for gaps in self._tracks.values() if gaps] or self._selected()
        # A display of model inputs is only left, so that the user sees the boxes before they are stored.
        if firsts and not self._stage.leave_model():
            self._stage.send(InterpolateTracks(regions=tuple(region.id for region in firsts)))

    def is_on(self, region: Region) -> bool:
        """Return whether the interpolated boxes of a region's track are shown."""
        return (region.medium, region.number) in self._tracks

    def count_of(self, region: Region) -> int:
        """Return the number of unconfirmed interpolated boxes of a region's track."""
        return frames_between(self._tracks.get((region.medium, region.number), ()))

    def boxes_at(self, medium: str, frame: int | None) -> list[ReprojectedRegion]:
        """Return the interpolated boxes on a frame of a video; called at each repaint."""
        if frame is None or self._stage.shown is None:
            return []
        return list(self._boxes(medium, frame, shown=self._stage.shown))

    def _boxes(self, medium: str, frame: int, *, shown: StageScene) -> Iterator[InterpolatedRegion]:
        for (own, _number), gaps in self._tracks.items():
            # Exclusive ends: on its own frames, the region itself is displayed.
            gap = next((one for one in gaps if frame_of(one[0]) < frame < frame_of(one[1])), None)
            if own != medium or gap is None:
                continue
            region = interpolate(*gap, frame=frame)
            yield InterpolatedRegion(
                view="", region=region, corners=outline_of(region), colour=_colour(gap[0], shown)
            )

    def _selected(self) -> list[Region]:
        return [region for region in selected_regions(self._stage) if region.frame is not None]

    def _gaps(self, region: Region) -> list[Gap]:
        shown = self._stage.shown
        return gaps_of(track_of(region, shown.marks.regions)) if shown is not None else []

    def _show(self) -> None:
        for canvas in self._stage.canvases:
            canvas.update()
        self.changed.emit()

    def _on_stage_marks_shown(self) -> None:
        """Update moved tracks, and remove tracks that are confirmed or belong to another scene."""
        if not self._tracks:
            return
        regions: Iterable[Region] = self._stage.shown.marks.regions if self._stage.shown is not None else ()
        by_track: dict[Track, list[Region]] = {track: [] for track in self._tracks}
        for region in regions:
            track = region.medium, region.number
            if track in by_track and region.frame is not None and not region.is_proposed:
                by_track[track].append(region)
        gaps = {track: gaps_of(sorted(own, key=frame_of)) for track, own in by_track.items()}
        # A track without gaps is confirmed, or its regions are not in this scene.
        self._tracks = {track: own for track, own in gaps.items() if own}
        self._show()


def _colour(region: Region, shown: StageScene) -> int:
    """Return the index of a region's colour in ``COLOURS``, as in the rendering ``annotated``."""
    if not shown.marks.links:
        return region.number % len(COLOURS)
    return shown.link_colours.get(region.id, UNLINKED)
