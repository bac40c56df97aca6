"""The index of a video, made by reading its packets; of its frames only the first is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from annotator.errors import UserError
from annotator.media.video.decoder import FrameDecoder
from annotator.media.video.index import DAMAGED, HIDDEN, KEY, NO_TIME, IndexMetadata, VideoIndex
from annotator.media.video.opening import OpenVideo, error_text, first_frame, opened_container
from annotator.media.video.rotation import Rotation
from annotator.progress import Progress

if TYPE_CHECKING:
    from av import VideoFrame
    from av.packet import Packet
    from av.video.stream import VideoStream

RATE_TOLERANCE = 0.01
"""Relative difference from the container's frame rate above which that of the time stamps is used."""
END_PACKETS = 64
"""Damage so near the end means that the file was cut off there: more than any codec holds frames back."""


def make_index(path: Path, *, progress: Progress | None = None) -> VideoIndex:
    """Read the packets of a video file.

    Args:
        path: The file.
        progress: Stepped once a packet; None where nobody waits.

    Raises:
        UserError: It is no video, shows no frame, or is damaged.
        EnvironmentFailure: It cannot be read.
        Cancelled: The user stopped it.
    """
    # It alone tells the turn, and from it on pictures are shown.
    first = first_frame(path)
    with opened_container(path) as opened:
        pts, flags, damage = _packets(opened, path, progress=progress or Progress())
        # Copied before the container closes: the stream's memory goes with it.
        facts = _facts(opened, first, pts, flags, damage=damage)
    if not facts.is_timeless:
        flags = _with_hidden(pts, flags, first=first.pts)
    index = VideoIndex(facts=facts, packet_pts=pts, packet_flags=flags)
    if facts.damage or np.any(flags[-END_PACKETS:] & DAMAGED):
        return _without_lost_end(path, index)
    return index


def _without_lost_end(path: Path, index: VideoIndex) -> VideoIndex:
    """Return the index of a file that is cut off without the frames at its end that nobody can show.

    Raises:
        UserError: None can be shown.
    """
    count = len(index.packet_indices)
    # The last group may be gone altogether, and frames of the one before with it.
    begin = int(index.key_frames[-2]) if len(index.key_frames) > 1 else 0
    decoder = FrameDecoder(path, index)
    try:
        last = max((frame.number for frame in decoder.run(begin, last=count - 1)), default=begin - 1)
    finally:
        decoder.close()
    if last < 0:
        # The first frame was seen alone, by a decoder that does not ask where it stands among the others.
        raise UserError(f"{path.name} contains no frame: the file is damaged or truncated.")
    flags = index.packet_flags.copy()
    flags[index.packet_indices[last + 1 :]] |= HIDDEN
    facts = msgspec.structs.replace(
        index.facts, damage=index.facts.damage or "The end of the file is damaged."
    )
    return VideoIndex(facts=facts, packet_pts=index.packet_pts, packet_flags=flags)


def _packets(
    opened: OpenVideo, path: Path, *, progress: Progress
) -> tuple[NDArray[np.int64], NDArray[np.uint8], str]:
    pts: list[int] = []
    flags: list[int] = []
    damage = ""
    progress.begin(f"Reading {path.name}")
    try:
        with error_text(path):
            for packet in _demuxed(opened):
                pts.append(NO_TIME if packet.pts is None else packet.pts)
                flags.append(_flags(packet))
                progress.step()
    except UserError as error:
        # What was read up to the damage can be used.
        damage = error.message
    if damage and not pts:
        raise UserError(damage)
    return np.array(pts, np.int64), np.array(flags, np.uint8), damage


def _demuxed(opened: OpenVideo) -> Iterator[Packet[VideoStream]]:
    return (packet for packet in opened.container.demux(opened.stream) if packet.size)


def _flags(packet: Packet[VideoStream]) -> int:
    return (
        (KEY if packet.is_keyframe else 0)
        | (HIDDEN if packet.is_discard else 0)
        | (DAMAGED if packet.is_corrupt else 0)
    )


def _facts(
    opened: OpenVideo, first: VideoFrame, pts: NDArray[np.int64], flags: NDArray[np.uint8], *, damage: str
) -> IndexMetadata:
    stream = opened.stream
    declared = stream.average_rate or stream.guessed_rate
    is_timeless = first.pts is None or bool(np.all(pts == NO_TIME))
    rate = float(declared or 25)
    base = stream.time_base or Fraction(1, 90_000)
    times = np.unique(pts[(pts != NO_TIME) & (flags & HIDDEN == 0)])
    last_ticks = round(1 / rate / base)
    if is_timeless:
        base, last_ticks = 1 / Fraction(rate).limit_denominator(100_000), 1
    elif len(times) > 1:
        measured = (len(times) - 1) / float((int(times[-1]) - int(times[0])) * base)
        rate = rate if abs(measured - rate) <= RATE_TOLERANCE * measured else measured
        # The median: a video with a pause in it has one step that is far longer.
        last_ticks = int(np.median(np.diff(times)))
    return IndexMetadata(
        coding=stream.codec_context.name,
        coded_px=(first.width, first.height),
        turn=Rotation.of_frame(first),
        time_base=(base.numerator, base.denominator),
        rate=rate,
        last_ticks=last_ticks,
        is_timeless=is_timeless,
        has_audio=bool(opened.container.streams.audio),
        damage=damage or _shortage(stream, len(pts)),
    )


def _shortage(stream: VideoStream, packets: int) -> str:
    if stream.frames > packets:
        return f"The file is truncated: {packets:,} of {stream.frames:,} frames are present."
    return ""


def _with_hidden(pts: NDArray[np.int64], flags: NDArray[np.uint8], *, first: int | None) -> NDArray[np.uint8]:
    """Return the flags with those packets marked that show nothing of their own."""
    hidden = flags.copy()
    # Coded before the first frame that is shown: they lean on pictures that are not in the file.
    hidden[(pts == NO_TIME) | (pts < (NO_TIME if first is None else first))] |= HIDDEN
    shown = np.flatnonzero(hidden & HIDDEN == 0)
    # A time that comes twice is one frame for every player.
    _, firsts = np.unique(pts[shown], return_index=True)
    repeated = np.setdiff1d(shown, shown[firsts])
    hidden[repeated] |= HIDDEN
    return hidden
