"""Reads EXIF: capture time, position, camera, and further tags as plain values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from annotator.domain.record import ValueObject

if TYPE_CHECKING:
    from PIL.Image import Image

# What is kept goes into the log, once for each of 10^5 pictures.
MOST_TAGS = 80
LONGEST_TEXT = 200
LONGEST_LIST = 16
_EXIF_IFD, _GPS_IFD = 0x8769, 0x8825
_SUBSECONDS = {
    "DateTimeOriginal": "SubsecTimeOriginal",
    "DateTimeDigitized": "SubsecTimeDigitized",
    "DateTime": "SubsecTime",
}
_OFFSETS = {
    "DateTimeOriginal": "OffsetTimeOriginal",
    "DateTimeDigitized": "OffsetTimeDigitized",
    "DateTime": "OffsetTime",
}
_OFFSET = re.compile(r"[+-]\d\d:\d\d")
# Told in fields of their own, or of no use to anybody without the maker's program.
_LEFT_OUT = frozenset(
    {"MakerNote", "ExifOffset", "GPSInfo", "ExifInteroperabilityOffset", "PrintImageMatching"}
)


class ExifData(ValueObject, frozen=True, kw_only=True):
    """What is read from EXIF; fields as in ``Medium``."""

    captured_at: str = ""
    latitude_deg: float | None = None
    longitude_deg: float | None = None
    altitude_m: float | None = None
    exif: dict[str, Any] = {}  # noqa: RUF012 - msgspec copies an empty default for each record


def read_exif(image: Image) -> ExifData:
    """Return the EXIF data of an opened image; invalid tags are skipped.

    Args:
        image: A Pillow image; it is not decoded.
    """
    from PIL.ExifTags import GPSTAGS, TAGS

    found = image.getexif()
    tags = {TAGS.get(tag, f"0x{tag:04x}"): value for tag, value in found.items()}
    tags |= {TAGS.get(tag, f"0x{tag:04x}"): value for tag, value in found.get_ifd(_EXIF_IFD).items()}
    gps = {GPSTAGS.get(tag, f"0x{tag:04x}"): value for tag, value in found.get_ifd(_GPS_IFD).items()}
    position = _position(gps)
    return ExifData(
        captured_at=_captured_at(tags),
        latitude_deg=position[0] if position else None,
        longitude_deg=position[1] if position else None,
        altitude_m=_altitude(gps),
        exif=_plain_tags(tags, gps),
    )


def _captured_at(tags: Mapping[str, Any]) -> str:
    """Return the ISO 8601 time of the shot, with fraction and offset where they are stated."""
    for tag, subseconds in _SUBSECONDS.items():
        try:
            moment = datetime.strptime(str(tags.get(tag, ""))[:19], "%Y:%m:%d %H:%M:%S")  # noqa: DTZ007 - EXIF times have no zone
        except ValueError:
            continue
        fraction = str(tags.get(subseconds, "")).strip("\0 ")
        offset = str(tags.get(_OFFSETS[tag], "")).strip("\0 ")
        digits = f".{fraction[:6]}" if fraction.isascii() and fraction.isdigit() else ""
        return f"{moment.isoformat()}{digits}{offset if _OFFSET.fullmatch(offset) else ''}"
    return ""


def _position(gps: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return latitude and longitude in degrees, None where they are not stated or lie nowhere on Earth."""
    # References are letters, and some cameras write them small.
    latitude = _degrees(gps.get("GPSLatitude"), is_negative=str(gps.get("GPSLatitudeRef", "")).upper() == "S")
    longitude = _degrees(
        gps.get("GPSLongitude"), is_negative=str(gps.get("GPSLongitudeRef", "")).upper() == "W"
    )
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    # Cameras without a fix write zeros.
    return None if latitude == 0 and longitude == 0 else (latitude, longitude)


def _degrees(value: object, *, is_negative: bool) -> float | None:
    parts = [_number(part) for part in value] if isinstance(value, tuple | list) else []
    known = [part for part in parts if part is not None]
    # Degrees alone, or with minutes, or with seconds: each 60th of the one before.
    if not known or len(known) != len(parts) or len(parts) > 3:
        return None
    degrees: float = sum(part / 60.0**index for index, part in enumerate(known))
    return round(-degrees if is_negative else degrees, 9)


def _altitude(gps: Mapping[str, Any]) -> float | None:
    height = _number(gps.get("GPSAltitude"))
    if height is None:
        return None
    is_below = gps.get("GPSAltitudeRef") in (b"\x01", 1)
    return -height if is_below else height


def _number(value: object) -> float | None:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        return None
    return round(number, 9) if math.isfinite(number) else None


def _plain_tags(tags: Mapping[str, Any], gps: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for name, value in (*tags.items(), *gps.items()):
        kept = _plain(value)
        if name not in _LEFT_OUT and kept not in (None, "", []) and len(plain) < MOST_TAGS:
            plain[name] = kept
    return plain


def _plain(value: object) -> Any:  # noqa: ANN401 - a JSON value
    """Return a tag's value as JSON: text, number or short list; None for what is none of these."""
    if isinstance(value, str):
        return _plain_text(value)
    if isinstance(value, bytes):
        is_text = value.isascii() and value.rstrip(b"\0").decode("ascii").isprintable()
        return _plain_text(value.decode("ascii")) if is_text else None
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value] if len(value) <= LONGEST_LIST else None
    if isinstance(value, int):
        # Beyond 2**53 other readers of JSON would round it.
        return int(value) if abs(value) < 2**53 else None
    return _number(value)


def _plain_text(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    # Half a surrogate pair in a text of bytes cannot be written as UTF-8.
    return shown.encode("utf-8", "replace").decode("utf-8").strip()[:LONGEST_TEXT]
