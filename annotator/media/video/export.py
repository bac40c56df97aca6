"""Frames and clips out of a video: exactly those that its numbers name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annotator.domain.record import ValueObject, new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.image_decoder import encode_png
from annotator.media.video.clip_cut import ClipCut
from annotator.media.video.clip_plan import COPIED_ENDINGS, find_cuts
from annotator.media.video.decoder import FrameDecoder
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

# The clock of MPEG: 24, 25, 29.97, 30, 50 and 60 frames per second have whole numbers of ticks.
TICKS_PER_S = 90_000
_ENCODING = {"preset": "veryfast", "crf": "12", "x264-params": "log-level=error"}
"""Nearly without loss: a picture that was coded twice must not look so."""


class SavedClip(ValueObject, frozen=True, kw_only=True):
    """A written clip, without audio.

    Attributes:
        path: The file.
        first: Number of its first frame in the source video.
        last: Number of its last frame there.
        frames: Number of its frames.
        is_copied: Whether the packets were copied; otherwise all frames were re-encoded.
        why: Reason for re-encoding, "" if copied.
    """

    path: str
    first: int
    last: int
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


def save_clip(
    video: Video, first: int, *, last: int, path: Path, progress: Progress, is_widened: bool = False
) -> SavedClip:
    """Write a range of a video as a clip: packets are copied if the cuts allow it, otherwise re-encoded.

    For a copy the range has to begin with a key frame and its packets must contain no other frames. A copied
    clip is read back, and its number of frames and both ends are compared with the source.

    Args:
        video: The video.
        first: Number of the first frame.
        last: Number of the last frame, included.
        path: The file, with suffix .mp4, .mov or .mkv; an existing one is replaced.
        progress: One step per frame.
        is_widened: Move both cuts outwards to where packets can be copied. Hidden frames on which the first
            one depends are copied too, and remain hidden. If nothing can be copied the range is not changed.

    Raises:
        UserError: The frames do not exist, one is damaged, or the suffix is another.
        EnvironmentFailure: The video cannot be read, or the clip cannot be written.
        Cancelled: The user cancelled; nothing is written.
    """
    if not 0 <= first <= last < video.frame_count:
        raise UserError(
            f"{video.path.name} has no frames {first:,} to {last:,}: it has {video.frame_count:,}."
        )
    if path.suffix.lower() not in COPIED_ENDINGS:
        raise UserError(f"Unsupported clip format {path.suffix}.", hint="Use .mp4, .mov or .mkv.")
    cuts = find_cuts(video, first, last=last, path=path, is_widened=is_widened)
    with _replaced(path) as partial:
        cut, why = _first_copied(video, cuts, path=partial, progress=progress)
        if why:
            # Coded anew, nothing is gained by more frames.
            cut = ClipCut(first=first, last=last)
            progress.begin(f"Encoding a clip of {video.path.name}", total=last - first + 1)
            _encode(video, first, last=last, path=partial, progress=progress)
    progress.end()
    return SavedClip(
        path=str(path),
        first=cut.first,
        last=cut.last,
        frames=cut.last - cut.first + 1,
        is_copied=not why,
        why=why,
    )


@contextlib.contextmanager
def _replaced(path: Path) -> Iterator[Path]:
    """Yield a temporary file in the same folder, which replaces the path on success."""
    partial = path.with_name(f".{new_id()}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        partial.replace(path)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            # Moved to its place by now, or never made.
            partial.unlink()


def _first_copied(
    video: Video, cuts: Iterable[ClipCut], *, path: Path, progress: Progress
) -> tuple[ClipCut, str]:
    """Copy the first cut that can be copied, or return the first cut and why it cannot be."""
    refused: list[tuple[ClipCut, str]] = []
    for cut in cuts:
        why = cut.why or _copied(video, cut, path=path, progress=progress)
        if not why:
            return cut, ""
        refused.append((cut, why))
    return refused[0]


def _copied(video: Video, cut: ClipCut, *, path: Path, progress: Progress) -> str:
    """Copy packets, read the clip back, and return why it is no good; "" where it is."""
    import av

    index = video_index(video.path)
    progress.begin(f"Copying a clip of {video.path.name}", total=cut.last - cut.first + 1)
    try:
        with opened_container(video.path) as opened, av.open(str(path), "w") as out:
            _copy(opened, out, cut=cut, start=int(index.pts[cut.first]), progress=progress)
        # Read back: muxers drop or add packets at cuts without a word.
        copy = make_index(path)
        if len(copy.packet_indices) != cut.last - cut.first + 1:
            return "the copy has different frames"
        if copy.facts.turn != index.facts.turn:
            return f"{path.suffix} does not keep the rotation of the video"
        return _difference(video, copy, cut=cut, path=path)
    except UserError as error:
        return f"its packets are not supported by {path.suffix}: {error.message}"


def _copy(opened: OpenVideo, out: OutputContainer, *, cut: ClipCut, start: int, progress: Progress) -> None:
    # Opaque: the packets alone are written, and PyAV asks for no encoder, which decoders such as dav1d lack.
    target = out.add_stream_from_template(opened.stream, opaque=True)
    packets = (packet for packet in opened.container.demux(opened.stream) if packet.size)
    for index, packet in enumerate(packets):
        if index >= cut.end:
            return
        if index >= cut.begin:
            # Times from 0, else players show an empty stretch first; what is hidden has times below.
            _move(packet, -start)
            packet.stream = target
            out.mux(packet)
        # What lies before the clip is read too, and can be given up.
        progress.step(1 if index >= cut.begin else 0)


def _difference(video: Video, copy: VideoIndex, *, cut: ClipCut, path: Path) -> str:
    """Return why the pictures of a copy differ from those of the video, "" where they do not."""
    decoder = FrameDecoder(path, copy)
    try:
        for number, why in (
            (cut.first, "the first frame depends on frames before it"),
            (cut.last, "the last frame depends on frames outside of the clip"),
        ):
            index = number - cut.first
            shown = next(iter(decoder.run(index, last=index)), None)
            if shown is None or not np.array_equal(shown.rgb(), video.frame(number).rgb()):
                return why
    finally:
        decoder.close()
    return ""


def _move(packet: Packet[VideoStream], ticks: int) -> None:
    if packet.pts is not None:
        packet.pts += ticks
    if packet.dts is not None:
        packet.dts += ticks


def _encode(video: Video, first: int, *, last: int, path: Path, progress: Progress) -> None:
    import av

    width, height = video.size_px
    with av.open(str(path), "w") as out:
        # The rates of NTSC are fractions over 1,001.
        rate = Fraction(video.fps).limit_denominator(1001)
        stream = out.add_stream("libx264", rate=rate, options=_ENCODING)
        stream.width, stream.height = width, height
        # Colours for every two pixels need even sides.
        stream.pix_fmt = "yuv444p" if width % 2 or height % 2 else "yuv420p"
        # Exact times instead of a rate: videos of cameras hardly ever have an even one.
        stream.codec_context.time_base = Fraction(1, TICKS_PER_S)
        for frame in video.frames(range(first, last + 1)):
            picture = av.VideoFrame.from_ndarray(frame.rgb(), format="rgb24")
            picture.pts = round((frame.time_s - float(video.times_s[first])) * TICKS_PER_S)
            picture.time_base = Fraction(1, TICKS_PER_S)
            out.mux(stream.encode(picture))
            progress.step()
        out.mux(stream.encode())
