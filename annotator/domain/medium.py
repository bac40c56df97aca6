"""A medium: one image, video, frame folder, depth map, top-view map or trajectory file."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import Record

Kind = Literal["image", "video", "frames", "depth", "map", "trajectory"]


class Medium(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One file (or frame folder) of a project, known by its content.

    Attributes:
        name: File name as people know it, without upload prefixes; unique within a dataset.
        dataset: The collection it came with, for instance ``Real_2_UAVs``.
        kind: What it is.
        path: Hint where it lies, relative to the media root of the project, "/" between parts.
        sha256: Hex digest of its content, "" while the file has not been seen.
        size_bytes: Size of the file, 0 while it has not been seen.
        width_px: Width after EXIF orientation, 0 while unknown.
        height_px: Height after EXIF orientation, 0 while unknown.
        licence: Licence words of its source, "" where none was stated.
    """

    name: str
    dataset: str = ""
    kind: Kind = "image"
    path: str = ""
    sha256: str = ""
    size_bytes: int = 0
    width_px: int = 0
    height_px: int = 0
    licence: str = ""
