from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain.event_label import EventLabel
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]
TEXTS = {1: "1 (very poor)", 2: "2 (poor)", 3: "3 (fair)", 4: "4 (good)", 5: "5 (excellent)"}


@pytest.mark.parametrize("level", TEXTS)
def test_quality_when_a_level_is_given_then_it_is_the_answer(
    draft_one: DraftOne, make_label: MakeLabel, level: int
) -> None:
    outcome = draft_one("aircop.quality", make_label(quality=level))
    assert isinstance(outcome, DraftedItem)
    assert outcome.answer == TEXTS[level]
    assert {option.text for option in outcome.item.options} <= set(TEXTS.values())


def test_quality_when_drawn_often_then_each_other_level_is_left_out_alike_often(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    left_out: Counter[str] = Counter()
    for seed in range(400):
        outcome = draft_one("aircop.quality", make_label(quality=4), seed=seed)
        assert isinstance(outcome, DraftedItem)
        left_out.update(set(TEXTS.values()) - {option.text for option in outcome.item.options})
    assert set(left_out) == set(TEXTS.values()) - {"4 (good)"}
    assert min(left_out.values()) > 60


def test_quality_when_it_is_missing_then_the_reason_is_told(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    assert draft_one("aircop.quality", make_label(quality=None)) == SkippedItem("quality is missing")
