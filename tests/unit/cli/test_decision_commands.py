"""The verbs ``settled-texts`` and ``error-labels``: decisions about predictions in and out of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.error_label import ErrorLabel
from annotator.domain.settled_text import SettledText
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.scoring.released import letter_items, made_release, write_lines


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "own.vantage"
    Session.create(path).close()
    return path


def test_settled_texts_when_imported_then_score_uses_them_and_export_has_them(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    folder = made_release(tmp_path, *letter_items(3))
    texts = ("the first", "B", "I refuse.")
    rows = [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(texts)]
    predictions = write_lines(tmp_path / "p.jsonl", rows)
    table = tmp_path / "open.csv"
    verb("score", folder, predictions, "--unparsed", table)
    decided = (
        table.read_text().replace("the first,", "the first,A").replace("I refuse.,", "I refuse.,no answer")
    )
    table.write_text(decided)
    assert verb("settled-texts", project, "import", table, "--json").json == {"rows": 2}
    said = verb(
        "score", folder, predictions, "--project", project, "--unparsed", tmp_path / "left.csv", "--json"
    )
    assert said.json["coverage"]["settled"] == 2
    assert said.json["overall"]["exact_pct"] == pytest.approx(200 / 3)
    assert said.json["unparsed_written"] == 0
    written = tmp_path / "again.csv"
    assert verb("settled-texts", project, "export", written, "--json").json["written"] == 2
    assert verb("settled-texts", project, "import", written, "--json").json == {"rows": 2}
    with Session.open(project) as session:
        assert {(one.text, one.answer) for one in session.reader.find(SettledText)} == {
            ("the first", "A"), ("I refuse.", ""),
        }  # fmt: skip
        session.undo().result()
        assert not list(session.reader.find(SettledText))
    table.write_text("id,text,answer\n,the first,B\n")
    verb("settled-texts", project, "import", table)
    listed = verb("settled-texts", project)
    assert "all items" in listed.out
    assert "the first" in listed.out


def test_error_labels_when_imported_then_are_counted_exported_and_withdrawn(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    table = tmp_path / "labels.csv"
    head = "release,item,model,error_class,note,reply_sha256"
    rows = (head, "r1,i1,m,motion,,", f'r1,i2,m,motion,"left, right",{"a" * 64}', "r2,i1,n,format,,")
    table.write_text("".join(f"{row}\n" for row in rows))
    said = verb("error-labels", project, "import", table, "--json")
    assert said.json == {
        "rows": 3,
        "unknown_classes": {"format": 1},
        "unknown_releases": {"r1": 2, "r2": 1},
    }
    assert "Rows that name error classes that no set of the project has: format (1)." in said.err
    assert "Rows that name releases that the project has not made: r1 (2), r2 (1)." in said.err
    counted = verb("error-labels", project, "--json").json
    assert counted == {
        "labels": 3,
        "counts": [
            {"error_class": "format", "model": "n", "count": 1},
            {"error_class": "motion", "model": "m", "count": 2},
        ],
    }
    assert verb("error-labels", project, "count", "--release", "r2", "--json").json["labels"] == 1
    written = tmp_path / "out.csv"
    verb("error-labels", project, "export", written)
    assert written.read_text() == table.read_text()
    written.write_text("release,item,model,error_class\nr1,i1,m,\n")
    verb("error-labels", project, "import", written)
    with Session.open(project) as session:
        assert [one.item for one in session.reader.find(ErrorLabel, release="r1")] == ["i2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,model\ni1,m\n", "has no column release, error_class"),
        ("release,item,model,error_class\nr1,i1,m,Motion blur\n", "is not the id of an error class"),
        ("release,item,model,error_class\n,i1,m,motion\n", "names no release"),
        (
            "release,item,model,error_class\nr1,i1,m,motion\nr1,i2,m,motion\nr1,i1,m,format\n",
            "Lines 2 and 4 of labels.csv label the same error in two ways. Keep one of the two rows.",
        ),
    ],
)
def test_error_labels_when_the_table_is_wrong_then_says_so_and_writes_nothing(
    project: Path, tmp_path: Path, verb: Verb, text: str, message: str
) -> None:
    table = tmp_path / "labels.csv"
    table.write_text(text)
    said = verb("error-labels", project, "import", table)
    assert said.status != 0
    assert message in said.err
    with Session.open(project) as session:
        assert not list(session.reader.find(ErrorLabel))


def test_settled_texts_when_the_table_contradicts_itself_then_is_refused_with_the_lines(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    table = tmp_path / "open.csv"
    table.write_text("id,text,answer\n,the first,A\n,other,C\n,the first,B\n")
    said = verb("settled-texts", project, "import", table)
    assert said.status == 2
    assert "Lines 2 and 4 of open.csv decide the same text in two ways." in said.err
    table.write_text("id,text,answer\n,the first,A\n,the first,A\n")
    assert verb("settled-texts", project, "import", table, "--json").json == {"rows": 1}
