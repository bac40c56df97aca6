from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.domain.medium import Medium
from annotator.errors import EnvironmentFailure
from annotator.media import image_loader
from annotator.media.image_decoder import GROUND
from annotator.media.image_loader import ImageUnavailable, load_fitted, load_thumbnail
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key

MEDIUM = Medium(id="m", name="a", sha256="ab" * 32)
RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30)


@pytest.fixture
def store(tmp_path: Path) -> ThumbnailStore:
    return ThumbnailStore(tmp_path / "thumbnails")


def quarters(width: int = 480, height: int = 320) -> Image.Image:
    """Return an image of four colours: red, green above; blue, yellow below."""
    pixels = np.zeros((height, width, 3), np.uint8)
    for at, colour in enumerate((RED, GREEN, BLUE, YELLOW)):
        top, left = at // 2 * height // 2, at % 2 * width // 2
        pixels[top : top + height // 2, left : left + width // 2] = colour
    return Image.fromarray(pixels)


def corners(pixels: np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]) -> list[list[int]]:
    height, width, _ = pixels.shape
    return [
        pixels[y, x].tolist() for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)
    ]


def is_near(found: object, expected: object) -> bool:
    return bool(np.abs(np.array(found, int) - np.array(expected, int)).max() <= 12)


@pytest.mark.parametrize("suffix", ["jpg", "png", "tif", "webp", "bmp"])
@pytest.mark.parametrize("size", [(240, 160), (720, 480)])
def test_thumbnail_when_stored_or_read_from_the_file_then_has_its_colours(
    tmp_path: Path, store: ThumbnailStore, suffix: str, size: tuple[int, int]
) -> None:
    file = tmp_path / f"a.{suffix}"
    quarters().save(file, quality=95)
    for known in (store, None):
        pixels = load_thumbnail(MEDIUM, kind="image", file=file, width=size[0], height=size[1], store=known)
        assert pixels.shape == (size[1], size[0], 3)
        assert is_near(corners(pixels), (RED, GREEN, BLUE, YELLOW))
    assert (store.get(thumbnail_key(MEDIUM, file)) is not None) == (size == (240, 160))


@pytest.mark.parametrize("store_is_used", [True, False])
def test_thumbnail_when_exif_turns_the_image_then_is_upright(
    tmp_path: Path, store: ThumbnailStore, store_is_used: bool
) -> None:
    image, exif = quarters(), Image.Exif()
    # 6: turn a quarter clockwise to see it upright.
    exif[0x0112] = 6
    image.save(tmp_path / "a.jpg", exif=exif, quality=95)
    used = store if store_is_used else None
    pixels = load_thumbnail(MEDIUM, kind="image", file=tmp_path / "a.jpg", width=120, height=180, store=used)
    assert is_near(corners(pixels), (BLUE, RED, YELLOW, GREEN))


def test_fitted_when_exif_turns_the_image_then_fits_upright(tmp_path: Path) -> None:
    image, exif = quarters(640, 360), Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "a.jpg", exif=exif, quality=95)
    pixels = load_fitted(tmp_path / "a.jpg", kind="image", width=90, height=160)
    assert pixels.shape == (160, 90, 3)
    assert is_near(corners(pixels), (BLUE, RED, YELLOW, GREEN))


def test_fitted_when_pixels_are_transparent_then_lie_on_neutral_grey(tmp_path: Path) -> None:
    image = quarters().convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, 240, 160))
    image.save(tmp_path / "a.png")
    pixels = load_fitted(tmp_path / "a.png", kind="image", width=240, height=240)
    assert is_near(corners(pixels), (GROUND, GREEN, BLUE, YELLOW))


def test_fitted_when_grey_has_16_bits_then_is_stretched_to_black_and_white(tmp_path: Path) -> None:
    grey = np.full((100, 200), 1000, np.uint16)
    grey[:, 100:] = 3000
    Image.fromarray(grey).save(tmp_path / "a.png")
    pixels = load_fitted(tmp_path / "a.png", kind="image", width=100, height=100)
    assert pixels.shape == (50, 100, 3)
    assert pixels[25, [10, 90]].tolist() == [[0, 0, 0], [255, 255, 255]]


def test_fitted_when_grey_has_8_bits_then_keeps_its_values(tmp_path: Path) -> None:
    Image.new("L", (200, 100), 90).save(tmp_path / "a.png")
    assert (load_fitted(tmp_path / "a.png", kind="image", width=100, height=100) == 90).all()


def test_fitted_when_the_medium_is_a_depth_map_then_is_shown_as_grey(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.tile(np.linspace(1, 9, 64, dtype=np.float32), (32, 1)))
    pixels = load_fitted(tmp_path / "a.npy", kind="map", width=64, height=64)
    assert pixels[16, 0].tolist() == [0, 0, 0]
    assert pixels[16, 63].tolist() == [255, 255, 255]


def test_thumbnail_when_the_image_is_a_panorama_then_is_sharp_enough_to_fill(tmp_path: Path) -> None:
    columns = np.zeros((200, 4000, 3), np.uint8)
    columns[:, ::8] = columns[:, 1::8] = columns[:, 2::8] = columns[:, 3::8] = 255
    Image.fromarray(columns).save(tmp_path / "a.png")
    pixels = load_thumbnail(MEDIUM, kind="image", file=tmp_path / "a.png", width=400, height=200, store=None)
    assert int(pixels.max()) - int(pixels.min()) > 200


@pytest.mark.parametrize(
    ("name", "kind", "cause"),
    [
        ("", "image", "outside"),
        ("gone.png", "image", "missing"),
        ("whole.png", "trajectory", "no_preview"),
        ("huge.pgm", "image", "too_large"),
        ("vast.pgm", "image", "too_large"),
        ("torn.png", "image", "unreadable"),
        ("torn.png", "video", "unreadable"),
    ],
)
def test_image_when_there_is_none_then_says_why(
    tmp_path: Path, store: ThumbnailStore, name: str, kind: str, cause: str
) -> None:
    quarters().save(tmp_path / "whole.png")
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (tmp_path / "huge.pgm").write_bytes(b"P5\n15000 15000\n255\n")
    (tmp_path / "vast.pgm").write_bytes(b"P5\n50000 50000\n255\n")
    file = tmp_path / name if name else None
    for used, side in ((store, 40), (None, 40), (store, 4000)):
        with pytest.raises(ImageUnavailable) as caught:
            load_thumbnail(MEDIUM, kind=kind, file=file, width=side, height=side, store=used)
        is_stored = used is store and side == 40 and name.endswith("pgm")
        assert caught.value.cause == ("unreadable" if is_stored else cause)
        assert str(caught.value)
    with pytest.raises(ImageUnavailable) as caught:
        load_fitted(file, kind=kind, width=40, height=40)
    assert caught.value.cause == cause


def test_thumbnail_when_the_kept_one_is_damaged_then_the_file_is_read(
    tmp_path: Path, store: ThumbnailStore
) -> None:
    quarters().save(tmp_path / "a.png")
    store.put(thumbnail_key(MEDIUM, tmp_path / "a.png"), b"no image")
    pixels = load_thumbnail(MEDIUM, kind="image", file=tmp_path / "a.png", width=60, height=40, store=store)
    assert is_near(corners(pixels), (RED, GREEN, BLUE, YELLOW))


def test_image_when_the_disk_fails_then_the_error_of_the_host_is_passed_on(
    tmp_path: Path, store: ThumbnailStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    quarters().save(tmp_path / "a.png")

    def fail(*_args: object, **_kwargs: object) -> object:
        raise EnvironmentFailure("The disk is gone.")

    monkeypatch.setattr("annotator.media.image_decoder.decode_image", fail)
    with pytest.raises(EnvironmentFailure):
        load_fitted(tmp_path / "a.png", kind="image", width=40, height=40)
    monkeypatch.setattr(image_loader, "thumbnail_key", fail)
    with pytest.raises(EnvironmentFailure):
        load_thumbnail(MEDIUM, kind="image", file=tmp_path / "a.png", width=40, height=40, store=store)
