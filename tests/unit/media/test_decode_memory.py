"""What decoding takes: limited before it begins, at most as estimated, and one large image at a time."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.media.decode_memory import BUDGET, MOST_BYTES, SHARED_BYTES, DecodeBudget, decode_bytes
from annotator.media.image_decoder import decode_image
from annotator.media.image_file import TooManyPixels, open_image
from annotator.media.probe import probe_media
from annotator.media.pyramid_levels import DEEP_GREY
from annotator.progress import Progress
from tests.patience import PATIENCE_S

SIDE = 5_000
CHILD = """
import resource, sys
from pathlib import Path
from annotator.media.image_decoder import decode_image
decode_image(Path(sys.argv[1]), max_side_px=100)
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
decode_image(Path(sys.argv[2]), max_side_px=int(sys.argv[3]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024)
"""
ALLOWANCE_BYTES = 60_000_000
"""What libraries load at the first image of a kind, and what the allocator keeps."""
KINDS = {
    "deep.png": ("I;16", {}),
    "deep.tif": ("F", {}),
    "colour.png": ("RGB", {}),
    "alpha.png": ("RGBA", {}),
    "palette.png": ("P", {}),
    "bits.png": ("1", {}),
    "inks.tif": ("CMYK", {}),
    "plain.jpg": ("RGB", {}),
    "progressive.jpg": ("RGB", {"progressive": True}),
    "a.webp": ("RGBA", {"lossless": True, "method": 0}),
}


def picture(path: Path, mode: str, *, side: int = SIDE, **options: object) -> Path:
    Image.new(mode, (side, side)).save(path, **options)
    return path


def peak(folder: Path, path: Path, *, max_side_px: int) -> int:
    """Return how many bytes a process grows by at most while it decodes a file."""
    small = picture(folder / f"small{path.suffix}", "RGB", side=64)
    command = [sys.executable, "-c", CHILD, str(small), str(path), str(max_side_px)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def estimate(path: Path, *, max_side_px: int) -> int:
    with open_image(path) as image:
        side = max_side_px or image.width
        return decode_bytes(image, size=(side, side), is_deep=image.mode in DEEP_GREY)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss")
@pytest.mark.parametrize("max_side_px", [0, 400])
@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name, (mode, _) in KINDS.items()])
def test_decode_when_an_image_is_large_then_a_process_takes_no_more_than_was_reserved(
    tmp_path: Path, name: str, mode: str, max_side_px: int
) -> None:
    path = picture(tmp_path / name, mode, **KINDS[name][1])
    assert peak(tmp_path, path, max_side_px=max_side_px) < (
        estimate(path, max_side_px=max_side_px) + ALLOWANCE_BYTES
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss")
def test_decode_when_a_file_of_a_megabyte_is_grey_of_16_bits_then_takes_a_third_of_before(
    tmp_path: Path,
) -> None:
    path = picture(tmp_path / "deep.png", "I;16")
    assert path.stat().st_size < 1_000_000
    assert peak(tmp_path, path, max_side_px=400) < 16 * SIDE**2 + ALLOWANCE_BYTES


def test_decode_when_an_image_takes_more_than_the_limit_then_is_refused_with_its_size(
    tmp_path: Path,
) -> None:
    # Only the header: nothing of it is decoded.
    path = tmp_path / "deep.pgm"
    path.write_bytes(b"P5 12000 12000 65535\n")
    with pytest.raises(
        TooManyPixels, match=r"deep\.pgm takes 4\.\d GB of memory to decode; the limit is 2\.0"
    ):
        decode_image(path)
    assert BUDGET.most_bytes == MOST_BYTES


def test_decode_when_an_array_takes_more_than_the_limit_then_is_refused(tmp_path: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"shape": (12_000, 12_000), "fortran_order": False, "descr": "<f8"}
    )
    (tmp_path / "a.npy").write_bytes(head.getvalue())
    with pytest.raises(TooManyPixels, match="GB of memory to decode"):
        decode_image(tmp_path / "a.npy")


def tiled(path: Path, *, tile: int) -> Path:
    """Write a TIFF of 64 x 64 pixels whose only tile has other sides; its pixels are missing."""
    shorts = {258: 8, 259: 1, 262: 1, 277: 1}
    longs = {256: 64, 257: 64, 322: tile, 323: tile, 324: 8, 325: 1}
    entries = [struct.pack("<HHII", tag, 3 if tag in shorts else 4, 1, value)
               for tag, value in sorted({**shorts, **longs}.items())]  # fmt: skip
    path.write_bytes(b"II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(entries) + bytes(4))
    return path


def test_decode_when_the_tile_of_a_small_tiff_is_larger_than_any_image_then_is_refused(
    tmp_path: Path,
) -> None:
    assert estimate(tiled(tmp_path / "a.tif", tile=20_000), max_side_px=0) > 20_000**2
    with pytest.raises(TooManyPixels, match=r"b\.tif takes 2\.5 GB of memory to decode"):
        decode_image(tiled(tmp_path / "b.tif", tile=50_000))


def test_estimate_when_a_frame_can_be_larger_than_its_file_says_then_it_is_decoded_alone(
    tmp_path: Path,
) -> None:
    path = picture(tmp_path / "a.avif", "RGB", side=64)
    assert estimate(path, max_side_px=0) == SHARED_BYTES


def test_probe_when_the_exif_of_a_png_would_need_all_pixels_then_they_are_reserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = picture(tmp_path / "a.png", "RGB", side=100)
    monkeypatch.setattr(BUDGET, "most_bytes", 1_000)
    assert "GB of memory" in probe_media(path, kind="image", progress=Progress()).damage


def test_budget_when_two_images_are_large_then_the_second_waits_for_the_first() -> None:
    budget = DecodeBudget(most_bytes=100, shared_bytes=10)
    order: list[str] = []

    def decode(name: str, needed: int) -> None:
        with budget.reserve(needed, name=name):
            order.append(name)

    with budget.reserve(90, name="first"):
        threads = [threading.Thread(target=decode, args=one) for one in (("second", 90), ("small", 1))]
        for thread in threads:
            thread.start()
        threads[0].join(0.05)
        assert order == []
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(order) == ["second", "small"]


def test_budget_when_images_are_small_then_several_are_decoded_at_once() -> None:
    budget = DecodeBudget(most_bytes=100, shared_bytes=10)
    with budget.reserve(5, name="a"), budget.reserve(5, name="b"):
        pass
    with pytest.raises(TooManyPixels), budget.reserve(101, name="c"):
        raise AssertionError
    with budget.reserve(100, name="d"):
        pass
