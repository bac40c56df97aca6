"""The verb ``assign``."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import ANNA, a_scene, an_item, created, write


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "team.vantage"
    with Session.create(path, actor=ANNA) as session:
        scenes = (a_scene(name=f"{number}", dataset="ab"[number % 2]) for number in range(10))
        items = (an_item(name=f"{number}", task="ab"[number % 2]) for number in range(10))
        write(session, *(created("scene", one) for one in scenes), *(created("item", one) for one in items))
    return path


def counts(said: object) -> dict[str, int]:
    return {one["name"]: one["assigned"] for one in said.json["persons"]}  # type: ignore[attr-defined]


def test_assign_when_scenes_are_shared_out_then_both_have_as_many_and_again_changes_nothing(
    team: Path, verb: Verb
) -> None:
    given = ("assign", team, "--to", "Anna", "--to", "Ben", "--new", "--json")
    assert counts(verb(*given)) == {"Anna": 5, "Ben": 5}
    assert counts(verb(*given)) == {"Anna": 5, "Ben": 5}
    assert verb("assign", team, "--remove", "--to", "Ben").status == 0
    assert counts(verb("assign", team, "--json")) == {"Anna": 5}


def test_assign_when_items_of_a_task_overlap_then_each_has_two_persons(team: Path, verb: Verb) -> None:
    said = verb(
        "assign", team, "--role", "validate", "--task", "a", "--share", "0.4", "--overlap", "2",
        "--seed", "3", "--to", "Anna", "--to", "Ben", "--to", "Cleo", "--new", "--json",
    )  # fmt: skip
    assert (said.json["entity"], said.json["assigned"]) == ("item", 2)
    assert sum(counts(said).values()) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "Ben"), "no person 'Ben'"),
        (("--to", "Anna", "--overlap", "2"), "2 persons are required"),
        (("--to", "Anna", "--share", "2"), "share 2"),
        (("--to", "Anna", "--task", "a"), "filter 'a' is not one of scenes"),
        (("--to", "Anna", "--text", "zzz"), "No scene matches"),
        (("--to", "Anna", "--role", "refine", "--dataset", "a"), "filter 'a' is not one of items"),
    ],
)
def test_assign_when_something_is_wrong_then_says_what_and_assigns_nothing(
    team: Path, verb: Verb, options: tuple[str, ...], message: str
) -> None:
    said = verb("assign", team, *options)
    assert (said.status, said.out) == (2, "")
    assert message in said.err
    assert counts(verb("assign", team, "--json")) == {}
