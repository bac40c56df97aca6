"""What a video file is, from its container and its first frame; the rest is never decoded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.domain.record import Part
from annotator.errors import UserError
from annotator.media.image_file import require_size
from annotator.media.image_header import Size

if TYPE_CHECKING:
    from av import VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream

FIRST_FRAME_PACKETS = 600
"""A stream that shows no frame within so many packets is taken for damaged: 20 s at 30 frames/s."""
_ISO_6709 = re.compile(r"([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)?")
_LOCATIONS = ("com.apple.quicktime.location.ISO6709", "location", "location-eng")


class VideoFacts(Part, frozen=True, kw_only=True):
    """What a video is; fields as in ``Medium``, size after rotation."""

    coding: str
    width_px: int
    height_px: int
    duration_s: float = 0.0
    frames: int = 0
    captured_at: str = ""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None


def read_video(path: Path) -> VideoFacts:
    """Return what a video file is.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
    """
    with opened_video(path) as (container, stream):
        frame = _first_frame(container, stream, name=path.name)
        # Copied before the container closes: the stream's memory goes with it.
        size, coding = _size_after_rotation(frame), stream.codec_context.name
        rate = float(stream.average_rate or 0)
        declared = stream.frames
        duration_s = _duration_s(container, stream)
        metadata = dict(container.metadata)
    frames = max(0, declared) or _frame_count(path)
    place = _place(metadata)
    return VideoFacts(
        coding=coding,
        width_px=size.width_px,
        height_px=size.height_px,
        duration_s=round(max(0.0, duration_s) or (frames / rate if rate > 0 else 0.0), 6),
        frames=frames,
        captured_at=metadata.get("creation_time", "")[:40],
        latitude_deg=place[0] if place else None,
        longitude_deg=place[1] if place else None,
        altitude_m=place[2] if place else None,
    )


def first_frame(path: Path) -> VideoFrame:
    """Return the first frame of a video, not turned yet (its ``rotation`` tells).

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
    """
    with opened_video(path) as (container, stream):
        return _first_frame(container, stream, name=path.name)


@contextmanager
def opened_video(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a video's first picture stream.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
    """
    import av

    try:
        # Metadata in other encodings than UTF-8 is no reason to refuse a video.
        with av.open(str(path), metadata_errors="replace") as container:
            stream = next(iter(container.streams.video), None)
            if stream is None:
                raise UserError(f"{path.name} holds no pictures, only sound or data.")
            # PyAV gives none for a codec that it does not know, whatever its annotations say.
            if getattr(stream, "codec_context", None) is None:
                raise UserError(f"{path.name} is coded in a way that is not known here.")
            size = Size(width_px=stream.codec_context.width, height_px=stream.codec_context.height)
            require_size(size, name=path.name)
            yield container, stream
    except (av.FFmpegError, ValueError, ArithmeticError, MemoryError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path.name} cannot be read as a video: {why[:160]}.") from error


def _first_frame(container: InputContainer, stream: VideoStream, *, name: str) -> VideoFrame:
    for number, packet in enumerate(container.demux(stream)):
        for frame in packet.decode():
            return frame
        if number >= FIRST_FRAME_PACKETS:
            break
    raise UserError(f"{name} shows no frame: it is damaged, or cut off.")


def _size_after_rotation(frame: VideoFrame) -> Size:
    is_sideways = round(frame.rotation / 90) % 2 == 1
    width, height = (frame.height, frame.width) if is_sideways else (frame.width, frame.height)
    return Size(width_px=width, height_px=height)


def _duration_s(container: InputContainer, stream: VideoStream) -> float:
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    # Containers count in microseconds.
    return (container.duration or 0) / 1_000_000


def _frame_count(path: Path) -> int:
    """Count the packets of the stream: for containers that do not say how many frames they hold."""
    with opened_video(path) as (container, stream):
        return sum(1 for packet in container.demux(stream) if packet.size)


def _place(metadata: dict[str, str]) -> tuple[float, float, float | None] | None:
    """Return latitude, longitude and height of an ISO 6709 text such as ``+46.8428-091.9937+198.4/``."""
    text = next((metadata[key] for key in _LOCATIONS if key in metadata), "")
    found = _ISO_6709.match(text)
    if found is None:
        return None
    latitude, longitude = float(found[1]), float(found[2])
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return latitude, longitude, float(found[3]) if found[3] else None
