"""Where a video's packets can be cut so that a clip of them shows exactly a range of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotator.domain.record import ValueObject
from annotator.media.video.index import VideoIndex

MOST_TRIES = 4
"""Cuts that are tried: a key frame may turn out to depend on frames before it, which only decoding shows."""
_NO_KEY_FRAME = "the first frame is not a key frame"


class ClipCut(ValueObject, frozen=True, kw_only=True):
    """A range of frames with the packets that contain it.

    Attributes:
        first: Number of the first frame.
        last: Number of the last frame, included.
        begin: Index of the first packet.
        end: Index after the last packet.
        has_lead_in: Whether hidden frames precede the first one and are needed to decode it.
        why: Reason why the packets cannot be copied, "" if they can. With a reason begin and end are invalid.
    """

    first: int
    last: int
    begin: int = 0
    end: int = 0
    has_lead_in: bool = False
    why: str = ""


@dataclass(frozen=True)
class CutPlanner:
    """Finds cuts in one video.

    Attributes:
        index: The video's packets.
        can_hide: Whether the clip's container has edit lists, so that it can hold frames that are not shown.
    """

    index: VideoIndex
    can_hide: bool

    def exact(self, first: int, last: int) -> ClipCut:
        """Return the cut that holds a range of frames and no other, hidden ones included."""
        begin, end = self._packet_range(first, last)
        cut = ClipCut(first=first, last=last, begin=begin, end=end)
        why = self._why_not_begin(begin, first) or self._why_not_end(cut)
        return ClipCut(first=first, last=last, why=why) if why else cut

    def widened(self, first: int, last: int) -> Iterator[ClipCut]:
        """Yield the cuts between key frames that hold a range, the smallest first, or why there is none."""
        if self.index.facts.is_timeless:
            yield self.exact(first, last)
            return
        begins = [index for index in self._begins if self._first_from[index] <= first]
        usable = [index for index in begins if self.can_hide or not self._has_lead_in(index)]
        if not usable:
            why = "the container cannot hide the frames before the first one" if begins else _NO_KEY_FRAME
            yield ClipCut(first=first, last=last, why=why)
        # The beginning of the video at last, where nothing can be missing.
        for begin in dict.fromkeys([*reversed(usable[-MOST_TRIES + 1 :]), *usable[:1]]):
            yield self._between(begin, self._end_behind(last))

    def _between(self, begin: int, end: int) -> ClipCut:
        cut = ClipCut(
            first=int(self._first_from[begin]),
            last=int(self._last_before[end]),
            begin=begin,
            end=end,
            has_lead_in=self._has_lead_in(begin),
        )
        why = self._why_not_end(cut)
        return ClipCut(first=cut.first, last=cut.last, why=why) if why else cut

    @cached_property
    def _last_before(self) -> NDArray[np.int64]:
        """The highest frame number before each place, -1 for none: int64 (packets + 1,)."""
        return np.concatenate([[-1], np.maximum.accumulate(self.index.numbers)])

    @cached_property
    def _first_from(self) -> NDArray[np.int64]:
        """The lowest frame number from each place on, the number of frames for none: int64 (packets + 1,)."""
        count = len(self.index.packet_indices)
        shown = np.where(self.index.numbers < 0, count, self.index.numbers)
        return np.concatenate([np.minimum.accumulate(shown[::-1])[::-1], [count]])

    @cached_property
    def _clean_keys(self) -> list[int]:
        """Places of key packets behind which only later frames stand, and before which only earlier ones."""
        return [index for index in self.index.key_packets if self._is_clean(index)]

    @cached_property
    def _begins(self) -> list[int]:
        """Places of those that are shown first themselves, or hidden: frames before them depend on others."""
        numbers = self.index.numbers
        return [index for index in self._clean_keys if numbers[index] in (-1, self._first_from[index])]

    def _is_clean(self, index: int) -> bool:
        return bool(self._last_before[index] < self._first_from[index])

    def _has_lead_in(self, index: int) -> bool:
        return bool(self.index.numbers[index] < 0)

    def _packet_range(self, first: int, last: int) -> tuple[int, int]:
        indices = self.index.packet_indices[first : last + 1]
        return int(indices[0]), int(indices.max()) + 1

    def _end_behind(self, last: int) -> int:
        """Return the first clean cut at a key packet, or the end, behind a frame."""
        ends = (index for index in self._clean_keys if self._last_before[index] >= last)
        return next(ends, len(self.index.packet_pts))

    def _why_not_begin(self, begin: int, first: int) -> str:
        if self.index.facts.is_timeless:
            return "the video has no timestamps"
        if begin not in self.index.key_packets:
            needs_hidden = any(
                self._has_lead_in(index) and self._first_from[index] == first for index in self._begins
            )
            return "the first frame depends on frames that the video hides" if needs_hidden else _NO_KEY_FRAME
        return "" if begin in self._begins else "frames before the first one are stored behind it"

    def _why_not_end(self, cut: ClipCut) -> str:
        numbers = self.index.numbers[cut.begin : cut.end]
        hidden_pts = self.index.packet_pts[cut.begin : cut.end][numbers < 0]
        if not np.array_equal(np.sort(numbers[numbers >= 0]), np.arange(cut.first, cut.last + 1)):
            return "the last frame depends on frames that are shown after it"
        if len(hidden_pts) and (not cut.has_lead_in or hidden_pts.max() >= self.index.pts[cut.first]):
            return "the video hides frames between the first and the last one"
        return ""
