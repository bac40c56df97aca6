"""The verb ``score``: files in, tables or JSON out, and the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.assignment import Assignment
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.domain.settled_text import SettledText
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


def test_score_when_people_of_the_project_settled_a_text_then_it_counts_and_a_table_goes_before(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    project = tmp_path / "decided.vantage"
    with Session.create(project) as session:
        fill(
            session, SettledText(id=new_id(), item="Real2_OC_UAV1_3", text="?", answer="D", decided_at="2026")
        )
    answers = predictions(tmp_path, "ABC?")
    said = verb("score", folder, answers, "--project", project, "--json")
    assert (said.json["overall"]["exact_pct"], said.json["coverage"]["settled"]) == (100.0, 1)
    table = tmp_path / "settled.csv"
    table.write_text("id,text,answer\nReal2_OC_UAV1_3,?,A\n", encoding="utf-8")
    said = verb("score", folder, answers, "--project", project, "--settled", table, "--json")
    assert (said.json["overall"]["exact_pct"], said.json["coverage"]["settled"]) == (75.0, 1)


def several(tmp_path: Path, **texts: str) -> list[Path]:
    return [
        write_lines(
            tmp_path / f"{model}.jsonl",
            [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(answers)],
        )
        for model, answers in texts.items()
    ]


def test_score_when_there_are_several_models_then_json_lists_and_compares_them(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    paths = several(tmp_path, one="ABCD", two="AB?A", three="ABC")
    said = verb("score", folder, *paths, "--json")
    assert said.status == 1
    assert [one["model"] for one in said.json["models"]] == ["one", "two", "three"]
    assert [one["overall"]["exact_pct"] for one in said.json["models"]] == [100.0, 50.0, 100.0]
    assert said.json["models"][1]["format_correct"]["tasks"]["aircop/object_counting"] == {
        "total": 4,
        "correct_pct": 75.0,
        "low": 25.0,
        "high": 100.0,
    }
    assert said.json["coverage"]["scored_by_all"] == 3
    assert said.json["common"]["two"]["overall"]["total"] == 3
    first = said.json["differences"][0]
    assert (first["first"], first["second"], first["items"], first["exact"]) == ("one", "two", 4, 50.0)
    assert said.json["correlation"]["pairs"][0][0]["models"] == 3
    kinds = {*said.json["models"][0]["intervals"]}
    assert kinds == {"overall", "tasks", "groups", "formats", "sources", "variants"}
    text = verb("score", folder, *paths).out
    assert "3 models are scored, each over the items that it has predictions of; 3 of 4 items" in text
    assert "+50.0" in text
    assert "three: Real2_OC_UAV1_3: There is no prediction about this item." in text


def test_table_when_it_is_printed_then_stands_alone_and_what_it_lacks_is_an_error(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    paths = several(tmp_path, one="ABCD", two="ABC")
    said = verb("score", folder, *paths, "--table", "csv", "--rows", "tasks", "--columns", "tasks")
    assert said.out == (
        "Task set,Group,Task,one,two,Random\n"
        "aircop,,Overall,100.0,100.0,25.0\n"
        "aircop,Object Understanding,Object Counting,100.0,100.0,25.0\n"
    )
    assert said.status == 1
    assert "two: The score is computed over 3 of 4 items" in said.err
    assert "missing 1" in said.err


def test_table_when_it_is_a_file_then_spreadsheets_read_its_characters(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    paths = several(tmp_path, 模型="ABCD", two="ABCA")
    out = tmp_path / "table.csv"
    assert verb("score", folder, *paths, "--table", "csv", "-o", out, "--json").json["models"]
    assert out.read_bytes().startswith(b"\xef\xbb\xbfTask set")
    assert "\naircop,模型,100.0" in out.read_text(encoding="utf-8-sig")
    latex = tmp_path / "table.tex"
    verb("score", folder, *paths, "--table", "latex", "--out", latex)
    assert latex.read_text(encoding="utf-8").startswith("% AirCopBench. Needs")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--table", "csv", "--json"), "cannot both go to standard output"),
        (("-o", "x.csv"), "--out needs the form of the table"),
    ],
)
def test_table_when_options_contradict_each_other_then_nothing_is_scored(
    folder: Path, tmp_path: Path, verb: Verb, options: tuple[str, ...], message: str
) -> None:
    said = verb("score", folder, *several(tmp_path, one="ABCD"), *options)
    assert (said.status, said.out) == (2, "")
    assert message in said.err


def test_plots_when_they_are_wanted_then_lie_in_the_folder_with_correlation_and_differences(
    folder: Path, tmp_path: Path, verb: Verb
) -> None:
    plots = tmp_path / "plots"
    verb("score", folder, *several(tmp_path, one="ABCD", two="ABA"), "--plots", plots)
    svg, tables = ({path.stem for path in plots.glob(f"*.{ending}")} for ending in ("svg", "csv"))
    assert (svg, tables) == ({"overall", "tasks", "correlation"}, {"correlation", "differences"})
    assert '"A correlation needs at least 3 models' in (plots / "correlation.json").read_text()
    head, overall, task = (plots / "differences.csv").read_text(encoding="utf-8-sig").splitlines()
    assert head == "model,less,task,items,score,score low,score high,exact,exact low,exact high"
    assert overall.startswith("one,two,,3,33.333333,0.0,")
    assert task.startswith("one,two,aircop/object_counting,3,33.333333,")
