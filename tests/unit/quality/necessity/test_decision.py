"""Items that do not need a part of their input, and the bound on the share of false decisions."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from annotator.domain.input_variants import InputPart
from annotator.domain.item import Item
from annotator.quality.necessity.answers import InputComparison, Sureness
from annotator.quality.necessity.decision import PartDecision, decide
from tests.unit.jobs.job_types.asking import choice, open_question

FOUR = [choice(name=f"Q_{n}") for n in range(200)]


def sure(right: float, wrong: float = 0.0) -> Sureness:
    return Sureness(right=right, wrong=wrong, answers={"m": {"A": 1}})


def compared(
    item: Item,
    without: Sureness,
    *,
    whole: float = 1.0,
    part: InputPart = "view",
    title: str = "view 1 alone",
) -> InputComparison:
    return InputComparison(item=item, part=part, input=title, whole=sure(whole), without=without)


def only(decisions: list[PartDecision]) -> PartDecision:
    (decision,) = decisions
    return decision


def test_decide_when_models_are_sure_without_a_part_then_the_items_do_not_need_it() -> None:
    known = [compared(item, sure(1.0)) for item in FOUR[:20]]
    guessed = [compared(item, sure(0.25, 0.25)) for item in FOUR[20:40]]
    decision = only(decide([*known, *guessed]))
    assert {one.item.id for one in decision.findings} == {item.id for item in FOUR[:20]}
    assert (decision.threshold, decision.items) == (1.0, 40)
    assert decision.expected_false == pytest.approx(1 / 3)
    assert decision.false_share == pytest.approx(1 / 60)


def test_decide_when_models_are_often_sure_of_wrong_answers_then_nothing_is_decided_and_the_share_told() -> (
    None
):
    known = [compared(item, sure(1.0)) for item in FOUR[:20]]
    stubborn = [compared(item, sure(0.0, 1.0)) for item in FOUR[20:23]]
    decision = only(decide([*known, *stubborn]))
    assert (decision.threshold, decision.findings) == (None, ())
    assert decision.false_share == pytest.approx((1 + 1 / 3) / 20)
    assert len(only(decide([*known, *stubborn], most_false=0.07)).findings) == 20
    assert len(only(decide([*known, *stubborn[:1]])).findings) == 20


def test_decide_when_the_set_is_small_then_cannot_keep_the_bound() -> None:
    assert only(decide([compared(item, sure(1.0)) for item in FOUR[:6]])).threshold is None
    assert only(decide([compared(item, sure(1.0)) for item in FOUR[:7]])).threshold == 1.0
    open_items = [open_question("integer", "3", name=f"N_{n}") for n in range(20)]
    assert only(decide([compared(item, sure(1.0)) for item in open_items[:19]])).threshold is None
    assert only(decide([compared(item, sure(1.0)) for item in open_items])).threshold == 1.0


def test_decide_when_an_item_is_surer_with_the_whole_input_then_it_needs_it() -> None:
    known = [compared(item, sure(1.0)) for item in FOUR[:20]]
    surer = compared(FOUR[20], sure(0.75), whole=1.0)
    as_sure = compared(FOUR[21], sure(0.75), whole=0.75)
    wrong = compared(FOUR[22], sure(1.0), whole=0.5)
    decision = only(decide([*known, surer, as_sure, wrong]))
    assert decision.threshold == 0.75
    assert {one.item.id for one in decision.findings} == {item.id for item in (*FOUR[:20], FOUR[21])}
    # Repeated answers differ: of twelve, one may be right with the whole input only.
    few = [compared(FOUR[30 + right], sure(right / 12), whole=1.0) for right in range(8, 12)]
    found = {one.item.id for one in only(decide([*known, *few])).findings}
    assert found == {item.id for item in (*FOUR[:20], FOUR[41])}
    # The best of two views is lucky.
    other = [compared(one.item, one.without, whole=1.0, title="view 2 alone") for one in few]
    found = {one.item.id for one in only(decide([*known, *few, *other])).findings}
    assert found == {item.id for item in FOUR[:20]}
    # With the images of another scene, right answers are a bias however the whole input is answered.
    biased = [compared(one.item, one.without, whole=0.0, part="scene") for one in known]
    assert only(decide(biased)).kind == "language_bias"
    assert len(only(decide(biased)).findings) == 20


def test_decide_when_several_views_are_asked_then_the_surest_counts() -> None:
    comparisons = [
        compared(item, sure(right), title=f"view {view} alone")
        for item in FOUR[:10]
        for view, right in ((1, 0.25), (2, 1.0))
    ]
    decision = only(decide(comparisons))
    assert len(decision.findings) == 10
    assert decision.findings[0].comparisons[0].input == "view 2 alone"
    # One view sure of the key, the other as sure of a wrong answer: the item proves nothing.
    torn = [
        compared(FOUR[10], sure(1.0), title="view 1 alone"),
        compared(FOUR[10], sure(0.0, 1.0), title="view 2 alone"),
    ]
    again = only(decide([*comparisons, *torn]))
    assert (len(again.findings), again.expected_false) == (10, decision.expected_false)


def planted(chance: random.Random) -> Iterator[tuple[InputComparison, bool]]:
    """Yield comparisons of items that need a part and of those that do not; three models, four repetitions.

    Without the part, a third of the models' guesses is an opinion: the same wrong or right option each time,
    of which the models share half.
    """
    for item in FOUR[:120]:
        is_needed = chance.random() < 0.6
        common = chance.randrange(4)
        picks: list[int] = []
        for _model in range(3):
            opinion = common if chance.random() < 0.5 else chance.randrange(4)
            has_opinion = chance.random() < 1 / 3
            picks += [opinion if has_opinion else chance.randrange(4) for _repetition in range(4)]
        if not is_needed:
            picks = [0 if chance.random() < 0.95 else chance.randrange(4) for _ in picks]
        shares = [picks.count(option) / len(picks) for option in range(4)]
        yield compared(item, sure(shares[0], max(shares[1:])), whole=0.6), is_needed


def test_decide_when_sets_are_planted_then_the_share_of_false_flags_is_kept_and_most_are_found() -> None:
    shares, found = [], []
    for seed in range(40):
        truth = list(planted(random.Random(seed)))
        needed = {one.item.id for one, is_needed in truth if is_needed}
        flagged = {one.item.id for one in only(decide([one for one, _ in truth])).findings}
        shares.append(len(flagged & needed) / max(1, len(flagged)))
        found.append(len(flagged - needed) / (len(truth) - len(needed)))
    # The bound is one of the mean over sets.
    assert sum(shares) / len(shares) <= 0.05
    assert sum(found) / len(found) >= 0.9
