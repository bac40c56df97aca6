"""What the scripts of assisted annotation work on: a video of moving objects, pictures of coloured ones."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.jobs.profile_file import write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.bench.hands.project import AddRecords
from tests.onnx_writer import colour_segmenter

SIZE_PX = (640, 360)
OBJECTS, FRAMES = 10, 21
OBJECT_PX = (44, 28)
TURNING = frozenset(range(0, OBJECTS, 2))
"""Objects that turn half-way, so that a box in between is not half-way between the first and the last."""
STAR = ((320.0, 60.0), (352.0, 140.0), (440.0, 150.0), (372.0, 206.0), (396.0, 292.0), (320.0, 244.0),
        (244.0, 292.0), (268.0, 206.0), (200.0, 150.0), (288.0, 140.0))  # fmt: skip
"""Corners of a coloured object, image pixels."""
Rgb = NDArray[np.uint8]


def object_box(number: int, frame: int) -> Box:
    """Return the true box of an object on a frame."""
    column, row = number % 5, number // 5
    x, y = 50.0 + 110.0 * column, 80.0 + 150.0 * row
    middle = (FRAMES - 1) / 2
    along = abs(frame - middle) - middle if number in TURNING else float(frame)
    x, y = x + 2.0 * frame, y + (2.0 if row == 0 else -2.0) * along
    return Box(x1=x, y1=y, x2=x + OBJECT_PX[0], y2=y + OBJECT_PX[1])


def make_video_project(folder: Path) -> Path:
    """Make a project with a video of ten moving objects, and return its path."""
    media = folder / "assist.media"
    media.mkdir(parents=True)
    _write_video(media / "flight.mp4")
    medium = Medium(
        id=new_id(), name="flight.mp4", path="flight.mp4", media_type="video",
        width_px=SIZE_PX[0], height_px=SIZE_PX[1], frames=FRAMES, duration_s=FRAMES / 25,
    )  # fmt: skip
    return _write_project(folder / "assist.vantage", medium)


def make_picture_project(folder: Path) -> Path:
    """Make a project with a picture of ten objects that nobody has marked, and return its path."""
    media = folder / "assist.media"
    media.mkdir(parents=True)
    cv2.imwrite(str(media / "a.png"), _video_frame(0)[..., ::-1])
    return _write_project(folder / "assist.vantage", _picture_medium())


def make_proposals_project(folder: Path) -> Path:
    """Make a project with a picture of ten objects that a detector proposes, and return its path."""
    media = folder / "assist.media"
    media.mkdir(parents=True)
    cv2.imwrite(str(media / "a.png"), _video_frame(0)[..., ::-1])
    medium = _picture_medium()
    proposals = [
        Region(
            id=new_id(), medium=medium.id, number=number, box=object_box(number, 0), score=0.8,
            made_by="finder", is_proposed=True,
        )
        for number in range(OBJECTS)
    ]  # fmt: skip
    return _write_project(folder / "assist.vantage", medium, *proposals)


def make_segmenter_project(folder: Path) -> Path:
    """Make a project with a picture of a coloured star, and a segmenter among the person's models."""
    media = folder / "assist.media"
    media.mkdir(parents=True)
    picture = np.full((SIZE_PX[1], SIZE_PX[0], 3), (60, 90, 60), np.uint8)
    cv2.fillPoly(picture, [np.array(STAR, np.int32)], (210, 40, 40))
    cv2.imwrite(str(media / "a.png"), picture[..., ::-1])
    encoder, _ = colour_segmenter(folder / "models", side_px=512)
    write_profiles(config_folder(), [ModelProfile(name="tiny", adapter="sam-onnx", path=str(encoder))])
    return _write_project(folder / "assist.vantage", _picture_medium())


def _picture_medium() -> Medium:
    return Medium(id=new_id(), name="a.png", path="a.png", width_px=SIZE_PX[0], height_px=SIZE_PX[1])


def _write_project(path: Path, medium: Medium, *records: Record) -> Path:
    scene = Scene(id=new_id(), name="0001", views=(SceneView(name="UAV1", medium=medium.id),))
    with Session.create(path) as session:
        session.execute(AddRecords([medium, scene, *records])).result()
    return path


def _write_video(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"preset": "veryfast", "crf": "16"})
        stream.width, stream.height = SIZE_PX
        stream.pix_fmt = "yuv420p"
        for number in range(FRAMES):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(_video_frame(number), format="rgb24")))
        container.mux(stream.encode())


def _video_frame(frame: int) -> Rgb:
    """Return a frame, uint8 (height, width, 3): textured ground with textured objects on it."""
    drawn = _texture(*SIZE_PX, seed=0)
    for number in range(OBJECTS):
        box = object_box(number, frame)
        x, y = round(box.x1), round(box.y1)
        drawn[y : y + OBJECT_PX[1], x : x + OBJECT_PX[0]] = _texture(*OBJECT_PX, seed=number + 1)
    return drawn


def _texture(width: int, height: int, *, seed: int) -> Rgb:
    rough = np.random.default_rng(seed).integers(0, 255, (height // 6 + 1, width // 6 + 1, 3), np.uint8)
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
