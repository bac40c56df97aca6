"""Decoding a video from any frame on, exactly.

Not for several threads at a time: each view has a decoder of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.errors import UserError
from annotator.media.video.frames import DecodedFrame
from annotator.media.video.index import DAMAGED, VideoIndex
from annotator.media.video.opening import OpenVideo, error_text, open_container

if TYPE_CHECKING:
    from av import VideoFrame
    from av.packet import Packet
    from av.video.stream import VideoStream

MOST_SEEKS_BACK = 4
"""How many key frames further back are tried for a frame that does not come: a rolling refresh needs one."""
SEEKS = 3
"""How many earlier places are tried where a seek landed too late, before reading from the beginning."""


class FrameDecoder:
    """Decodes the frames of a video in order, from any frame number on.

    Frames that cannot be decoded are skipped. Continuing where the last call ended needs no seek.

    Args:
        path: The file.
        index: Its index.
    """

    def __init__(self, path: Path, index: VideoIndex) -> None:
        self._path, self._index = path, index
        self._opened: OpenVideo | None = None
        self._packets: Iterator[Packet[VideoStream]] = iter(())
        self._ready: deque[DecodedFrame] = deque()
        self._packet_index: int | None = None
        self._first_right = self._counted = 0
        self._last = -1
        self._is_broken = self._is_proven = False
        self._is_over: Callable[[], bool] = lambda: False

    def run(
        self, first: int, *, last: int, is_over: Callable[[], bool] = lambda: False
    ) -> Iterator[DecodedFrame]:
        """Yield the frames from first to last; earlier frames are decoded only if these depend on them.

        Args:
            first: Number of the first frame.
            last: Number of the last frame, included.
            is_over: Called for each packet; if it returns True the iteration ends, and can be continued
                later.

        Raises:
            UserError: The file has changed since it was indexed.
            EnvironmentFailure: The file cannot be read.
        """
        self._is_over = is_over
        if not (self._can_go_on(first) and self._is_right_start(first)):
            self._begin(first)
        expected = first
        while expected <= last and (frame := self._next(wanted=first)) is not None:
            if frame.number > last:
                self._put_back(frame)
                return
            expected = frame.number + 1
            self._last = frame.number
            yield frame

    def key_frame(self, number: int) -> DecodedFrame | None:
        """Return a key frame alone, as fast as it can be had; None where it cannot be decoded.

        Args:
            number: Number of a key frame.
        """
        # Without times nothing can be found but by counting from the beginning.
        if self._index.facts.is_timeless:
            return next(self.run(number, last=number), None)
        self._seek(bisect_left(self._index.key_packets, int(self._index.packet_indices[number])))
        packet = self._packet()
        if packet is None:
            return None
        self._skip(is_far=False)
        self._take(packet)
        # With several threads the decoder holds a picture back until it is asked for the rest.
        self._take(None)
        # The decoder was emptied: nothing follows from here.
        self._packet_index = None
        return self._ready.popleft() if self._ready else None

    def close(self) -> None:
        """Give back file and memory; the next run opens them again."""
        self._ready.clear()
        self._packets = iter(())
        self._packet_index = None
        if self._opened is not None:
            self._opened.container.close()
            self._opened = None

    def _can_go_on(self, first: int) -> bool:
        """Tell whether reading on gets to a frame, and sooner than a seek does."""
        if self._packet_index is None or first <= self._last:
            return False
        if self._index.facts.is_timeless or (self._ready and first <= self._ready[-1].number):
            return True
        # A seek lands on the last key packet before it; reading on is sooner where that one was passed
        # already.
        return self._index.key_packets[self._index.key_before(first)] <= self._packet_index

    def _begin(self, first: int) -> None:
        """Seek so that a frame comes out next, or one behind it where it is lost."""
        for back in range(MOST_SEEKS_BACK + 1):
            key = self._index.key_before(first, back=back)
            self._seek(key)
            if self._is_right_start(first) or key == 0:
                return

    def _is_right_start(self, first: int) -> bool:
        """Determine after a seek whether a frame is the next one that the decoder outputs."""
        if self._is_proven:
            return True
        frame = self._next(wanted=first)
        if frame is not None:
            self._put_back(frame)
            self._is_proven = frame.number == first
        return self._is_proven or self._is_over()

    def _next(self, *, wanted: int) -> DecodedFrame | None:
        """Return the next frame from the wanted number on, None at the end and where the run is over."""
        while True:
            while self._ready:
                frame = self._ready.popleft()
                if frame.number >= wanted:
                    return frame
                self._last = max(self._last, frame.number)
            if self._is_over():
                return None
            packet = self._packet()
            if packet is None:
                self._packet_index = None
                if not self._ready:
                    return None
                continue
            self._skip(is_far=self._is_left_out(wanted))
            self._take(packet)

    def _put_back(self, frame: DecodedFrame) -> None:
        self._ready.appendleft(frame)
        self._last = frame.number - 1

    def _packet(self) -> Packet[VideoStream] | None:
        """Return the next packet; the one without content at the end empties the decoder."""
        try:
            with error_text(self._path):
                packet = next(self._packets, None)
        except UserError:
            # Nothing can be read from here on; what the decoder still holds can be shown.
            self._packets = iter(())
            self._take(None)
            return None
        if packet is not None and self._packet_index is not None:
            if packet.size and self._flag(self._packet_index) & DAMAGED:
                self._is_broken = True
            self._packet_index += 1
        return packet

    def _flag(self, index: int) -> int:
        # Behind damage a seek may meet packets that reading from the beginning did not.
        flags = self._index.packet_flags
        return int(flags[index]) if index < len(flags) else 0

    def _is_left_out(self, wanted: int) -> bool:
        """Tell whether the packet that was just read shows a frame before the wanted one, and note that."""
        numbers = self._index.numbers
        # Where frames are found by counting, each one has to be there.
        if (
            self._index.facts.is_timeless
            or self._packet_index is None
            or not 0 < self._packet_index <= len(numbers)
        ):
            return False
        number = int(numbers[self._packet_index - 1])
        if not 0 <= number < wanted:
            return False
        # A later run must not believe that this frame is still to come.
        self._last = max(self._last, number)
        return True

    def _skip(self, *, is_far: bool) -> None:
        """Leave out, or no longer, frames that no other leans on."""
        context = self._stream().codec_context
        if (context.skip_frame == "NONREF") is not is_far:
            context.skip_frame = "NONREF" if is_far else "DEFAULT"

    def _take(self, packet: Packet[VideoStream] | None) -> None:
        """Decode a packet, or with None what the decoder still holds."""
        import av

        try:
            # PyAV raises EOFError once a decoder was emptied, which is no damage.
            pictures = self._stream().codec_context.decode(packet)
        except av.error.EOFError:
            return
        except av.FFmpegError:
            self._is_broken = True
            return
        for picture in pictures:
            if (frame := self._frame(picture)) is not None:
                self._ready.append(frame)

    def _frame(self, picture: VideoFrame) -> DecodedFrame | None:
        """Return a decoded picture as the frame that it is, None where it is not to be shown."""
        number = self._number_of(picture)
        # What leans on pictures before the key frame was decoded without them.
        if number is None or not self._first_right <= number < len(self._index.pts):
            return None
        if picture.key_frame:
            self._is_broken = False
        return DecodedFrame(
            number=number,
            time_s=float(self._index.times_s[number]),
            picture=picture,
            turn=self._index.facts.turn,
            is_damaged=self._is_broken or picture.is_corrupt,
        )

    def _number_of(self, picture: VideoFrame) -> int | None:
        if self._index.facts.is_timeless:
            self._counted += 1
            return self._counted - 1
        # Frames whose time the index does not know are hidden ones, or those of a damaged stretch.
        return None if picture.pts is None else self._index.number_by_pts.get(picture.pts)

    def _stream(self) -> VideoStream:
        return self._open().stream

    def _open(self) -> OpenVideo:
        if self._opened is None:
            self._opened = open_container(self._path)
            # PyAV's default, slices, decodes most files on one core.
            self._opened.stream.thread_type = "AUTO"
        return self._opened

    def _seek(self, key: int) -> None:
        """Stand before a key packet, so that it is the next to be decoded."""
        self._ready.clear()
        self._is_broken = self._is_proven = False
        self._counted = 0
        if self._index.facts.is_timeless:
            self._from_beginning()
        else:
            self._stand_at(key)
        self._first_right = max(0, int(self._index.numbers[self._index.key_packets[key]]))
        self._last = self._first_right - 1

    def _stand_at(self, key: int) -> None:
        """Seek to a key packet's time and look where that led; walk back where it led too far."""
        wanted = self._index.key_packets[key]
        for back in range(SEEKS):
            # Containers seek by time of decoding or of presentation, and some by bytes: where it led is
            # looked at, not believed.
            earlier = self._index.key_packets[max(0, key - back)]
            if self._has_sought(int(self._index.packet_pts[earlier])) and self._has_reached(wanted):
                return
        self._from_beginning()
        if not self._has_reached(wanted):
            raise UserError(f"{self._path.name} has changed since it was opened.", hint="Open it again.")

    def _has_sought(self, pts: int) -> bool:
        import av

        opened = self._open()
        try:
            opened.container.seek(pts, stream=opened.stream)
        except av.FFmpegError:
            return False
        self._packets = opened.container.demux(opened.stream)
        self._packet_index = None
        return True

    def _has_reached(self, wanted: int) -> bool:
        """Skip packets up to the required one; False if the first packet read is already after it."""
        with error_text(self._path):
            for packet in self._packets:
                index = self._packet_index_of(packet)
                if index == wanted:
                    self._packets = chain((packet,), self._packets)
                    self._packet_index = index
                    return True
                if not packet.size or (index is not None and index > wanted):
                    return False
        return False

    def _packet_index_of(self, packet: Packet[VideoStream]) -> int | None:
        """Return the place of a packet that was just read: by its time, or by the one before it."""
        if packet.pts is not None and packet.size:
            self._packet_index = self._index.packet_by_pts.get(packet.pts, self._packet_index)
        elif self._packet_index is not None:
            self._packet_index += 1
        return self._packet_index

    def _from_beginning(self) -> None:
        """Reopen the file: not every container can seek back to its first packet."""
        self.close()
        opened = self._open()
        self._packets = opened.container.demux(opened.stream)
        self._packet_index = 0 if self._index.facts.is_timeless else None
