"""The verbs responses and agreement on real tables and projects."""

from __future__ import annotations

import csv
from pathlib import Path

import msgspec
import pytest

from annotator.domain.actor import Actor
from annotator.domain.response import Response
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.commands.test_responses import ITEM
from tests.unit.store.making import created, write

TABLE = """name,person,answer,seconds,reason
Real2_OC_1,Ann,B,12.5,
Real2_OC_1,Bo,C,9,the shadow counts
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Session.create(tmp_path / "p.vantage") as session:
        write(session, created("item", ITEM))
    return tmp_path / "p.vantage"


def test_responses_when_a_table_is_added_then_answers_people_and_flags_are_in_the_project(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(TABLE)
    said = verb("responses", project, table, "--json")
    assert said.status == 0
    assert {name: said.json[name] for name in ("responses", "people_added", "flags")} == {
        "responses": 2, "people_added": 2, "flags": 2,
    }  # fmt: skip
    with Session.open(project) as session:
        names = {actor.id: actor.name for actor in session.reader.records(Actor)}
        given = {names[one.person]: one for one in session.reader.records(Response)}
    assert (given["Ann"].answer, given["Ann"].duration_s) == ("B", 12.5)
    assert given["Bo"].reason == "the shadow counts"


def test_agreement_when_measured_then_names_people_and_gives_coefficients(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    (tmp_path / "answers.csv").write_text(TABLE)
    verb("responses", project, tmp_path / "answers.csv")
    (subject,) = verb("agreement", project, "--json").json["subjects"]
    assert (subject["subject"], subject["people"], subject["units"]) == ("aircop/object_counting", 2, 1)
    assert subject["pairs"][0]["people"] == ["Ann", "Bo"]
    assert subject["percent"]["value"] == 0.0
    assert subject["unread"] == 0
    said = verb("agreement", project)
    assert "aircop/object_counting" in said.out
    assert "Ann / Bo" in said.out
    assert "unread" in said.out


def test_agreement_when_nobody_answered_then_says_what_to_do(project: Path, verb: Verb) -> None:
    said = verb("agreement", project)
    assert said.status == 0
    assert "vantage responses PROJECT TABLE" in said.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,answer\nReal2_OC_1,B\n", "is not a table of answers"),
        ("name,person,answer,key\nReal2_OC_1,Ann,B,B\n", "is not a table of answers"),
        ("name,person,answer\nnobody,Ann,B\n", "There is no item named 'nobody'"),
        ("name,person,answer\nReal2_OC_1,,B\n", "The person is missing"),
        ("name,person,answer\nReal2_OC_1,Ann,\n", "The answer to Real2_OC_1 is empty"),
        ("name,person,answer,seconds\nReal2_OC_1,Ann,B,long\n", "'long' is not a number of seconds"),
        ("name,person,answer,seconds\nReal2_OC_1,Ann,B,nan\n", "'nan' is not a duration"),
        ("name,person,answer,seconds\nReal2_OC_1,Ann,B,-inf\n", "'-inf' is not a duration"),
        ("name,person,answer,seconds\nReal2_OC_1,Ann,B,1e999\n", "'1e999' is not a duration"),
        ("name,person,answer,seconds\nReal2_OC_1,Ann,B,-3\n", "'-3' is not a duration"),
        ("name,person,answer\nReal2_OC_1,Ann,B\nReal2_OC_1,Ann,C\n", "already answered"),
    ],
)
def test_responses_when_a_table_is_wrong_then_nothing_is_added(
    project: Path, tmp_path: Path, verb: Verb, text: str, message: str
) -> None:
    (tmp_path / "answers.csv").write_text(text)
    said = verb("responses", project, tmp_path / "answers.csv")
    assert said.status == 2
    assert message in said.err
    with Session.open(project) as session:
        assert list(session.reader.records(Response)) == []


def test_agreement_when_a_table_is_written_then_numbers_stay_numbers_and_texts_are_no_formulas(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    rows = TABLE.replace("Ann", "=Ann") + "Real2_OC_2,=Ann,C,1,\nReal2_OC_2,Bo,B,1,\n"
    with Session.open(project) as session:
        write(session, created("item", msgspec.structs.replace(ITEM, id="other", name="Real2_OC_2")))
    (tmp_path / "answers.csv").write_text(rows)
    verb("responses", project, tmp_path / "answers.csv")
    file = tmp_path / "figures.csv"
    assert verb("agreement", project, "--table", file).status == 0
    with file.open(encoding="utf-8", newline="") as opened:
        figures = {(row["part"], row["figure"]): row for row in csv.DictReader(opened)}
    assert float(figures["pair", "cohens_kappa"]["value"]) == -1.0
    assert figures["pair", "cohens_kappa"]["who"] == "'=Ann / Bo"
    said = verb("agreement", project, "--table", tmp_path / "no folder" / "figures.csv")
    assert said.status == 3
    assert "cannot be written" in said.err
