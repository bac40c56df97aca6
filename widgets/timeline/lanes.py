"""Lanes of the timeline: the video of one view with its annotated frames, segments and flags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.media.video.video import Video
from widgets import display_text
from widgets.message_text import message_text
from widgets.stage.scene import StageScene
from widgets.stage.segments import KIND_TITLES, SceneSegment
from widgets.stage.video_playback import VideoPlayback
from widgets.translation import tr

FRAME_FACT = "frame"
"""Name of the evidence entry of a flag that contains its frame number."""


@dataclass(frozen=True, kw_only=True)
class LaneFlag:
    """A flag as a marker on a lane.

    Attributes:
        flag: The flag.
        number: Frame number, None for a flag on the whole video.
    """

    flag: Flag
    number: int | None

    @property
    def text(self) -> str:
        """Display text of the problem."""
        kind = display_text.flag_kind_title(self.flag.kind)
        return f"{kind}: {message_text(self.flag.message)}" if self.flag.message else kind


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelineLane:
    """One view on the timeline.

    Attributes:
        view: Name of the view.
        medium: Its medium.
        video: Its video.
        offset_s: Time on the clock at which the video begins, seconds.
        marked: Numbers of the annotated frames, int64 (n,), ascending.
        counts: Number of regions and paths on each of them, int64 (n,).
        segments: Segments of the video, in order.
        flags: Open flags on the video and its frames.
    """

    view: str
    medium: Medium
    video: Video
    offset_s: float
    marked: NDArray[np.int64]
    counts: NDArray[np.int64]
    segments: tuple[SceneSegment, ...] = ()
    flags: tuple[LaneFlag, ...] = ()

    @property
    def first_s(self) -> float:
        """Clock time at which the video begins, seconds."""
        return self.offset_s

    @property
    def last_s(self) -> float:
        """Clock time at which the video ends, seconds."""
        return self.offset_s + self.video.duration_s

    def number_at(self, time_s: float) -> int:
        """Return the number of the frame displayed at a clock time."""
        return self.video.number_at(time_s - self.offset_s)

    def times_s(self) -> NDArray[np.float64]:
        """Return the clock times of all frames, float64 (frames,), seconds."""
        return np.asarray(self.video.times_s + self.offset_s, np.float64)


def lanes_of(
    shown: StageScene, videos: Iterable[VideoPlayback], *, before: Iterable[TimelineLane] = ()
) -> tuple[TimelineLane, ...]:
    """Return a lane for each view with an open video.

    Args:
        shown: The scene.
        videos: Its videos in order.
        before: Previous lanes of the same scene, whose contents are reused except for offsets.
    """
    known = {(lane.medium.id, lane.video): lane for lane in before}
    lanes = []
    for index, view in enumerate(videos):
        if view.video is None:
            continue
        lane = known.get((view.shown.medium.id, view.video))
        made = lane or _lane(shown, view, video=view.video, takes_rest=index == 0)
        lanes.append(made if made.offset_s == view.offset_s else replace(made, offset_s=view.offset_s))
    return tuple(lanes)


def segment_text(segment: SceneSegment) -> str:
    """Return the display name of a segment: its name, or the actions that people gave or the source has."""
    # Actions of the source keep their names, so that the user can find them in the file.
    actions = [tr(KIND_TITLES[kind]) for kind in segment.kinds if kind in KIND_TITLES] or segment.actions
    return segment.name or " · ".join(actions)


def lane_name(view: str) -> str:
    """Return the display name of a lane; the view of a scene with one video often has no name."""
    return view or tr("Video")


def _lane(shown: StageScene, view: VideoPlayback, *, video: Video, takes_rest: bool) -> TimelineLane:
    medium = view.shown.medium
    marked = np.array(shown.marked_frames.get(medium.id, ()), np.int64)
    marks = [shown.marks_of(medium.id, frame) for frame in marked.tolist()]
    counts = np.array([len(one.regions) + len(one.paths) for one in marks], np.int64)
    return TimelineLane(
        view=view.view,
        medium=medium,
        video=video,
        offset_s=view.offset_s,
        marked=marked,
        counts=counts,
        segments=tuple(one for one in shown.segments if one.view == view.view),
        flags=tuple(_flags(shown, medium, takes_rest=takes_rest)),
    )


def _flags(shown: StageScene, medium: Medium, *, takes_rest: bool) -> Iterable[LaneFlag]:
    """Yield the open flags of a medium; the first lane also has the flags of the whole scene."""
    owners = {medium.id, *(label.id for label in shown.labels if label.medium == medium.id)}
    others = {one.medium.id for one in shown.media}
    others |= {label.id for label in shown.labels if label.medium}
    for flag in shown.flags:
        is_own = flag.target in owners or (takes_rest and flag.target not in others)
        if flag.state == "open" and is_own:
            number = flag.evidence.get(FRAME_FACT)
            yield LaneFlag(flag=flag, number=number if isinstance(number, int) else None)
