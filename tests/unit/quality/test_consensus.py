"""Consensus: the same answer within a format's tolerance, and the three reasons to doubt."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from annotator.domain.answer_groups import is_same
from annotator.domain.item import Item
from annotator.quality.consensus import evidence_of, find_disagreements, model_votes, report_on
from annotator.quality.predictions import ItemPrediction, ItemPredictionKind, ItemPredictions


def item_predictions(item: Item, replies: dict[str, Sequence[str]]) -> ItemPredictions:
    """Return predictions: an answer per request; ``!`` for one that could not be read."""
    predictions = tuple(
        ItemPrediction(
            model=model,
            kind=_kind(answer),
            answer=answer.strip("!"),
            is_right=None if answer == "!" else is_same(answer, item.answer_key, item=item),
        )
        for model, answers in replies.items()
        for answer in answers
    )
    return ItemPredictions(item=item, chance=0.25, predictions=predictions)


def _kind(answer: str) -> ItemPredictionKind:
    return "unparsed" if answer == "!" else "answer"


def found(
    item: Item, replies: dict[str, Sequence[str]], *, agreeing: int | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the disagreements by kind, with the models that they are about."""
    return {
        disagreement.kind: disagreement.models
        for disagreement in find_disagreements(item_predictions(item, replies), agreeing=agreeing)
    }


@pytest.fixture
def item(make_item: Callable[..., Item]) -> Item:
    return make_item()


@pytest.mark.parametrize(
    ("answer_format", "one", "other", "same"),
    [
        ("angle", "88.0 degrees", "97.0 degrees", True),
        ("angle", "88.0 degrees", "99.0 degrees", False),
        ("angle", "359.0 degrees", "2.0 degrees", True),
        ("bbox", "[100, 100, 200, 200]", "[104, 98, 203, 201]", True),
        ("bbox", "[100, 100, 200, 200]", "[300, 300, 400, 400]", False),
        ("pair_list", "3-15, 4-5", "4-5, 3-15", True),
        ("region_set", "Region 3, 4", "Region 4, 3", True),
        ("region_set", "Region 3, 4", "Region 3", False),
        ("region_label", "Region 3, 4", "Region 4, 3", False),
        ("clock", "2 o'clock", "3 o'clock", False),
        ("angle_distance", "88.0 degrees, 12.0 meters", "90.0 degrees, 20.0 meters", True),
        ("free_text", "The drone rises.", "the drone rises", True),
    ],
)
def test_is_same_when_the_format_has_a_tolerance_then_goes_by_it(
    make_item: Callable[..., Item], answer_format: str, one: str, other: str, same: bool
) -> None:
    item = make_item(options=(), answer_format=answer_format, answer_key=one)
    assert is_same(one, other, item=item) is same
    assert is_same(other, one, item=item) is same


@pytest.mark.parametrize(
    ("replies", "disagreements"),
    [
        ({"m": ["B"], "n": ["B"], "o": ["B"]}, {"consensus_against_key": ("m", "n", "o")}),
        # All wrong, but not in one and the same way.
        ({"m": ["B"], "n": ["B"], "o": ["C"]}, {"consensus_ambiguous": ("m", "n", "o")}),
        ({"m": ["B"], "n": ["B"], "o": ["C"], "p": ["D"]}, {"consensus_ambiguous": ("m", "n", "o", "p")}),
        ({"m": ["B"], "n": ["C"], "o": ["D"]}, {"consensus_ambiguous": ("m", "n", "o")}),
        ({"m": ["B"], "n": ["C"], "o": ["A"]}, {}),
        ({"m": ["A"], "n": ["A"], "o": ["A"]}, {}),
        ({"m": ["B"], "n": ["B"], "o": ["!"]}, {}),
        ({"m": ["B"], "n": ["C"], "o": ["!"]}, {}),
        ({"m": ["B"]}, {}),
        ({"m": ["B"], "n": ["!"]}, {}),
        # Half of one and half of another is no answer, and so no voice against the key.
        ({"m": ["B", "B", "A", "A"], "n": ["B"]}, {"consensus_unstable": ("m",)}),
        ({"m": ["B", "C"], "n": ["D"]}, {"consensus_unstable": ("m",)}),
        ({"m": ["A", "A", "B", "A"], "n": ["A", "A", "A", "A"]}, {"consensus_unstable": ("m",)}),
        (
            {"m": ["B", "B", "C"], "n": ["B", "B", "B"]},
            {"consensus_against_key": ("m", "n"), "consensus_unstable": ("m",)},
        ),
    ],
)
def test_doubts_about_when_models_say_this_then_are(
    item: Item, replies: dict[str, list[str]], disagreements: dict[str, tuple[str, ...]]
) -> None:
    assert found(item, replies) == disagreements


def test_doubts_about_when_two_of_three_are_enough_then_the_third_may_say_otherwise(item: Item) -> None:
    replies = {"m": ["B"], "n": ["B"], "o": ["C"]}
    assert found(item, replies, agreeing=2) == {"consensus_against_key": ("m", "n")}
    assert found(item, replies | {"o": ["A"]}, agreeing=2) == {"consensus_against_key": ("m", "n")}


def test_doubts_about_when_boxes_are_near_one_another_and_far_from_the_key_then_agree(
    make_item: Callable[..., Item],
) -> None:
    item = make_item(options=(), answer_format="bbox", answer_key="[0, 0, 50, 50]")
    replies = {"m": ["[100, 100, 200, 200]"], "n": ["[104, 98, 203, 201]"]}
    assert found(item, replies) == {"consensus_against_key": ("m", "n")}


def test_voices_of_when_a_model_was_asked_often_then_speaks_for_most_of_its_answers(item: Item) -> None:
    (vote,) = model_votes(item_predictions(item, {"m": ["B", "A", "A", "!"]}))
    assert (vote.answer, vote.asked, vote.given, vote.same) == ("A", 4, 3, 2)
    assert vote.is_right
    assert vote.is_unstable


@pytest.mark.parametrize("answers", [["B", "B", "A", "A"], ["A", "B", "B", "A"], ["C", "B"]])
def test_voices_of_when_two_answers_are_equally_frequent_then_gives_none(
    item: Item, answers: list[str]
) -> None:
    (vote,) = model_votes(item_predictions(item, {"m": answers}))
    assert (vote.answer, vote.is_right, vote.same) == ("", None, len(answers) // 2)
    assert vote.is_unstable


def test_voices_of_when_angles_are_near_one_another_then_are_one_answer(
    make_item: Callable[..., Item],
) -> None:
    item = make_item(options=(), answer_format="angle", answer_key="270.0 degrees")
    (vote,) = model_votes(item_predictions(item, {"m": ["80.0 degrees", "88.0 degrees", "96.0 degrees"]}))
    assert (vote.answer, vote.same, vote.is_unstable) == ("80.0 degrees", 3, False)


def test_report_on_when_items_are_told_then_counts_by_task(item: Item) -> None:
    told = [
        item_predictions(item, {"m": ["B"], "n": ["B"]}),
        item_predictions(item, {"m": ["A"], "n": ["A"]}),
        item_predictions(item, {"m": ["A"], "n": ["!"]}),
    ]
    report = report_on(told, [disagreement for one in told for disagreement in find_disagreements(one)])
    assert (report.items, report.judged, report.confirmed) == (3, 2, 1)
    assert report.disagreements["consensus_against_key"] == 1
    assert report.tasks["aircop/object_recognition"]["consensus_against_key"] == 1


def test_evidence_of_when_models_agree_then_holds_answers_and_words(item: Item) -> None:
    (disagreement,) = find_disagreements(item_predictions(item, {"m": ["B"], "n": ["B"]}))
    evidence = evidence_of(disagreement, run="r")
    assert (evidence["run"], evidence["answer_key"], evidence["answer"]) == ("r", "A", "B")
    assert evidence["models"]["m"]["answer"] == "B"
    assert len(evidence["answers"]) == 2
