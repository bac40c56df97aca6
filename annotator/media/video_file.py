"""What a video file is, from its container and its first frame; the rest is never decoded."""

from __future__ import annotations

import re
from pathlib import Path

from annotator.domain.record import ValueObject
from annotator.media.video.opening import OpenVideo, first_frame, opened_container
from annotator.media.video.rotation import Rotation

_ISO_6709 = re.compile(r"([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)([+-]\d+(?:\.\d+)?)?")
# Apple, then the two spellings that MP4 writers use.
_LOCATIONS = ("com.apple.quicktime.location.ISO6709", "location", "location-eng")


class VideoProbe(ValueObject, frozen=True, kw_only=True):
    """What a video is; fields as in ``Medium``, size after rotation."""

    encoding: str
    width_px: int
    height_px: int
    duration_s: float = 0.0
    frames: int = 0
    captured_at: str = ""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None


def probe_video(path: Path) -> VideoProbe:
    """Return what a video file is.

    Raises:
        UserError: It is no video, or damaged, or its frames are too large.
        EnvironmentFailure: The file cannot be read.
    """
    # A stream's own size is before the turn, which only a decoded frame tells.
    first = first_frame(path)
    width_px, height_px = Rotation.of_frame(first).size_px(first.width, first.height)
    with opened_container(path) as opened:
        # Copied before the container closes: the stream's memory goes with it.
        encoding = opened.stream.codec_context.name
        rate = float(opened.stream.average_rate or 0)
        duration_s = max(0.0, _duration_s(opened))
        metadata = dict(opened.container.metadata)
        # Nought or less where the container does not count.
        frames = max(0, opened.stream.frames) or _frame_count(opened)
    position = _position(metadata)
    return VideoProbe(
        encoding=encoding,
        width_px=width_px,
        height_px=height_px,
        duration_s=round(duration_s or (frames / rate if rate > 0 else 0.0), 6),
        frames=frames,
        captured_at=metadata.get("creation_time", "")[:40],
        latitude_deg=position[0] if position else None,
        longitude_deg=position[1] if position else None,
        altitude_m=position[2] if position else None,
    )


def _duration_s(opened: OpenVideo) -> float:
    if opened.stream.duration and opened.stream.time_base:
        return float(opened.stream.duration * opened.stream.time_base)
    # Containers count in microseconds.
    return (opened.container.duration or 0) / 1_000_000


def _frame_count(opened: OpenVideo) -> int:
    """Count the packets of the stream: for containers that do not say how many frames they hold."""
    return sum(1 for packet in opened.container.demux(opened.stream) if packet.size)


def _position(metadata: dict[str, str]) -> tuple[float, float, float | None] | None:
    """Return latitude, longitude and height of an ISO 6709 text such as ``+46.8428-091.9937+198.4/``."""
    text = next((metadata[key] for key in _LOCATIONS if key in metadata), "")
    found = _ISO_6709.match(text)
    if found is None:
        return None
    latitude, longitude = float(found[1]), float(found[2])
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return latitude, longitude, float(found[3]) if found[3] else None
