"""What a file, or a folder of frames, is: by its content, whatever its name says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.medium import MediaType
from annotator.domain.record import ValueObject
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.content_hash import content_digest
from annotator.media.decode_memory import BUDGET, decode_bytes
from annotator.media.exif import ExifData, read_exif
from annotator.media.image_file import open_image, upright_size
from annotator.media.listing import frame_files, is_frame, kind_by_name
from annotator.media.video_file import probe_video
from annotator.progress import Progress

HEAD_BYTES = 512
_NPY = b"\x93NUMPY"
# Depth maps and thermal images both have these modes; only names distinguish them.
_SIXTEEN_BIT_GREY = frozenset({"I;16", "I;16B", "I;16L", "I", "F"})
_CONTAINERS: tuple[tuple[int, bytes], ...] = (
    (4, b"ftyp"),
    (4, b"moov"),
    (4, b"mdat"),
    (4, b"wide"),
    (4, b"free"),
    (0, b"\x1aE\xdf\xa3"),
    (8, b"AVI "),
    (0, b"FLV\x01"),
    (0, b"OggS"),
    (0, b"0&\xb2u\x8ef\xcf\x11"),
    (0, b"\x00\x00\x01\xba"),
    (0, b"\x00\x00\x01\xb3"),
    (0, b"\x00\x00\x00\x01"),
)
"""Bytes at places by which video containers are known: MP4, Matroska, AVI, FLV, Ogg, ASF, MPEG, raw H.26x."""
# AVIF is a picture in the container of MP4.
_AVIF = (b"ftypavif", b"ftypavis", b"ftypmif1")
_SYNC = b"G"
_TRANSPORT_PACKETS = ((0, 188), (4, 192))
"""First place of the sync byte in a transport stream, and how far apart the next ones are.

Source: ISO/IEC 13818-1, 2.4.3.2; Blu-ray and AVCHD put a time stamp of four bytes before each packet.
"""
_SYNCS = 3
"""Sync bytes in a row that are taken for a transport stream: GIF begins with the same letter."""


class MediaProbe(ValueObject, frozen=True, kw_only=True):
    """Properties of a media file or frame folder; attributes not listed here are those of ``Medium``.

    Attributes:
        sha256: Hex digest of the content, or of the names and digests of a folder's files; "" if not
            requested.
        media_type: Type of the content, None if it cannot be determined.
        damage: Reason why the file cannot be read, "" for a sound one.
    """

    sha256: str
    size_bytes: int
    width_px: int = 0
    height_px: int = 0
    encoding: str = ""
    captured_at: str = ""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None
    duration_s: float = 0.0
    frames: int = 0
    exif: dict[str, Any] = {}  # noqa: RUF012 - msgspec copies an empty default for each record
    media_type: MediaType | None = None
    damage: str = ""

    def medium_values(self) -> dict[str, Any]:
        """Return the values that a medium keeps, by field; an absent digest is left out."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        del values["media_type"], values["damage"]
        return values if self.sha256 else {k: v for k, v in values.items() if k != "sha256"}


def probe_media(
    path: Path, *, kind: MediaType = "image", is_hashed: bool = True, progress: Progress | None = None
) -> MediaProbe:
    """Return the properties of a file or frame folder; damage is reported in the result, not raised.

    Args:
        path: The file or folder.
        kind: Media type if the content is ambiguous: a 16-bit greyscale image may be a depth map.
        is_hashed: Whether the whole content is read and hashed.
        progress: Checked for cancel while the content is read, but not stepped; None for no cancel.

    Raises:
        EnvironmentFailure: The file cannot be read.
        Cancelled: The user cancelled.
    """
    active_progress = progress or Progress()
    try:
        if path.is_dir():
            return _probe_folder(path, is_hashed=is_hashed, progress=active_progress)
        return _probe_file(path, kind=kind, is_hashed=is_hashed, progress=active_progress)
    except OSError as error:
        raise EnvironmentFailure(
            f"{path} cannot be read: {error.strerror}.", hint="Check the disk and its permissions."
        ) from error


def is_video_head(head: bytes) -> bool:
    """Tell whether a file that begins so is a video."""
    if head[4:12] in _AVIF:
        return False
    if any(head[at : at + len(mark)] == mark for at, mark in _CONTAINERS):
        return True
    return any(head[at::step][:_SYNCS] == _SYNC * _SYNCS for at, step in _TRANSPORT_PACKETS)


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file; EnvironmentFailure where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error


def _probe_file(path: Path, *, kind: MediaType, is_hashed: bool, progress: Progress) -> MediaProbe:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    digest = content_digest(path, progress=progress) if is_hashed else ""
    # Damage must not hide the digest: by it the file is found again once it was repaired elsewhere.
    facts = MediaProbe(sha256=digest, size_bytes=path.stat().st_size)
    try:
        return msgspec.structs.replace(facts, **_probe_content(path, head, kind=kind))
    except UserError as error:
        return msgspec.structs.replace(facts, damage=str(error))


def _probe_content(path: Path, head: bytes, *, kind: MediaType) -> dict[str, Any]:
    """Return the fields that the content of a file fills.

    Raises:
        UserError: It cannot be read as what it is.
    """
    if not head:
        raise UserError(f"{path.name} is empty.")
    if head.startswith(_NPY):
        return _array(path)
    if is_video_head(head):
        return {"media_type": "video", **msgspec.structs.asdict(probe_video(path))}
    if kind == "trajectory" or kind_by_name(path.name) == "trajectory":
        return {
            "media_type": "trajectory",
            "encoding": "JSON" if head.lstrip()[:1] in {b"[", b"{"} else "TEXT",
        }
    return _probe_image(path, kind=kind)


def _probe_image(path: Path, *, kind: MediaType) -> dict[str, Any]:
    with open_image(path) as image:
        # EXIF of a PNG may follow its pixels, so that Pillow decodes all of them to find it.
        needed = decode_bytes(image, size=(1, 1), is_deep=False) if image.format == "PNG" else 0
        with BUDGET.reserve(needed, name=path.name):
            size, exif = upright_size(image), _exif_of(image)
        is_depth = image.mode in _SIXTEEN_BIT_GREY and "depth" in (kind, kind_by_name(str(path)))
        return {
            "media_type": "depth" if is_depth else "image",
            "encoding": image.format or "",
            "width_px": size.width_px,
            "height_px": size.height_px,
            **msgspec.structs.asdict(exif),
        }


def _exif_of(image: Any) -> ExifData:  # noqa: ANN401 - a picture of Pillow, which is imported late
    """Return the EXIF data; damaged EXIF in a sound image counts as none."""
    from annotator.media.image_file import DAMAGE

    try:
        return read_exif(image)
    except DAMAGE:
        return ExifData()


def _array(path: Path) -> dict[str, Any]:
    """Return what the head of a NumPy file tells; its values are not read, and never unpickled."""
    from annotator.media.depth_file import array_shape

    height, width = array_shape(path)
    return {"media_type": "depth", "encoding": "NPY", "width_px": width, "height_px": height}


def _probe_folder(path: Path, *, is_hashed: bool, progress: Progress) -> MediaProbe:
    """Return the facts of a folder of frames: of its first picture, with number and digest of them all."""
    files = frame_files(path)
    pictures = list(filter(is_frame, files))
    total = sum(file.stat().st_size for file in files)
    sha256 = content_digest(path, progress=progress) if is_hashed else ""
    if not pictures:
        text = f"{path.name} contains no images."
        return MediaProbe(sha256=sha256, size_bytes=total, media_type="frames", damage=text)
    # Its content is in the folder's digest already.
    first = _probe_file(pictures[0], kind="image", is_hashed=False, progress=progress)
    return msgspec.structs.replace(
        first, sha256=sha256, size_bytes=total, media_type="frames", frames=len(pictures), exif={}
    )
