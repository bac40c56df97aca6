"""Shortcuts that are planted, and the figures of what a policy finds of them."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from annotator.domain.item import LETTERS, Item, Option
from annotator.quality.blind import decide_all
from annotator.quality.policy import Policy
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from tests.bench.blind import FIGURES, POLICIES, figures_of
from tests.bench.figure import TARGETS
from tests.bench.giveaways import GIVEAWAYS, can_take, plant, planted_in

TEXTS = ("the red bus.", "two white vans", "nobody at all", "the long bridge")


def items(count: int) -> list[Item]:
    return [
        Item(
            id=str(n),
            name=f"Q_{n}",
            task_set="aircop",
            question=f"What is in picture {n}?",
            options=tuple(Option(letter=LETTERS[at], text=text) for at, text in enumerate(TEXTS)),
            answer_key=LETTERS[n % 4],
        )
        for n in range(count)
    ]


def key_text(item: Item) -> str:
    return next(option.text for option in item.options if option.letter == item.answer_key)


def others(item: Item) -> list[str]:
    return [option.text for option in item.options if option.letter != item.answer_key]


def test_plant_when_each_kind_is_wanted_then_so_many_have_it_and_the_rest_are_as_they_were() -> None:
    before = items(100)
    after = plant(before, each=4, seed=1)
    assert Counter(planted_in(item) for item in after) == {"": 80, **dict.fromkeys(GIVEAWAYS, 4)}
    assert after == plant(before, each=4, seed=1) != plant(before, each=4, seed=2)
    assert all(new is old for new, old in zip(after, before, strict=True) if not planted_in(new))


def test_plant_when_done_then_each_kind_gives_the_key_away_in_its_own_way() -> None:
    before = {item.id: item for item in items(100)}
    for item in plant(list(before.values()), each=10, seed=3):
        old, kind = before[item.id], planted_in(item)
        right = key_text(old).rstrip(".")
        if kind == "longest":
            assert len(key_text(item)) > 2 * max(map(len, others(item)))
            assert others(item) == others(old)
        elif kind == "overlap":
            assert right in item.question
            assert right not in old.question
        elif kind == "absurd":
            assert key_text(item) == key_text(old)
            assert not set(others(item)) & set(TEXTS)
            assert len(set(others(item))) == 3
        elif kind == "style":
            assert key_text(item) == f"{right[0].upper()}{right[1:]}."
            assert not any(text.endswith(".") or text != text.lower() for text in others(item))
        elif kind == "letter":
            assert item.answer_key == "B"
            assert key_text(item) == key_text(old)
            assert sorted(others(item)) == sorted(others(old))
            assert [option.letter for option in item.options] == list("ABCD")


@pytest.mark.parametrize(
    "change",
    [
        {"options": ()},
        {"answer_key": "E"},
        {"options": tuple(Option(letter=letter, text="") for letter in "ABCD")},
        {"options": (Option(letter="A", text="yes"), Option(letter="B", text="no"))},
        {"options": tuple(Option(letter=letter, text="x") for letter in "BCDE"), "answer_key": "B"},
    ],
)
def test_can_take_when_no_shortcut_can_be_planted_then_is_false(change: dict[str, object]) -> None:
    (item,) = items(1)
    assert can_take(item)
    assert not can_take(msgspec.structs.replace(item, **change))


def test_figures_of_when_a_policy_decided_then_tell_recall_and_loss_by_kind() -> None:
    def item_predictions(item: Item, *, is_right: bool) -> ItemPredictions:
        said = ItemPrediction(model="m", kind="answer", answer="A", is_right=is_right)
        return ItemPredictions(item=item, chance=0.25, predictions=(said,))

    planted = plant(items(50), each=2, seed=1)
    told = [item_predictions(item, is_right=planted_in(item) in {"longest", "style"}) for item in planted]
    unplanted = [one for one in told if not planted_in(one.item)]
    told[told.index(unplanted[0])] = item_predictions(unplanted[0].item, is_right=True)
    recall, lost = figures_of("any", decide_all(told, Policy(kind="any")), text="any")
    assert (recall.name, recall.value, recall.n) == ("blind.any_recall", 0.4, 10)
    assert (lost.name, lost.value, lost.n) == ("blind.any_lost", 1 / 40, 40)
    assert lost.baseline_value == pytest.approx(0.25)
    assert recall.ratio == pytest.approx(1.6)
    assert "longest 100%" in recall.note
    assert "letter 0%" in recall.note


def test_figures_when_listed_then_each_policy_has_its_two_targets() -> None:
    assert len(FIGURES) == 2 * len(POLICIES)
    assert set(FIGURES) == {name for name in TARGETS if name.startswith("blind.")}
