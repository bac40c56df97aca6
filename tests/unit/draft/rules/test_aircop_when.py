from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

import pytest

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.draft.rule_result import DraftedItem, RuleResult, SkippedItem
from annotator.draft.rules.aircop_when import LISTED, NEITHER, NO, OTHERS, WORDINGS, ReasonPair

DraftOne = Callable[..., RuleResult]
MakeLabel = Callable[..., EventLabel]
TEXTS = WORDINGS[0]
SEEDS = range(60)


def _meanings(outcome: RuleResult) -> set[str]:
    """Return what the options mean, whatever their wording."""
    assert isinstance(outcome, DraftedItem)
    texts = {option.text for option in outcome.item.options}
    [words] = [words for words in WORDINGS if texts <= set(words.values())]
    return {meaning for meaning, text in words.items() if text in texts}


def _answer(outcome: RuleResult) -> str:
    assert isinstance(outcome, DraftedItem)
    return next(meaning for meaning, text in TEXTS.items() if text == outcome.answer)


def _wrong(outcome: RuleResult) -> set[str]:
    return _meanings(outcome) - {_answer(outcome)}


def test_options_when_compared_with_the_task_set_then_each_reason_has_its_words_of_one_length() -> None:
    listed = {value.id for value in task_set_files.builtin("aircop").value_lists["why"]}
    for words in WORDINGS:
        assert set(words) == {NO, NEITHER} | listed - {OTHERS}
        assert len({len(text) for text in words.values()}) == 1
    assert len({text for words in WORDINGS for text in words.values()}) == len(WORDINGS) * len(TEXTS)


def test_when_needed_then_two_reasons_neither_and_no_are_offered_and_each_but_no_can_be_right(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    answers = Counter()
    for seed in SEEDS:
        outcome = draft_one("aircop.when", make_label(why=("occlusion", "shadow")), seed=seed)
        offered = _meanings(outcome)
        assert offered > {NO, NEITHER}
        assert len(offered & {"occlusion", "shadow"}) == (_answer(outcome) != NEITHER)
        answers[_answer(outcome)] += 1
    assert set(answers) == {"occlusion", "shadow", NEITHER}


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
    for seed in SEEDS:
        assert "small_target" not in _wrong(draft_one("aircop.when", make_label(**support), seed=seed))


@pytest.mark.parametrize(
    ("fields", "doubtful"),
    [
        ({"quality": 5}, set()),
        ({"quality": 4}, {"noise"}),
        ({"quality": 3}, {"noise"}),
        ({"quality": 2}, {"noise", "brightness"}),
        ({"quality": None}, {"noise", "brightness"}),
        ({"quality": 5, "degradations": ("occlusion", "others")}, {"noise", "brightness", "loss"}),
        ({"quality": 5, "other_degradation": "image blur"}, {"noise", "brightness", "loss"}),
        ({"quality": 5, "degradations": ("smear",)}, {"noise", "brightness", "loss"}),
        ({"quality": 5, "why": ("occlusion", "others")}, {"noise", "brightness", "loss"}),
    ],
)
def test_when_other_answers_of_the_label_leave_a_reason_open_then_it_is_never_a_wrong_option(
    draft_one: DraftOne, make_label: MakeLabel, fields: dict[str, object], doubtful: set[str]
) -> None:
    wrong = set()
    for seed in range(200):
        wrong |= _wrong(draft_one("aircop.when", make_label(**fields), seed=seed))
    assert wrong & set(LISTED) == set(LISTED) - {"occlusion"} - doubtful


def test_when_only_other_issues_are_the_reason_then_neither_is_right(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    label = make_label(why=("others",), degradations=("others",))
    assert {_answer(draft_one("aircop.when", label, seed=seed)) for seed in SEEDS} == {NEITHER}


def test_when_a_reason_is_never_right_in_the_dataset_then_it_is_not_offered_beside_a_better_one(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    pair = ("occlusion", "shadow")
    counts: Counter[Hashable] = Counter(
        {ReasonPair(pair, "occlusion"): 50, ReasonPair(pair, "shadow"): 40, ReasonPair(pair, NEITHER): 30}
    )
    counts[ReasonPair(("occlusion", "loss"), "occlusion")] = 90
    for seed in SEEDS:
        offered = _meanings(draft_one("aircop.when", make_label(), seed=seed, counts=counts))
        assert offered == {NO, NEITHER, "occlusion", "shadow"}


def test_when_not_needed_then_no_is_right_beside_reasons_that_nothing_supports(
    draft_one: DraftOne, make_label: MakeLabel
) -> None:
    for seed in SEEDS:
        outcome = draft_one("aircop.when", make_label(when=False, who=(), why=()), seed=seed)
        assert _answer(outcome) == NO
        assert "occlusion" not in _meanings(outcome)
        assert len(_meanings(outcome) & set(LISTED)) == 2


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"when": None}, "when is missing"),
        ({"when": False, "usable": False}, "the image is not usable, but needs no other view"),
        ({"why": None}, "no reason is given"),
        ({"why": ("because",)}, "a reason is not in the list"),
        ({"degradations": None}, "degradations are missing"),
        ({"why": tuple(LISTED)}, "too few reasons are certainly wrong"),
    ],
)
def test_when_it_cannot_be_asked_then_the_reason_is_told(
    draft_one: DraftOne, make_label: MakeLabel, fields: dict[str, object], reason: str
) -> None:
    assert draft_one("aircop.when", make_label(**fields)) == SkippedItem(reason)
