"""The frame index of a video, computed from its packets: numbers, times and key frames.

Frames are numbered in presentation order, as a player shows them: frames that an edit list hides, or that
depend on frames before the beginning, have no number. Numbers are derived from time stamps, so they remain
correct after damage in the middle of a file.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.domain.record import ValueObject
from annotator.media.video.rotation import Rotation

# FFmpeg's own AV_NOPTS_VALUE, so that it sorts before all times.
NO_TIME = -(2**63)
KEY, HIDDEN, DAMAGED = 1, 2, 4


class IndexMetadata(ValueObject, frozen=True, kw_only=True):
    """The parts of an index besides the packets.

    Attributes:
        coding: Name of the codec, for instance ``h264``.
        coded_px: Width and height before rotation.
        turn: Rotation of frames for display.
        time_base: Seconds per tick, as numerator and denominator.
        rate: Frames per second: that of the container if the time stamps agree with it, otherwise their mean.
        last_ticks: Duration of the last frame in ticks.
        is_timeless: Whether the file has no time stamps; frames are then counted.
        has_audio: Whether the file has an audio stream.
        damage: Description of damage of the whole file, "" for none.
    """

    coding: str
    coded_px: tuple[int, int]
    turn: Rotation
    time_base: tuple[int, int]
    rate: float
    last_ticks: int
    is_timeless: bool = False
    has_audio: bool = False
    damage: str = ""


@dataclass(frozen=True, kw_only=True)
class VideoIndex:
    """The packets of a video in file order, with the derived numbers and times.

    Attributes:
        facts: Properties of the stream.
        packet_pts: int64 (packets,), times in ticks; ``NO_TIME`` where a packet has none.
        packet_flags: uint8 (packets,), sums of ``KEY``, ``HIDDEN`` and ``DAMAGED``.
    """

    facts: IndexMetadata
    packet_pts: NDArray[np.int64]
    packet_flags: NDArray[np.uint8]

    @cached_property
    def packet_indices(self) -> NDArray[np.int64]:
        """Place of each frame among the packets: int64 (frames,), by frame number."""
        shown = np.flatnonzero(self.packet_flags & HIDDEN == 0)
        if self.facts.is_timeless:
            return shown
        # Stable: of equal times, which players take for one frame, the first packet counts.
        return shown[np.argsort(self.packet_pts[shown], kind="stable")]

    @cached_property
    def pts(self) -> NDArray[np.int64]:
        """Time of each frame in ticks: int64 (frames,), rising."""
        if self.facts.is_timeless:
            return np.arange(len(self.packet_indices), dtype=np.int64)
        return self.packet_pts[self.packet_indices]

    @cached_property
    def times_s(self) -> NDArray[np.float64]:
        """Time of each frame in seconds from the first: float64 (frames,), rising."""
        numerator, denominator = self.facts.time_base
        return np.asarray((self.pts - self.pts[0]) * numerator / denominator, np.float64)

    @property
    def duration_s(self) -> float:
        """Seconds from the first frame to the end of the last."""
        return float(self.times_s[-1] + self.facts.last_ticks * Fraction(*self.facts.time_base))

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """Frame number of each packet: int64 (packets,), -1 for those that show none."""
        numbers = np.full(len(self.packet_pts), -1, np.int64)
        numbers[self.packet_indices] = np.arange(len(self.packet_indices))
        return numbers

    @cached_property
    def number_by_pts(self) -> dict[int, int]:
        """Frame number by time in ticks."""
        return {pts: number for number, pts in enumerate(self.pts.tolist())}

    @cached_property
    def packet_by_pts(self) -> dict[int, int]:
        """Place of the first packet with a time, hidden ones included."""
        found: dict[int, int] = {}
        for index, pts in enumerate(self.packet_pts.tolist()):
            found.setdefault(pts, index)
        return found

    @cached_property
    def key_packets(self) -> list[int]:
        """Places at which decoding can begin, rising."""
        if self.facts.is_timeless:
            return [0]
        is_key = (self.packet_flags & KEY > 0) & (self.packet_pts != NO_TIME)
        # A stream without any key packet is tried from its beginning.
        return np.flatnonzero(is_key).tolist() or [0]

    @cached_property
    def key_frames(self) -> NDArray[np.int64]:
        """Numbers of the frames that need no other: int64 (keys,), rising."""
        numbers = self.numbers[self.key_packets]
        return np.sort(numbers[numbers >= 0])

    def key_before(self, number: int, *, back: int = 0) -> int:
        """Return which key packet to begin at for a frame, as a position in ``key_packets``.

        Args:
            number: The frame.
            back: How many key packets further back to begin.
        """
        index = int(self.packet_indices[number])
        key = bisect_right(self.key_packets, index) - 1
        # Shown before the key frame although coded after it: an open group leans on the one before.
        if self.packet_pts[self.key_packets[max(0, key)]] > self.packet_pts[index]:
            key -= 1
        return max(0, key - back)

    def longest_group(self) -> int:
        """Return the most frames from one key frame to the next."""
        edges = [*self.key_packets, len(self.packet_pts)]
        return int(np.diff(edges).max())


class _StoredIndex(ValueObject, frozen=True, kw_only=True):
    facts: IndexMetadata
    pts: bytes
    flags: bytes


def to_bytes(index: VideoIndex) -> bytes:
    """Return an index as bytes that ``from_bytes`` reads."""
    return msgspec.msgpack.encode(
        _StoredIndex(
            facts=index.facts,
            pts=index.packet_pts.astype("<i8").tobytes(),
            flags=index.packet_flags.tobytes(),
        )
    )


def from_bytes(content: bytes) -> VideoIndex | None:
    """Return the index that bytes hold, None where they are damaged or of another version."""
    try:
        stored = msgspec.msgpack.decode(content, type=_StoredIndex)
        pts = np.frombuffer(stored.pts, "<i8").astype(np.int64)
    except (msgspec.MsgspecError, ValueError):
        return None
    flags = np.frombuffer(stored.flags, np.uint8)
    # Read-only, as frombuffer gives it: an index is shared between threads.
    index = VideoIndex(facts=stored.facts, packet_pts=pts, packet_flags=flags)
    return index if len(pts) == len(flags) and len(index.packet_indices) else None
