from __future__ import annotations

import io
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.media.image_file import UNKNOWN, Size, read_size

PICTURE = np.zeros((30, 70, 3), np.uint8)


def _encoded(ending: str) -> bytes:
    return cv2.imencode(ending, PICTURE)[1].tobytes()


def _with_orientation(jpeg: bytes, value: int, *, order: str = ">") -> bytes:
    mark = b"MM" if order == ">" else b"II"
    tiff = mark + struct.pack(f"{order}HIHHHIHHI", 42, 8, 1, 0x0112, 3, 1, value, 0, 0)
    body = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp", ".bmp", ".gif"])
def test_size_of_a_picture_when_its_format_is_known_then_equals_what_was_drawn(ending: str) -> None:
    assert read_size(io.BytesIO(_encoded(ending))) == Size(width_px=70, height_px=30)


def test_size_of_a_lossless_webp_when_read_then_equals_what_was_drawn() -> None:
    data = cv2.imencode(".webp", PICTURE, [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
    assert data[12:16] == b"VP8L"
    assert read_size(io.BytesIO(data)) == Size(width_px=70, height_px=30)


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize(
    ("orientation", "size"), [(1, (70, 30)), (3, (70, 30)), (6, (30, 70)), (8, (30, 70))]
)
def test_size_of_a_jpeg_when_exif_turns_it_then_sides_are_swapped(
    order: str, orientation: int, size: tuple[int, int]
) -> None:
    turned = _with_orientation(_encoded(".jpg"), orientation, order=order)
    assert read_size(io.BytesIO(turned)) == Size(width_px=size[0], height_px=size[1])


def test_size_when_the_name_lies_then_the_content_decides(shared_data) -> None:
    with (shared_data / "media" / "images" / "DJI_0024.JPG").open("rb") as file:
        assert read_size(file) == Size(width_px=4000, height_px=2250)


def test_size_of_a_bitmap_with_rows_from_the_top_when_read_then_is_positive() -> None:
    data = bytearray(_encoded(".bmp"))
    data[22:26] = struct.pack("<i", -30)
    assert read_size(io.BytesIO(bytes(data))) == Size(width_px=70, height_px=30)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"RIFF0000WEBPVP8X", b"\xff\xd8\xff\xda\0\0"]
)
def test_size_of_something_else_when_read_then_is_unknown(data: bytes) -> None:
    assert read_size(io.BytesIO(data)) == UNKNOWN


@given(cut=st.integers(0, 400), ending=st.sampled_from([".png", ".jpg", ".webp", ".gif"]))
def test_size_of_a_cut_file_when_read_then_is_right_or_unknown(cut: int, ending: str) -> None:
    assert read_size(io.BytesIO(_encoded(ending)[:cut])) in {UNKNOWN, Size(width_px=70, height_px=30)}


@given(
    noise=st.binary(max_size=300), mark=st.sampled_from([b"\xff\xd8", b"BM", b"GIF8", b"\x89PNG\r\n\x1a\n"])
)
def test_size_of_noise_when_read_then_nothing_is_raised(noise: bytes, mark: bytes) -> None:
    assert isinstance(read_size(io.BytesIO(mark + noise)), Size)


@pytest.mark.parametrize("length", [0, 1])
def test_size_of_a_jpeg_when_a_segment_is_shorter_than_its_own_length_then_nothing_is_raised(
    length: int, tmp_path: Path
) -> None:
    # A file on the disk: unlike one in memory it raises where it is asked for a negative number of bytes.
    (tmp_path / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0" + struct.pack(">H", length) + _encoded(".jpg"))
    with (tmp_path / "a.jpg").open("rb") as file:
        assert read_size(file) in {UNKNOWN, Size(width_px=70, height_px=30)}
