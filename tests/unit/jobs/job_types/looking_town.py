"""A project of pictures with red things, and a detector file that finds them: what detection tests share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.region import Region
from annotator.domain.run import Run, RunKind
from annotator.domain.work import RunOrder
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.worker import create_worker
from annotator.session import Session
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.onnx_writer import red_finder
from tests.unit.store.making import ANNA, created, write

SIZE = (128, 96)
STILL = Medium(id="1" * 32, name="a.png", dataset="town", path="a.png", width_px=128, height_px=96)
BARE = Medium(id="2" * 32, name="b.png", dataset="village", path="b.png", width_px=128, height_px=96)
VIDEO = Medium(
    id="3" * 32,
    name="f",
    dataset="town",
    path="f",
    media_type="frames",
    frames=10,
    width_px=128,
    height_px=96,
)
MAP = Medium(id="4" * 32, name="d.npy", dataset="town", path="d.npy", media_type="depth")
MEDIA = (STILL, BARE, VIDEO, MAP)
STILL_BOX = (16, 32, 48, 64)


def video_box(frame: int) -> tuple[int, int, int, int]:
    """Return where the red thing is in a frame: it goes to the right by 4 pixels each."""
    return (8 + 4 * frame, 40, 24 + 4 * frame, 56)


def paint(path: Path, *boxes: tuple[int, int, int, int]) -> None:
    picture = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    for x1, y1, x2, y2 in boxes:
        picture[y1:y2, x1:x2] = (255, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)


@contextmanager
def town(folder: Path) -> Iterator[Session]:
    """Open a project with two stills, of which one shows nothing, a video of ten frames, and a depth map."""
    with Session.create(folder / "p.vantage", actor=ANNA) as session:
        root = session.media_root
        paint(root / "a.png", STILL_BOX)
        paint(root / "b.png")
        for frame in range(10):
            paint(root / "f" / f"{frame:06d}.png", video_box(frame))
        np.save(root / "d.npy", np.ones((4, 4), np.float32))
        write(session, *(created("medium", medium) for medium in MEDIA))
        yield session


def detector(folder: Path, *, name: str = "red", **options: Any) -> ModelProfile:
    """Make a detector file and a profile of it, and keep that among the person's."""
    path = red_finder(folder / f"{name}.onnx", size_px=128, names="['thing']", version="7")
    profile = ModelProfile(name=name, adapter="onnx", path=str(path), in_flight=1, options=options)
    write_profiles(config_folder(), [profile])
    return profile


def look(session: Session, kind: RunKind, *models: str, **settings: Any) -> Run:
    """Plan a run and work on it in this process."""
    order = RunOrder(kind=kind, models=models, settings=settings)
    run, _ = session.runs.start(order).result()
    with create_worker(
        session.path, catalogue=InstalledModels(), confirmed=ConfirmedRuns(config_folder()), run=run.id
    ) as working:
        working.work(until_done=True)
    done = session.reader.runs.get(run.id)
    assert done is not None
    return done


def regions(session: Session, medium: Medium | None = None) -> list[Region]:
    """Return the regions of a medium, or all, in order of arrival."""
    columns = {"medium": medium.id} if medium else {}
    return list(session.reader.find(Region, **columns))


def corners(region: Region) -> tuple[float, float, float, float]:
    return (region.box.x1, region.box.y1, region.box.x2, region.box.y2)
