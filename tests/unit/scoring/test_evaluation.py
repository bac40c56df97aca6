"""Predictions against a release: what counts, what is listed, and the published rules."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.answers import Mode
from annotator.domain.item import Item
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.scoring.evaluation import Evaluator
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.settled_texts import SettledTexts
from tests.unit.release.samples import aircop_item, spatialuav_item, urbanvideo_item
from tests.unit.scoring.released import evaluated, kinds, letter_items, made_release, write_lines

TRAPS = (
    "A", "b", "C.", "(D)", "The answer is B.", "Answer: c", "Option: [B]; Reason: a car", "Option:  [[d",
    "A car in option C", "I think so", "Unable to say", "l**k", "", "nan", "None", "B or C", "E", "option d",
    "<think>maybe A</think> B", "Region 1-2", "Region 3, 4.", "4, 3", "3, 3", "3", "2 of 3 regions: 5", "no",
    "8 o'clock", "At 11 o'clock.", "-3", "3-15, 4-5", "4 - 5, 3-15", "3-15, 3-15", "15-3", "Direction 3",
)  # fmt: skip
Rule = Callable[[str, str], tuple[float, bool]]


def of_letters(found: Callable[[str], str | None], *, reads_key: bool = False) -> Rule:
    def rule(text: str, key: str) -> tuple[float, bool]:
        is_right = found(text) == (found(key) if reads_key else key)
        return float(is_right), is_right

    return rule


def first_alone(text: str) -> str | None:
    match = re.search(r"\b([A-D])\b", text.upper())
    return match.group(1) if match else None


def aircop_letter(text: str) -> str | None:
    if "<think>" in text:
        text = text[text.rfind("<think>") + len("</think>") :]
    text = text.strip().upper()
    for pattern in (
        r"ANSWER:\s*([ABCD])", r"THE ANSWER IS\s*([ABCD])", r"\(([ABCD])\)", r"^([ABCD]):",
        r"OPTION\s*([ABCD])", r"([ABCD])\s*\.?\s*$", r"([ABCD])",
    ):  # fmt: skip
        if match := re.search(pattern, text, re.MULTILINE):
            return match.group(1)
    return None


def urbanvideo_letter(text: str) -> str | None:
    match = re.search(r"Option:\s*[\[\s]*(\w)", text)
    return match.group(1) if match else text[0].upper()


def integers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def region_set(text: str, key: str) -> tuple[float, bool]:
    guess, truth = set(integers(text)), set(integers(key))
    return (0.0 if len(guess) > len(truth) else len(guess & truth) / len(truth)), guess == truth


def in_order(text: str, key: str) -> tuple[float, bool]:
    is_right = integers(text) == integers(key)
    return float(is_right), is_right


def first_integer(text: str, key: str) -> tuple[float, bool]:
    is_right = integers(text)[:1] == integers(key)[:1]
    return float(is_right), is_right


def pairs(text: str, key: str) -> tuple[float, bool]:
    guess, truth = (Counter(re.findall(r"(\d+)\s*-\s*(\d+)", part)) for part in (text, key))
    shared = (guess & truth).total()
    return (2 * shared / (guess.total() + truth.total())), guess == truth


SPATIAL: dict[str, tuple[str, str, Rule]] = {
    "Region_Recognition": ("region_recognition", "Region 3, 4", region_set),
    "Distance_Comparison": ("distance_comparison", "Region 3", in_order),
    "Direction_Recognition": ("direction_recognition", "8 o'clock", first_integer),
    "A2G_Path_Planning": ("path_planning", "Direction 3", first_integer),
    "A2A_Shared_Association": ("a2a_shared_association", "3-15, 4-5", pairs),
}
FORMATS = {
    "Region_Recognition": "region_set", "Distance_Comparison": "region_label",
    "Direction_Recognition": "clock", "A2G_Path_Planning": "direction_label",
    "A2A_Shared_Association": "pair_list",
}  # fmt: skip


def spatial_items(each: int) -> list[tuple[Item, Rule]]:
    return [
        (
            spatialuav_item(
                name=f"{prefix}_{n:05}", task=task, answer_format=FORMATS[prefix], answer_key=key
            ),
            rule,
        )
        for prefix, (task, key, rule) in SPATIAL.items()
        for n in range(each)
    ]


def test_compatible_when_spatialuav_predictions_have_traps_then_equals_the_published_rules(
    tmp_path: Path,
) -> None:
    known = spatial_items(60)
    rng = random.Random(5)
    said = {item.name: rng.choice(TRAPS) for item, _ in known}
    rows = [{"question_id": name, "gt": "", "prediction": text} for name, text in said.items()]
    path = write_lines(tmp_path / "predictions.jsonl", rows)
    found = evaluated(made_release(tmp_path, *[item for item, _ in known]), path, mode=Mode.COMPATIBLE)
    expected = [rule(said[item.name], item.answer_key) for item, rule in known]
    assert found.tables.overall.total == len(known)
    assert found.tables.overall.score_pct == pytest.approx(
        100 * sum(score for score, _ in expected) / len(known), abs=1e-9
    )
    assert found.tables.overall.exact_pct == pytest.approx(
        100 * sum(is_right for _, is_right in expected) / len(known), abs=1e-9
    )


@pytest.mark.parametrize("benchmark", ["aircop", "urbanvideo"])
def test_compatible_when_letters_have_traps_then_equals_the_published_rule(
    tmp_path: Path, benchmark: str
) -> None:
    rng = random.Random(7)
    if benchmark == "aircop":
        items = letter_items(120)
        rule, form = of_letters(aircop_letter), ("question_id", "predicted_answer")
    else:
        items = [urbanvideo_item(name=str(n), answer_key="ABCDEFG"[n % 7]) for n in range(120)]
        rule, form = of_letters(urbanvideo_letter), ("Question_id", "Output")
    said = {item.name: rng.choice(TRAPS) for item in items}
    path = write_lines(tmp_path / "p.jsonl", [{form[0]: name, form[1]: text} for name, text in said.items()])
    found = evaluated(made_release(tmp_path, *items), path, mode=Mode.COMPATIBLE)
    # pandas takes these cells for missing, and the published script leaves such rows out.
    left_out = {"", "nan", "None"} if benchmark == "urbanvideo" else set()
    counted = [item for item in items if said[item.name] not in left_out]
    right = sum(rule(said[item.name], item.answer_key)[1] for item in counted)
    assert (found.tables.overall.total, found.coverage.left_out) == (len(counted), len(items) - len(counted))
    assert found.tables.overall.exact_pct == pytest.approx(100 * right / len(counted), abs=1e-9)


def test_strict_when_a_text_is_no_certain_answer_then_is_unparsed_and_compatible_reads_it(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, urbanvideo_item(name="1", answer_key="B"))
    path = write_lines(
        tmp_path / "p.jsonl", [{"item": "1", "prediction": "Building or tree, the frames do not show it"}]
    )
    strict, compatible = (evaluated(folder, path, mode=mode).tables for mode in Mode)
    assert (strict.tasks["urbanvideo/action_generation"].unparsed, strict.overall.exact_pct) == (1, 0.0)
    assert compatible.tasks["urbanvideo/action_generation"].unparsed == 0
    assert (strict.format_correct_pct, compatible.format_correct_pct) == (0.0, 100.0)


def test_compatible_when_nothing_is_published_for_a_task_set_then_says_that_it_is_strict(
    tmp_path: Path,
) -> None:
    item = aircop_item(name="x", task_set="mm_uavbench", task="scene_classification", answer_key="A")
    path = write_lines(tmp_path / "p.jsonl", [{"item": "x", "prediction": "A car, maybe"}])
    found = evaluated(made_release(tmp_path, item), path, mode=Mode.COMPATIBLE)
    assert found.coverage.strict_tasks == ("mm_uavbench/scene_classification",)
    assert found.tables.overall.exact_pct == 0.0


def test_evaluate_when_predictions_are_bad_then_each_is_counted_and_the_rest_is_scored(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(8))
    rows = [{"item": f"Real2_OC_UAV1_{n}", "prediction": "ABCD"[n % 4]} for n in range(6)]
    rows += [rows[0], {"item": "Real2_OC_UAV1_1", "prediction": "A"}, {"item": "nobody", "prediction": "A"}]
    path = write_lines(tmp_path / "p.jsonl", rows)
    with path.open("ab") as file:
        file.write(b'{"item": "Real2_OC_UAV1_6", "prediction": "\xff"}\n{broken\n[1]\n{"prediction": "A"}\n')
    found = evaluated(folder, path)
    assert kinds(found) == {
        "duplicate": 2, "unknown_item": 1, "wrong_encoding": 1, "unreadable_row": 3, "missing": 2,
    }  # fmt: skip
    assert (found.tables.overall.total, found.tables.overall.exact_pct) == (6, 100.0)
    assert found.coverage.statement == (
        "The score is computed over 6 of 8 items; items without a prediction are left out."
    )
    assert [
        (problem.line, problem.item) for problem in found.problems.listed if problem.kind == "duplicate"
    ] == [
        (7, "Real2_OC_UAV1_0"),
        (8, "Real2_OC_UAV1_1"),
    ]


def test_evaluate_when_missing_counts_as_wrong_then_the_score_is_over_all_items(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(4))
    path = write_lines(tmp_path / "p.jsonl", [{"item": "Real2_OC_UAV1_0", "prediction": "A"}])
    found = evaluated(folder, path, scores_missing=True)
    assert (found.tables.overall.total, found.tables.overall.exact_pct) == (4, 25.0)
    assert "4 of 4 items; missing predictions score 0" in found.coverage.statement


def test_evaluate_when_the_file_is_of_two_models_then_one_has_to_be_chosen(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(2))
    rows = [
        {"item": f"Real2_OC_UAV1_{n}", "prediction": "A" if model == "one" else "B", "model": model}
        for model in ("one", "two")
        for n in range(2)
    ]
    path = write_lines(tmp_path / "p.jsonl", rows)
    with pytest.raises(UserError, match="predictions of 2 models") as refused:
        evaluated(folder, path)
    assert refused.value.hint == "Choose one with --model: one, two."
    assert evaluated(folder, path, model="one").tables.overall.exact_pct == 50.0
    with pytest.raises(UserError, match="no predictions of three"):
        evaluated(folder, path, model="three")


def test_evaluate_when_ids_of_two_datasets_are_equal_then_the_dataset_decides(tmp_path: Path) -> None:
    release = tmp_path / "questions"
    release.mkdir()
    for dataset, key in (("Real_2_UAVs", "A"), ("Sim_3_UAVs", "B")):
        question = {
            "question_id": "MDMT_OC_1", "question_type": "2.2 Object Counting (UAV1)",
            "question": "How many cars?", "correct_answer": key,
            "options": {"A": "1", "B": "2", "C": "3", "D": "4"}, "uav_paths": {"UAV1": "Samples/UAV1/1.jpg"},
        }  # fmt: skip
        write_lines(release / f"{dataset}.json", [{"dataset": dataset, "results": [question]}])
    row = {"question_id": "MDMT_OC_1", "predicted_answer": "B"}
    named = write_lines(tmp_path / "named.jsonl", [{**row, "dataset": "Sim_3_UAVs"}])
    found = evaluated(release, named)
    assert (found.tables.overall.exact_pct, [*found.tables.sources]) == (100.0, ["simulated"])
    unnamed = write_lines(tmp_path / "unnamed.jsonl", [row])
    assert kinds(evaluated(release, unnamed)) == {"ambiguous_item": 1, "missing": 2}


def test_evaluate_when_people_settled_texts_then_only_unreadable_ones_are_replaced(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(3))
    texts = ("the very first one", "B", "l**k")
    rows = [{"item": f"Real2_OC_UAV1_{n}", "prediction": text} for n, text in enumerate(texts)]
    path = write_lines(tmp_path / "p.jsonl", rows)
    table = tmp_path / "settled.csv"
    decided = [
        ("id", "text", "answer"), ("Real2_OC_UAV1_0", "the very first one", "A"),
        ("Real2_OC_UAV1_1", "B", "C"), ("", "l**k", ""), ("Real2_OC_UAV1_2", "no such text", "C"),
    ]  # fmt: skip
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(decided)
    found = evaluated(folder, path, settled=SettledTexts(table))
    task = found.tables.tasks["aircop/object_counting"]
    assert (found.coverage.settled, task.unparsed) == (1, 1)
    assert found.tables.overall.exact_pct == pytest.approx(200 / 3)
    assert kinds(found) == {"settled_not_used": 2}
    assert found.unparsed_texts(ReleasedItems.read(folder, progress=Progress())) == [
        ("Real2_OC_UAV1_2", "l**k")
    ]


def test_settled_when_a_text_is_decided_in_two_ways_then_is_refused_with_the_lines(tmp_path: Path) -> None:
    table = tmp_path / "settled.csv"
    table.write_text("id,text,answer\nx,well,A\nx,well,B\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"Lines 2 and 3 of settled\.csv decide the same text in two ways"):
        SettledTexts(table)
    table.write_text("id,answer\nx,A\n", encoding="utf-8")
    with pytest.raises(UserError, match="has no column text"):
        SettledTexts(table)


def test_release_when_an_answer_key_was_changed_then_is_refused(tmp_path: Path) -> None:
    folder = made_release(tmp_path, *letter_items(2))
    records = folder / "records.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"answer_key":"B"', b'"answer_key":"C"'))
    with pytest.raises(UserError, match=r"The release has changed: records\.jsonl has changed"):
        ReleasedItems.read(folder, progress=Progress())


@pytest.mark.parametrize("form", ["native", "aircop"])
def test_release_when_read_in_another_form_then_has_the_same_items(tmp_path: Path, form: str) -> None:
    released = ReleasedItems.read(made_release(tmp_path, *letter_items(5), form=form), progress=Progress())
    assert [one.item.answer_key for one in released.items] == list("ABCDA")
    assert {one.footage for one in released.items} == {"real"}
    assert released.sha256


def test_evaluate_when_it_is_watched_then_each_prediction_is_counted_and_it_can_be_cancelled(
    tmp_path: Path,
) -> None:
    released = ReleasedItems.read(made_release(tmp_path, *letter_items(30)), progress=Progress())
    seen: list[ProgressUpdate] = []
    said = [Prediction(item=one.item.name, text="A") for one in released.items]
    Evaluator(released).evaluate(said, progress=Progress(seen.append))
    assert (seen[-1].what, seen[-1].done, seen[-1].total) == ("Scoring", 30, 30)
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        Evaluator(released).evaluate(said, progress=progress)


def test_evaluate_when_an_answer_recurs_then_each_item_is_scored_by_its_own_key(tmp_path: Path) -> None:
    items = [
        spatialuav_item(
            name=f"Direction_Recognition_{n:05}", task="direction_recognition", answer_format="clock",
            answer_key=f"{n} o'clock",
        )
        for n in range(1, 13)
    ]  # fmt: skip
    rows = [{"item": item.name, "prediction": "3 o'clock"} for item in items]
    found = evaluated(made_release(tmp_path, *items), write_lines(tmp_path / "p.jsonl", rows))
    assert [one.is_correct for one in found.scored] == [n == 3 for n in range(1, 13)]
