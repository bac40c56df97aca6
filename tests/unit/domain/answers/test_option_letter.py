from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode
from annotator.domain.item import LETTERS, Option
from tests.unit.domain.answers.offered import lettered

LETTER = answers.get("option_letter")
FOUR = lettered(4)
TEXTS = ("The drone flies from A to C", "a red car", "Yes", "a red car")
WITH_TEXTS = AnswerContext(
    options=tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", TEXTS, strict=True))
)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("C", "C"),
        ("c", "C"),
        ("a", "A"),
        (" (B) ", "B"),
        ("**D**", "D"),
        ("Ｂ", "B"),
        ("选项C", "C"),
        ("选B", "B"),
        ("我选择 B", "B"),
        ("答案：B", "B"),
        ("答案是Ｄ。", "D"),
        ("C选项", "C"),
        ("A car in option C", "C"),
        ("Answer: A car in option C", "C"),
        ("the answer is c", "C"),
        ("answer: b.", "B"),
        ("The answer is: **A**", "A"),
        ("I think it is B", "B"),
        ("Option: [D]; Reason: A is far", "D"),
        ("A because the car is near", "A"),
        ("B, because A is smaller", "B"),
        ("B is closer than A", "B"),
        ("not A but B", "B"),
        ("Option A is wrong, so B", "B"),
        ("不是A，是B", "B"),
        ("<think>A or B?</think>C", "C"),
        ("the template opened it</think>C", "C"),
        (r"\boxed{C}", "C"),
        ("The answer is A. Wait, the answer is B.", "B"),
        ("**Answer:** B\n\nBoth A and C are far away", "B"),
        ("Answer: B\nOption C is farther", "B"),
        ("I choose 'B'.", "B"),
        ("D - the car", "D"),
        ("option c shows the car", "C"),
    ],
)
def test_strict_letter_when_one_option_is_meant_then_read(text: str, letter: str) -> None:
    assert LETTER.parse(text, context=FOUR).value == letter


@pytest.mark.parametrize(
    "text",
    [
        "A, B",
        "A and B",
        "A/B",
        "AB",
        "选项A和选项B",
        "B or C",
        "Both",
        "Unable to determine",
        "a car",
        "A car",
        "it is not A",
        "I cannot answer a question",
        "any option I see",
        "C-shaped",
        "B52",
        "E",
        "option E",
        "The drone moves from A to C",
        "A. car\nB. bus\nC. van",
        "<think>It must be B",
        "Answer:",
    ],
)
def test_strict_letter_when_none_or_several_then_unparsed(text: str) -> None:
    parsed = LETTER.parse(text, context=FOUR)
    assert parsed.value is None
    assert parsed.reason


@pytest.mark.parametrize("count", range(2, 10))
def test_strict_letter_when_options_vary_then_only_offered_ones_are_read(count: int) -> None:
    context = lettered(count)
    read = [LETTER.parse(f"Option {letter}.", context=context).value for letter in LETTERS]
    assert read == [*LETTERS[:count], *[None] * (9 - count)]
    assert LETTER.random_baseline("A", context=context) == pytest.approx(1 / count)


def test_strict_letter_when_nine_options_then_pronoun_is_no_letter() -> None:
    nine = lettered(9)
    assert LETTER.parse("I", context=nine).value == "I"
    assert LETTER.parse("I see the car in B", context=nine).value == "B"
    assert LETTER.parse("any option I see fits", context=nine).value is None
    assert LETTER.parse("the option a person would take is B", context=nine).value == "B"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The drone flies from A to C.", "A"),
        ("A. The drone flies from A to C", "A"),
        ("yes", "C"),
        ("C) Yes!", "C"),
        ("B. a red car", "B"),
    ],
)
def test_strict_letter_when_option_text_is_repeated_then_its_letter(text: str, letter: str) -> None:
    assert LETTER.parse(text, context=WITH_TEXTS).value == letter


@pytest.mark.parametrize(
    ("text", "reason"), [("a red car", "B, D have the same text"), ("B. Yes", "different options")]
)
def test_strict_letter_when_text_is_ambiguous_then_unparsed(text: str, reason: str) -> None:
    assert reason in LETTER.parse(text, context=WITH_TEXTS).reason


def test_validate_when_letter_is_not_offered_then_says_which_are() -> None:
    assert LETTER.validate("B", context=FOUR) == []
    for wrong in ("E", "b", "AB", ""):
        [problem] = LETTER.validate(wrong, context=FOUR)
        assert problem.field == "letter"
        assert repr(wrong) in problem.message
        assert "A, B, C, D" in problem.advice


def test_baseline_when_options_are_unknown_then_none() -> None:
    assert LETTER.random_baseline("A") is None


@pytest.mark.parametrize(
    ("rules", "text", "letter"),
    [
        (LetterRules.SPATIALUAV, "A car in option C", "A"),
        (LetterRules.SPATIALUAV, "选项C", None),
        (LetterRules.SPATIALUAV, "E", None),
        (LetterRules.SPATIALUAV, "The answer is b.", "B"),
        (LetterRules.AIRCOP, "Unable", "A"),
        (LetterRules.AIRCOP, "Option B, not (C)", "C"),
        (LetterRules.AIRCOP, "D: yes\nOption A", "D"),
        (LetterRules.AIRCOP, "first line B.\nlast", "B"),
        (LetterRules.AIRCOP, "ok?", None),
        (LetterRules.AIRCOP, "<think>xA", "A"),
        (LetterRules.AIRCOP, "<think>A", None),
        (LetterRules.AIRCOP, "<think>zB <think>z??", None),
        (LetterRules.URBANVIDEO, "Option: [B]; Reason: A", "B"),
        (LetterRules.URBANVIDEO, "Option: []; Reason: B", "O"),
        (LetterRules.URBANVIDEO, "Your previous response didn't contain the option", "Y"),
        (LetterRules.URBANVIDEO, "", None),
        (LetterRules.URBANVIDEO, "NA", None),
        (LetterRules.URBANVIDEO, "Option: g", "g"),
    ],
)
def test_compatible_letter_when_read_then_as_each_script_does(
    rules: LetterRules, text: str, letter: str | None
) -> None:
    context = lettered(4, letter_rules=rules)
    assert LETTER.parse(text, context=context, mode=Mode.COMPATIBLE).value == letter


def test_compatible_score_when_script_would_answer_at_random_then_unparsed_and_told() -> None:
    context = lettered(4, letter_rules=LetterRules.AIRCOP)
    score = LETTER.score("??", "A", context=context, mode=Mode.COMPATIBLE)
    assert (score.is_parsed, score.is_correct, score.is_counted) == (False, False, True)
    assert "random" in score.reason


def test_compatible_score_when_row_is_dropped_then_not_counted() -> None:
    context = lettered(5, letter_rules=LetterRules.URBANVIDEO)
    scores = [
        LETTER.score(text, "A", context=context, mode=Mode.COMPATIBLE) for text in ("", "nan", "A", "B")
    ]
    assert [score.is_counted for score in scores] == [False, False, True, True]
    assert [score.is_correct for score in scores] == [False, False, True, False]
