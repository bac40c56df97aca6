"""A window with a project of three scenes, two of which have pictures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path as FilePath

import msgspec
import pytest

from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.bench.numbered_videos import KINDS, make_video
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.annotate.flight_person import FPS, FRAMES, FlightPerson, made_flight
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import make_project
from widgets.window import MainWindow

VIDEO_SIZE = (192, 128)


@pytest.fixture(scope="session")
def made_scenes(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    """Make the project and its pictures once, in a folder of their own."""
    path = tmp_path_factory.mktemp("scenes")
    folder = path / "pilot.media"
    folder.mkdir()
    scenes, media = [], []
    for name in ("0001", "0002"):
        views = []
        for number in (1, 2):
            file = write_picture(folder / f"{name}-UAV{number}.png", seed=number)
            medium = Medium(id=new_id(), name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT)
            media.append(medium)
            views.append(SceneView(name=f"UAV{number}", medium=medium.id))
        scenes.append(Scene(id=new_id(), name=name, views=tuple(views)))
    empty = Scene(id=new_id(), name="0003")
    make_project(path / "pilot.vantage", [*media, *scenes, empty])
    return path


@pytest.fixture
def window(
    made_scenes: FilePath, tmp_path: FilePath, show_window: Callable[[Session], MainWindow]
) -> MainWindow:
    shutil.copytree(made_scenes, tmp_path, dirs_exist_ok=True)
    session = Session.open(tmp_path / "pilot.vantage")
    assert session.media_root == tmp_path / "pilot.media"
    return show_window(session)


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> AnnotatePerson:
    return AnnotatePerson(window, qtbot)


@pytest.fixture(scope="session")
def flight_video(tmp_path_factory: pytest.TempPathFactory) -> FilePath:
    recipe = msgspec.structs.replace(KINDS["fragmented"], muxing={}, frames=FRAMES, size_px=VIDEO_SIZE)
    return FilePath(make_video(tmp_path_factory.mktemp("videos"), name="flight", recipe=recipe).path)


@pytest.fixture
def flight_person(
    tmp_path: FilePath,
    flight_video: FilePath,
    show_window: Callable[[Session], MainWindow],
    qtbot: PatientBot,
) -> FlightPerson:
    """Open a scene with two flights, and one with a video without poses."""
    folder = tmp_path / "pilot.media"
    folder.mkdir()
    media = [
        Medium(
            id=new_id(), name=name, path=name, media_type="video", width_px=VIDEO_SIZE[0],
            height_px=VIDEO_SIZE[1],
            frames=FRAMES, duration_s=FRAMES / FPS,
        )
        for name in (FilePath(shutil.copy(flight_video, folder / f"{n}.mp4")).name for n in range(3))
    ]  # fmt: skip
    views = tuple(SceneView(name=f"UAV{n + 1}", medium=media[n].id) for n in range(2))
    scene = Scene(id=new_id(), name="0001", views=views)
    bare = Scene(id=new_id(), name="0002", views=(SceneView(name="UAV1", medium=media[2].id),))
    flights = [
        made_flight(scene.id, view="UAV1", key_frames=(0, 29, 59)),
        made_flight(scene.id, view="UAV2", left_m=8.0),
    ]
    session = Session.open(make_project(tmp_path / "pilot.vantage", [*media, scene, bare, *flights]))
    return FlightPerson(show_window(session), qtbot)
