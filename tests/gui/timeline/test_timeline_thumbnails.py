from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from annotator.domain.medium import Medium
from annotator.media.display_pixels import Pixels
from annotator.media.frame_thumbnails import FrameThumbnails
from annotator.media.thumbnails import ThumbnailStore, thumbnail_key
from annotator.media.video.video import Video
from tests.bench.numbered_videos import picture_of, read_number
from tests.guards_qt import PatientBot
from tests.gui.timeline.conftest import SIZE
from widgets.media_loader import MediaLoader
from widgets.timeline.timeline_thumbnails import FrameThumbnailKey, TimelineThumbnails

MEDIUM = Medium(id="m1", name="flight.mp4", sha256="ab" * 32)


@pytest.fixture
def store(tmp_path: Path) -> ThumbnailStore:
    return ThumbnailStore(tmp_path / "thumbnails")


@pytest.fixture
def small(media: MediaLoader, store: ThumbnailStore) -> Iterator[TimelineThumbnails]:
    made = TimelineThumbnails(media, store=store)
    yield made
    made.close()


@pytest.fixture
def video(video_file: Path) -> Video:
    return Video.open(video_file)


def shot_of(number: int) -> FrameThumbnailKey:
    return FrameThumbnailKey("m1", number, SIZE[1])


def number_in(image: QImage | None) -> int | None:
    """Read the number that is burnt into a frame."""
    assert image is not None
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    lines = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    return read_number(lines[:, : rgb.width() * 3].reshape(rgb.height(), rgb.width(), 3))


def test_pictures_when_wanted_then_are_those_of_the_very_frames(
    small: TimelineThumbnails, video: Video, qtbot: PatientBot
) -> None:
    assert read_number(picture_of(5, size_px=SIZE)) == 5
    small.show_videos({"m1": (video, MEDIUM)})
    shots = [shot_of(number) for number in (0, 5, 24, 47, 89)]
    small.request(shots)
    qtbot.settle(small.is_settled)
    found = [number_in(small.image(shot)) for shot in shots]
    assert found == [0, 5, 24, 47, 89]


def test_pictures_when_they_were_made_before_then_come_from_the_disk(
    small: TimelineThumbnails, video: Video, media: MediaLoader, store: ThumbnailStore, qtbot: PatientBot
) -> None:
    shot = shot_of(47)
    small.show_videos({"m1": (video, MEDIUM)})
    small.request([shot])
    qtbot.settle(small.is_settled)
    assert store.get(f"{thumbnail_key(MEDIUM, video.path)}f47")
    again = TimelineThumbnails(media, store=store)
    blind = Video(
        **{name: getattr(video, name) for name in video.__dataclass_fields__ if not name.startswith("_")}
        | {"new_source": pytest.fail}
    )
    again.show_videos({"m1": (blind, MEDIUM)})
    again.request([shot])
    qtbot.settle(again.is_settled)
    assert number_in(again.image(shot)) == 47
    again.close()


def test_pictures_when_a_video_plays_then_wait_until_it_rests(
    small: TimelineThumbnails, video: Video, qtbot: PatientBot
) -> None:
    shot = shot_of(30)
    small.show_videos({"m1": (video, MEDIUM)})
    small.hold(True)
    small.request([shot])
    assert small.is_settled()
    assert small.image(shot) is None
    small.hold(False)
    qtbot.settle(small.is_settled)
    assert number_in(small.image(shot)) == 30


def test_pictures_when_the_scene_goes_then_nothing_more_is_made_and_the_video_is_given_back(
    small: TimelineThumbnails, video: Video, store: ThumbnailStore, qtbot: PatientBot
) -> None:
    small.show_videos({"m1": (video, MEDIUM)})
    small.request([shot_of(number) for number in range(90)])
    small.show_videos({})
    qtbot.settle(small.is_settled)
    key = thumbnail_key(MEDIUM, video.path)
    kept = [number for number in range(90) if store.get(f"{key}f{number}")]
    assert len(kept) < 90
    small.request([shot_of(89)])
    assert small.is_settled()


def test_pictures_when_asked_for_again_while_they_are_loaded_then_each_is_loaded_once(
    small: TimelineThumbnails, video: Video, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    load = FrameThumbnails.load

    def counted(self: FrameThumbnails, video: Video, **named: Any) -> Pixels:
        loaded.append(named["number"])
        return load(self, video, **named)

    monkeypatch.setattr(FrameThumbnails, "load", counted)
    small.show_videos({"m1": (video, MEDIUM)})
    shots = [shot_of(number) for number in range(0, 90, 3)]
    # As the strip does: painted anew at each arrival, and at each move of the pointer between.
    small.arrived.connect(lambda: small.request(shots))
    small.request(shots)

    def is_settled() -> bool:
        small.request(shots)
        return small.is_settled()

    qtbot.settle(is_settled)
    assert sorted(loaded) == list(range(0, 90, 3))


def test_pictures_when_the_lane_gets_another_height_then_the_last_one_stands_in(
    small: TimelineThumbnails, video: Video, qtbot: PatientBot
) -> None:
    small.show_videos({"m1": (video, MEDIUM)})
    small.request([shot_of(47)])
    qtbot.settle(small.is_settled)
    assert number_in(small.image(shot_of(47))) == 47
    low = FrameThumbnailKey("m1", 47, 20)
    assert small.image(low) is None
    assert number_in(small.placeholder(low)) == 47
    small.request([low])
    qtbot.settle(small.is_settled)
    image = small.image(low)
    assert image is not None
    assert image.height() == 20


def test_pictures_when_a_video_cannot_be_read_then_its_places_stay_empty(
    small: TimelineThumbnails, video: Video, tmp_path: Path, qtbot: PatientBot
) -> None:
    gone = Medium(id="m1", name="flight.mp4")
    lost = Video(
        **{name: getattr(video, name) for name in video.__dataclass_fields__ if not name.startswith("_")}
        | {"path": tmp_path / "gone.mp4"}
    )
    small.show_videos({"m1": (lost, gone)})
    small.request([shot_of(3)])
    qtbot.settle(small.is_settled)
    image = small.image(shot_of(3))
    assert image is not None
    assert image.isNull()
