"""Frames and clips out of a film: exactly those that its numbers name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.record import ValueObject, new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.image_decoder import encode_png
from annotator.media.video.frames import Rgb
from annotator.media.video.index import VideoIndex
from annotator.media.video.index_store import video_index
from annotator.media.video.indexing import make_index
from annotator.media.video.opening import OpenVideo, opened_container
from annotator.media.video.video import Video
from annotator.progress import Progress

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.packet import Packet
    from av.video.stream import VideoStream

COPIED_ENDINGS = frozenset({".mp4", ".mov", ".mkv"})
TICKS_PER_S = 90_000
_ENCODING = {"preset": "veryfast", "crf": "12", "x264-params": "log-level=error"}
"""Nearly without loss: a picture that was coded twice must not look so."""


class SavedClip(ValueObject, frozen=True, kw_only=True):
    """A clip that was written; it has no sound.

    Attributes:
        path: The file.
        frames: Number of its frames.
        is_copied: Whether its pictures are the film's own bytes; else they were coded anew, frame by frame.
        why: Why they were coded anew, in words; "" where they were not.
    """

    path: str
    frames: int
    is_copied: bool
    why: str = ""


def save_picture(picture: Rgb, *, path: Path) -> None:
    """Write a picture as a PNG file; one that is there is replaced.

    Args:
        picture: uint8 (height, width, 3), red, green, blue.
        path: The file.

    Raises:
        EnvironmentFailure: The disk refused.
    """
    with _replaced(path) as partial:
        partial.write_bytes(encode_png(picture))


def save_clip(film: Video, first: int, *, last: int, path: Path, progress: Progress) -> SavedClip:
    """Write a stretch of a film as a clip: copied where the cuts allow it, else coded anew.

    Copying needs a key frame at the beginning and nothing that leans over either cut, so that the clip holds
    exactly the frames from first to last; what was copied is read back and counted.

    Args:
        film: The film.
        first: Number of the first frame.
        last: Number of the last one, itself included.
        path: The file, ending in .mp4, .mov or .mkv; one that is there is replaced.
        progress: Stepped once a frame.

    Raises:
        UserError: There are no such frames, one is damaged, or the ending is another.
        EnvironmentFailure: The film cannot be read, or the disk refused.
        Cancelled: The user stopped it; nothing is written.
    """
    if not 0 <= first <= last < film.frame_count:
        raise UserError(f"{film.path.name} has no frames {first:,} to {last:,}: it has {film.frame_count:,}.")
    if path.suffix.lower() not in COPIED_ENDINGS:
        raise UserError(f"Unsupported clip format {path.suffix}.", hint="Use .mp4, .mov or .mkv.")
    index = video_index(film.path) if film.coding else None
    why = (
        "the video is a folder of images" if index is None else _why_not_copied(index, first=first, last=last)
    )
    with _replaced(path) as partial:
        if index is not None and not why:
            progress.begin(f"Copying a clip of {film.path.name}", total=last - first + 1)
            why = _copied(film.path, index, first=first, last=last, path=partial, progress=progress)
        if why:
            progress.begin(f"Encoding a clip of {film.path.name}", total=last - first + 1)
            _encode(film, first, last=last, path=partial, progress=progress)
    progress.end()
    return SavedClip(path=str(path), frames=last - first + 1, is_copied=not why, why=why)


@contextlib.contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Give a file beside a path that takes its place when all went well."""
    partial = path.with_name(f".{new_id()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        partial.replace(path)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _why_not_copied(index: VideoIndex, *, first: int, last: int) -> str:
    """Return why a stretch cannot be cut out of the packets, "" where it can."""
    if index.facts.is_timeless:
        return "the video has no timestamps"
    if not index.facts.turn.is_none:
        return "the video is rotated"
    begin, end = _packet_span(index, first=first, last=last)
    if begin not in index.key_places:
        return "the first frame is not a key frame"
    if end < len(index.packet_pts) and end not in index.key_places:
        return "no key frame follows the last frame"
    numbers = np.sort(index.numbers[begin:end])
    if not np.array_equal(numbers, np.arange(first, last + 1)):
        return "frames at the cuts depend on other frames"
    return ""


def _packet_span(index: VideoIndex, *, first: int, last: int) -> tuple[int, int]:
    """Return the places of the first packet of a stretch, and behind its last."""
    return int(index.places[first]), int(index.places[first : last + 1].max()) + 1


def _copied(source: Path, index: VideoIndex, *, first: int, last: int, path: Path, progress: Progress) -> str:
    """Copy packets, read the clip back, and return why it is no good; "" where it is."""
    import av

    begin, end = _packet_span(index, first=first, last=last)
    try:
        with opened_container(source) as opened, av.open(str(path), "w") as out:
            _copy(opened, out, begin=begin, end=end, progress=progress)
        # Read back: muxers drop or add packets at cuts without a word.
        is_whole = len(make_index(path).places) == last - first + 1
    except UserError as error:
        return f"its packets are not supported by {path.suffix}: {error.message}"
    return "" if is_whole else "the copy has different frames"


def _copy(opened: OpenVideo, out: OutputContainer, *, begin: int, end: int, progress: Progress) -> None:
    target = out.add_stream_from_template(opened.stream)
    packets = (packet for packet in opened.container.demux(opened.stream) if packet.size)
    start: int | None = None
    for place, packet in enumerate(packets):
        if place >= end:
            return
        if place >= begin:
            # Times from 0, else players show an empty stretch first.
            start = packet.pts if start is None else start
            _move(packet, -(start or 0))
            packet.stream = target
            out.mux(packet)
        # What lies before the clip is read too, and can be given up.
        progress.step(1 if place >= begin else 0)


def _move(packet: Packet[VideoStream], ticks: int) -> None:
    if packet.pts is not None:
        packet.pts += ticks
    if packet.dts is not None:
        packet.dts += ticks


def _encode(film: Video, first: int, *, last: int, path: Path, progress: Progress) -> None:
    import av

    width, height = film.size_px
    with av.open(str(path), "w") as out:
        rate = Fraction(film.fps).limit_denominator(1001)
        stream = out.add_stream("libx264", rate=rate, options=_ENCODING)
        stream.width, stream.height = width, height
        # Colours for every two pixels need even sides.
        stream.pix_fmt = "yuv444p" if width % 2 or height % 2 else "yuv420p"
        # Exact times instead of a rate: films of cameras hardly ever have an even one.
        stream.codec_context.time_base = Fraction(1, TICKS_PER_S)
        for frame in film.frames(range(first, last + 1)):
            picture = av.VideoFrame.from_ndarray(frame.rgb(), format="rgb24")
            picture.pts = round((frame.time_s - float(film.times_s[first])) * TICKS_PER_S)
            picture.time_base = Fraction(1, TICKS_PER_S)
            out.mux(stream.encode(picture))
            progress.step()
        out.mux(stream.encode())
