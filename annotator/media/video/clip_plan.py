"""What cutting a clip will do, before anything is written: copy the packets, or encode the frames again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotator.domain.record import ValueObject
from annotator.media.video.clip_cut import ClipCut, CutPlanner
from annotator.media.video.index_store import video_index
from annotator.media.video.video import Video

COPIED_ENDINGS = frozenset({".mp4", ".mov", ".mkv"})
# Matroska has none, and so cannot hold frames that are not shown.
WITH_EDIT_LIST = frozenset({".mp4", ".mov"})
USUAL_ENDING = ".mp4"


class ClipPlan(ValueObject, frozen=True, kw_only=True):
    """How a range of frames can be cut. Only writing shows whether a copy is sound; see ``save_clip``.

    Attributes:
        first: Number of the first frame that is wanted.
        last: Number of the last frame that is wanted, included.
        why: Reason why exactly these frames cannot be copied, "" if they can.
        wider: First and last frame of the smallest copy that contains them, None if nothing can be copied.
    """

    first: int
    last: int
    why: str = ""
    wider: tuple[int, int] | None = None


def plan_clip(video: Video, first: int, *, last: int, ending: str) -> ClipPlan:
    """Return what cutting a range of frames will do.

    Args:
        video: The video.
        first: Number of the first frame.
        last: Number of the last frame, included.
        ending: Suffix of the clip's file.

    Raises:
        UserError: The video is damaged.
        EnvironmentFailure: The video cannot be read.
    """
    path = Path(f"clip{ending}")
    exact = next(find_cuts(video, first, last=last, path=path, is_widened=False))
    if not exact.why:
        return ClipPlan(first=first, last=last, wider=(first, last))
    cuts = find_cuts(video, first, last=last, path=path, is_widened=True)
    wide = next((cut for cut in cuts if not cut.why), None)
    wider = (wide.first, wide.last) if wide is not None else None
    return ClipPlan(first=first, last=last, why=exact.why, wider=wider)


def find_cuts(video: Video, first: int, *, last: int, path: Path, is_widened: bool) -> Iterator[ClipCut]:
    """Yield the cuts to try for a range of frames, the best first.

    Args:
        video: The video.
        first: Number of the first frame.
        last: Number of the last frame, included.
        path: File of the clip; its suffix tells the container.
        is_widened: Whether the cuts may move outwards to where packets can be copied.
    """
    if not video.coding:
        yield ClipCut(first=first, last=last, why="the video is a folder of images")
        return
    planner = CutPlanner(video_index(video.path), can_hide=path.suffix.lower() in WITH_EDIT_LIST)
    if is_widened:
        yield from planner.widened(first, last)
    else:
        yield planner.exact(first, last)


def ending_of(video: Video) -> str:
    """Return the suffix of clips of a video: its own if it can be written."""
    ending = video.path.suffix.lower()
    return ending if video.coding and ending in COPIED_ENDINGS else USUAL_ENDING
