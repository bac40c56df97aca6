"""The share of right answers with its interval, and what decisions rest on."""

from __future__ import annotations

import pytest

from annotator.domain.item import Item
from annotator.quality.accuracy import accuracy_of
from annotator.quality.decision_basis import decision_bases
from annotator.quality.predictions import ItemPrediction, ItemPredictionKind, ItemPredictions


def prediction(
    is_right: bool | None, *, model: str = "One", kind: ItemPredictionKind = "answer"
) -> ItemPrediction:
    return ItemPrediction(model=model, kind=kind, is_right=is_right)


def test_accuracy_when_each_item_has_one_answer_then_is_the_wilson_interval() -> None:
    found = accuracy_of([[prediction(number < 7)] for number in range(10)])
    assert found is not None
    assert (found.right, found.known) == (7, 10)
    # Newcombe, Stat. Med. 17 (1998) 857, formula 3.
    assert (found.low, found.high) == (pytest.approx(0.3968, abs=1e-4), pytest.approx(0.8922, abs=1e-4))


def test_accuracy_when_answers_of_an_item_hang_together_then_the_interval_is_that_of_the_items() -> None:
    once = accuracy_of([[prediction(number < 7)] for number in range(10)])
    repeated = accuracy_of([[prediction(number < 7)] * 8 for number in range(10)])
    assert once is not None
    assert repeated is not None
    assert repeated.known == 80
    assert (repeated.low, repeated.high) == (pytest.approx(once.low), pytest.approx(once.high))


@pytest.mark.parametrize(("is_right", "low", "high"), [(True, 0.7225, 1.0), (False, 0.0, 0.2775)])
def test_accuracy_when_all_are_alike_then_counts_items(is_right: bool, low: float, high: float) -> None:
    found = accuracy_of([[prediction(is_right)] * 4 for _ in range(10)])
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_accuracy_when_nothing_is_known_then_is_none() -> None:
    assert accuracy_of([[prediction(None, kind="unparsed")], []]) is None


def test_basis_when_models_say_nothing_then_counts_those_that_answered_and_why() -> None:
    item = Item(id="1", name="one", task_set="own")
    both = [prediction(True), prediction(False, model="Two")]
    alone = [
        prediction(True),
        prediction(None, model="Two", kind="unparsed"),
        prediction(None, model="Two", kind="error"),
    ]
    # A model that was read in one rotation has answered.
    partly = [
        prediction(True),
        prediction(False, model="Two"),
        prediction(None, model="Two", kind="empty"),
    ]
    items = [ItemPredictions(item=item, chance=0.5, predictions=tuple(one)) for one in (both, alone, partly)]
    told = [(one.items, one.answered, one.asked, one.missing) for one in decision_bases(items)]
    assert told == [(2, 2, 2, ()), (1, 1, 2, ("unparsed", "error"))]
