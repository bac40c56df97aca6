"""The verb ``score``: files in, tables or JSON out, and the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.assignment import Assignment
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.release.samples import fill, release
from tests.unit.scoring.released import letter_items, made_release, write_lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_release(tmp_path, *letter_items(4))


def predictions(tmp_path: Path, texts: str) -> Path:
    rows = [{"question_id": f"Real2_OC_UAV1_{n}", "predicted_answer": text} for n, text in enumerate(texts)]
    return write_lines(tmp_path / "x_responses.jsonl", rows)


def test_score_when_all_is_well_then_json_has_exactly_the_agreed_fields(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("score", folder, predictions(tmp_path, "ABC?"), "--json")
    assert said.status == 0
    assert said.json["overall"] == {"total": 4, "score_pct": 75.0, "exact_pct": 75.0}
    assert said.json["tasks"] == {
        "aircop/object_counting": {"total": 4, "score_pct": 75.0, "exact_pct": 75.0, "unparsed": 1}
    }
    assert said.json["form"] == {"id": "aircop", "reason": "fields question_id, predicted_answer"}
    assert said.json["random"]["overall"] == {"total": 4, "score_pct": 25.0, "exact_pct": 25.0}
    assert (
        said.json["intervals"]["overall"]["score_low"] < 75 < said.json["intervals"]["overall"]["score_high"]
    )
    assert [*said.json["sources"]] == ["real"]


def test_score_when_predictions_are_missing_then_status_and_text_say_so(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("score", folder, predictions(tmp_path, "AB"))
    assert said.status == 1
    assert "The score is computed over 2 of 4 items; items without a prediction are left out." in said.out
    assert "Real2_OC_UAV1_2: There is no prediction about this item." in said.out
    assert verb("score", folder, predictions(tmp_path, "AB"), "--missing", "wrong", "--json").json[
        "overall"
    ] == {
        "total": 4,
        "score_pct": 50.0,
        "exact_pct": 50.0,
    }


def test_score_when_texts_are_settled_then_they_count(folder: Path, tmp_path: Path, verb: Verb) -> None:
    answers = predictions(tmp_path, "ABC?")
    table = tmp_path / "settled.csv"
    assert verb("score", folder, answers, "--unparsed", table, "--json").json["unparsed_written"] == 1
    assert table.read_text() == "id,text,answer\nReal2_OC_UAV1_3,?,\n"
    table.write_text(table.read_text().replace("?,", "?,D"))
    said = verb("score", folder, answers, "--settled", table, "--json")
    assert (said.json["overall"]["exact_pct"], said.json["coverage"]["settled"]) == (100.0, 1)


def test_score_when_the_form_is_unknown_then_says_which_there_are(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    path = write_lines(tmp_path / "p.jsonl", [{"name": "x", "reply": "B"}])
    said = verb("score", folder, path)
    assert said.status == 2
    assert "its fields: name, reply" in said.err


def test_score_when_a_project_has_a_human_reference_then_people_have_a_row(
    tmp_path: Path, verb: Verb
) -> None:
    (item,) = letter_items(1)
    person = new_id()
    with Session.create(tmp_path / "p.vantage") as session:
        fill(
            session,
            item,
            Assignment(id=new_id(), entity="item", target=item.id, person=person, role="reference"),
            Response(id=new_id(), item=item.id, person=person, answer="A", shown=prompt_digest(item)),
        )
        release(session, tmp_path / "out", "native")
    answers = predictions(tmp_path, "B")
    said = verb("score", tmp_path / "out", answers, "--project", tmp_path / "p.vantage", "--json")
    assert said.json["human"]["overall"] == {"total": 1, "score_pct": 100.0, "exact_pct": 100.0}
    text = verb("score", tmp_path / "out", answers, "--project", tmp_path / "p.vantage").out
    assert "people" in text
