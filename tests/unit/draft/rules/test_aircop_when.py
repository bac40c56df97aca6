from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_when import NO, RARE, YES

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]


def _texts(outcome: RuleResult) -> set[str]:
    assert isinstance(outcome, DraftedItem)
    return {option.text for option in outcome.item.options}


def test_options_when_compared_with_the_task_set_then_each_reason_has_its_words_of_one_length() -> None:
    assert set(YES) == {value.id for value in task_set_files.builtin("aircop").value_lists["why"]}
    assert len({len(text) for text in (NO, *YES.values())}) == 1


def test_when_needed_then_one_given_reason_is_right_and_no_stands_beside_it(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    answers = Counter()
    for seed in range(60):
        outcome = draft_one("aircop.when", make_label(why=("occlusion", "shadow")), seed=seed)
        assert isinstance(outcome, DraftedItem)
        assert NO in _texts(outcome)
        assert len(_texts(outcome) & {YES["occlusion"], YES["shadow"]}) == 1
        answers[outcome.answer] += 1
    assert set(answers) == {YES["occlusion"], YES["shadow"]}


@pytest.mark.parametrize(
    "support",
    [
        {"degradations": ("small_target",)},
        {"why": ("occlusion", "small_target")},
        {"issue_boxes": (PercentBox(x=1, y=1, width=2, height=2, labels=("too_small",)),)},
    ],
)
def test_when_the_label_supports_a_reason_anywhere_then_it_is_never_a_wrong_option(
    draft_one: DraftOne, make_label: MakeLabel, support: dict[str, object]
) -> None:
    for seed in range(60):
        outcome = draft_one("aircop.when", make_label(**support), seed=seed)
        assert isinstance(outcome, DraftedItem)
        assert YES["small_target"] not in _texts(outcome) - {outcome.answer}


@pytest.mark.parametrize("when", [True, False])
def test_when_wrong_reasons_are_drawn_then_rare_ones_come_last(
    draft_one: DraftOne, make_label: MakeLabel, when: bool
) -> None:
    rare = {YES[reason] for reason in RARE}
    why = ("occlusion",) if when else ()
    for seed in range(60):
        outcome = draft_one("aircop.when", make_label(when=when, why=why), seed=seed)
        assert not _texts(outcome) & rare
    ticked = make_label(degradations=("occlusion", "small_target", "out_of_fov", "shadow"))
    assert _texts(draft_one("aircop.when", ticked)) & rare


def test_when_not_needed_then_no_is_right_among_three_reasons(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    outcome = draft_one("aircop.when", make_label(when=False, who=(), why=()))
    assert isinstance(outcome, DraftedItem)
    assert outcome.answer == NO
    assert len(_texts(outcome) & set(YES.values())) == 3


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"when": None}, "when is missing"),
        ({"why": None}, "none of the listed reasons is given"),
        ({"why": ("because",)}, "none of the listed reasons is given"),
        ({"why": tuple(YES)}, "too few reasons are certainly wrong"),
    ],
)
def test_when_it_cannot_be_asked_then_the_reason_is_told(
    draft_one: DraftOne, make_label: MakeLabel, fields: dict[str, object], reason: str
) -> None:
    assert draft_one("aircop.when", make_label(**fields)) == SkippedItem(reason)
