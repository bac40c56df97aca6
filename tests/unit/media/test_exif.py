from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, TiffImagePlugin

from annotator.media.exif import ExifData, read_exif

Rational = TiffImagePlugin.IFDRational


def _read(folder: Path, tags: dict[int, object], *, gps: dict[int, object] | None = None) -> ExifData:
    exif = Image.Exif()
    shot = {tag: value for tag, value in tags.items() if tag >= 0x8000}
    exif.update({tag: value for tag, value in tags.items() if tag < 0x8000})
    if shot:
        exif.get_ifd(0x8769).update(shot)
    if gps:
        exif.get_ifd(0x8825).update(gps)
    Image.new("RGB", (8, 8)).save(folder / "a.jpg", exif=exif)
    with Image.open(folder / "a.jpg") as image:
        return read_exif(image)


def test_exif_when_a_picture_has_none_then_tells_nothing() -> None:
    assert read_exif(Image.new("RGB", (8, 8))) == ExifData()


@pytest.mark.parametrize(
    ("tags", "captured_at"),
    [
        ({0x9003: "2016:06:23 16:32:43", 0x0132: "2016:06:23 19:24:38"}, "2016-06-23T16:32:43"),
        ({0x0132: "2016:06:23 19:24:38"}, "2016-06-23T19:24:38"),
        ({0x9003: "2016:06:23 16:32:43", 0x9291: "25", 0x9011: "+08:00"}, "2016-06-23T16:32:43.25+08:00"),
        ({0x9003: "2016:06:23 16:32:43", 0x9291: "x", 0x9011: "here"}, "2016-06-23T16:32:43"),
        ({0x9003: "0000:00:00 00:00:00"}, ""),
        ({0x9003: "0000:00:00 00:00:00", 0x0132: "2016:06:23 19:24:38"}, "2016-06-23T19:24:38"),
    ],
)
def test_time_when_cameras_write_it_in_their_ways_then_is_that_of_the_shot(
    tmp_path: Path, tags: dict[int, object], captured_at: str
) -> None:
    assert _read(tmp_path, tags).captured_at == captured_at


def test_place_when_it_lies_south_west_and_below_the_sea_then_has_signs(tmp_path: Path) -> None:
    gps = {1: "S", 2: (46.0, 30.0, 36.0), 3: "W", 4: (91.0, 15.0, 0.0), 5: b"\x01", 6: Rational(25, 2)}
    facts = _read(tmp_path, {}, gps=gps)
    assert (facts.latitude_deg, facts.longitude_deg, facts.altitude_m) == (-46.51, -91.25, -12.5)


@pytest.mark.parametrize(
    "gps",
    [
        {1: "N", 2: (0.0, 0.0, 0.0), 3: "E", 4: (0.0, 0.0, 0.0)},
        {1: "N", 2: (91.0, 0.0, 0.0), 3: "E", 4: (8.0, 0.0, 0.0)},
        {1: "N", 2: (Rational(1, 0), 0.0, 0.0), 3: "E", 4: (8.0, 0.0, 0.0)},
        {1: "N", 2: (47.0, 0.0, 0.0)},
    ],
)
def test_place_when_it_is_nowhere_then_is_none(tmp_path: Path, gps: dict[int, object]) -> None:
    facts = _read(tmp_path, {}, gps=gps)
    assert (facts.latitude_deg, facts.longitude_deg) == (None, None)


def test_tags_when_they_are_of_all_sorts_then_are_short_plain_json(tmp_path: Path) -> None:
    tags = {
        0x010F: "DJI\0",
        0x010E: "long " * 900,
        0x829A: Rational(1, 500),
        0x927C: b"maker's own " * 500,
        0x9286: b"ASCII\0\0\0hello",
        0x8827: 100,
    }
    exif = _read(tmp_path, tags).exif
    assert (exif["Make"], exif["ExposureTime"], exif["ISOSpeedRatings"]) == ("DJI", 0.002, 100)
    assert len(exif["ImageDescription"]) == 200
    assert "MakerNote" not in exif
    assert json.loads(json.dumps(exif, allow_nan=False)) == exif
