from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain.event_label import EventLabel
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]
TEXTS = {1: "1 (very poor)", 2: "2 (poor)", 3: "3 (fair)", 4: "4 (good)", 5: "5 (excellent)"}


def _level(text: str) -> int:
    return int(text[0])


@pytest.mark.parametrize("level", TEXTS)
def test_quality_when_a_level_is_given_then_it_is_the_answer_in_one_of_three_wordings(
    draft_one: DraftOne, make_label: MakeLabel, level: int
) -> None:
    wordings = set()
    for seed in range(40):
        outcome = draft_one("aircop.quality", make_label(quality=level), seed=seed)
        assert isinstance(outcome, DraftedItem)
        assert outcome.answer == TEXTS[level]
        right = next(o.text for o in outcome.item.options if o.letter == outcome.item.answer_key)
        assert _level(right) == level
        wordings.add(outcome.item.provenance.wording.partition("/")[2])
    assert wordings == {"1", "2", "3"}


def test_quality_when_drawn_often_then_each_other_level_is_left_out_alike_often(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    left_out: Counter[int] = Counter()
    for seed in range(400):
        outcome = draft_one("aircop.quality", make_label(quality=4), seed=seed)
        assert isinstance(outcome, DraftedItem)
        left_out.update(set(TEXTS) - {_level(option.text) for option in outcome.item.options})
    assert set(left_out) == set(TEXTS) - {4}
    assert min(left_out.values()) > 60


def test_quality_when_a_level_does_not_occur_in_the_dataset_then_it_is_not_offered(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    counts = Counter({5: 3, 4: 9, 3: 2, 2: 1})
    for seed in range(40):
        outcome = draft_one("aircop.quality", make_label(quality=4), seed=seed, counts=counts)
        assert isinstance(outcome, DraftedItem)
        assert {_level(option.text) for option in outcome.item.options} == set(counts)


def test_quality_when_it_is_missing_then_the_reason_is_told(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    assert draft_one("aircop.quality", make_label(quality=None)) == SkippedItem("quality is missing")
