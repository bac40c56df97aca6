"""Policies of the blind filter against values computed by hand, and against drawn guesses."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import UserError
from annotator.quality.policy import DEFAULT_POLICY, Policy, read_policy, stored_policy
from annotator.quality.policy_decision import (
    PolicyTrial,
    decide,
    guessing_loss,
    p_value,
    stuck_loss,
    trials_of_design,
)

POLICIES = [
    Policy(kind="all"),
    Policy(kind="any"),
    Policy(kind="at_least", models=2),
    Policy(kind="mean", margin=0.2),
    Policy(kind="every_rotation"),
    Policy(kind="significance", alpha=0.05),
]


def trials(*answers: str, chance: float = 0.25) -> list[PolicyTrial]:
    """Return one model per word: + right, - wrong, ? unknown."""
    meaning = {"+": True, "-": False, "?": None}
    return [
        PolicyTrial(model=str(model), is_right=meaning[mark], chance=chance)
        for model, word in enumerate(answers)
        for mark in word
    ]


@pytest.mark.parametrize(
    ("policy", "models", "tries", "share"),
    [
        (Policy(kind="any"), 2, 1, 0.4375),
        (Policy(kind="all"), 2, 1, 0.0625),
        (Policy(kind="every_rotation"), 1, 4, 0.00390625),
        # Of three, two or more: 3·(1/16)·(3/4) + 1/64.
        (Policy(kind="at_least", models=2), 3, 1, 0.15625),
        # More than 0.25 + 0.2 of five shuffles is three or more: 10·9/1024 + 5·3/1024 + 1/1024.
        (Policy(kind="mean", margin=0.2), 1, 5, 106 / 1024),
        # Three of four by guessing: 13/256 = 0.0508 is not below 0.05; all four: 1/256.
        (Policy(kind="significance", alpha=0.05), 1, 4, 1 / 256),
        # A model asked four times is right with three or more of four.
        (Policy(kind="all"), 1, 4, 13 / 256),
    ],
)
def test_guessing_loss_of_a_design_when_four_options_then_is_as_computed_by_hand(
    policy: Policy, models: int, tries: int, share: float
) -> None:
    shape = trials_of_design(models=models, attempts=tries, options=4)
    assert guessing_loss(policy, shape) == pytest.approx(share)


def lost_by_counting(policy: Policy, shape: list[PolicyTrial], *, is_stuck: bool) -> float:
    """Return the loss by going through every way in which guesses can fall, each with its own weight."""
    lots = [[index] for index in range(len(shape))]
    if is_stuck:
        models = dict.fromkeys(one.model for one in shape)
        lots = [[index for index, one in enumerate(shape) if one.model == model] for model in models]
    lost = 0.0
    for fallen in itertools.product([True, False], repeat=len(lots)):
        right = {index for lot, is_right in zip(lots, fallen, strict=True) if is_right for index in lot}
        told = [
            PolicyTrial(model=one.model, is_right=n in right, chance=one.chance)
            for n, one in enumerate(shape)
        ]
        weights = (
            shape[lot[0]].chance if is_right else 1.0 - shape[lot[0]].chance
            for lot, is_right in zip(lots, fallen, strict=True)
        )
        lost += math.prod(weights) * (decide(policy, told) == "guessed")
    return lost


@given(
    policy=st.sampled_from([*POLICIES, Policy(kind="at_least", models=3), Policy(kind="mean", margin=0.5)]),
    tries=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    chances=st.lists(st.sampled_from([0.5, 0.25, 0.2, 1 / 12, 1 / 18]), min_size=3, max_size=3),
)
def test_losses_when_every_outcome_of_guessing_is_gone_through_then_are_the_share_decided_as_guessed(
    policy: Policy, tries: list[int], chances: list[float]
) -> None:
    shape = [
        one
        for model, (count, chance) in enumerate(zip(tries, chances, strict=False))
        for one in [PolicyTrial(model=str(model), is_right=None, chance=chance)] * count
    ]
    assert guessing_loss(policy, shape) == pytest.approx(lost_by_counting(policy, shape, is_stuck=False))
    assert stuck_loss(policy, shape) == pytest.approx(lost_by_counting(policy, shape, is_stuck=True))


@pytest.mark.parametrize(
    ("policy", "stuck"),
    [
        # Right in one rotation is right in all four: 1/4, not 1/256.
        (Policy(kind="every_rotation"), 0.25),
        (Policy(kind="mean"), 0.25),
        (Policy(kind="significance"), 0.25),
        (Policy(kind="any"), 0.25),
        (Policy(kind="at_least", models=2), 0.0),
    ],
)
def test_stuck_loss_when_one_model_is_asked_in_four_rotations_then_is_that_of_one_guess(
    policy: Policy, stuck: float
) -> None:
    assert stuck_loss(policy, trials("????")) == pytest.approx(stuck)
    assert stuck_loss(policy, []) == guessing_loss(policy, []) == 0.0


def test_decide_when_the_probability_is_the_limit_itself_then_counts_as_guessed() -> None:
    # 0.1 times 0.1 is 0.010000000000000002 in binary fractions.
    assert decide(Policy(kind="significance", alpha=0.01), trials("+", "+", chance=0.1)) == "guessed"
    shape = trials_of_design(models=2, attempts=1, options=10)
    assert guessing_loss(Policy(kind="significance", alpha=0.01), shape) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("policy", "answers", "decision"),
    [
        (Policy(kind="all"), ("+", "+"), "guessed"),
        (Policy(kind="all"), ("+", "-"), "kept"),
        (Policy(kind="all"), ("+", "?"), "undecided"),
        (Policy(kind="all"), ("-", "?"), "kept"),
        (Policy(kind="any"), ("-", "-"), "kept"),
        (Policy(kind="any"), ("+", "?"), "guessed"),
        (Policy(kind="any"), ("-", "?"), "undecided"),
        (Policy(kind="at_least", models=2), ("+", "+", "-"), "guessed"),
        (Policy(kind="at_least", models=2), ("+", "-", "?"), "undecided"),
        (Policy(kind="at_least", models=2), ("+", "+", "?"), "guessed"),
        (Policy(kind="every_rotation"), ("++++", "----"), "guessed"),
        (Policy(kind="every_rotation"), ("+++-", "-+++"), "kept"),
        (Policy(kind="every_rotation"), ("+++?", "----"), "undecided"),
        (Policy(kind="every_rotation", models=2), ("++++", "+++-"), "kept"),
        (Policy(kind="mean", margin=0.2), ("++-", "--+"), "guessed"),
        (Policy(kind="mean", margin=0.25), ("++", "--"), "kept"),
        (Policy(kind="mean", margin=0.2), ("+?", "--"), "undecided"),
        (Policy(kind="significance"), ("+++++",), "guessed"),
        (Policy(kind="significance"), ("+++--",), "kept"),
        (Policy(kind="significance"), ("+++??",), "undecided"),
        (Policy(kind="all"), (), "undecided"),
        (Policy(kind="all"), ("++-", "+++"), "guessed"),
        (Policy(kind="all"), ("+-", "++"), "kept"),
    ],
)
def test_decide_when_answers_are_known_or_not_then_is_as_the_policy_says(
    policy: Policy, answers: tuple[str, ...], decision: str
) -> None:
    assert decide(policy, trials(*answers)) == decision


@given(
    policy=st.sampled_from(POLICIES),
    marks=st.lists(st.text("+-?", min_size=1, max_size=4), min_size=1, max_size=4),
)
def test_decide_when_what_was_unknown_gets_known_then_a_decision_holds(
    policy: Policy, marks: list[str]
) -> None:
    before = decide(policy, trials(*marks))
    for known in "+-":
        after = decide(policy, trials(*(word.replace("?", known) for word in marks)))
        assert after != "undecided"
        assert before in {"undecided", after}


def test_p_value_when_three_of_four_are_right_then_is_the_binomial_tail() -> None:
    assert p_value(trials("+++-")) == pytest.approx(13 / 256)
    assert p_value(trials("+++-??")) == pytest.approx(13 / 256)
    assert p_value(trials("??")) is None


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.text)
def test_read_policy_when_given_its_own_words_then_is_the_same(policy: Policy) -> None:
    assert read_policy(policy.text) == policy


@pytest.mark.parametrize(
    ("message", "policy"),
    [
        ("ANY", Policy(kind="any")),
        ("2 of n", Policy(kind="at_least", models=2)),
        ("k=3", Policy(kind="at_least", models=3)),
        ("mean > 0.15", Policy(kind="mean", margin=0.15)),
        ("mean", Policy(kind="mean")),
        ("every rotation", Policy(kind="every_rotation")),
        ("significance<.01", Policy(kind="significance", alpha=0.01)),
        ("calibrated", Policy(kind="calibrated", alpha=0.02)),
        ("Calibrated < 0.05", Policy(kind="calibrated", alpha=0.05)),
    ],
)
def test_read_policy_when_written_otherwise_then_understands(message: str, policy: Policy) -> None:
    assert read_policy(message) == policy


def test_stored_policy_when_a_run_names_none_then_is_the_former_default_and_new_runs_have_another() -> None:
    assert stored_policy("") == Policy(kind="all")
    assert stored_policy("any") == Policy(kind="any")
    assert Policy(kind="calibrated", alpha=0.02) == DEFAULT_POLICY


@pytest.mark.parametrize("message", ["", "most", "at least 0", "mean>1.5", "significance<2"])
def test_read_policy_when_it_makes_no_sense_then_is_refused(message: str) -> None:
    with pytest.raises(UserError):
        read_policy(message)
