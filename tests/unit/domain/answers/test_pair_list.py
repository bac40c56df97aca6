from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Mode
from annotator.domain.answers.pair_list import RegionPair

PAIRS = answers.get("pair_list")
VIEWS = AnswerContext(region_ids=(frozenset(range(5)), frozenset(range(20))))


def pairs(*numbers: tuple[int, int]) -> frozenset[RegionPair]:
    return frozenset(RegionPair(*pair) for pair in numbers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3-15, 4-5", pairs((3, 15), (4, 5))),
        ("6-11, 2-9, 4-12, 0-7", pairs((6, 11), (2, 9), (4, 12), (0, 7))),
        ("3–15; 4—5", pairs((3, 15), (4, 5))),
        ("3－15，4－5", pairs((3, 15), (4, 5))),
        ("3 - 15\n4 - 5", pairs((3, 15), (4, 5))),
        ("- 3-15\n- 4-5", pairs((3, 15), (4, 5))),
        ("1. 3-15\n2. 4-5", pairs((3, 15), (4, 5))),
        ("(3, 15), (4, 5)", pairs((3, 15), (4, 5))),
        ("3->15, 4→5, 1<->2, 2↔1", pairs((3, 15), (4, 5), (1, 2), (2, 1))),
        ("3:15", pairs((3, 15))),
        ("Region 3 - Region 15", pairs((3, 15))),
        ("Image 1 and Image 2 share 3-15.", pairs((3, 15))),
        ("3-15, 3-15", pairs((3, 15))),
        ("The answer is:\n3-15\n4-5", pairs((3, 15), (4, 5))),
    ],
)
def test_strict_pairs_when_listed_then_read(text: str, expected: frozenset[RegionPair]) -> None:
    assert PAIRS.parse(text).value == expected


@pytest.mark.parametrize(
    "text",
    ["none", "3", "1-2-3", "-3-15", "3-15 and 7", "3.5-15", "3-15.5", "3 15", "not 3-15", "2024-05-06"],
)
def test_strict_pairs_when_other_numbers_remain_then_unparsed(text: str) -> None:
    assert PAIRS.parse(text).value is None


@pytest.mark.parametrize(
    ("prediction", "score", "is_correct"),
    [
        ("4-5, 3-15", 1.0, True),
        ("3-15", 2 / 3, False),
        ("15-3, 5-4", 0.0, False),
        ("3-15, 1-1", 0.5, False),
        ("3-15, 4-5, 1-1", 0.8, False),
    ],
)
def test_score_when_pairs_are_directed_then_f1(prediction: str, score: float, is_correct: bool) -> None:
    for mode in Mode:
        result = PAIRS.score(prediction, "3-15, 4-5", mode=mode)
        assert (result.score, result.is_correct) == (pytest.approx(score), is_correct)


def test_score_when_given_then_details_tell_the_counts() -> None:
    details = PAIRS.score("3-15, 1-1, 2-2", "3-15, 4-5").details
    assert (details["matched_pairs"], details["guessed_pairs"], details["expected_pairs"]) == (1, 3, 2)
    assert (details["precision"], details["recall"]) == (pytest.approx(1 / 3), 0.5)


def test_compatible_score_when_a_pair_is_repeated_then_it_counts_again() -> None:
    twice = PAIRS.score("1-2, 1-2", "1-2, 1-2", mode=Mode.COMPATIBLE)
    assert (twice.score, twice.is_correct) == (1.0, True)
    once = PAIRS.score("1-2", "1-2, 1-2", mode=Mode.COMPATIBLE)
    assert (once.score, once.is_correct) == (pytest.approx(2 / 3), False)


def test_compatible_parse_when_chain_then_first_two() -> None:
    assert PAIRS.parse("1-2-3", mode=Mode.COMPATIBLE).value == pairs((1, 2))
    assert PAIRS.parse("١-٢", mode=Mode.COMPATIBLE).value == pairs((1, 2))
    assert not PAIRS.parse("9" * 5000 + "-1", mode=Mode.COMPATIBLE).is_parsed
    assert not PAIRS.score("9" * 5000 + "-1", "1-2", mode=Mode.COMPATIBLE).is_parsed


def test_canonical_when_order_differs_then_one_text() -> None:
    assert (
        PAIRS.canonical("6-11, 2-9, 4-12, 0-7")
        == PAIRS.canonical("0-7, 4-12, 2-9, 6-11")
        == "0-7, 2-9, 4-12, 6-11"
    )


def test_validate_when_regions_are_not_in_their_view_then_says_which() -> None:
    assert PAIRS.validate(pairs((3, 15)), context=VIEWS) == []
    assert [problem.message for problem in PAIRS.validate(pairs((9, 99)), context=VIEWS)] == [
        "Not in view 1: 9.",
        "Not in view 2: 99.",
    ]
    assert "-1" in PAIRS.validate(pairs((-1, 2)))[0].message
    assert "no pair" in PAIRS.validate(frozenset())[0].message


def test_baseline_when_views_are_known_then_pairs_over_possible_pairs() -> None:
    assert PAIRS.random_baseline("3-15, 4-5", context=VIEWS) == pytest.approx(2 / 100)
    assert PAIRS.random_baseline("3-15, 4-5") is None
    tiny = AnswerContext(region_ids=(frozenset({3}), frozenset({15})))
    assert PAIRS.random_baseline("3-15, 4-5", context=tiny) is None
