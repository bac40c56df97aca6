from __future__ import annotations

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from annotator.commands.regions import AddRegion, RemoveRegions
from annotator.domain.changes import Changes
from annotator.domain.item import Item
from annotator.domain.region import Box
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.unit.store.making import a_medium, changed, created, write
from widgets.bridge import Bridge
from widgets.stage import scene_loader
from widgets.stage.scene import StageScene
from widgets.stage.scene_loader import SceneLoader


class Loads:
    """A loader with what it tells, and how often it reads a scene as a whole."""

    def __init__(
        self, session: Session, bridge: Bridge, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.session, self.qtbot = session, qtbot
        self.owner = QObject()
        self.loader = SceneLoader(session=session, bridge=bridge, parent=self.owner)
        self.loaded: list[StageScene | None] = []
        self.unchanged: list[bool] = []
        self.loader.loaded.connect(self.loaded.append)
        self.loader.unchanged.connect(lambda: self.unchanged.append(True))
        self.whole = 0
        read = scene_loader.read_scene

        def count(*arguments, **options):  # type: ignore[no-untyped-def]
            self.whole += 1
            return read(*arguments, **options)

        monkeypatch.setattr(scene_loader, "read_scene", count)
        self.scenes = [record.id for record in session.reader.records(Scene)]

    def wait_for_loads(self, loads: int) -> StageScene:
        self.qtbot.waitUntil(lambda: len(self.loaded) >= loads)
        shown = self.loaded[-1]
        assert shown is not None
        assert len(self.loaded) == loads
        return shown

    def add(self, medium: str) -> tuple[str, Changes]:
        command = AddRegion(medium=medium, box=Box(x1=1, y1=1, x2=9, y2=9))
        return command.id, self.session.execute(command).result()


@pytest.fixture
def loads(session: Session, bridge: Bridge, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Loads:
    return Loads(session, bridge, qtbot, monkeypatch)


def test_loader_when_a_region_is_added_then_reads_that_and_not_the_whole_scene(loads: Loads) -> None:
    loads.loader.load(loads.scenes[0])
    medium = loads.wait_for_loads(1).scene.views[0].medium
    region, changes = loads.add(medium)
    loads.loader.update(changes)
    assert [one.id for one in loads.wait_for_loads(2).marks.regions] == [region]
    assert loads.whole == 1


def test_loader_when_changes_follow_at_once_then_all_of_them_are_in_one_answer(loads: Loads) -> None:
    loads.loader.load(loads.scenes[0])
    medium = loads.wait_for_loads(1).scene.views[0].medium
    first, changes = loads.add(medium)
    loads.loader.update(changes)
    second, changes = loads.add(medium)
    loads.loader.update(changes)
    loads.loader.update(loads.session.execute(RemoveRegions(regions=(first,))).result())
    assert [one.id for one in loads.wait_for_loads(2).marks.regions] == [second]


def test_loader_when_nothing_of_the_scene_changes_then_says_so(loads: Loads) -> None:
    loads.loader.load(loads.scenes[0])
    shown = loads.wait_for_loads(1)
    item = next(loads.session.reader.records(Item))
    loads.loader.update(write(loads.session, *changed("item", item.id, state="rejected")))
    assert loads.unchanged == [True]
    other = a_medium(name="other.jpg")
    write(loads.session, created("medium", other))
    loads.loader.update(loads.add(other.id)[1])
    loads.qtbot.waitUntil(lambda: len(loads.unchanged) == 2)
    assert loads.loaded == [shown]


def test_loader_when_a_change_comes_before_the_scene_then_the_scene_has_it(loads: Loads) -> None:
    scene = loads.scenes[0]
    medium = next(one for one in loads.session.reader.records(Scene) if one.id == scene).views[0].medium  # type: ignore[attr-defined]
    loads.loader.load(scene)
    region, changes = loads.add(medium)
    loads.loader.update(changes)
    assert [one.id for one in loads.wait_for_loads(1).marks.regions] == [region]


def test_loader_when_the_scene_is_dropped_then_changes_load_nothing(loads: Loads) -> None:
    loads.loader.load(loads.scenes[0])
    medium = loads.wait_for_loads(1).scene.views[0].medium
    loads.loader.drop()
    loads.loader.update(loads.add(medium)[1])
    loads.loader.load("")
    assert loads.loaded[1:] == [None]
