from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain.event_label import EventLabel
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]


@pytest.mark.parametrize(
    ("usable", "quality", "phrase"),
    [
        (True, 5, "Yes, highly usable"),
        (True, 4, "Yes, usable"),
        (True, 3, "Yes, partially usable"),
        (True, 2, "Yes, barely usable"),
        (True, 1, "Yes, barely usable"),
        (False, 3, "No, not usable"),
        (False, 1, "No, not usable"),
        (False, None, "No, not usable"),
    ],
)
def test_usability_when_usable_and_quality_are_given_then_they_come_to_a_phrase(
    draft_one: DraftOne, make_label: MakeLabel, usable: bool, quality: int | None, phrase: str
) -> None:
    outcome = draft_one("aircop.usability", make_label(usable=usable, quality=quality))
    assert isinstance(outcome, DraftedItem)
    assert outcome.answer == phrase


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"usable": None}, "usability is missing"), ({"quality": None}, "quality is missing")],
)
def test_usability_when_an_answer_is_missing_then_the_reason_is_told(
    draft_one: DraftOne, make_label: MakeLabel, fields: dict[str, object], reason: str
) -> None:
    assert draft_one("aircop.usability", make_label(**fields)) == SkippedItem(reason)
