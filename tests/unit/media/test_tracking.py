from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from annotator.domain.medium import Medium
from annotator.domain.region import Box
from annotator.errors import Cancelled, UserError
from annotator.media.tracking import BoxTracker
from annotator.media.video_tracking import track_boxes
from annotator.progress import Progress

SIZE_PX = (320, 200)
BOX = Box(x1=60.0, y1=80.0, x2=100.0, y2=104.0)
Rgb = NDArray[np.uint8]


def texture(width: int, height: int, *, seed: int) -> Rgb:
    """Return smooth noise, uint8 (height, width, 3)."""
    rough = np.random.default_rng(seed).integers(0, 255, (height // 4 + 1, width // 4 + 1, 3), np.uint8)
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def scenery(number: int, *, pan_px: float = 3.0, move_px: float = 2.0, hidden_from: int = 99) -> Rgb:
    """Return a frame of a camera that pans over a ground, with a car that moves on it."""
    width, height = SIZE_PX
    ground = texture(width * 2, height, seed=1)
    shift = np.array([[1.0, 0.0, -pan_px * number], [0.0, 1.0, 0.0]])
    frame = np.asarray(cv2.warpAffine(ground, shift, SIZE_PX), np.uint8)
    if number < hidden_from:
        x = round(BOX.x1 + (move_px - pan_px) * number)
        car = texture(40, 24, seed=2)
        frame[80:104, max(0, x) : x + 40] = car[:, max(0, -x) :][:, : width - max(0, x)]
    return frame


def test_box_when_its_object_and_the_camera_move_then_is_followed_to_the_pixel() -> None:
    tracker = BoxTracker(scenery(0), [BOX])
    for number in range(1, 21):
        (found,) = tracker.follow(scenery(number))
        assert found is not None
        assert found.box.x1 == pytest.approx(BOX.x1 - number, abs=1.0)
        assert (found.box.y1, found.box.y2) == pytest.approx((BOX.y1, BOX.y2), abs=1.0)
        assert 0.6 < found.confidence <= 1


def test_box_when_its_object_is_hidden_then_is_lost_and_does_not_return() -> None:
    standing = Box(x1=200.0, y1=20.0, x2=240.0, y2=50.0)
    tracker = BoxTracker(scenery(0, hidden_from=5), [BOX, standing])
    followed = [tracker.follow(scenery(number, hidden_from=5)) for number in range(1, 10)]
    cars = [car is not None for car, _ in followed]
    assert cars[:4] == [True] * 4
    assert not any(cars[4:])
    assert all(ground is not None for _, ground in followed)


def test_box_when_it_leaves_the_image_then_is_lost() -> None:
    edge = Box(x1=4.0, y1=40.0, x2=44.0, y2=70.0)
    tracker = BoxTracker(scenery(0), [edge])
    followed = [tracker.follow(scenery(number))[0] for number in range(1, 15)]
    assert followed[0] is not None
    assert all(one.box.x1 >= 0 for one in followed if one is not None)
    assert followed[-1] is None
    assert not tracker.is_following


def test_boxes_when_the_image_is_of_one_colour_then_are_lost() -> None:
    gray = np.full((200, 320, 3), 90, np.uint8)
    assert BoxTracker(gray, [BOX]).follow(gray) == [None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of ten frames; the car is gone from the seventh on."""
    made = tmp_path_factory.mktemp("frames")
    for number in range(10):
        frame = cv2.cvtColor(scenery(number, hidden_from=6), cv2.COLOR_RGB2BGR)
        cv2.imwrite(str(made / f"{number:04d}.png"), frame)
    return made


MEDIUM = Medium(id="m", name="flight", media_type="video", width_px=320, height_px=200)


def test_video_when_a_box_is_lost_then_its_track_ends_there_and_reading_stops(folder: Path) -> None:
    seen: list[int] = []
    progress = Progress(lambda step: seen.append(step.done))
    (track,) = track_boxes(MEDIUM, folder, boxes=[BOX], frame=1, last=9, progress=progress)
    assert (len(track.boxes), track.is_lost) == (4, True)
    assert max(seen) < 8


def test_video_when_the_last_frame_is_behind_its_end_then_is_tracked_to_its_end(folder: Path) -> None:
    box = Box(x1=200.0, y1=20.0, x2=240.0, y2=50.0)
    (track,) = track_boxes(MEDIUM, folder, boxes=[box], frame=7, last=99, progress=Progress())
    assert (len(track.boxes), track.is_lost) == (2, False)


@pytest.mark.parametrize(
    ("file", "box", "frame", "message"),
    [
        (None, BOX, 0, "is missing"),
        ("folder", Box(x1=1.0, y1=1.0, x2=4.0, y2=9.0), 0, "too small"),
        ("folder", BOX, 9, "no later frame"),
    ],
)
def test_video_when_it_cannot_be_tracked_then_says_why(
    folder: Path, file: str | None, box: Box, frame: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        track_boxes(MEDIUM, folder if file else None, boxes=[box], frame=frame, last=20, progress=Progress())


def test_video_when_tracking_is_cancelled_then_stops(folder: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        track_boxes(MEDIUM, folder, boxes=[BOX], frame=0, last=9, progress=progress)


@pytest.mark.slow
def test_real_video_when_its_motion_is_known_then_boxes_stay_on_their_places(shared_data: Path) -> None:
    videos = shared_data / "media" / "videos"
    name = "uavA_flyover_720p25.mp4"
    truth = json.loads((videos / "flyover_groundtruth.json").read_text(encoding="utf-8"))[name]["log"]
    to_frame = {one["frame"]: np.array(one["affine_src_to_frame"]) for one in truth}
    boxes = [Box(x1=x, y1=y, x2=x + 40, y2=y + 30) for x in (300.0, 600.0, 900.0) for y in (200.0, 450.0)]
    medium = Medium(id="m", name=name, media_type="video", width_px=1280, height_px=720)
    tracks = track_boxes(medium, videos / name, boxes=boxes, frame=0, last=30, progress=Progress())
    to_source = np.linalg.inv(np.vstack([to_frame[0], (0, 0, 1)]))
    for box, track in zip(boxes, tracks, strict=True):
        source = to_source @ ((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, 1)
        for frame in (10, 20, 30):
            found = track.boxes[frame - 1].box
            middle = np.array(((found.x1 + found.x2) / 2, (found.y1 + found.y2) / 2))
            # Measured: 0.04 to 0.5 px.
            assert np.hypot(*(middle - to_frame[frame] @ source)) < 1.5
