"""The verb ``assign``."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.item_states import ChangeState
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment
from annotator.domain.item import Item
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import ANNA, BEN, a_scene, an_item, created, write


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


def test_assign_when_previewed_then_says_who_would_get_how_many_and_assigns_nothing(
    team: Path, verb: Verb
) -> None:
    options = ("--to", "Anna", "--to", "Ben", "--new", "--overlap", "2", "--overlap-share", "0.2", "--json")
    said = verb("assign", team, "--preview", *options)
    assert said.json["assigned"] == 10
    assert {one["name"]: one["new"] for one in said.json["persons"]} == {"Anna": 6, "Ben": 6}
    assert counts(verb("assign", team, "--json")) == {}
    with Session.open(team) as session:
        assert [actor.name for actor in session.reader.records(Actor)] == ["Anna"]
    assert counts(verb("assign", team, *options)) == {"Anna": 6, "Ben": 6}


def test_assign_when_a_person_has_worked_on_an_item_then_another_one_answers_it(
    team: Path, verb: Verb
) -> None:
    with Session.open(team, actor=BEN) as session:
        (item,) = session.reader.find(Item, name="2")
        session.execute(ChangeState(items=(item.id,), state="in_refinement")).result()
    options = ("--role", "validate", "--task", "a", "--to", "Ben", "--to", "Cleo", "--new", "--json")
    assert sorted(counts(verb("assign", team, *options))) == ["Ben", "Cleo"]
    with Session.open(team) as session:
        (found,) = session.reader.find(Assignment, target=item.id)
        assert session.reader.require(Actor, found.person).name == "Cleo"


def test_assign_when_nobody_can_answer_an_item_then_the_others_are_assigned_and_it_is_named(
    team: Path, verb: Verb
) -> None:
    with Session.open(team, actor=BEN) as session:
        (item,) = session.reader.find(Item, name="2")
        session.execute(ChangeState(items=(item.id,), state="in_refinement")).result()
    options = ("--role", "validate", "--task", "a", "--to", "Ben", "--new")
    said = verb("assign", team, *options, "--preview")
    assert "2 (aircop/a): 1 more persons are required" in said.out + said.err
    said = verb("assign", team, *options, "--json")
    assert [one["name"] for one in said.json["shortages"]] == ["2"]
    with Session.open(team) as session:
        assigned = {one.target for one in session.reader.find(Assignment, role="validate")}
    assert assigned
    assert item.id not in assigned


def test_assign_when_honeypots_are_mixed_in_then_they_are_accepted_items_of_the_same_tasks(
    team: Path, verb: Verb
) -> None:
    with Session.open(team) as session:
        known = [an_item(name=f"h{number}", task="ab"[number % 2], state="accepted") for number in range(8)]
        write(session, *(created("item", item) for item in known))
    said = verb(
        "assign", team, "--role", "validate", "--task", "a", "--state", "drafted", "--honeypots", "0.4",
        "--to", "Ben", "--to", "Cleo", "--new", "--json",
    )  # fmt: skip
    assert sorted(counts(said).values()) == [3, 5]
    with Session.open(team) as session:
        honeypots = {one.target for one in session.reader.find(Assignment, is_honeypot=1)}
        undone = session.undo().result()
        assert not list(session.reader.find(Assignment))
    assert honeypots <= {item.id for item in known if item.task == "a"}
    assert undone.counts["assignment"] == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--to", "Ben"), "no person 'Ben'"),
        (("--to", "Anna", "--overlap", "2"), "2 persons are required"),
        (("--to", "Anna", "--share", "2"), "share 2"),
        (("--to", "Anna", "--task", "a"), "filter 'a' is not one of scenes"),
        (("--to", "Anna", "--text", "zzz"), "No scene matches"),
        (("--to", "Anna", "--role", "refine", "--dataset", "a"), "filter 'a' is not one of items"),
        (("--to", "Anna", "--honeypots", "0.1"), "Honeypots are not possible in the role 'annotate'"),
        (("--to", "Ben", "--new", "--role", "validate", "--honeypots", "0.1"), "can be a honeypot"),
    ],
)
def test_assign_when_something_is_wrong_then_says_what_and_assigns_nothing(
    team: Path, verb: Verb, options: tuple[str, ...], message: str
) -> None:
    said = verb("assign", team, *options)
    assert (said.status, said.out) == (2, "")
    assert message in said.err
    assert counts(verb("assign", team, "--json")) == {}
