from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.errors import Cancelled, UserError
from annotator.media.frame_thumbnails import FrameThumbnails
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from annotator.media.video.video import Video
from annotator.progress import Progress
from tests.bench.numbered_videos import KINDS, make_video, read_number

MEDIUM = Medium(id="m1", name="flight.mp4", sha256="ab" * 32)
SIZE = (192, 128)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Video]:
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=30, gop=12, size_px=SIZE)
    made = Video.open(Path(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=recipe).path))
    yield made
    made.close()


@pytest.fixture
def store(tmp_path: Path) -> ThumbnailStore:
    return ThumbnailStore(tmp_path / "thumbnails")


@pytest.fixture
def frames(store: ThumbnailStore) -> Iterator[FrameThumbnails]:
    made = FrameThumbnails(store)
    yield made
    made.close()


def changed(video: Video, **changes: object) -> Video:
    named: dict[str, Any] = {
        name: getattr(video, name) for name in video.__dataclass_fields__ if not name.startswith("_")
    }
    return Video(**named | changes)


@pytest.mark.parametrize("number", [0, 7, 12, 29])
def test_thumbnail_when_loaded_then_is_that_frame_upright_in_its_colours(
    frames: FrameThumbnails, video: Video, number: int
) -> None:
    pixels = frames.load(video, medium=MEDIUM, number=number, height=128, progress=Progress())
    assert pixels.shape == (128, 192, 4)
    assert read_number(np.ascontiguousarray(pixels[..., 2::-1])) == number
    exact = video.frame(number).rgb().reshape(128, 192, 3).astype(int)
    # Blue and red are not swapped: JPEG changes colours by a little, swapping them by much.
    assert np.abs(pixels[..., 2::-1].astype(int) - exact).mean() < 6
    assert (pixels[..., 3] == 255).all()


def test_thumbnail_when_it_is_kept_on_disk_then_the_video_is_not_opened(
    frames: FrameThumbnails, video: Video, store: ThumbnailStore
) -> None:
    frames.load(video, medium=MEDIUM, number=7, height=40, progress=Progress())
    closed = changed(video, new_source=pytest.fail)
    pixels = FrameThumbnails(store).load(closed, medium=MEDIUM, number=7, height=128, progress=Progress())
    assert read_number(np.ascontiguousarray(pixels[..., 2::-1])) == 7


def test_thumbnail_when_the_kept_file_is_damaged_then_is_decoded_again(
    frames: FrameThumbnails, video: Video, store: ThumbnailStore
) -> None:
    store.put(f"{thumbnail_key(MEDIUM, video.path)}f7", b"no image")
    pixels = frames.load(video, medium=MEDIUM, number=7, height=128, progress=Progress())
    assert read_number(np.ascontiguousarray(pixels[..., 2::-1])) == 7


class Source:
    """Gives no frame, and may be cancelled while it looks for one."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.closed = 0
        self._progress = progress

    def key_frame(self, number: int) -> None:
        return self.run(number)

    def run(self, _number: int, **_named: object) -> Any:
        if self._progress is not None:
            self._progress.cancel()
        return iter(())

    def close(self) -> None:
        self.closed += 1


def test_thumbnail_when_the_frame_is_damaged_then_says_so_and_is_not_decoded_again(
    frames: FrameThumbnails, video: Video, store: ThumbnailStore
) -> None:
    torn = changed(video, new_source=Source)
    for known in (torn, changed(video, new_source=pytest.fail)):
        with pytest.raises(UserError, match=r"Frame 7 of flight\.mp4 is damaged"):
            frames.load(known, medium=MEDIUM, number=7, height=40, progress=Progress())
    assert store.get(f"{thumbnail_key(MEDIUM, video.path)}f7") == b""


def test_thumbnail_when_it_is_cancelled_while_decoding_then_nothing_is_kept_of_it(
    frames: FrameThumbnails, video: Video, store: ThumbnailStore
) -> None:
    progress = Progress()
    late = changed(video, new_source=lambda: Source(progress))
    with pytest.raises(Cancelled):
        frames.load(late, medium=MEDIUM, number=7, height=40, progress=progress)
    # Not as a damaged frame either: it would stay empty for ever.
    assert store.get(f"{thumbnail_key(MEDIUM, video.path)}f7") is None


def test_videos_when_they_are_not_shown_any_more_then_are_closed(
    frames: FrameThumbnails, video: Video
) -> None:
    sources = [Source(), Source()]
    videos = [changed(video, new_source=lambda source=source: source) for source in sources]
    for number, one in enumerate(videos):
        medium = Medium(id="m", name="x", sha256=f"{number}" * 64)
        with pytest.raises(UserError):
            frames.load(one, medium=medium, number=7, height=40, progress=Progress())
    frames.keep_open(videos[:1])
    assert [source.closed for source in sources] == [0, 1]
    frames.close()
    frames.close()
    assert [source.closed for source in sources] == [1, 1]
    with pytest.raises(Cancelled):
        frames.load(videos[0], medium=Medium(id="m", name="x"), number=8, height=40, progress=Progress())


def test_video_when_it_is_read_on_two_threads_then_its_decoder_serves_one_at_a_time(
    frames: FrameThumbnails, video: Video
) -> None:
    found: dict[int, int | None] = {}

    def load(numbers: range) -> None:
        for number in numbers:
            pixels = frames.load(video, medium=MEDIUM, number=number, height=128, progress=Progress())
            found[number] = read_number(np.ascontiguousarray(pixels[..., 2::-1]))

    threads = [threading.Thread(target=load, args=(range(at, 30, 2),)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: number for number in range(30)}
