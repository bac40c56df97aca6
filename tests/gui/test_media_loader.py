from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.media.media_cache import MediaResult
from annotator.media.media_service import MediaRequest, Priority
from annotator.media.render import Overlay
from annotator.progress import Progress
from tests.guards import Messages
from widgets.bridge import Bridge
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView
from widgets.stage.image_cache import LoadedImage, StageImages
from widgets.stage.pyramid import make_pyramid

WAIT_MS = 120_000


class Reader(QObject):
    """Takes results, and notes the thread on which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[MediaResult] = []
        self.threads: set[threading.Thread] = set()

    def take(self, result: MediaResult) -> None:
        self.results.append(result)
        self.threads.add(threading.current_thread())


def request(key: str, *, gate: threading.Event | None = None, error: Exception | None = None) -> MediaRequest:
    def load(_progress: Progress) -> str:
        if gate is not None:
            assert gate.wait(120)
        if error is not None:
            raise error
        return key

    return MediaRequest(key=key, load=load)


def test_load_when_it_has_come_then_calls_back_on_the_gui_thread_and_at_once_the_next_time(
    media: MediaLoader, qtbot: QtBot
) -> None:
    reader = Reader()
    media.load(request("a"), done=reader.take)
    assert reader.results == []
    qtbot.waitUntil(lambda: len(reader.results) == 1, timeout=WAIT_MS)
    media.load(request("a"), done=reader.take)
    assert [result.value for result in reader.results] == ["a", "a"]
    assert reader.threads == {threading.main_thread()}


def test_load_when_it_failed_before_then_is_tried_again(media: MediaLoader, qtbot: QtBot) -> None:
    reader, error = Reader(), UserError("It is gone.")
    media.load(request("a", error=error), done=reader.take)
    qtbot.waitUntil(lambda: len(reader.results) == 1, timeout=WAIT_MS)
    media.load(request("a"), done=reader.take)
    qtbot.waitUntil(lambda: len(reader.results) == 2, timeout=WAIT_MS)
    assert [result.error for result in reader.results] == [error, None]


def test_load_when_its_owner_cancels_then_nobody_is_called_and_others_are(
    media: MediaLoader, qtbot: QtBot
) -> None:
    gate, reader, other = threading.Event(), Reader(), Reader()
    media.load(request("a", gate=gate), done=reader.take, owner=reader)
    media.load(request("a", gate=gate), done=other.take, owner=other)
    media.cancel(reader)
    gate.set()
    qtbot.waitUntil(lambda: len(other.results) == 1, timeout=WAIT_MS)
    assert reader.results == []
    assert media.is_idle()


def test_load_when_its_widget_was_deleted_then_it_is_not_called(media: MediaLoader, qtbot: QtBot) -> None:
    gate, reader, other = threading.Event(), Reader(), Reader()
    media.load(request("a", gate=gate), done=reader.take)
    media.load(request("b", gate=gate), done=other.take)
    results = reader.results
    reader.deleteLater()
    qtbot.wait(0)
    gate.set()
    qtbot.waitUntil(lambda: len(other.results) == 1 and media.is_idle(), timeout=WAIT_MS)
    assert results == []


def test_want_when_media_arrive_then_says_on_which_channels_and_not_for_each_one(
    media: MediaLoader, qtbot: QtBot
) -> None:
    heard: list[frozenset[object]] = []
    media.arrived.connect(heard.append)
    media.want("grid", [request(f"{number}") for number in range(50)], priority=Priority.THUMBNAIL)
    qtbot.waitUntil(media.is_idle, timeout=WAIT_MS)
    assert set(heard) == {frozenset({"grid"})}
    assert len(heard) < 50
    result = media.get("49")
    assert result is not None
    assert result.value == "49"


def test_close_when_something_is_loaded_then_returns_at_once_and_nothing_arrives(qtbot: QtBot) -> None:
    media, gate, reader = MediaLoader(), threading.Event(), Reader()
    media.load(request("a", gate=gate), done=reader.take)
    media.close()
    gate.set()
    media.drain()
    qtbot.wait(0)
    assert reader.results == []
    assert media.is_idle()


class View(QObject):
    """Takes what a stage's view takes."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[LoadedImage] = []

    def take_loaded(self, loaded: LoadedImage) -> None:
        self.loaded.append(loaded)

    def take_preview(self, preview: object) -> None:
        pytest.fail(f"no preview is due: {preview}")


@pytest.fixture
def pictures(bridge: Bridge, media: MediaLoader) -> Iterator[StageImages]:
    made = StageImages(bridge, media=media)
    yield made
    made.close()


def test_stage_picture_when_reading_it_meets_a_bug_then_the_view_says_so_and_is_not_busy_for_ever(
    pictures: StageImages,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    guard_messages: Messages,
) -> None:
    guard_messages.allow("Loading a medium failed")

    def fail(_file: Path) -> object:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("widgets.stage.image_cache.read_pyramid", fail)
    (tmp_path / "a.png").touch()
    view = View()
    shown = MediumView(view="UAV1", medium=Medium(id="m", name="a.png"), file=tmp_path / "a.png")
    pictures.load(shown, done=view.take_loaded, previewed=view.take_preview)
    qtbot.waitUntil(lambda: len(view.loaded) == 1, timeout=WAIT_MS)
    assert view.loaded[0].pyramid is None
    assert "Internal error while reading the image: ZeroDivisionError" in view.loaded[0].problem


def test_rendering_when_it_fails_then_whoever_asked_hears_why(
    pictures: StageImages, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_kwargs: object) -> object:
        raise UserError("It cannot be drawn.")

    monkeypatch.setattr("annotator.media.render.render", fail)
    view = View()
    picture = make_pyramid(np.zeros((8, 8, 3), np.uint8))
    pictures.render(picture, marks=Overlay(), rendering="annotated", done=view.take_loaded)
    qtbot.waitUntil(lambda: len(view.loaded) == 1, timeout=WAIT_MS)
    assert view.loaded[0] == LoadedImage(pyramid=None, problem="It cannot be drawn.")


def test_prefetch_when_pictures_of_the_next_scene_are_there_then_are_shown_at_once(
    pictures: StageImages, media: MediaLoader, tmp_path: Path, qtbot: QtBot
) -> None:
    Image.new("RGB", (40, 30), (1, 2, 3)).save(tmp_path / "a.png")
    shown = MediumView(view="UAV1", medium=Medium(id="m", name="a.png"), file=tmp_path / "a.png")
    pictures.prefetch([shown])
    qtbot.waitUntil(media.is_idle, timeout=WAIT_MS)
    view = View()
    pictures.load(shown, done=view.take_loaded, previewed=view.take_preview)
    assert view.loaded[0].pyramid is not None
    assert (view.loaded[0].pyramid.pixels == (1, 2, 3)).all()
