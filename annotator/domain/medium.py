"""A medium: one image, video, frame folder, depth map, top-view map or trajectory file."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import Column, Record, Table

MediaType = Literal["image", "video", "frames", "depth", "map", "trajectory"]
VIDEO_TYPES: frozenset[MediaType] = frozenset({"video", "frames"})
"""Media with frames and a time: a video file, and a folder of pictures that is one film."""


class Medium(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One file (or frame folder) of a project, known by its content.

    Attributes:
        name: File name as people know it, without upload prefixes; unique within a dataset.
        dataset: The collection it came with, for instance ``Real_2_UAVs``.
        media_type: What it is.
        path: Hint where it lies, relative to the media root of the project, "/" between parts.
        sha256: Hex digest of its content, "" while the file has not been seen.
        size_bytes: Size of the file, 0 while it has not been seen.
        width_px: Width after EXIF orientation, 0 while unknown.
        height_px: Height after EXIF orientation, 0 while unknown.
        licence: Licence words of its source, "" where none was stated.
        source: Id of the imported file or folder that it came with, "" where it was only named.
        encoding: What the file is by its content: ``JPEG``, ``MPO``, ``PNG``, ``h264``; "" while unknown.
        captured_at: ISO 8601 time at which it was taken, with offset only where the file states one.
        latitude_deg: WGS 84 latitude, -90..90, None where the file has none.
        longitude_deg: WGS 84 longitude, -180..180.
        altitude_m: Height over the sea as the file states it.
        duration_s: Length of a video, 0 for stills and while unknown.
        frames: Number of frames of a video or frame folder, 0 for stills and while unknown.
        exif: What else the file says of itself, by the names of its tags (JSON).
    """

    name: str
    dataset: str = ""
    media_type: MediaType = "image"
    path: str = ""
    sha256: str = ""
    size_bytes: int = 0
    width_px: int = 0
    height_px: int = 0
    licence: str = ""
    source: str = ""
    encoding: str = ""
    captured_at: str = ""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None
    duration_s: float = 0.0
    frames: int = 0
    exif: dict[str, Any] = {}

    table = Table(
        entity="medium",
        columns=(
            Column(name="name", value=lambda r: r.name),
            Column(name="dataset", value=lambda r: r.dataset),
            Column(name="media_type", value=lambda r: r.media_type),
            Column(name="sha256", value=lambda r: r.sha256),
            Column(name="path", value=lambda r: r.path),
            Column(name="licence", value=lambda r: r.licence),
            Column(name="size_bytes", type=int, value=lambda r: r.size_bytes),
        ),
        indexes=(("name", "dataset"), ("sha256",)),
        substrings=lambda r: r.name,
    )
