"""What stands in for a large picture until it is decoded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin

from annotator.domain.medium import Medium
from annotator.media.cache_files import cache_folder
from annotator.media.render import Overlay, render
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from tests.gui.stage.hands import Hands, make_region, make_scene
from tests.gui.stage.test_painting import pixels_of
from tests.patience import PATIENCE_S
from widgets.stage.image_cache import read_pyramid
from widgets.stage.image_view import corner_texts
from widgets.stage.preview import (
    LEAST_PIXELS,
    SIDE_PX,
    PreviewImage,
    cached_preview,
    has_preview,
    quick_preview,
)
from widgets.stage.pyramid import ImagePyramid
from widgets.stage.scene import StageScene

WIDTH, HEIGHT = 5200, 3200
COLOURS = ((200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40))
"""Of the quarters of the picture: upper left, upper right, lower left, lower right."""
MARKS = Overlay(regions=(make_region("r", "m1", 3, (900, 700, 1600, 1100)),))


def write_quarters(path: Path, *, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Path:
    width, height = size
    pixels = np.zeros((height, width, 3), np.uint8)
    for at, colour in enumerate(COLOURS):
        rows = slice(0, height // 2) if at < 2 else slice(height // 2, height)
        pixels[rows, width // 2 * (at % 2) : width // 2 * (at % 2) + width // 2] = colour
    Image.fromarray(pixels).save(path, quality=95)
    return path


def medium_of(file: Path, *, width: int = WIDTH, height: int = HEIGHT, kind: str = "image") -> Medium:
    return Medium(id="m1", name=file.name, media_type=kind, width_px=width, height_px=height)


def large_scene(folder: Path, file: Path) -> StageScene:
    scene = make_scene(folder, views=1, marks=MARKS)
    first = replace(scene.media[0], file=file, medium=medium_of(file))
    return replace(scene, media=(first,))


@pytest.fixture(scope="module")
def jpeg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_quarters(tmp_path_factory.mktemp("large") / "large.jpg")


@pytest.fixture
def decoding(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Whole pictures are decoded once this is set."""
    go_on = threading.Event()

    def read_slowly(file: Path) -> ImagePyramid:
        go_on.wait(PATIENCE_S)
        return read_pyramid(file)

    monkeypatch.setattr("widgets.stage.image_cache.read_pyramid", read_slowly)
    yield go_on
    go_on.set()


def show_preview(hands: Hands, scene: StageScene) -> None:
    hands.stage.show_scene(scene)
    hands.qtbot.waitUntil(lambda: hands.canvas().picture is not None)


def colours_seen(hands: Hands) -> list[tuple[int, ...]]:
    """Return what is painted in the middle of each quarter that is visible."""
    canvas, pixels = hands.canvas(), pixels_of(hands.canvas().ground())
    found = []
    for x, y in ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)):
        column, row = canvas.transform.to_view(np.array((x * WIDTH, y * HEIGHT))).astype(int).tolist()
        if 0 <= column < pixels.shape[1] and 0 <= row < pixels.shape[0]:
            found.append(tuple(pixels[row, column].tolist()))
    return found


def is_near(found: list[tuple[int, ...]], expected: tuple[tuple[int, ...], ...]) -> bool:
    return np.array(found).shape == np.array(expected).shape and np.allclose(found, expected, atol=12)


def test_large_picture_when_shown_then_a_preview_is_there_at_once_and_the_exact_one_takes_its_place(
    hands: Hands, tmp_path: Path, jpeg: Path, decoding: threading.Event
) -> None:
    show_preview(hands, large_scene(tmp_path, jpeg))
    canvas = hands.canvas()
    assert isinstance(canvas.picture, PreviewImage)
    assert canvas.image_size.toTuple() == (WIDTH, HEIGHT)
    assert max(canvas.picture.pixels.shape) <= SIDE_PX
    assert not hands.stage.is_settled()
    assert is_near(colours_seen(hands), COLOURS)
    # Zoomed in, marks and pointer are where they will be.
    canvas.change_transform(canvas.transform.showing(700, 600, 1500, 1400))
    transform, rect = canvas.transform, canvas.region_rect(MARKS.regions[0])
    assert is_near(colours_seen(hands), COLOURS[:1])
    hands.move(1250, 1000)
    assert canvas.hovered is MARKS.regions[0]
    decoding.set()
    hands.settle()
    assert isinstance(canvas.picture, ImagePyramid)
    assert (canvas.transform, canvas.region_rect(MARKS.regions[0])) == (transform, rect)
    assert np.array_equal(canvas.picture.pixels, np.asarray(Image.open(jpeg)))
    assert is_near(colours_seen(hands), COLOURS[:1])


def test_preview_when_the_picture_takes_long_then_says_beside_it_that_it_is_read(
    hands: Hands, tmp_path: Path, jpeg: Path, decoding: threading.Event
) -> None:
    show_preview(hands, large_scene(tmp_path, jpeg))
    canvas = hands.canvas()
    hands.qtbot.waitUntil(lambda: canvas.is_late)
    assert "Loading the image (17 megapixels)" in corner_texts(canvas)
    decoding.set()
    hands.settle()
    assert "Loading the image (17 megapixels)" not in corner_texts(canvas)


def test_preview_when_the_view_is_as_the_model_sees_it_then_is_never_rendered(
    hands: Hands, tmp_path: Path, jpeg: Path, decoding: threading.Event
) -> None:
    show_preview(hands, large_scene(tmp_path, jpeg))
    hands.stage.toggle_model()
    canvas = hands.canvas()
    assert not canvas.is_rendering
    assert canvas.model is None
    decoding.set()
    hands.qtbot.waitUntil(lambda: canvas.model is not None)
    assert canvas.model is not None
    expected = render(np.asarray(Image.open(jpeg)), marks=MARKS, rendering="annotated")
    assert np.array_equal(canvas.model.pixels, expected)


def test_preview_of_a_coding_without_quick_reading_then_is_the_thumbnail_that_is_kept(
    hands: Hands, tmp_path: Path, decoding: threading.Event
) -> None:
    file = write_quarters(tmp_path / "large.png")
    scene = large_scene(tmp_path, file)
    medium = scene.media[0].medium
    assert quick_preview(medium, file) is None
    assert cached_preview(medium, file) is None
    ThumbnailStore(cache_folder() / "thumbnails").make(file, thumbnail_key(medium, file))
    show_preview(hands, scene)
    assert isinstance(hands.canvas().picture, PreviewImage)
    assert is_near(colours_seen(hands), COLOURS)
    decoding.set()
    hands.settle()
    assert isinstance(hands.canvas().picture, ImagePyramid)


def test_preview_of_a_tiff_then_is_its_overview_and_none_where_it_has_none(
    hands: Hands, tmp_path: Path, decoding: threading.Event
) -> None:
    plain = write_quarters(tmp_path / "plain.tif")
    assert quick_preview(medium_of(plain), plain) is None
    file = tmp_path / "map.tif"
    with TiffImagePlugin.AppendingTiffWriter(str(file), new=True) as target, Image.open(plain) as whole:
        for size, tags in (((WIDTH, HEIGHT), {}), ((WIDTH // 2, HEIGHT // 2), {254: 1})):
            whole.resize(size).save(target, format="TIFF", tiffinfo=tags)
            target.newFrame()
    show_preview(hands, large_scene(tmp_path, file))
    assert isinstance(hands.canvas().picture, PreviewImage)
    assert is_near(colours_seen(hands), COLOURS)
    decoding.set()
    hands.settle()
    assert isinstance(hands.canvas().picture, ImagePyramid)


def test_preview_when_it_comes_late_or_is_smaller_then_changes_nothing(
    hands: Hands, tmp_path: Path, jpeg: Path, decoding: threading.Event
) -> None:
    show_preview(hands, large_scene(tmp_path, jpeg))
    canvas = hands.canvas()
    shown = canvas.picture
    small = PreviewImage(np.zeros((32, 52, 3), np.uint8), size_px=(WIDTH, HEIGHT))
    canvas.take_preview(small)
    canvas.take_preview(None)
    assert canvas.picture is shown
    decoding.set()
    hands.settle()
    exact = canvas.picture
    canvas.take_preview(PreviewImage(np.zeros((3200, 5200, 3), np.uint8), size_px=(WIDTH, HEIGHT)))
    assert canvas.picture is exact


def test_preview_when_the_file_is_another_than_is_known_or_torn_then_is_none(
    tmp_path: Path, jpeg: Path
) -> None:
    assert quick_preview(medium_of(jpeg), jpeg) is not None
    assert quick_preview(medium_of(jpeg, width=HEIGHT, height=WIDTH), jpeg) is None
    torn = tmp_path / "torn.jpg"
    torn.write_bytes(jpeg.read_bytes()[:300])
    assert quick_preview(medium_of(torn), torn) is None
    gone = tmp_path / "gone.jpg"
    assert quick_preview(medium_of(gone), gone) is None
    assert cached_preview(medium_of(gone), gone) is None
    store = ThumbnailStore(cache_folder() / "thumbnails")
    store.put(thumbnail_key(medium_of(jpeg), jpeg), b"no picture at all")
    assert cached_preview(medium_of(jpeg), jpeg) is None


@pytest.mark.parametrize(
    ("width", "height", "kind", "expected"),
    [
        (12_000, 8_400, "image", True),
        (4000, 2250, "image", False),
        (0, 0, "image", False),
        (9999, 9999, "depth", False),
    ],
)
def test_previews_when_pictures_are_quick_or_no_pictures_then_are_not_made(
    width: int, height: int, kind: str, expected: bool
) -> None:
    medium = medium_of(Path("a.jpg"), width=width, height=height, kind=kind)
    assert has_preview(medium) is expected
    assert (width * height >= LEAST_PIXELS) or not expected
