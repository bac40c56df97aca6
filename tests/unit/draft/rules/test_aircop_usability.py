from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_usability import WORDINGS

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]


@pytest.mark.parametrize(
    ("usable", "quality", "phrase"),
    [
        (True, 5, "Yes, highly usable"),
        (True, 4, "Yes, mostly usable"),
        (True, 3, "Yes, partly usable"),
        (True, 2, "Yes, but barely so"),
        (True, 1, "Yes, but barely so"),
        (False, 3, "No, it is unusable"),
        (False, 1, "No, it is unusable"),
        (False, None, "No, it is unusable"),
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


def test_wordings_when_compared_with_the_task_set_then_each_has_all_grades_in_about_one_length() -> None:
    phrases = {value.id for value in task_set_files.builtin("aircop").value_lists["usability_phrase"]}
    for words in WORDINGS:
        assert set(words) == phrases
        lengths = [len(text) for text in words.values()]
        assert max(lengths) - min(lengths) <= 1


def test_usability_when_drawn_often_then_both_wordings_come_up_and_mean_the_same(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    rights = set()
    for seed in range(40):
        outcome = draft_one("aircop.usability", make_label(quality=5), seed=seed)
        assert isinstance(outcome, DraftedItem)
        rights.add(next(o.text for o in outcome.item.options if o.letter == outcome.item.answer_key))
    assert rights == {words["highly_usable"] for words in WORDINGS}
