from __future__ import annotations

import pytest

from annotator.domain.query import SceneQuery
from annotator.session import Session
from tests.unit.store.making import (
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    problems,
    removed,
    write,
)


def _flags(session: Session) -> dict[str, tuple[str, ...]]:
    return {row.name: row.flags for row in session.reader.scenes.page(SceneQuery())}


@pytest.fixture
def scenes(session: Session) -> list[str]:
    made = [a_scene(name="here"), a_scene(name="there")]
    write(session, *(created("scene", scene) for scene in made))
    return [scene.id for scene in made]


@pytest.mark.parametrize("entity", ["item", "event_label"])
def test_flags_when_their_record_moves_to_another_scene_then_move_along(
    session: Session, scenes: list[str], entity: str
) -> None:
    record = (an_item if entity == "item" else a_label)(scene=scenes[0])
    write(session, created(entity, record), created("flag", a_flag(record.id, entity=entity)))
    assert _flags(session) == {"here": ("doubt",), "there": ()}
    write(session, *changed(entity, record.id, scene=scenes[1]))
    assert _flags(session) == {"here": (), "there": ("doubt",)}
    session.undo().result()
    assert _flags(session) == {"here": ("doubt",), "there": ()}


def test_flags_of_a_medium_when_a_scene_begins_or_ceases_to_show_it_then_follow(
    session: Session, scenes: list[str]
) -> None:
    medium = a_medium()
    write(session, created("medium", medium), created("flag", a_flag(medium.id, entity="medium")))
    assert _flags(session) == {"here": (), "there": ()}
    views = a_scene(medium.id).views
    write(session, *changed("scene", scenes[0], views=views))
    assert _flags(session) == {"here": ("doubt",), "there": ()}
    write(session, *changed("scene", scenes[0], views=()))
    assert _flags(session) == {"here": (), "there": ()}
    write(session, *changed("scene", scenes[1], views=views))
    assert _flags(session) == {"here": (), "there": ("doubt",)}
    assert problems(session.path) == []


def test_flags_of_a_medium_when_its_scene_comes_later_or_is_taken_out_then_follow(session: Session) -> None:
    medium = a_medium()
    write(session, created("medium", medium), created("flag", a_flag(medium.id, entity="medium")))
    scene = a_scene(medium.id, name="late")
    write(session, created("scene", scene))
    assert _flags(session) == {"late": ("doubt",)}
    write(session, removed("scene", scene.id), created("scene", a_scene(medium.id, name="other")))
    assert _flags(session) == {"other": ("doubt",)}


def test_flags_when_closed_or_taken_out_then_the_scene_has_none(session: Session, scenes: list[str]) -> None:
    flag = a_flag(scenes[0], entity="scene")
    write(session, created("flag", flag))
    assert _flags(session)["here"] == ("doubt",)
    write(session, *changed("flag", flag.id, state="resolved"))
    assert _flags(session)["here"] == ()
    write(session, *changed("flag", flag.id, state="open"), removed("flag", flag.id))
    assert _flags(session)["here"] == ()
