"""A window at the second look: items of another author, refined, in every answer format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.item import Item, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.second_look.second_look_person import SecondLookPerson
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import make_item, make_project, option
from widgets.window import MainWindow

OPTIONS = tuple(
    option(letter, f"Region {number}") for letter, number in zip("ABCD", (0, 7, 9, 5), strict=True)
)


def refined(number: int, **values: object) -> Item:
    """Return a refined item of two views that a rule has drafted."""
    usual: dict[str, object] = {
        "task_set": "spatialuav",
        "task": "object_matching",
        "state": "refined",
        "scene": "s1",
        "media": ("m0", "m1"),
        "options": OPTIONS,
        "answer_key": "B",
        "question": f"Which region shows car {number}?",
        "provenance": Provenance(made_by="rule"),
    }
    return make_item(number, **(usual | values))


def make_records(folder: Path, items: list[Item]) -> list[Record]:
    """Return a scene of two views with regions, and items."""
    folder.mkdir()
    media = []
    for at in range(2):
        file = write_picture(folder / f"picture-{at}.png", seed=at)
        media.append(Medium(id=f"m{at}", name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT))
    views = tuple(SceneView(name=f"UAV{at + 1}", medium=f"m{at}") for at in range(2))
    regions = [
        Region(
            id=f"r{at}{number}",
            medium=f"m{at}",
            number=number,
            category="canarycategory",
            box=Box(x1=40 + 90 * number, y1=40, x2=100 + 90 * number, y2=100),
        )
        for at in (0, 1)
        for number in (1, 2, 3)
    ]
    return [*media, Scene(id="s1", name="scene 1", views=views), *regions, *items]


@pytest.fixture
def items() -> list[Item]:
    """The items of the project; a module can have others."""
    return [refined(number) for number in (1, 2, 3)]


@pytest.fixture
def project(tmp_path: Path, items: list[Item]) -> Path:
    return make_project(tmp_path / "pilot.vantage", make_records(tmp_path / "pilot.media", items))


@pytest.fixture
def window(project: Path, show_window: Callable[[Session], MainWindow]) -> MainWindow:
    return show_window(Session.open(project))


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> SecondLookPerson:
    return SecondLookPerson(window, qtbot)
