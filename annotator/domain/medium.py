"""A medium: one image, video, frame folder, depth map, top-view map or trajectory file."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.image_recipe import ImageRecipe
from annotator.domain.record import Column, Record, Table, ValueObject

MediaType = Literal["image", "video", "frames", "depth", "map", "trajectory"]
VIDEO_TYPES: frozenset[MediaType] = frozenset({"video", "frames"})
"""Media with frames and a duration: a video file, and a folder of images that form a video."""
Footage = Literal["", "real", "simulated"]
"""Whether a camera or a simulator made the images, "" if unknown."""


class ClipRange(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The frames of another video that a clip shows.

    Attributes:
        first: Number of the first frame in the other video.
        last: Number of the last frame there, included.
        is_copied: Whether the clip was cut without re-encoding.
    """

    first: int
    last: int
    is_copied: bool = False


class Medium(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One file (or frame folder) of a project, identified by its content.

    Attributes:
        name: File name without upload prefixes; unique within a dataset.
        dataset: Name of the dataset, for instance ``Real_2_UAVs``.
        media_type: Type of the medium.
        path: Last known path relative to the media root of the project, with "/".
        sha256: Hex digest of the content, "" until the file was read.
        size_bytes: Size of the file, 0 until the file was read.
        width_px: Width after EXIF orientation, 0 while unknown.
        height_px: Height after EXIF orientation, 0 while unknown.
        licence: Licence stated by the source, "" for none.
        source: Id of the imported file or folder, "" if the medium was only named by a record.
        encoding: Format or codec of the content: ``JPEG``, ``MPO``, ``PNG``, ``h264``; "" while unknown.
        captured_at: ISO 8601 capture time, with offset only if the file states one.
        latitude_deg: WGS 84 latitude, -90..90, None if the file has none.
        longitude_deg: WGS 84 longitude, -180..180.
        altitude_m: Altitude above sea level according to the file.
        duration_s: Length of a video, 0 for stills and while unknown.
        frames: Number of frames of a video or frame folder, 0 for stills and while unknown.
        exif: Further metadata of the file by tag name (JSON).
        footage: ``real`` or ``simulated``, "" if unknown.
        derived_from: Id of the medium that this one was made from, "" for an original.
        clip: The frames of that medium that this clip shows, None for everything else.
        recipe: How this image was degraded, None for everything else.
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
    footage: Footage = ""
    derived_from: str = ""
    clip: ClipRange | None = None
    recipe: ImageRecipe | None = None

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
            Column(name="derived_from", value=lambda r: r.derived_from or None),
        ),
        indexes=(("name", "dataset"), ("sha256",), ("derived_from",)),
        substrings=lambda r: r.name,
    )

    @property
    def clean_image(self) -> str:
        """Id of its source if it is degraded, else its own."""
        return self.derived_from if self.recipe is not None else self.id
