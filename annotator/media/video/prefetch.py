"""What a view decodes next: a pure choice, made anew whenever the playhead moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from annotator.media.video.cache import FrameCache

FRAMES_BEHIND = 60
"""Frames kept before the playhead for steps back: two seconds of most videos."""
NEAR = 30
"""Frames before a sought one that are decoded with it, so that the first steps back are there at once."""
NEAR_ON = 8
"""The same where the playhead moves on in jumps, as in scrubbing: what lies before was seen just now."""
JUMP = 60
"""Frames that such a jump takes at most; a longer one is a seek."""
FRAMES_AHEAD = 12
"""Frames kept ready before the playhead while nothing plays."""
PLAY_AHEAD_S = 1.0
"""How far ahead frames are fetched while playing, in seconds of the clock; at least ``PLAY_AHEAD`` frames."""
PLAY_AHEAD = 32
TAIL_SHARE = 3
"""How many frames behind are fetched in one go for each that is still there to step through meanwhile.

The end of a group comes sooner where its beginning is skimmed: 200 ms for the last 60 frames of 250, 370 ms
for all of them (720p, two cores)."""
MARGIN = 16
"""Frames before the playhead that are kept while a view goes back, where the cache is large enough."""
Groups = Callable[[int], tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class FrameRange:
    """Frames to decode in one go.

    Attributes:
        first: Number of the first.
        last: Number of the last, itself included.
    """

    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class PrefetchTarget:
    """Position and direction of a view.

    Attributes:
        number: The requested frame.
        speed: 1 for real time, negative for backwards, 0 while paused.
        is_stepping_back: Whether the last requests were small steps back.
        is_moving_on: Whether the last request was a jump forward.
        fps: Frames per second of the video.
        count: Number of frames of the video.
        capacity: Number of frames that the cache can hold.
        loop: First and last frame of the looped segment, None for none.
    """

    number: int
    speed: float = 0.0
    is_stepping_back: bool = False
    is_moving_on: bool = False
    fps: float = 25.0
    count: int
    capacity: int
    loop: tuple[int, int] | None = None

    @property
    def goes_back(self) -> bool:
        """Whether frames behind are wanted more than those ahead."""
        return self.speed < 0 or (self.speed == 0 and self.is_stepping_back)

    @property
    def ahead(self) -> int:
        """Frames to have ready before the playhead."""
        most = max(1, self.capacity // 3)
        if self.speed <= 0:
            return min(FRAMES_AHEAD, most)
        return min(max(PLAY_AHEAD, math.ceil(self.fps * self.speed * PLAY_AHEAD_S)), most)

    @property
    def front(self) -> int:
        """Frames before the playhead that the cache keeps."""
        return max(self.ahead, min(MARGIN, self.capacity // 4))

    @property
    def is_loop_kept(self) -> bool:
        """Whether all of the loop fits into the cache, and plays now."""
        if self.loop is None:
            return False
        # On the way to it the cache goes with the playhead: full of the loop it would drop what plays.
        first, last = self.loop
        return first <= self.number <= last and last - first < self.capacity - 2

    @property
    def centre(self) -> float:
        """Return what the cache keeps frames around, so that most lie where the view goes."""
        if self.loop is not None and self.is_loop_kept:
            return sum(self.loop) / 2
        # The furthest prefetched frame is the last one of ``capacity``. With half a frame less it would have
        # the same distance from the centre as the oldest frame of a full cache: it would be dropped at once,
        # and the whole group would be decoded again for each played frame.
        return self.number + self.front - (self.capacity - 1) / 2


def next_range(target: PrefetchTarget, cache: FrameCache, *, groups: Groups) -> FrameRange | None:
    """Return the range to decode next, None if everything useful is cached.

    First the requested frame. Then, during playback, the following frames; otherwise the previous ones, then
    a few following ones. Previous frames are decoded in whole groups, and only when a third of them is
    missing, because each fetch decodes a complete group. If the playhead is near the gap, the end of the
    group has priority.

    Args:
        target: Position and direction of the view.
        cache: The cached frames.
        groups: Returns first and last frame of the group (between two key frames) that contains a frame.
    """
    if target.number not in cache:
        return _wanted(target, cache, groups=groups)
    if target.speed > 0:
        return _ahead(target, cache) or _rest_of_loop(target, cache)
    return _behind(target, cache, groups=groups) or _rest_of_loop(target, cache) or _ahead(target, cache)


def _wanted(aim: PrefetchTarget, cache: FrameCache, *, groups: Groups) -> FrameRange:
    number = aim.number
    if aim.speed > 0:
        missing = cache.missing_above(number - 1, high=_high(aim))
        return FrameRange(first=number, last=missing[1] if missing else number)
    first, _ = groups(number)
    # A quarter of what fits: the rest is for where the view goes next.
    near = min(NEAR_ON if aim.is_moving_on else NEAR, aim.capacity // 4)
    missing = cache.missing_below(number + 1, low=max(first, number - near))
    return FrameRange(first=missing[0] if missing else number, last=number)


def _ahead(aim: PrefetchTarget, cache: FrameCache) -> FrameRange | None:
    missing = cache.missing_above(aim.number, high=_high(aim))
    return None if missing is None else FrameRange(first=missing[0], last=missing[1])


def _high(aim: PrefetchTarget) -> int:
    """Return the last frame that is worth fetching ahead."""
    last = aim.count - 1 if aim.loop is None else max(aim.number, aim.loop[1])
    return min(last, aim.number + aim.ahead)


def _rest_of_loop(aim: PrefetchTarget, cache: FrameCache) -> FrameRange | None:
    """Return what is missing of the loop, where playing goes on after its end."""
    if aim.loop is None or not aim.is_loop_kept:
        return None
    missing = cache.missing_above(aim.loop[0] - 1, high=aim.loop[1])
    return None if missing is None else FrameRange(first=missing[0], last=missing[1])


def _behind(aim: PrefetchTarget, cache: FrameCache, *, groups: Groups) -> FrameRange | None:
    reach = _reach_behind(aim, groups=groups)
    low = 0 if aim.loop is None else min(aim.number, aim.loop[0])
    missing = cache.missing_below(aim.number, low=max(low, aim.number - reach))
    if missing is None or aim.number - missing[1] > reach * 2 // 3:
        return None
    group, _ = groups(missing[1])
    first = max(group, missing[0])
    tail = missing[1] + 1 - max(NEAR, TAIL_SHARE * (aim.number - missing[1] - 1))
    # A short rest is not left for later: it would cost the decoding of the group once more.
    return FrameRange(first=tail if tail - first > NEAR else first, last=missing[1])


def _reach_behind(aim: PrefetchTarget, *, groups: Groups) -> int:
    most = max(1, aim.capacity - aim.front - 2)
    if not aim.goes_back:
        return min(FRAMES_BEHIND, most)
    first, _ = groups(aim.number)
    before, _ = groups(max(0, first - 1))
    return min(max(FRAMES_BEHIND, aim.number - before), most)
