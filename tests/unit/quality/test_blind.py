"""The blind filter's decisions and figures, from predictions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.item import Item
from annotator.quality.blind import compare_policies, decide_all, evidence_of, report_on
from annotator.quality.policy import POLICY_VERSION, USUAL_POLICIES, Policy, read_policy
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from annotator.quality.run_comparison import compare_runs

MARKS = {"+": ("answer", True), "-": ("answer", False), "u": ("unparsed", None), "x": ("error", None),
         "o": ("outdated", None)}  # fmt: skip


@pytest.fixture
def hear(make_item: Callable[..., Item]) -> Callable[..., ItemPredictions]:
    """Give a maker of what models said: one word of marks per model."""

    def make(
        *words: str, item: str = "item", task: str = "object_recognition", wrong: str = "B"
    ) -> ItemPredictions:
        predictions = tuple(
            ItemPrediction(
                model=f"m{index}",
                kind=MARKS[mark][0],  # type: ignore[arg-type]
                is_right=MARKS[mark][1],
                answer={"+": "A", "-": wrong}.get(mark, ""),
            )
            for index, word in enumerate(words)
            for mark in word
        )
        return ItemPredictions(item=make_item(id=item, task=task), chance=0.25, predictions=predictions)

    return make


def decided(item_predictions: ItemPredictions, policy: Policy) -> str:
    (one,) = decide_all([item_predictions], policy)
    return one.decision


def test_decide_all_when_replies_cannot_be_read_then_only_counts_them_where_asked(
    hear: Callable[..., ItemPredictions],
) -> None:
    told = hear("+", "u")
    assert decided(told, Policy(kind="all")) == "undecided"
    assert decided(told, Policy(kind="all", counts_unread=True)) == "kept"


@pytest.mark.parametrize("mark", ["x", "o"])
def test_decide_all_when_there_was_an_error_or_another_item_then_never_counts_as_wrong(
    hear: Callable[..., ItemPredictions], mark: str
) -> None:
    assert decided(hear("+", mark), Policy(kind="all", counts_unread=True)) == "undecided"
    assert decided(hear("+", mark), Policy(kind="any")) == "guessed"


def test_report_on_when_items_are_decided_then_counts_models_tasks_and_chance(
    hear: Callable[..., ItemPredictions],
) -> None:
    told = [
        hear("+", "+", item="1"),
        hear("+", "-", item="2"),
        hear("+", "u", item="3", task="object_counting"),
        hear("-", "x", item="4", task="object_counting"),
    ]
    policy = Policy(kind="all")
    report = report_on(decide_all(told, policy), policy)
    assert (report.items, report.guessed, report.kept, report.undecided) == (4, 1, 2, 1)
    assert report.loss == pytest.approx(0.0625)
    first, second = report.models
    assert (first.right, first.known, first.by_chance) == (3, 4, 1.0)
    # Three of four by guessing, or more.
    assert first.p == pytest.approx(13 / 256)
    assert second.kinds == {"answer": 2, "unparsed": 1, "error": 1}
    counting, recognition = report.tasks
    assert (counting.task, counting.items, counting.undecided) == ("object_counting", 2, 1)
    assert recognition.expected == pytest.approx(2 * 0.0625)
    assert (recognition.right, recognition.known) == (3, 4)


def test_decide_all_when_items_are_answered_alike_then_each_keeps_its_own_item(
    hear: Callable[..., ItemPredictions],
) -> None:
    told = [hear("+-", item="1"), hear("+-", item="2", task="object_counting"), hear("-+", item="3")]
    decided_all = decide_all(told, Policy(kind="all"))
    assert [one.item_predictions.item.id for one in decided_all] == ["1", "2", "3"]
    assert {(one.right, one.known, one.decision) for one in decided_all} == {(1, 2, "kept")}


def test_decide_all_when_a_model_is_asked_in_four_rotations_then_tells_both_losses(
    hear: Callable[..., ItemPredictions],
) -> None:
    (one,) = decide_all([hear("++++")], Policy(kind="every_rotation"))
    assert (one.loss, one.stuck_loss) == (pytest.approx(1 / 256), pytest.approx(1 / 4))
    assert one.p == pytest.approx(1 / 256)
    (figures,) = compare_policies([one.item_predictions], [Policy(kind="every_rotation")])
    assert (figures.loss, figures.stuck_loss) == (one.loss, one.stuck_loss)


def test_compare_policies_when_the_same_answers_are_decided_then_each_says_what_it_would_do(
    hear: Callable[..., ItemPredictions],
) -> None:
    told = [hear("++++", "+-++", item="1"), hear("----", "----", item="2"), hear("+---", "----", item="3")]
    figures = {one.policy: (one.guessed, one.kept) for one in compare_policies(told, USUAL_POLICIES)}
    assert figures == {
        "all": (1, 2),
        "any": (1, 2),
        "at least 2": (1, 2),
        "mean>0.2": (1, 2),
        "every-rotation:1": (1, 2),
        "significance<0.05": (1, 2),
        # Three items are too few for any threshold.
        "calibrated<0.02": (0, 3),
    }
    tighter = compare_policies(told, [read_policy("every-rotation:2"), read_policy("significance<0.0001")])
    assert [one.guessed for one in tighter] == [0, 0]


def test_evidence_of_when_decided_then_tells_who_was_right_how_often(
    hear: Callable[..., ItemPredictions],
) -> None:
    (one,) = decide_all([hear("++-u", "+")], Policy(kind="any"))
    evidence = evidence_of(one, run="r", policy=Policy(kind="any"))
    assert evidence["models"]["m0"] == {"asked": 4, "right": 2, "answers": {"A": 2, "B": 1, "unparsed": 1}}
    assert (evidence["right"], evidence["known"], evidence["decision"]) == (3, 4, "guessed")
    assert evidence["policy_version"] == POLICY_VERSION
    assert (evidence["chance"], evidence["loss"]) == (
        0.25,
        pytest.approx(1 - 0.75**2 * (1 - 13 / 256) / 0.75),
    )


def test_compare_runs_when_models_answer_otherwise_then_lists_the_items(
    hear: Callable[..., ItemPredictions],
) -> None:
    one = [hear("+", item="1"), hear("-", item="2"), hear("+", item="3")]
    other = [hear("+", item="1"), hear("+", item="2"), hear("-", item="4")]
    told = compare_runs(one, other)
    assert (told.common, told.only_one, told.only_other) == (2, 1, 1)
    assert (told.right_one, told.right_other) == (0.5, 1.0)
    (change,) = told.changes
    assert (change.item, change.one, change.other) == ("2", {"m0": "B"}, {"m0": "A"})
    assert told.to_json()["changes"][0]["right_other"] == 1.0
