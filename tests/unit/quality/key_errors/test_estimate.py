"""The probability of a wrong key: by hand for small cases, calibrated on planted errors."""

from __future__ import annotations

import pytest

from annotator.quality.key_errors.estimate import Answered, Confidence, Vote, estimate_key_errors
from tests.bench.planted_errors import planted_errors, precision_at


def item(name: str, *groups: int, confidence: Confidence = "single") -> Answered:
    """Make an item of four options that the models a, b, c … answered."""
    votes = tuple(
        Vote(respondent="abcdef"[at], group=group, confidence=confidence) for at, group in enumerate(groups)
    )
    return Answered(item=name, groups=max(groups) + 1, chance=1 / 3, votes=votes)


def sound(count: int) -> list[Answered]:
    """Make items whose key all three models give, but for one model in turn."""
    return [item(f"sound {n}", *(int(n % 10 == at) for at in range(3))) for n in range(count)]


def test_estimate_when_nobody_has_answered_then_is_empty() -> None:
    found = estimate_key_errors([])
    assert (found.probabilities, found.respondents, found.expected) == ((), (), 0)


def test_estimate_when_all_models_say_the_same_against_the_key_then_it_is_first_with_their_answer() -> None:
    found = estimate_key_errors([*sound(100), item("wrong", 1, 1, 1), item("split", 1, 2, 0)])

    first, second, *_ = found.probabilities
    assert (first.item, first.group) == ("wrong", 1)
    assert first.probability > 0.9
    assert second.item == "split"
    assert second.probability < 0.5
    assert [one.name for one in found.respondents] == ["a", "b", "c"]
    assert all(0.8 < one.right < 0.95 for one in found.respondents)


def test_estimate_when_models_copy_each_other_then_their_agreement_counts_less() -> None:
    independent, _ = planted_errors(2_000, seed=1)
    copied, _ = planted_errors(2_000, seed=1, copies=0.5)

    assert [one.weight for one in estimate_key_errors(independent).respondents] == [1.0, 1.0, 1.0]
    assert all(one.weight < 0.7 for one in estimate_key_errors(copied).respondents)


def test_estimate_when_a_model_is_unanimous_then_it_counts_more_than_a_split_one() -> None:
    answered, _ = planted_errors(500, seed=2, requests=4)
    firm = item("firm", 1, 1, 0, confidence="unanimous")
    doubtful = item("doubtful", 1, 1, 0, confidence="split")
    names = {"a": "model 0", "b": "model 1", "c": "model 2"}

    def renamed(one: Answered) -> Answered:
        votes = tuple(
            Vote(respondent=names[vote.respondent], group=vote.group, confidence=vote.confidence)
            for vote in one.votes
        )
        return Answered(item=one.item, groups=one.groups, chance=one.chance, votes=votes)

    found = {
        d.item: d.probability
        for d in estimate_key_errors([*answered, renamed(firm), renamed(doubtful)]).probabilities
    }
    assert found["firm"] > found["doubtful"]


@pytest.mark.parametrize("requests", [1, 4])
def test_estimate_when_errors_are_planted_then_the_probabilities_are_those_that_come_true(
    requests: int,
) -> None:
    real, expected = 0.0, 0.0
    for seed in range(4):
        answered, wrong = planted_errors(1_000, seed=seed, requests=requests)
        one = precision_at(answered, wrong)
        real, expected = real + one[0] / 4, expected + one[1] / 4
    assert abs(real - expected) < 0.1
    assert real > (0.9 if requests == 4 else 0.55)


def test_estimate_when_the_items_come_in_another_order_then_is_the_same() -> None:
    answered, _ = planted_errors(300, seed=3)
    first, second = estimate_key_errors(answered), estimate_key_errors(answered[::-1])
    assert {d.item: round(d.probability, 9) for d in first.probabilities} == {
        d.item: round(d.probability, 9) for d in second.probabilities
    }
