"""A window at Refine, with a project of a few items: with a scene, with one image, and without any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.refine.refine_person import RefinePerson
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import make_flag, make_item, make_project, option
from widgets.window import MainWindow

OPTIONS = tuple(
    option(letter, f"Region {number}") for letter, number in zip("ABCD", (0, 7, 9, 5), strict=True)
)


def make_records(folder: Path) -> list[Record]:
    """Return a scene of two views, an image, and six items in different states."""
    folder.mkdir()
    media = []
    for at in range(3):
        file = write_picture(folder / f"picture-{at}.png", seed=at)
        media.append(Medium(id=f"m{at}", name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT))
    views = tuple(SceneView(name=f"UAV{at + 1}", medium=f"m{at}") for at in range(2))
    scene = Scene(id="s1", name="scene 1", views=views)
    regions = [
        Region(id=f"r{at}", medium=f"m{at}", number=7, box=Box(x1=40, y1=40, x2=120, y2=100)) for at in (0, 1)
    ]
    spatial = {"task_set": "spatialuav", "task": "object_matching", "options": OPTIONS, "answer_key": "A"}
    items: list[Item] = [
        make_item(1, **spatial, scene="s1", media=("m0", "m1"), question="Which region shows the red car?"),
        make_item(2, **spatial, scene="s1", media=("m0", "m1"), question="Which region shows the van?"),
        make_item(3, media=("m2",), question="How many cars are there?"),
        make_item(4, question="Which city is it?"),
        make_item(5, state="refined", question="How many trees?", media=("m2",)),
        make_item(
            6,
            task_set="spatialuav",
            task="direction_recognition",
            answer_format="clock",
            options=(),
            answer_key="3",
            media=("m0",),
            scene="s1",
            question="In which direction lies Region 7?",
        ),
    ]
    flag = make_flag("item", items[1].id, "duplicate_question")
    return [*media, scene, *regions, *items, flag]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "pilot.media"
    return make_project(tmp_path / "pilot.vantage", make_records(folder))


@pytest.fixture
def window(project: Path, show_window: Callable[[Session], MainWindow]) -> MainWindow:
    return show_window(Session.open(project))


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> RefinePerson:
    return RefinePerson(window, qtbot)
