"""Signals of options on hand-made items."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from annotator.domain.item import LETTERS, Item, Option
from annotator.quality.calibrated.model_signals import model_signals, unevenly_asked_models
from annotator.quality.calibrated.option_logit import OptionRows
from annotator.quality.calibrated.set_signals import (
    SET_SIGNALS,
    OptionIds,
    never_wrong_elsewhere,
    set_signals,
)
from annotator.quality.calibrated.text_signals import TEXT_SIGNALS, read_option, text_signals
from annotator.quality.predictions import ItemPrediction, ItemPredictions


def signal(name: str, question: str, *options: str) -> list[float]:
    rows = text_signals(question, [read_option(option) for option in options])
    return [row[TEXT_SIGNALS.index(name)] for row in rows]


@pytest.mark.parametrize(
    ("name", "question", "options", "values"),
    [
        ("length", "What is it?", ("a bus", " a van "), [math.log(6), math.log(6)]),
        ("overlap", "What is near the red bridge?", ("a red bridge", "the park"), [2, 0]),
        ("coverage", "What is near the red bridge?", ("a red bridge", "a red bus"), [1, 0.5]),
        ("quoted", "What is near the red bridge?", ("The bridge", "a red bus", "the"), [1, 0, 0]),
        ("article", "The drone sees an", ("umbrella", "bus"), [1, -1]),
        ("article", "The drone sees a ___", ("umbrella", "bus"), [-1, 1]),
        ("article", "What is it?", ("umbrella", "bus"), [0, 0]),
        ("agreement", "What are these?", ("two buses", "a glass"), [1, -1]),
        ("agreement", "What is this?", ("buses", "a bus"), [-1, 1]),
        ("similarity", "?", ("a b", "a c", "d e"), [1 / 6, 1 / 6, 0]),
        ("least_similarity", "?", ("a b", "a c", "b c"), [1 / 3, 1 / 3, 1 / 3]),
        ("totality", "?", ("All of the above", "a bus"), [1, 0]),
        ("absolute", "?", ("It always stops", "It stops"), [1, 0]),
        ("end_mark", "?", ("It stops.", "It stops"), [1, 0]),
        ("middle_number", "?", ("10 m", "20 m", "30 m"), [0, 1, 0]),
        ("large_number", "?", ("30", "10", "20"), [1, 0, 0.5]),
        ("precise_number", "?", ("30 m", "31.5 m"), [1, 3]),
    ],
)
def test_text_signals_when_read_from_hand_made_items_then_have_known_values(
    name: str, question: str, options: tuple[str, ...], values: list[float]
) -> None:
    assert signal(name, question, *options) == pytest.approx(values)


def test_set_signals_when_the_own_key_changes_then_only_other_folds_see_it() -> None:
    texts = words = ["x", "y", "x", "z"]
    ids, folds = OptionIds.of(texts=texts, words=words), np.array([0, 1])
    first = set_signals(OptionRows.of([2, 2], [0, 0]), ids, folds=folds, held_out=1)
    other = set_signals(OptionRows.of([2, 2], [1, 0]), ids, folds=folds, held_out=1)
    assert first[:2].tolist() == other[:2].tolist()
    assert first[2, 1] > 0 > other[2, 1]


def test_set_signals_when_distractors_are_a_pool_then_the_option_that_is_never_wrong_stands_out() -> None:
    # Keys k1 to k4, distractors p and q; the last item has a distractor that is right in the first.
    texts = ["k1", "p", "q", "k2", "q", "p", "k3", "p", "q", "k4", "p", "k1"]
    rows, folds = OptionRows.of([3, 3, 3, 3], [0, 0, 0, 0]), np.arange(4)
    ids = OptionIds.of(texts=texts, words=[[text] for text in texts])
    found = set_signals(rows, ids, folds=folds, held_out=3)
    leak = found[:, SET_SIGNALS.index("leak")]
    # Both p and q are wrong in two other items.
    assert leak[:3] == pytest.approx([math.log1p(2), 0.0, 0.0])
    # Of the last item, p is wrong in three others, k1 is right in one: nothing is a pool.
    assert leak[9:].tolist() == [0.0, 0.0, 0.0]


def test_never_wrong_elsewhere_when_distractors_are_a_pool_then_names_the_leaking_items() -> None:
    rows = OptionRows.of([3, 3, 3], [0, 0, 2])
    leaking = ["key1", "p", "q", "key2", "q", "p"]
    assert never_wrong_elsewhere(rows, texts=[*leaking, "u", "v", "w"]).tolist() == [True, True, False]
    assert never_wrong_elsewhere(rows, texts=[*leaking, "p", "key1", "q"]).tolist() == [False, False, False]


@pytest.fixture
def entry(make_item: Callable[..., Item]) -> Callable[..., ItemPredictions]:
    """Give a maker of predictions about an item with the options 'bus' and 'truck'."""

    def make(*predictions: ItemPrediction) -> ItemPredictions:
        options = tuple(Option(letter=LETTERS[n], text=text) for n, text in enumerate(("bus", "truck")))
        return ItemPredictions(item=make_item(options=options), chance=0.5, predictions=predictions)

    return make


def test_model_signals_when_a_model_scores_texts_then_gives_total_and_per_character(
    entry: Callable[..., ItemPredictions],
) -> None:
    prediction = ItemPrediction(model="m", kind="answer", answer="A", scores=(-1.0, -2.0), method="text")
    assert model_signals(entry(prediction)) == {
        ("m", "per_character"): [-1.0, -2.0],
        ("m", "total"): [-3.0, -10.0],
    }


def test_model_signals_when_a_model_answers_in_rotations_then_gives_smoothed_shares(
    entry: Callable[..., ItemPredictions],
) -> None:
    told = [ItemPrediction(model="m", kind="answer", answer=letter) for letter in "AAB"]
    unread = ItemPrediction(model="m", kind="unparsed")
    assert model_signals(entry(*told, unread)) == {
        ("m", "answers"): pytest.approx([math.log(2.5 / 4), math.log(1.5 / 4)])
    }


def test_model_signals_when_a_letter_is_not_listed_then_has_the_least_of_the_others(
    entry: Callable[..., ItemPredictions],
) -> None:
    one = ItemPrediction(model="m", kind="answer", answer="A", scores=(-1.0, -math.inf), method="letters")
    assert model_signals(entry(one)) == {("m", "letter"): [-1.0, -1.0]}


def test_unevenly_asked_models_when_one_order_is_answered_often_then_each_item_counts_once(
    make_item: Callable[..., Item],
) -> None:
    said = (ItemPrediction(model="m", kind="answer", answer="A"),)
    scored = (ItemPrediction(model="t", kind="answer", answer="A", scores=(-1.0, -2.0), method="text"),)
    options = tuple(Option(letter=letter, text=letter) for letter in "AB")

    def ask(keys: str, times: int) -> tuple[str, ...]:
        items = [make_item(options=options, answer_key=key) for key in keys]
        return unevenly_asked_models(
            [ItemPredictions(item=item, chance=0.5, predictions=said * times + scored) for item in items]
        )

    # Of 30 items 20 with one key have a probability of 7 %; counted four times, of 0.03 %.
    assert ask("A" * 20 + "B" * 10, 4) == ()
    assert ask("A" * 25 + "B" * 5, 1) == ("m",)
    # Too few to tell.
    assert ask("AB", 1) == ("m",)
