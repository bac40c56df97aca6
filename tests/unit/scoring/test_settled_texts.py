from __future__ import annotations

import csv
import json
from pathlib import Path

from annotator.domain.settled_text import SettledText
from annotator.progress import Progress
from annotator.scoring.prediction_output import write_predictions
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.settled_texts import SettledTexts, read_decisions, write_settled
from tests.unit.scoring.released import compared, evaluated, kinds, letter_items, made_release, write_lines


def predictions(path: Path, *texts: str, model: str = "m") -> Path:
    rows = [
        {"item": f"Real2_OC_UAV1_{n}", "prediction": text, "model": model} for n, text in enumerate(texts)
    ]
    return write_lines(path / "p.jsonl", rows)


def test_settled_when_a_project_decides_then_the_decision_of_the_item_and_model_comes_first(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(4))
    records = [
        SettledText(item="", text="l**k", answer="A"),
        SettledText(item="Real2_OC_UAV1_1", text="l**k", answer="B"),
        SettledText(item="", text="l**k", answer="D", model="other"),
        SettledText(item="Real2_OC_UAV1_9", text="of another release", answer="D"),
    ]
    texts = ("l**k", "l**k", "C", "l**k")
    found = evaluated(folder, predictions(tmp_path, *texts), settled=SettledTexts(records=records))
    assert [one.prediction.text for one in found.scored] == ["A", "B", "C", "A"]
    assert [one.prediction.reply for one in found.scored] == ["l**k", "l**k", "", "l**k"]
    assert (found.coverage.settled, kinds(found)) == (3, {})
    other = predictions(tmp_path, *texts, model="other")
    again = evaluated(folder, other, settled=SettledTexts(records=records))
    assert [one.prediction.text for one in again.scored] == ["D", "B", "C", "D"]


def test_settled_when_a_text_means_no_answer_then_scores_0_and_is_not_asked_again(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(1))
    file = predictions(tmp_path, "I refuse.")
    assert evaluated(folder, file).unparsed_texts(ReleasedItems.read(folder, progress=Progress()))
    settled = SettledTexts(records=[SettledText(item="", text="I refuse.")])
    found = evaluated(folder, file, settled=settled)
    assert (found.coverage.settled, found.tables.overall.exact_pct) == (1, 0.0)
    assert found.unparsed_texts(ReleasedItems.read(folder, progress=Progress())) == []


def test_settled_when_a_table_decides_otherwise_than_the_project_then_the_table_counts(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(2))
    table = tmp_path / "settled.csv"
    table.write_text("id,text,answer\n,l**k,No answer\n,never said,A\n", encoding="utf-8")
    settled = SettledTexts(table, records=[SettledText(item="", text="l**k", answer="A")])
    found = evaluated(folder, predictions(tmp_path, "l**k", "B"), settled=settled)
    assert [one.is_parsed for one in found.scored] == [False, True]
    assert [problem.line for problem in settled.unused()] == [3]


def test_settled_when_an_answer_does_not_fit_the_format_then_is_not_used(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(1))
    settled = SettledTexts(records=[SettledText(item="", text="l**k", answer="Z")])
    found = evaluated(folder, predictions(tmp_path, "l**k"), settled=settled)
    assert (found.coverage.settled, found.scored[0].is_parsed) == (0, False)


def test_settled_when_written_as_a_table_then_is_read_back_whole(tmp_path: Path) -> None:
    decisions = [
        SettledText(item="i1", text='=cmd "a",\n多行', answer="C"),
        SettledText(item="", text="I refuse.", model="m,1", answer_format="clock"),
    ]
    path = tmp_path / "settled.csv"
    assert write_settled(path, decisions) == 2
    assert read_decisions(path) == decisions
    with path.open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == ["id", "text", "answer", "model", "answer_format"]


def test_predictions_when_written_with_decisions_then_score_the_same_without_the_project(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(5))
    records = [
        SettledText(item="", text="l**k", answer="B"),
        SettledText(item="Real2_OC_UAV1_2", text="I refuse.", answer=""),
    ]
    files = [predictions(tmp_path / model, "A", "l**k", "I refuse.", "?", model=model) for model in "mn"]
    released = ReleasedItems.read(folder, progress=Progress())
    first = compared(folder, *files, settled=SettledTexts(records=records), scores_missing=True)
    carried = tmp_path / "carried.jsonl"
    assert write_predictions(carried, first, released) == 8
    rows = [json.loads(line) for line in carried.read_text(encoding="utf-8").splitlines()]
    assert [row.get("settled", "") for row in rows[:4]] == ["", "B", "no answer", ""]
    assert rows[1]["prediction"] == "l**k"
    again = compared(folder, carried, scores_missing=True)
    assert again.names == first.names
    assert again.tables == first.tables
    for one, other in zip(first.models, again.models, strict=True):
        assert other.evaluation.coverage == one.evaluation.coverage
        assert other.evaluation.unparsed_texts(released) == one.evaluation.unparsed_texts(released)
    assert write_predictions(tmp_path / "twice.jsonl", again, released) == 8
    assert (tmp_path / "twice.jsonl").read_bytes() == carried.read_bytes()


def test_predictions_when_they_carry_a_decision_then_newer_ones_and_readable_texts_come_first(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(4))
    texts = (("l**k", "A"), ("A", "B"), ("l**k", "K"), ("l**k", "No Answer"))
    rows = [
        {"item": f"Real2_OC_UAV1_{n}", "prediction": text, "settled": answer}
        for n, (text, answer) in enumerate(texts)
    ]
    file = write_lines(tmp_path / "p.jsonl", rows)
    found = evaluated(folder, file)
    assert [one.prediction.text for one in found.scored] == ["A", "A", "l**k", "l**k"]
    # A text that can be read is no matter of people, and an answer outside of the options is none.
    assert [one.prediction.reply for one in found.scored] == ["l**k", "", "", "l**k"]
    newer = SettledTexts(records=[SettledText(item="Real2_OC_UAV1_0", text="l**k", answer="C")])
    assert evaluated(folder, file, settled=newer).scored[0].prediction.text == "C"
