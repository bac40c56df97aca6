from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.projects import ChooseTaskSet
from annotator.commands.tags import ChangeTags
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, a_scene, created, write


def tags(session: Session) -> list[tuple[str, ...]]:
    return [scene.tags for scene in session.reader.records(Scene)]


def test_tags_when_changed_undone_and_redone_then_others_stay(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        scenes = [a_scene(tags=("night", "old")), a_scene(tags=("rain",)), a_scene()]
        write(session, *(created("scene", scene) for scene in scenes))
        command = ChangeTags(
            scenes=tuple(scene.id for scene in scenes[:2]), added=("rain", "checked"), removed=("old", "x")
        )
        changes = session.execute(command).result()
        after = [("night", "rain", "checked"), ("rain", "checked"), ()]
        assert changes.label == "Tag 2 scenes"
        assert tags(session) == after
        session.undo().result()
        assert tags(session) == [("night", "old"), ("rain",), ()]
        session.redo().result()
        assert tags(session) == after


def test_tags_when_nothing_changes_then_nothing_is_written(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        scene = a_scene(tags=("night",))
        write(session, created("scene", scene))
        assert (
            session.execute(ChangeTags(scenes=(scene.id,), added=("night",), removed=("x",))).result().ids
            == {}
        )


def test_tags_when_a_scene_is_unknown_then_nothing_is_changed(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        scene = a_scene()
        write(session, created("scene", scene))
        with pytest.raises(UserError, match="no scene nowhere"):
            session.execute(ChangeTags(scenes=(scene.id, "nowhere"), added=("x",))).result()
        assert tags(session) == [()]


def test_task_set_when_chosen_undone_and_redone_then_is_the_projects(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        session.execute(ChooseTaskSet(task_set="aircop")).result()
        assert session.reader.project.task_set == "aircop"
        session.undo().result()
        assert session.reader.project.task_set == ""
        session.redo().result()
        assert session.reader.project.task_set == "aircop"
