"""A window with a project of three scenes, two of which have pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath

import pytest

from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.windows import NO_SIZE_HINTS, make_project
from widgets.settings import Settings
from widgets.window import MainWindow, build


@pytest.fixture
def window(
    tmp_path: FilePath, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[MainWindow]:
    guard_messages.allow(NO_SIZE_HINTS)
    folder = tmp_path / "pilot.media"
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
    path = make_project(tmp_path / "pilot.vantage", [*media, *scenes, empty])
    session = Session.open(path)
    assert session.media_root == folder
    made = build(session, settings=settings)
    qtbot.addWidget(made)
    made.resize(1600, 1000)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> AnnotatePerson:
    return AnnotatePerson(window, qtbot)
