"""Any medium as a picture: uint8 RGB, upright, whatever the file holds."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from annotator.errors import UserError
from annotator.media.decode_memory import BUDGET, array_bytes, decode_bytes
from annotator.media.depth_file import array_shape, read_depth
from annotator.media.image_file import DAMAGE, ORIENTATION_TAG, open_image
from annotator.media.listing import frame_files, is_frame
from annotator.media.probe import is_video_head, read_head
from annotator.media.pyramid_levels import DEEP_GREY, seek_pyramid_level
from annotator.media.video.opening import first_frame
from annotator.media.video.rotation import Rotation

if TYPE_CHECKING:
    from PIL.Image import Image

Grey = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
Rgb = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
GROUND = (127, 127, 127)
"""What lies behind transparent pixels: neither light nor dark, so that nothing vanishes in it."""
GREY_SHARE = (0.5, 99.5)
"""Percentiles of deep grey that become black and white: a few hot pixels must not darken the rest."""
BAND_ROWS = 512
PART_VALUES = 1 << 20
_NPY = b"\x93NUMPY"


def decode_image(path: Path, *, max_side_px: int = 0) -> Rgb:
    """Decode a file as an image: the first frame of a video, the first image of a frame folder.

    EXIF orientation is applied. Greyscale of more than 8 bits and depth maps are stretched between their 0.5
    and 99.5 percentiles; of 16-bit colours the upper 8 bits are used. CMYK is converted with its embedded
    profile if it has one. Transparent pixels are blended with neutral grey.

    Args:
        path: The file or folder; the type is determined by the content, not by the name.
        max_side_px: Maximum longer side, 0 for full size. Smaller sizes are faster, since less is decoded.

    Returns:
        uint8 (height, width, 3), RGB.

    Raises:
        UserError: The file contains no readable image, or one that is too large.
        EnvironmentFailure: The file cannot be read.
    """
    if path.is_dir():
        return decode_image(_first_picture(path), max_side_px=max_side_px)
    head = read_head(path)
    if is_video_head(head):
        return _frame(path, max_side_px=max_side_px)
    if head.startswith(_NPY):
        # Percentiles over all values, then shrunk: of the shrunk ones they would depend on the size asked
        # for.
        with BUDGET.reserve(array_bytes(*array_shape(path)), name=path.name):
            grey = _from_grey(_stretched(read_depth(path)))
            return _rgb(_resized(grey, _size_within(grey.width, grey.height, max_side_px=max_side_px)))
    return _decode(path, max_side_px=max_side_px)


def encode_jpeg(picture: Rgb, *, quality: int = 85) -> bytes:
    """Return a picture as the bytes of a JPEG file.

    Args:
        picture: uint8 (height, width, 3), red, green, blue.
        quality: 1..95.
    """
    from PIL import Image

    written = io.BytesIO()
    Image.fromarray(picture).save(written, "JPEG", quality=quality)
    return written.getvalue()


def encode_png(picture: Rgb) -> bytes:
    """Encode an image as PNG; equal images give equal bytes.

    Args:
        picture: uint8 (height, width, 3), RGB.
    """
    from PIL import Image

    written = io.BytesIO()
    # Aerial 720p: level 6, the default, takes four times as long as level 1 and saves nothing.
    Image.fromarray(picture).save(written, "PNG", compress_level=1)
    return written.getvalue()


def _first_picture(folder: Path) -> Path:
    first = next(filter(is_frame, frame_files(folder)), None)
    if first is None:
        raise UserError(f"{folder.name} contains no images.")
    return first


def _decode(path: Path, *, max_side_px: int) -> Rgb:
    with open_image(path) as image:
        # Before EXIF's turn: a longest side is one either way round.
        size = _size_within(image.width, image.height, max_side_px=max_side_px)
        if size != (image.width, image.height):
            seek_pyramid_level(image, size=size)
        needed = decode_bytes(image, size=size, is_deep=image.mode in DEEP_GREY)
        # EXIF inside as well: that of a PNG may follow its pixels, so that Pillow decodes them to find it.
        with BUDGET.reserve(needed, name=path.name):
            return _decode_opened(image, path, size=size)


def _decode_opened(image: Image, path: Path, *, size: tuple[int, int]) -> Rgb:
    # Pillow turns TIFF by itself.
    turn = 1 if image.format == "TIFF" else image.getexif().get(ORIENTATION_TAG, 1)
    is_jpeg = image.format in {"JPEG", "MPO"}
    is_whole = size == (image.width, image.height)
    if is_jpeg and is_whole and image.mode == "RGB" and (pixels := _whole_jpeg(path)) is not None:
        return _apply_orientation(pixels, turn)
    if is_jpeg:
        # The decoder itself can leave out up to 7 of 8 pixels in each direction.
        image.draft(None, size)
    if image.mode in DEEP_GREY:
        grey = _from_grey(_stretched(_deep_values(image)))
        return _apply_orientation(_rgb(_resized(grey, size)), turn)
    return _apply_orientation(_rgb(_resized(image, size)), turn)


def _deep_values(image: Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    # In bands, as in ``_rgb``.
    values = np.empty((image.height, image.width), np.float32)
    for top in range(0, image.height, BAND_ROWS):
        below = min(top + BAND_ROWS, image.height)
        values[top:below] = np.asarray(image.crop((0, top, image.width, below)), np.float32)
    return values


def _whole_jpeg(path: Path) -> Rgb | None:
    """Return a JPEG in colour, not turned; None where OpenCV does not read it, and Pillow says why."""
    import cv2

    # Both use libjpeg-turbo and return equal pixels. Pillow keeps the interpreter lock while it copies them
    # out of its image, 11 ms for 9 megapixels, in which the window stands still; OpenCV keeps it never.
    content = np.frombuffer(path.read_bytes(), np.uint8)
    pixels = cv2.imdecode(content, cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)
    return None if pixels is None else np.asarray(pixels, np.uint8).reshape(*pixels.shape[:2], 3)


def _size_within(width: int, height: int, *, max_side_px: int) -> tuple[int, int]:
    factor = max_side_px / max(width, height) if max_side_px else 1.0
    return (max(1, round(width * factor)), max(1, round(height * factor))) if factor < 1 else (width, height)


def _resized(image: Image, size: tuple[int, int]) -> Image:
    from PIL.Image import Resampling

    # Never enlarged: an image smaller than the requested size keeps its size.
    if image.width <= size[0] and image.height <= size[1]:
        return image
    # Colours of a palette cannot be mixed by their numbers.
    if image.mode in {"P", "PA", "1"}:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    # To twice the size by whole steps first, which is much quicker than one step of the slow filter.
    return image.resize(size, Resampling.BILINEAR, reducing_gap=2.0)


def _apply_orientation(picture: Rgb, turn: object) -> Rgb:
    """Return a picture as EXIF orientation 1..8 means it to be seen."""
    turned = {
        2: picture[:, ::-1],
        3: picture[::-1, ::-1],
        4: picture[::-1],
        5: picture.transpose(1, 0, 2),
        6: np.rot90(picture, -1),
        7: picture.transpose(1, 0, 2)[::-1, ::-1],
        8: np.rot90(picture),
    }
    return np.ascontiguousarray(turned.get(turn, picture)) if isinstance(turn, int) else picture


def _flatten(image: Image) -> Image:
    """Return a picture in RGB without transparency."""
    from PIL import Image as Pictures

    if image.has_transparency_data:
        over = image.convert("RGBA")
        ground = Pictures.new("RGBA", over.size, (*GROUND, 255))
        return Pictures.alpha_composite(ground, over).convert("RGB")
    return image if image.mode == "RGB" else image.convert("RGB")


def _from_cmyk(image: Image) -> Image:
    from PIL import ImageCms

    profile = image.info.get("icc_profile")
    if not profile:
        return image.convert("RGB")
    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        shown = ImageCms.profileToProfile(image, own, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, *DAMAGE):
        # A damaged profile is no reason to show nothing: without one the inks are taken at their word.
        shown = None
    return shown or image.convert("RGB")


def _frame(path: Path, *, max_side_px: int) -> Rgb:
    frame = first_frame(path)
    width, height = _size_within(frame.width, frame.height, max_side_px=max_side_px)
    picture = frame.reformat(width=width, height=height, format="rgb24").to_ndarray()
    return Rotation.of_frame(frame).apply(np.asarray(picture, np.uint8))


def _stretched(values: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> Grey:
    """Return values as grey, uint8 of the same shape; what is no number is black."""
    flat = values.reshape(-1)
    is_known = np.isfinite(flat)
    grey = np.zeros(flat.shape, np.uint8)
    if not is_known.any():
        return grey.reshape(values.shape)
    low, high = np.percentile(flat if is_known.all() else flat[is_known], GREY_SHARE)
    # One value all over must not divide by 0; it becomes black.
    span = max(float(high - low), 1e-9)
    # In parts: the arithmetic has several values of eight bytes for each pixel at once.
    for start in range(0, flat.size, PART_VALUES):
        part, known = flat[start : start + PART_VALUES], is_known[start : start + PART_VALUES]
        scaled = np.clip((np.where(known, part, low) - low) / span, 0, 1) * 255
        grey[start : start + PART_VALUES] = np.where(known, np.round(scaled), 0).astype(np.uint8)
    return grey.reshape(values.shape)


def _from_grey(grey: Grey) -> Image:
    from PIL import Image as Pictures

    return Pictures.fromarray(grey)


def _rgb(image: Image) -> Rgb:
    # In bands: Pillow hands out its pixels in three copies, each 300 MB for 100 million of them, and what is
    # transparent is mixed in three more.
    whole = _from_cmyk(image) if image.mode == "CMYK" else image
    picture = np.empty((image.height, image.width, 3), np.uint8)
    for top in range(0, image.height, BAND_ROWS):
        below = min(top + BAND_ROWS, image.height)
        picture[top:below] = np.asarray(_flatten(whole.crop((0, top, image.width, below))))
    return picture
