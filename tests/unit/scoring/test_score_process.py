"""Scores from a child process: those of the command, of several models, cancellable, with errors in words."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import pytest

from annotator.commands.prediction_decisions import SettleTexts, TextDecision
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.scoring.score_process import score_in_process
from annotator.scoring.score_report import ScoreOrder, ScoreReport, SourceFile, score_sources
from annotator.scoring.scored_rows import ScoredRows
from annotator.session import Session
from tests.unit.scoring.released import evaluated, letter_items, made_release, write_lines

ITEMS = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_release(tmp_path_factory.mktemp("released"), *letter_items(ITEMS))


def write_predictions(path: Path, texts: str | list[str], *, model: str = "") -> Path:
    rows = [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(texts)]
    return write_lines(path, [row | ({"model": model} if model else {}) for row in rows])


def scored(folder: Path, *paths: Path, **chosen: object) -> ScoreReport:
    sources = tuple(SourceFile(path=str(path)) for path in paths)
    order = ScoreOrder(release=str(folder), sources=sources)
    return score_sources(msgspec.structs.replace(order, **chosen), progress=Progress())


def test_scores_when_computed_in_a_process_then_are_those_of_the_command_with_its_steps(
    folder: Path, tmp_path: Path
) -> None:
    path = write_predictions(tmp_path / "p.jsonl", "ABCDABC", model="m-7b")
    steps: list[ProgressUpdate] = []
    order = ScoreOrder(release=str(folder), sources=(SourceFile(path=str(path)),))
    report = score_in_process(order, progress=Progress(steps.append))
    expected = evaluated(folder, path)
    (model,) = report.models
    assert (model.name, model.form_id, model.form_reason) == ("m-7b", "vantage", "fields item, prediction")
    assert (model.tables, model.coverage) == (expected.tables, expected.coverage)
    assert (model.counts, model.listed) == ({"missing": 1}, expected.problems.listed)
    assert (report.items, report.random.exact_pct) == (ITEMS, 25.0)
    assert {"Reading p.jsonl", "Scoring"} <= {str(step.what) for step in steps}


def test_file_when_it_has_several_models_then_each_has_its_scores_and_other_rows_are_listed(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "both.jsonl"
    rows = [
        {"item": "Real2_OC_UAV1_0", "prediction": "A", "model": "good"},
        {"item": "Real2_OC_UAV1_0", "prediction": "B", "model": "bad"},
        {"item": "Real2_OC_UAV1_0", "prediction": "A"},
    ]
    write_lines(path, rows)
    report = scored(folder, path, write_predictions(tmp_path / "good.jsonl", "B", model="good"))
    found = [(model.name, model.source, model.tables.overall.exact_pct) for model in report.models]
    assert found == [("good (both.jsonl)", 0, 100.0), ("bad", 0, 0.0), ("good (good.jsonl)", 1, 0.0)]
    assert (report.counts, [one.line for one in report.listed]) == ({"unnamed_model": 1}, [3])


def test_model_when_renamed_then_its_scores_have_the_name(folder: Path, tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "p.jsonl", "AB", model="m-7b")
    report = scored(folder, sources=(SourceFile(path=str(path), name="Model 7B"),))
    assert [model.name for model in report.models] == ["Model 7B"]


def test_file_when_it_cannot_be_read_then_the_others_are_scored_and_it_is_named(
    folder: Path, tmp_path: Path
) -> None:
    good = write_predictions(tmp_path / "good.jsonl", "AB")
    other = tmp_path / "notes.txt"
    other.write_text("no predictions")
    report = scored(folder, tmp_path / "gone.jsonl", good, other)
    assert [model.name for model in report.models] == ["good"]
    assert [one.source for one in report.unused] == [0, 2]
    assert report.unused[0].message.endswith("gone.jsonl does not exist.")


def test_file_when_its_content_changes_then_its_digest_is_another(folder: Path, tmp_path: Path) -> None:
    inside = tmp_path / "results"
    inside.mkdir()
    path = write_predictions(inside / "p.jsonl", "AB")
    before = scored(folder, path, inside)
    write_predictions(path, "AC")
    after = scored(folder, path, inside)
    assert [one.sha256 for one in before.models] != [one.sha256 for one in after.models]
    assert before.models[1].sha256 != after.models[1].sha256


def test_unreadable_texts_when_listed_then_the_most_frequent_come_first_with_their_models(
    folder: Path, tmp_path: Path
) -> None:
    one = write_predictions(tmp_path / "one.jsonl", ["rare", "l**k", "l**k", "D", ""])
    other = write_predictions(tmp_path / "other.jsonl", ["A", "B", "l**k"])
    report = scored(folder, one, other)
    found = [(text.text, text.item, text.models, text.same_text) for text in report.unreadable]
    assert found == [
        ("l**k", "Real2_OC_UAV1_2", ("one", "other"), 3),
        ("l**k", "Real2_OC_UAV1_1", ("one",), 3),
        ("rare", "Real2_OC_UAV1_0", ("one",), 1),
    ]
    assert report.unreadable_count == 3
    assert report.unreadable[0].options[0] == ("A", "4")


def test_texts_when_settled_in_the_project_then_are_scored_so_and_no_longer_listed(
    folder: Path, tmp_path: Path
) -> None:
    path = write_predictions(tmp_path / "p.jsonl", ["l**k", "l**k", "what?"])
    project = tmp_path / "own.vantage"
    with Session.create(project) as session:
        decisions = (TextDecision(text="l**k", answer="B"), TextDecision(text="what?", answer=""))
        session.execute(SettleTexts(decisions=decisions)).result()
    report = scored(folder, path, project=str(project), rows=str(tmp_path / "rows"))
    (model,) = report.models
    assert (model.tables.overall.exact_pct, model.coverage.settled) == (pytest.approx(100 / 3), 3)
    assert report.unreadable == []
    with contextlib.closing(ScoredRows(tmp_path / "rows")) as rows:
        assert [(row.text, row.answer, row.settled) for row in rows.page()] == [
            ("l**k", "B", True), ("l**k", "B", True), ("what?", "", True),
        ]  # fmt: skip


def test_scoring_when_cancelled_then_ends(folder: Path, tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "p.jsonl", "AB")
    progress = Progress()
    progress.cancel()
    order = ScoreOrder(release=str(folder), sources=(SourceFile(path=str(path)),))
    with pytest.raises(Cancelled):
        score_in_process(order, progress=progress)


def test_scoring_when_the_release_is_none_then_says_so(tmp_path: Path) -> None:
    path = write_predictions(tmp_path / "p.jsonl", "AB")
    order = ScoreOrder(release=str(tmp_path), sources=(SourceFile(path=str(path)),))
    with pytest.raises(UserError, match="contains no annotations or questions"):
        score_in_process(order, progress=Progress())
