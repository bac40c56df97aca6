"""Predictions against a release: what counts, what is listed, and the published rules."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from annotator.domain.answers import NO_CONTEXT, AnswerContext, LetterRules, Mode
from annotator.domain.item import Item
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.scoring.evaluation import Evaluator
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.score_tables import random_tables
from annotator.scoring.settled_texts import SettledTexts
from tests.unit.domain.answers.test_published_rules import LETTER_ORACLES, ORACLES
from tests.unit.release.samples import aircop_item, spatialuav_item, urbanvideo_item
from tests.unit.scoring.released import compared, evaluated, kinds, letter_items, made_release, write_lines

TRAPS = (
    "A", "b", "C.", "(D)", "The answer is B.", "Answer: c", "Option: [B]; Reason: a car", "Option:  [[d",
    "A car in option C", "I think so", "Unable to say", "l**k", "", "nan", "None", "B or C", "E",
    "option d", "<think>maybe A</think> B", "Region 1-2", "Region 3, 4.", "4, 3", "3, 3", "3",
    "2 of 3 regions: 5", "no", "[820, 189, 932, 249]", "[0, 1, 2, 3]", "-160 degrees, -65 meters",
    "195.5", "-155.0 degrees, -70 meters", "The drone rises, then turns left.",
    "the drone rises and turns left.", "8 o'clock", "At 11 o'clock.", "-3", "3-15, 4-5", "4 - 5, 3-15",
    "3-15, 3-15", "15-3", "Direction 3",
)  # fmt: skip
SPATIAL = {
    "Region_Recognition": ("region_recognition", "region_set", "Region 3, 4"),
    "Distance_Comparison": ("distance_comparison", "region_label", "Region 3"),
    "Direction_Recognition": ("direction_recognition", "clock", "8 o'clock"),
    "A2G_Path_Planning": ("path_planning", "direction_label", "Direction 3"),
    "A2A_Shared_Association": ("a2a_shared_association", "pair_list", "3-15, 4-5"),
    "A2A_Object_Matching": ("object_matching", "bbox", "[800, 190, 930, 250]"),
    "A2A_Camera_Transformation": ("camera_transformation", "angle_distance", "-160.0 degrees, -70.0 meters"),
    "Motion_Understanding": ("global_motion", "free_text", "The drone rises and turns left."),
}


def spatial_items(each: int) -> list[Item]:
    return [
        spatialuav_item(name=f"{prefix}_{n:05}", task=task, answer_format=answer_format, answer_key=key)
        for prefix, (task, answer_format, key) in SPATIAL.items()
        for n in range(each)
    ]


def test_compatible_when_spatialuav_predictions_have_traps_then_equals_the_published_rules(
    tmp_path: Path,
) -> None:
    items = spatial_items(60)
    rng = random.Random(5)
    said = {item.name: rng.choice(TRAPS) for item in items}
    rows = [{"question_id": name, "gt": "", "prediction": text} for name, text in said.items()]
    path = write_lines(tmp_path / "predictions.jsonl", rows)
    found = evaluated(made_release(tmp_path, *items), path, mode=Mode.COMPATIBLE)
    expected = [ORACLES[item.answer_format](said[item.name], item.answer_key) for item in items]
    assert found.tables.overall.total == len(items)
    assert found.tables.overall.score_pct == pytest.approx(
        100 * sum(score for score, _ in expected) / len(items), abs=1e-9
    )
    assert found.tables.overall.exact_pct == pytest.approx(
        100 * sum(is_right for _, is_right in expected) / len(items), abs=1e-9
    )
    for prefix, (task, *_) in SPATIAL.items():
        own = [outcome for item, outcome in zip(items, expected, strict=True) if item.name.startswith(prefix)]
        assert found.tables.tasks[f"spatialuav/{task}"].score_pct == pytest.approx(
            100 * sum(score for score, _ in own) / len(own), abs=1e-9
        )


@pytest.mark.parametrize("benchmark", ["aircop", "urbanvideo"])
def test_compatible_when_letters_have_traps_then_equals_the_published_rule(
    tmp_path: Path, benchmark: str
) -> None:
    rng = random.Random(7)
    if benchmark == "aircop":
        items, form = letter_items(120), ("question_id", "predicted_answer")
    else:
        items = [urbanvideo_item(name=str(n), answer_key="ABCDEFG"[n % 7]) for n in range(120)]
        form = ("Question_id", "Output")
    rule = LETTER_ORACLES[LetterRules(benchmark)]
    said = {item.name: rng.choice(TRAPS) for item in items}
    path = write_lines(tmp_path / "p.jsonl", [{form[0]: name, form[1]: text} for name, text in said.items()])
    found = evaluated(made_release(tmp_path, *items), path, mode=Mode.COMPATIBLE)
    # pandas takes these cells for missing, and the published script leaves such rows out.
    left_out = {"", "nan", "None"} if benchmark == "urbanvideo" else set()
    counted = [item for item in items if said[item.name] not in left_out]
    right = sum(rule(said[item.name], item.answer_key)[1] for item in counted)
    assert (found.tables.overall.total, found.coverage.left_out) == (len(counted), len(items) - len(counted))
    assert found.tables.overall.exact_pct == pytest.approx(100 * right / len(counted), abs=1e-9)
    assert ("do not count" in found.coverage.statement) == (benchmark == "urbanvideo")


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
    assert (strict.format_correct.correct_pct, compatible.format_correct.correct_pct) == (0.0, 0.0)


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
    # Nobody has replied in a wrong form.
    assert [one.unparsed for one in found.tables.tasks.values()] == [0]
    rate = found.tables.format_correct
    assert (rate.total, rate.correct_pct) == (1, 100.0)
    assert found.coverage.read_by_model_pct is None


def test_evaluate_when_missing_counts_as_wrong_then_the_predictions_are_in_the_order_of_the_release(
    tmp_path: Path,
) -> None:
    folder = made_release(tmp_path, *letter_items(4))
    path = write_lines(tmp_path / "p.jsonl", [{"item": "Real2_OC_UAV1_2", "prediction": "C"}])
    assert [one.position for one in evaluated(folder, path, scores_missing=True).scored] == [0, 1, 2, 3]


def test_evaluate_when_a_failed_request_was_repeated_then_the_first_answer_counts() -> None:
    items = [
        ReleasedItem(item=aircop_item(name=name, answer_key="A"), dataset="", footage="", context=NO_CONTEXT)
        for name in "xyz"
    ]
    said = [
        Prediction(item="x", text="", error="no reply", line=1, file="p.jsonl"),
        Prediction(item="x", text="A", line=2, file="p.jsonl"),
        Prediction(item="x", text="B", line=3, file="p.jsonl"),
        Prediction(item="y", text="A", line=4, file="p.jsonl"),
        Prediction(item="y", text="", error="no reply", line=5, file="p.jsonl"),
        Prediction(item="z", text="", error="no reply", line=6, file="p.jsonl"),
        Prediction(item="z", text="", error="no reply", line=7, file="p.jsonl"),
    ]
    found = Evaluator(ReleasedItems(items)).evaluate(said, progress=Progress())
    assert [(one.prediction.line, one.score) for one in found.scored] == [(2, 1.0), (4, 1.0), (6, 0.0)]
    assert kinds(found) == {"duplicate": 4, "failed_request": 1}
    first = found.problems.listed[0]
    assert (first.line, first.message) == (1, "The request failed; the answer in line 2 counts.")


def test_evaluate_when_a_missing_item_has_no_key_that_can_be_read_then_it_does_not_count_as_wrong() -> None:
    items = [
        ReleasedItem(item=item, dataset="", footage="", context=NO_CONTEXT)
        for item in (
            aircop_item(name="x", answer_key="A"),
            aircop_item(name="y", answer_key=""),
            spatialuav_item(name="z", answer_key="ahead", answer_format="clock"),
        )
    ]
    said = [Prediction(item="x", text="A")]
    found = Evaluator(ReleasedItems(items), scores_missing=True).evaluate(said, progress=Progress())
    assert (found.tables.overall.total, kinds(found)) == (1, {"missing": 2})


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
    comparison = compared(folder, path, settled=SettledTexts(table))
    found = comparison.models[0].evaluation
    task = found.tables.tasks["aircop/object_counting"]
    assert (found.coverage.settled, task.unparsed) == (1, 1)
    assert found.tables.overall.exact_pct == pytest.approx(200 / 3)
    assert (kinds(comparison), kinds(found)) == ({"settled_not_used": 2}, {})
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


@pytest.mark.parametrize("mode", Mode)
def test_evaluate_when_items_have_no_key_or_cannot_be_read_then_they_are_listed_in_both_modes(
    tmp_path: Path, mode: Mode
) -> None:
    questions = [
        {"id": f"A2A_Collaboration_Recognition_{n:05}", "image": ["./a.jpg", "./b.jpg", "./c.jpg"],
         "conversations": [{"from": "human", "value": "Which image?"}], "source": "SpatialUAV", "GT": key}
        for n, key in enumerate(("", "A"))
    ]  # fmt: skip
    release = write_lines(tmp_path / "annotations.jsonl", questions)
    with release.open("a") as file:
        file.write('{"id": "A2A_Collaboration_Recognition_00009", "image": 5, "conversations": []}\n')
    rows = [{"item": row["id"], "prediction": "none of them"} for row in questions]
    found = evaluated(release, write_lines(tmp_path / "p.jsonl", rows), mode=mode)
    assert kinds(found) == {"no_answer_key": 1, "unreadable_item": 1}
    assert (found.tables.overall.total, found.tables.overall.exact_pct) == (1, 0.0)


def test_random_when_scores_are_graded_then_mean_score_and_chance_differ(tmp_path: Path) -> None:
    context = AnswerContext(region_ids=(frozenset(range(5)),))
    items = [
        ReleasedItem(item=item, dataset="", footage="", context=context)
        for item in (
            spatialuav_item(answer_key="Region 3, 4"),
            spatialuav_item(
                name="Direction_Recognition_00001", answer_format="clock", answer_key="2 o'clock"
            ),
            spatialuav_item(
                name="Motion_Understanding_00001", answer_format="free_text", answer_key="It rises."
            ),
        )
    ]
    total, _ = random_tables(ReleasedItems(items), range(3), progress=Progress())
    # Two of five regions hold 0.8 of two on average; one pair of ten is right, and one of twelve hours.
    assert total.total == 2
    assert total.score_pct == pytest.approx(100 * (0.4 + 1 / 12) / 2)
    assert total.exact_pct == pytest.approx(100 * (0.1 + 1 / 12) / 2)
