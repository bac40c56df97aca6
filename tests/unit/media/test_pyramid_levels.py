"""Overviews of TIFF files, as map programs write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from annotator.errors import UserError
from annotator.media.image_decoder import decode_image
from annotator.media.pyramid_levels import has_pyramid_level

SIZE = (640, 480)
PAGE = (200, 40, 40)
"""Colour of the picture; its overviews have others, so that it is seen which one was read."""
INKS = {320: (40, 200, 40), 160: (40, 40, 200), 80: (200, 200, 40)}


def write(path: Path, *pages: tuple[tuple[int, int], str, dict[int, int]]) -> Path:
    """Write a TIFF: of each page its size, mode and tags; each has the colour of its width."""
    with TiffImagePlugin.AppendingTiffWriter(str(path), new=True) as target:
        for size, mode, tags in pages:
            page = Image.new("RGB", size, INKS.get(size[0], PAGE)).convert(mode)
            page.save(target, format="TIFF", tiffinfo=tags)
            target.newFrame()
    return path


def halves(
    *, mode: str = "RGB", tags: dict[int, int] | None = None, kind: int = 1
) -> list[tuple[tuple[int, int], str, dict[int, int]]]:
    return [(SIZE, mode, tags or {}), *(((width, width * 3 // 4), mode, {254: kind}) for width in INKS)]


def colour_of(path: Path, *, max_side_px: int) -> tuple[int, ...]:
    picture = decode_image(path, max_side_px=max_side_px)
    assert max(picture.shape) == min(max_side_px or SIZE[0], SIZE[0])
    (colour,) = np.unique(picture.reshape(-1, 3), axis=0).tolist()
    return tuple(colour)


@pytest.mark.parametrize(
    ("side", "width"), [(0, 640), (640, 640), (330, 640), (320, 320), (200, 320), (150, 160), (60, 80)]
)
def test_picture_when_fewer_pixels_are_wanted_then_comes_from_the_smallest_overview_with_enough(
    tmp_path: Path, side: int, width: int
) -> None:
    path = write(tmp_path / "map.tif", *halves())
    assert colour_of(path, max_side_px=side) == INKS.get(width, PAGE)


def test_overview_when_it_is_asked_for_then_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "map.tif", *halves())
    assert has_pyramid_level(path, max_side_px=160)
    assert not has_pyramid_level(path, max_side_px=600)
    Image.new("RGB", SIZE).save(tmp_path / "plain.png")
    assert not has_pyramid_level(tmp_path / "plain.png", max_side_px=160)
    (tmp_path / "torn.tif").write_bytes(path.read_bytes()[:6])
    with pytest.raises(UserError):
        has_pyramid_level(tmp_path / "torn.tif", max_side_px=160)


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(halves(kind=0), id="scans"),
        pytest.param(halves(kind=5), id="masks"),
        pytest.param(halves(tags={0x0112: 3}), id="turned"),
        pytest.param([(SIZE, "RGB", {}), ((320, 320), "RGB", {254: 1})], id="another shape"),
        pytest.param([(SIZE, "RGB", {}), ((320, 240), "L", {254: 1})], id="another mode"),
        pytest.param([(SIZE, "RGB", {})], id="alone"),
    ],
)
def test_picture_when_other_pages_are_no_overviews_then_comes_from_the_first(
    tmp_path: Path, pages: list[tuple[tuple[int, int], str, dict[int, int]]]
) -> None:
    assert colour_of(write(tmp_path / "map.tif", *pages), max_side_px=200) == PAGE


def test_deep_grey_when_it_has_overviews_then_is_stretched_by_all_of_its_values(tmp_path: Path) -> None:
    path = tmp_path / "heights.tif"
    whole = np.linspace(0, 60_000, 640 * 480, dtype=np.float32).reshape(480, 640)
    with TiffImagePlugin.AppendingTiffWriter(str(path), new=True) as target:
        for values, tags in ((whole, {}), (np.full((240, 320), 7, np.float32), {254: 1})):
            Image.fromarray(values).save(target, format="TIFF", tiffinfo=tags)
            target.newFrame()
    picture = decode_image(path, max_side_px=160)
    assert int(picture.max()) - int(picture.min()) > 200


def test_picture_when_a_page_behind_it_is_damaged_then_comes_all_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "map.tif", *halves())
    with Image.open(path) as image:
        image.seek(1)
        second = image.tag_v2._offset
    content = bytearray(path.read_bytes())
    content[second : second + 400] = b"\xff" * 400
    path.write_bytes(content)
    assert colour_of(path, max_side_px=200) == PAGE
