"""Several models on one release: whose rows are whose, what they share, and how far they differ."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from annotator.domain.answers import Mode
from annotator.errors import UserError
from annotator.scoring.comparison import ALL_TASKS
from tests.unit.domain.answers.test_published_rules import ORACLES
from tests.unit.scoring.released import compared, evaluated, kinds, letter_items, made_release, write_lines
from tests.unit.scoring.test_evaluation import TRAPS, spatial_items

COUNT = 40
KEYS = [f"{'ABCD'[n % 4]}" for n in range(COUNT)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_release(tmp_path_factory.mktemp("release"), *letter_items(COUNT))


def rows(texts: list[str], *, model: str = "") -> list[dict[str, str]]:
    named = {"model": model} if model else {}
    return [{"item": f"Real2_OC_UAV1_{n}", "prediction": text, **named} for n, text in enumerate(texts)]


def right(count: int) -> list[str]:
    """Return answers of which the first ones are right."""
    return [key if n < count else "E" for n, key in enumerate(KEYS)]


def test_compare_when_models_have_files_then_each_equals_its_own_evaluation(
    folder: Path, tmp_path: Path
) -> None:
    paths = [write_lines(tmp_path / f"model{n}.jsonl", rows(right(10 * n))) for n in range(3)]
    found = compared(folder, *paths)
    assert found.names == ("model0", "model1", "model2")
    for one, path in zip(found.models, paths, strict=True):
        alone = evaluated(folder, path)
        assert (one.file, one.form_id, one.evaluation.tables) == (path, "vantage", alone.tables)
        assert found.common[one.model] == alone.tables


def test_compare_when_models_answer_different_items_then_common_scores_are_over_those_of_all(
    folder: Path, tmp_path: Path
) -> None:
    first = write_lines(tmp_path / "first.jsonl", rows(right(30))[:30])
    second = write_lines(tmp_path / "second.jsonl", rows(right(30))[20:])
    found = compared(folder, first, second)
    assert (found.coverage.items, found.coverage.scored_by_any, found.coverage.scored_by_all) == (40, 40, 10)
    assert [one.evaluation.tables.overall.exact_pct for one in found.models] == [100.0, 50.0]
    assert [found.common[name].overall.total for name in found.names] == [10, 10]
    assert [found.common[name].overall.exact_pct for name in found.names] == [100.0, 100.0]
    assert found.coverage.statement == (
        "2 models are scored, each over the items that it has predictions of; "
        "10 of 40 items are common to all models."
    )
    (overall,) = [one for one in found.differences if one.task == ALL_TASKS]
    assert (overall.items, overall.score) == (10, 0.0)


def test_difference_when_models_err_on_the_same_items_then_its_interval_is_that_of_the_pairs(
    folder: Path, tmp_path: Path
) -> None:
    better = write_lines(tmp_path / "better.jsonl", rows(right(24)))
    worse = write_lines(tmp_path / "worse.jsonl", rows(right(20)))
    (overall, task) = compared(folder, better, worse).differences
    assert (overall.first, overall.second, overall.items) == ("better", "worse", COUNT)
    assert overall.score == pytest.approx(10.0)
    assert task.task == "aircop/object_counting"
    assert (task.score, task.score_low) == (overall.score, overall.score_low)
    # The exact distribution: the number of the four differing items among forty that are drawn.
    drawn = np.random.default_rng(1).binomial(COUNT, 4 / COUNT, size=100_000) * 100 / COUNT
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert overall.score_low is not None
    assert overall.score_high is not None
    assert abs(overall.score_low - low) <= 2.5
    assert abs(overall.score_high - high) <= 2.5
    # That of two scores which are drawn apart is twice as wide, and would hold zero.
    assert overall.score_low > 0


def test_compare_when_a_file_is_of_several_models_then_each_has_its_rows(
    folder: Path, tmp_path: Path
) -> None:
    path = write_lines(
        tmp_path / "all.jsonl",
        [*rows(right(40), model="one"), *rows(right(20), model="two"), *rows(right(8))[:2]],
    )
    with path.open("a") as file:
        file.write("{broken\n")
    found = compared(folder, path)
    assert found.names == ("one", "two")
    assert [one.evaluation.tables.overall.exact_pct for one in found.models] == [100.0, 50.0]
    assert kinds(found) == {"unnamed_model": 2, "unreadable_row": 1}
    assert all(kinds(one.evaluation) == {} for one in found.models)
    assert [problem.line for problem in found.problems.listed] == [81, 82, 83]


def test_compare_when_models_are_chosen_then_only_they_are_scored(folder: Path, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "all.jsonl", [*rows(right(40), model="one"), *rows(right(20), model="two")])
    assert compared(folder, path, only=("two",)).names == ("two",)
    with pytest.raises(UserError, match="no predictions of three") as refused:
        compared(folder, path, only=("three",))
    assert refused.value.hint == "Models in the files: one, two."


def test_names_when_files_do_not_tell_the_model_then_files_and_folders_do(
    folder: Path, tmp_path: Path
) -> None:
    question = {"Question_id": "x", "Output": "A"}
    paths = [
        write_lines(tmp_path / "gpt_output.jsonl", [question]),
        write_lines(tmp_path / "qwen" / "predictions.jsonl", rows(right(3))),
        write_lines(tmp_path / "a" / "run.jsonl", rows(right(3))),
        write_lines(tmp_path / "b" / "run.jsonl", rows(right(3))),
    ]
    assert compared(folder, *paths).names == ("gpt", "qwen", "run (a/run.jsonl)", "run (b/run.jsonl)")


def test_compare_when_a_folder_has_the_files_of_two_models_then_the_second_is_listed_with_the_first(
    folder: Path, tmp_path: Path
) -> None:
    write_lines(tmp_path / "both" / "gpt.jsonl", rows(right(3)[:1]))
    write_lines(tmp_path / "both" / "qwen.jsonl", rows(["E"]))
    found = compared(folder, tmp_path / "both")
    assert found.names == ("both",)
    (problem,) = [one for one in found.models[0].evaluation.problems.listed if one.kind == "duplicate"]
    assert problem.file == "qwen.jsonl"
    assert problem.message == (
        "Line 1 of gpt.jsonl has another prediction about this item; the first one counts."
    )


def test_compare_when_a_file_is_given_twice_then_is_refused(folder: Path, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "p.jsonl", rows(right(3)))
    with pytest.raises(UserError, match="given twice"):
        compared(folder, path, tmp_path / "." / "p.jsonl")


def test_compare_when_rows_of_one_model_cannot_be_read_then_they_are_its_problems(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows(right(40))), "{broken"]), encoding="utf-8")
    found = compared(folder, path)
    assert (kinds(found), kinds(found.models[0].evaluation)) == ({}, {"unreadable_row": 1})


def test_compare_when_compatible_then_each_model_of_a_file_equals_the_published_rules(tmp_path: Path) -> None:
    items = spatial_items(15)
    rng = random.Random(11)
    said = {model: {item.name: rng.choice(TRAPS) for item in items} for model in ("one", "two", "three")}
    mixed = [
        {"question_id": name, "gt": "", "prediction": text, "model_id": model}
        for model, texts in said.items()
        for name, text in texts.items()
    ]
    rng.shuffle(mixed)
    path = write_lines(tmp_path / "predictions.jsonl", mixed)
    found = compared(made_release(tmp_path, *items), path, mode=Mode.COMPATIBLE)
    assert sorted(found.names) == ["one", "three", "two"]
    expected = {
        model: [ORACLES[item.answer_format](texts[item.name], item.answer_key) for item in items]
        for model, texts in said.items()
    }
    for model, outcomes in expected.items():
        for tables in (found.tables[model], found.common[model]):
            score = 100 * sum(score for score, _ in outcomes) / len(items)
            assert tables.overall.score_pct == pytest.approx(score, abs=1e-9)
    for one in found.differences:
        if one.task == ALL_TASKS:
            first, second = expected[one.first], expected[one.second]
            pairs = zip(first, second, strict=True)
            mean = 100 * sum(score - other for (score, _), (other, _) in pairs) / len(items)
            assert one.score == pytest.approx(mean, abs=1e-9)
