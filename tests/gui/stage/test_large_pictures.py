"""Pictures that take long, or that are too large to be read at all."""

from __future__ import annotations

import struct
import threading
import zlib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.gui.stage.hands import Hands, make_scene, write_picture
from tests.patience import PATIENCE_S
from widgets.stage.image_cache import read_pyramid
from widgets.stage.pyramid import ImagePyramid
from widgets.stage.scene import StageScene


def bomb(path: Path, *, side_px: int) -> Path:
    """Write a PNG of a few bytes whose head promises a picture of 10^10 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side_px, side_px, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return path


def with_first(shown: StageScene, file: Path, *, width_px: int = 0, height_px: int = 0) -> StageScene:
    """Return a scene whose first view is another file."""
    first = shown.media[0]
    medium = msgspec.structs.replace(first.medium, width_px=width_px, height_px=height_px)
    return replace(shown, media=(replace(first, file=file, medium=medium), *shown.media[1:]))


def test_picture_when_it_is_a_bomb_then_its_view_says_so_and_the_other_one_is_shown(
    hands: Hands, tmp_path: Path
) -> None:
    file = bomb(tmp_path / "bomb.png", side_px=100_000)
    hands.show(with_first(make_scene(tmp_path), file))
    first, second = hands.stage.canvases
    assert first.picture is None
    assert "bomb.png" in first.problem
    assert second.picture is not None


def test_picture_when_it_is_late_then_its_view_says_that_it_is_read_until_it_has_come(
    hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def read_slowly(file: Path) -> ImagePyramid:
        go_on.wait(PATIENCE_S)
        return read_pyramid(file)

    monkeypatch.setattr("widgets.stage.image_cache.read_pyramid", read_slowly)
    shown = with_first(
        make_scene(tmp_path), write_picture(tmp_path / "late.png", seed=9), width_px=12_000, height_px=8_400
    )
    hands.stage.show_scene(shown)
    canvas = hands.canvas()
    empty = canvas.grab().toImage()
    hands.qtbot.waitUntil(lambda: canvas.is_late)
    assert canvas.grab().toImage() != empty
    assert canvas._absence() == "Loading the image (101 megapixels)"
    go_on.set()
    hands.settle()
    assert not canvas.is_late
    assert canvas.picture is not None
