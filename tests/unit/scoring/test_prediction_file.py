"""Files of predictions: the form is found from the content, and what cannot be read is said."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator.errors import UserError
from annotator.progress import Progress
from annotator.scoring.forms import FORMS
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.prediction_rows import LONGEST_LINE_BYTES, InputProblem
from tests.unit.scoring.released import letter_items, made_release, write_lines

ROWS: dict[str, dict[str, Any]] = {
    "spatialuav": {"question_id": "x", "question": "?", "gt": "A", "prediction": "B", "model_id": "m"},
    "aircop": {"dataset": "Sim3", "question_id": "x", "correct_answer": "A", "predicted_answer": "B"},
    "urbanvideo": {"Question_id": 7, "video_id": "v.mp4", "answer": "A", "Output": "Option: [B]"},
    "vlmevalkit": {"index": 3, "question": "?", "A": "1", "B": "2", "answer": "A", "prediction": "B"},
    "topviewrs": {"index": 3, "labels": ["bed"], "choices": ["bed"], "prediction": "B"},
    "indooruav": {"episode_key": "/a/b/traj_1/vla_ins_1.json", "trajectory": [[0, 0, 0, 0]]},
    "vantage": {"item": "x", "prediction": "B"},
    "vantage-run": {"request_key": "ff", "kind": "answer", "target": "x", "answer": "B", "model": {}},
}  # fmt: skip


CHINESE = "无人机向左飞行，然后上升到屋顶。"


def chinese(ending: str) -> str:
    """Return six rows in one of the forms of files, every other one in Chinese."""
    rows = [{"item": f"q{n}", "prediction": ("B", CHINESE)[n % 2]} for n in range(6)]
    if ending == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1)
    if ending == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    mark = "," if ending == "csv" else "\t"
    return "\n".join([mark.join(rows[0]), *(mark.join(row.values()) for row in rows)]) + "\n"


def read(path: Path, form: str = "") -> list[Prediction | InputProblem]:
    return list(PredictionFile(path, form_id=form).read(progress=Progress()))


@pytest.mark.parametrize("form", FORMS)
def test_form_when_a_file_of_it_is_read_then_is_found_with_the_fields_that_show_it(
    tmp_path: Path, form: str
) -> None:
    lines = write_lines(tmp_path / "p.jsonl", [ROWS[form]] * 2)
    whole = tmp_path / "p.json"
    whole.write_text(json.dumps([ROWS[form]] * 2, indent=2), encoding="utf-8")
    for path in (lines, whole):
        file = PredictionFile(path)
        assert (file.form.id, file.reason.startswith("fields ")) == (form, True)
        found = [entry for entry in file.read(progress=Progress()) if isinstance(entry, Prediction)]
        assert len(found) == 2
        assert found[0].text == ("[[0,0,0,0]]" if form == "indooruav" else ROWS[form].get("Output", "B"))


def test_csv_when_cells_have_line_breaks_and_quotes_then_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "m_output.csv"
    path.write_text(
        ",Question_id,question,answer,Output\r\n"
        '0,1001,"Stem  \nchoose:  \nA. ""x""  \n",D,"Option: [D]\nit is"\r\n'
        "1,1002,Stem,B,\r\n",
        encoding="utf-8",
    )
    first, second = read(path)
    assert isinstance(first, Prediction)
    assert (first.item, first.text) == ("1001", "Option: [D]\nit is")
    assert (first.model, first.dataset, first.error) == ("", "", "")
    assert isinstance(second, Prediction)
    assert (second.item, second.text, second.line) == ("1002", "", 7)


def test_tsv_when_vlmevalkit_writes_it_then_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model_set.tsv"
    path.write_text("index\tquestion\tA\tB\tanswer\tprediction\n3\t?\tx\ty\tA\tB. y\n", encoding="utf-8")
    file = PredictionFile(path)
    assert file.form.id == "vlmevalkit"
    (found,) = file.read(progress=Progress())
    assert isinstance(found, Prediction)
    assert (found.item, found.text) == ("3", "B. y")


def test_tsv_when_its_cells_hold_images_then_the_rows_are_read(tmp_path: Path) -> None:
    image = base64.b64encode(b"\xff\xd8\xff" + bytes(200_000)).decode()
    path = tmp_path / "model_set.tsv"
    rows = "".join(f"{n}\t{image}\t?\tx\ty\tA\tB\n" for n in range(3))
    path.write_text(f"index\timage\tquestion\tA\tB\tanswer\tprediction\n{rows}", encoding="utf-8")
    assert [(entry.item, entry.line) for entry in read(path)] == [("0", 2), ("1", 3), ("2", 4)]


def test_cell_when_it_is_too_long_then_its_row_is_listed_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m_output.csv"
    path.write_text(f"Question_id,Output\n1,{'so ' * 50_000}\n2,B\n", encoding="utf-8")
    long, last = read(path)
    assert isinstance(long, InputProblem)
    assert (long.kind, long.line) == ("unreadable_row", 2)
    assert last.item == "2"


def test_line_when_it_is_too_long_then_is_listed_and_the_next_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", [ROWS["vantage"]])
    with path.open("ab") as file:
        file.write(b'{"item": "y", "prediction": "' + b"B" * LONGEST_LINE_BYTES + b'"}\n')
        file.write(b'{"item": "z", "prediction": "C"}\n')
    first, long, last = read(path)
    assert isinstance(long, InputProblem)
    assert (long.kind, long.line, long.message) == ("overlong_line", 2, "The line has more than 16 MiB.")
    assert [entry.item for entry in (first, last)] == ["x", "z"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the memory of a process is measured with resource")
def test_line_when_it_has_a_gigabyte_then_the_rest_is_scored_in_bounded_memory(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(3))
    rows = [{"item": f"Real2_OC_UAV1_{n}", "prediction": "ABC"[n]} for n in range(3)]
    path = write_lines(tmp_path / "p.jsonl", rows[:2])
    with path.open("r+b") as file:
        file.seek(1 << 30)
        file.write(b"\n" + json.dumps(rows[2]).encode() + b"\n")
    done, peak_mib = scored_in_process(folder, path)
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["overall"] == {"total": 3, "score_pct": 100.0, "exact_pct": 100.0}
    assert found["problems"]["counts"] == {"overlong_line": 1}
    assert peak_mib < 500


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the memory of a process is measured with resource")
@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b'{"item": "x", "prediction": "', "Line 1: The line has more than 16 MiB."),
        (b'[{"item": "x", "prediction": "', "is larger than 512 MiB, too large to read in one piece."),
        (b"item,prediction\nx,", "is larger than 512 MiB. Split it into several files."),
    ],
    ids=["lines", "list", "table"],
)
def test_file_when_it_is_one_line_of_a_gigabyte_then_is_refused_in_bounded_memory(
    tmp_path: Path, start: bytes, message: str
) -> None:
    path = tmp_path / "p.txt"
    with path.open("wb") as file:
        file.write(start + b" " * 4_096)
        file.truncate(1 << 30)
    done, peak_mib = scored_in_process(made_release(tmp_path, *letter_items(1)), path)
    assert done.returncode == 2
    assert message in done.stderr
    assert peak_mib < 500


def scored_in_process(folder: Path, path: Path) -> tuple[subprocess.CompletedProcess[str], int]:
    """Score a file in a process of its own, and return how it ended and its largest size in MiB."""
    script = (
        "import resource, sys; from annotator.cli.command_line import run\n"
        "status = run(['score', sys.argv[1], sys.argv[2], '--json'])\n"
        "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10, file=sys.stderr)\n"
        "sys.exit(status)"
    )
    command = [sys.executable, "-c", script, str(folder), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    return done, int(done.stderr.split()[-1])


def test_text_when_it_is_no_text_then_the_row_is_listed_with_its_field(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "p.jsonl",
        [ROWS["vantage"], {"item": "y", "prediction": ["A"]}, {"item": "z", "prediction": 3}],
    )
    _, odd, number = read(path)
    assert isinstance(odd, InputProblem)
    assert odd.message == "prediction: The answer should be text."
    assert isinstance(number, Prediction)
    assert number.text == "3"


def test_list_when_it_is_in_a_chinese_encoding_then_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    rows = [{**ROWS["vantage"], "prediction": "无人机向左飞行，然后上升到屋顶。"}]
    path.write_bytes(json.dumps(rows, ensure_ascii=False).encode("gbk"))
    (found,) = read(path)
    assert isinstance(found, Prediction)
    assert found.text.startswith("无人机")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gbk", "gb18030"])
@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv"])
def test_encoding_when_it_is_certain_then_all_rows_are_read(
    tmp_path: Path, ending: str, encoding: str
) -> None:
    path = tmp_path / f"p.{ending}"
    path.write_bytes(chinese(ending).encode(encoding))
    found = [entry for entry in read(path) if isinstance(entry, Prediction)]
    assert [entry.text for entry in found] == ["B", CHINESE] * 3


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv"])
def test_encoding_when_rows_are_in_another_then_they_are_listed_and_the_others_are_read(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"p.{ending}"
    path.write_bytes(chinese(ending).replace(CHINESE, "café “B”").encode("cp1252"))
    found = read(path)
    problems = [entry for entry in found if isinstance(entry, InputProblem)]
    assert [(one.kind, one.message) for one in problems] == [
        ("wrong_encoding", "It is not UTF-8: byte 0xe9.")
    ] * 3
    assert [entry.text for entry in found if isinstance(entry, Prediction)] == ["B"] * 3


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "tsv"])
def test_encoding_when_nothing_tells_it_then_the_file_is_refused_in_words(
    tmp_path: Path, ending: str, encoding: str
) -> None:
    path = tmp_path / f"p.{ending}"
    path.write_bytes(chinese(ending).encode(encoding))
    with pytest.raises(UserError, match=r"is not UTF-8 text\. It may be UTF-16 without a byte order mark"):
        PredictionFile(path)


def test_lines_when_a_gbk_file_has_a_broken_one_then_it_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(chinese("jsonl").encode("gbk") + b'{"item": "z", "prediction": "\xff"}\n')
    # A single broken byte leaves it uncertain what the file is.
    assert [entry.kind for entry in read(path) if isinstance(entry, InputProblem)] == ["wrong_encoding"] * 4


def test_columns_when_two_of_answers_are_equal_then_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("item,prediction,prediction\nx,A,B\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"p\.csv has the column prediction twice"):
        PredictionFile(path)


def test_rows_when_none_of_the_first_can_be_read_then_the_message_says_why(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"item": "x"\n{"item": "y"\n')
    with pytest.raises(
        UserError, match=r"None of the first rows of p\.jsonl can be read\. Line 1: This is not"
    ):
        PredictionFile(path)
    path.write_bytes(b"\x1f\x8b\x08\x00" + bytes(range(256)) * 4)
    with pytest.raises(UserError, match="not UTF-8 text"):
        PredictionFile(path)


def test_file_when_it_has_no_known_form_then_the_message_lists_its_fields(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", [{"name": "x", "reply": "B"}])
    with pytest.raises(
        UserError, match="has no known form of predictions; its fields: name, reply"
    ) as refused:
        PredictionFile(path)
    assert "Use the fields item and prediction" in refused.value.hint
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UserError, match=r"empty\.jsonl is empty"):
        PredictionFile(tmp_path / "empty.jsonl")
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(UserError, match=r"book\.xlsx is not JSON, CSV or TSV"):
        PredictionFile(tmp_path / "book.xlsx")
    (tmp_path / "head.csv").write_text("Question_id,Output\n")
    assert PredictionFile(tmp_path / "head.csv").form.id == "urbanvideo"
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match="contains no predictions"):
        PredictionFile(tmp_path / "folder")


def test_run_when_a_request_failed_then_its_error_is_told_and_an_unparsed_text_is_kept(
    tmp_path: Path,
) -> None:
    row = {"request_key": "ff", "target": "x"}
    path = write_lines(
        tmp_path / "p.jsonl",
        [
            {**row, "kind": "error", "message": "timeout"},
            {**row, "kind": "unparsed", "text": "hm", "message": "The answer contains no option."},
        ],
    )
    failed, unparsed = read(path, "vantage-run")
    assert isinstance(failed, Prediction)
    assert (failed.text, failed.error) == ("", "timeout")
    assert isinstance(unparsed, Prediction)
    assert (unparsed.text, unparsed.error) == ("hm", "")
