"""The verb progress on a project with a team."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.event_labels import SetQuality
from annotator.commands.item_states import ChangeState
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.domain.item import Item, Option
from annotator.domain.record import new_id
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import ANNA, BEN, a_medium, a_scene, created, write

CLEO = Actor(id="c" * 32, name="=Cleo")


def make_item(number: int, **fields: object) -> Item:
    options = (Option(letter="A", text="four"), Option(letter="B", text="seven"))
    known = {"id": new_id(), "name": f"i{number}", "task_set": "t", "task": "count", "question": "How many?"}
    return Item(**known, options=options, answer_key="B", **fields)  # type: ignore[arg-type]


@pytest.fixture
def items() -> list[Item]:
    return [make_item(number) for number in range(5)] + [make_item(5, state="accepted")]


@pytest.fixture
def team(tmp_path: Path, items: list[Item]) -> Path:
    path = tmp_path / "team.vantage"
    with Session.create(path, actor=ANNA) as session:
        write(session, *(created("item", item) for item in items), created("actor", CLEO))
        refine = tuple((item.id, (ANNA if index < 4 else BEN).id) for index, item in enumerate(items[:5]))
        honeypots = ((items[5].id, CLEO.id),)
        for command in (
            AssignRecords(entity="item", role="refine", pairs=refine, people=(BEN,)),
            AssignRecords(entity="item", role="validate", pairs=(), honeypots=honeypots),
            ChangeState(items=(items[0].id,), state="refined", person=ANNA.id, active_s=20),
            ChangeState(items=(items[1].id,), state="refined", person=ANNA.id, active_s=40),
            # Somebody else: neither done by Anna nor left.
            ChangeState(items=(items[2].id,), state="rejected", reason="twice", person=BEN.id),
            AddResponses(answers=(GivenAnswer(item=items[5].id, answer="A", person=CLEO.id, duration_s=7),)),
        ):
            session.execute(command).result()
    return path


def row(said: object, name: str) -> dict[str, object]:
    return next(one for one in said.json["persons"] if one["person"] == name)  # type: ignore[attr-defined]


def test_progress_when_asked_then_each_person_has_counts_and_time_and_no_ranking(
    team: Path, verb: Verb
) -> None:
    said = verb("progress", team, "--json")
    assert [(one["person"], one["role"]) for one in said.json["persons"]] == [
        ("=Cleo", "validate"), ("Anna", "refine"), ("Ben", "refine"),
    ]  # fmt: skip
    anna = row(said, "Anna")
    assert (anna["assigned"], anna["done"], anna["left"]) == (4, 2, 1)
    assert (anna["active_s"], anna["median_s"]) == (60.0, 30.0)
    assert anna["estimate"]["seconds"] == 30.0
    assert "honeypots" not in said.json
    text = verb("progress", team).out
    assert "0:30 (0:20 to 0:40)" in text


def test_progress_when_work_is_sent_back_then_it_is_left_again(
    team: Path, items: list[Item], verb: Verb
) -> None:
    with Session.open(team) as session:
        command = ChangeState(items=(items[0].id,), state="in_refinement", reason="option C")
        session.execute(command).result()
    anna = row(verb("progress", team, "--json"), "Anna")
    assert (anna["assigned"], anna["done"], anna["left"]) == (4, 1, 2)


def test_progress_when_a_hand_in_is_undone_then_its_time_stays(
    team: Path, items: list[Item], verb: Verb
) -> None:
    with Session.open(team, actor=BEN) as session:
        command = ChangeState(items=(items[4].id,), state="refined", person=BEN.id, active_s=11)
        session.execute(command).result()
        session.undo().result()
    ben = row(verb("progress", team, "--json"), "Ben")
    assert (ben["done"], ben["left"], ben["active_s"]) == (0, 1, 11.0)


def test_annotation_when_two_persons_work_on_a_label_then_each_has_the_own_time(
    tmp_path: Path, verb: Verb
) -> None:
    path, medium = tmp_path / "town.vantage", a_medium()
    scene = a_scene(medium.id, dataset="town")
    for person, edits in ((ANNA, [(3, 30.0), (4, 10.0)]), (BEN, [(5, 7.5)])):
        with (
            Session.open(path, actor=person)
            if path.is_file()
            else Session.create(path, actor=person) as session
        ):
            if person is ANNA:
                write(session, created("medium", medium), created("scene", scene))
            for level, seconds in edits:
                command = SetQuality(scene=scene.id, view="UAV1", level=level, active_s=seconds)
                session.execute(command).result()
            session.undo().result()
            session.redo().result()
    said = verb("progress", path, "--by-task", "--json")
    assert {(one["person"], one["role"], one["task"]): one["active_s"] for one in said.json["persons"]} == {
        ("Anna", "annotate", "town"): 40.0, ("Ben", "annotate", "town"): 7.5,
    }  # fmt: skip


def test_honeypots_when_asked_for_then_say_how_many_are_right(team: Path, verb: Verb) -> None:
    said = verb("progress", team, "--honeypots", "--json")
    assert said.json["honeypots"] == [{"person": "=Cleo", "honeypots": 1, "answered": 1, "correct": 0}]


def test_csv_when_written_then_has_a_row_for_each_task_and_no_formula(
    team: Path, tmp_path: Path, verb: Verb
) -> None:
    target = tmp_path / "times.csv"
    assert verb("progress", team, "--csv", target).status == 0
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [(one["person"], one["task"]) for one in rows] == [
        ("'=Cleo", "t/count"), ("Anna", "t/count"), ("Ben", "t/count"),
    ]  # fmt: skip
    assert (rows[1]["active_s"], rows[1]["median_s"], rows[1]["left_s"]) == ("60.0", "30.0", "30.0")
    assert verb("progress", team, "--csv", tmp_path / "no" / "times.csv").status == 3
