"""The verbs ``reference sample`` and ``reference report``."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.assignment import Assignment
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.commands.test_responses import ITEM
from tests.unit.store.making import ANNA, created, write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        write(session, created("item", ITEM))
    return tmp_path / "p.vantage"


def assigned(project: Path) -> list[str]:
    with Session.open_for_reading(project) as session:
        return [one.role for one in session.reader.records(Assignment)]


def test_reference_when_a_person_answers_the_sample_then_people_and_random_have_scores(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("reference", "sample", project, "--to", "Ben", "--new", "--json")
    assert (said.status, said.json["pairs"], said.json["tasks"]) == (0, 1, {"aircop/object_counting": 1})
    assert assigned(project) == ["reference"]
    (tmp_path / "answers.csv").write_text("name,person,answer\nReal2_OC_1,Ben,B\n")
    verb("responses", project, tmp_path / "answers.csv")
    (task,) = verb("reference", "report", project, "--json").json["tasks"]
    assert task["task"] == "aircop/object_counting"
    assert (task["people"]["score"]["value"], task["random"]["score"]["value"]) == (1.0, 0.25)
    text = verb("reference", "report", project).out
    assert "1 of 1" in text
    assert "0.250" in text


def test_reference_when_only_the_author_is_there_then_the_item_is_listed_in_words(
    project: Path, verb: Verb
) -> None:
    said = verb("reference", "sample", project, "--to", "Anna")
    assert said.status == 0
    assert "Real2_OC_1 (aircop/object_counting): 1 more persons are required" in said.out
    assert assigned(project) == []


def test_reference_when_it_is_a_dry_run_then_nothing_is_assigned(project: Path, verb: Verb) -> None:
    said = verb("reference", "sample", project, "--to", "Ben", "--new", "--dry-run", "--json")
    assert (said.status, said.json["pairs"], assigned(project)) == (0, 1, [])


def test_report_when_nothing_was_drawn_then_says_what_to_do(project: Path, verb: Verb) -> None:
    assert "vantage reference sample PROJECT" in verb("reference", "report", project).out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Nobody is to answer the sample"),
        (("--to", "Ben"), "no person 'Ben'"),
        (("--to", "Anna", "--share", "2"), "share 2"),
        (("--to", "Anna", "--persons", "2"), "2 persons are required"),
        (("--to", "Anna", "--task", "other"), "no item for the human reference"),
    ],
)
def test_sample_when_something_is_wrong_then_says_what(
    project: Path, verb: Verb, options: tuple[str, ...], message: str
) -> None:
    said = verb("reference", "sample", project, *options)
    assert said.status == 2
    assert message in said.err
    assert assigned(project) == []
