"""Free text, span set and instruction text."""

from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, Mode
from annotator.domain.item import Option
from tests.unit.domain.answers.offered import lettered

FREE = answers.get("free_text")
SPANS = answers.get("span_set")
STEPS = answers.get("instruction_text")
ROOM = AnswerContext(
    options=tuple(
        Option(letter=letter, text=text)
        for letter, text in zip("ABCD", ("bed", "dining table", "table", "a lamp"), strict=True)
    )
)


@pytest.mark.parametrize(
    ("prediction", "key", "compatible", "strict"),
    [
        ("The drone rises", "The drone rises", 1.0, 1.0),
        ("the drone, the drone", "the drone rises", 4 / 7, 4 / 7),
        ("it lands", "the drone rises", 0.0, 0.0),
        ("Ｔhe drone", "The drone", 0.5, 1.0),
        ("无人机", "无人机上升", 0.0, 0.75),
        ("Drone’s view", "drone's view", 1.0, 1.0),
        ("café", "cafe", 0.0, 0.0),
    ],
)
def test_free_text_score_when_words_overlap_then_f1(
    prediction: str, key: str, compatible: float, strict: float
) -> None:
    assert FREE.score(prediction, key, mode=Mode.COMPATIBLE).score == pytest.approx(compatible)
    assert FREE.score(prediction, key).score == pytest.approx(strict)


def test_free_text_equality_when_case_and_blanks_differ_then_right() -> None:
    for mode in Mode:
        assert FREE.score(" The  drone\nrises", "the drone rises", mode=mode).is_correct
        assert not FREE.score("rises the drone", "the drone rises", mode=mode).is_correct
    assert FREE.score("rises the drone", "the drone rises").score == 1.0


def test_free_text_score_when_both_are_empty_then_right_without_score_in_the_script_only() -> None:
    compatible = FREE.score("", " ", mode=Mode.COMPATIBLE)
    assert (compatible.score, compatible.is_correct, compatible.is_parsed) == (0.0, True, False)
    assert not FREE.score("", " ").is_key_parsed


def test_free_text_validate_when_untidy_then_says_so() -> None:
    assert FREE.validate("The drone rises.") == []
    for untidy in ("", " x", "a\nb", "<think>a</think>b", "?!"):
        assert FREE.validate(untidy)[0].field == "text"


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ('["bed", "table"]', {"bed", "table"}),
        ('["A", "c"]', {"bed", "table"}),
        ("A, C", {"bed", "table"}),
        ("A and C", {"bed", "table"}),
        ("(B)", {"dining table"}),
        ("Options: A C", {"bed", "table"}),
        ("the bed and the dining table", {"bed", "dining table"}),
        ("Bed; Table", {"bed", "table"}),
        ("table, dining table", {"table", "dining table"}),
        ("A. bed\nC. table", {"bed", "table"}),
        ("Options A and D are in the room", {"bed", "a lamp"}),
        ("Answer: bed because the lamp is off", {"bed"}),
        ("答案：A和C", {"bed", "table"}),
    ],
)
def test_spans_when_options_are_named_then_their_texts(text: str, spans: set[str]) -> None:
    assert SPANS.parse(text, context=ROOM).value == spans


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sofa",
        '["bed", "sofa"]',
        "A, E",
        "there is no bed",
        "everything but not the bed",
        "A. table",
        "[]",
    ],
)
def test_spans_when_something_else_is_named_then_unparsed(text: str) -> None:
    assert SPANS.parse(text, context=ROOM).value is None


def test_spans_when_an_option_is_itself_negative_then_chosen() -> None:
    options = (Option(letter="A", text="no window"), Option(letter="B", text="bed"))
    assert SPANS.parse("There is no window", context=AnswerContext(options=options)).value == {"no window"}


def test_spans_when_options_are_unknown_then_split() -> None:
    assert SPANS.parse("bed, chair and sofa").value == {"bed", "chair", "sofa"}
    assert SPANS.parse("- bed\n- chair").value == {"bed", "chair"}
    assert SPANS.parse("床、椅子").value == {"床", "椅子"}


@pytest.mark.parametrize(
    ("prediction", "score", "is_correct"),
    [
        ("bed and dining table", 1.0, True),
        ("A, B", 1.0, True),
        ("bed", 1 / 3, False),
        ("table", 1 / 3, False),
        ("table, bed", 2 / 3, False),
        ("A, B, D", 3 / 5, False),
    ],
)
def test_spans_score_when_words_are_shared_then_partial_match(
    prediction: str, score: float, is_correct: bool
) -> None:
    for mode in Mode:
        result = SPANS.score(prediction, '["bed", "dining table"]', context=ROOM, mode=mode)
        assert (result.score, result.is_correct) == (pytest.approx(score), is_correct)
        assert (result.details["pm"], result.details["em"]) == (result.score, float(is_correct))


def test_spans_score_when_nothing_is_chosen_then_own_words_in_compatible_mode_only() -> None:
    key = '["dining table"]'
    compatible = SPANS.score("some dining chairs", key, context=ROOM, mode=Mode.COMPATIBLE)
    assert (compatible.score, compatible.is_correct, compatible.is_parsed) == (
        pytest.approx(1 / 3),
        False,
        False,
    )
    strict = SPANS.score("some dining chairs", key, context=ROOM)
    assert (strict.score, strict.is_parsed) == (0.0, False)


def test_spans_validate_when_no_option_then_says_which() -> None:
    assert SPANS.validate(frozenset({"bed"}), context=ROOM) == []
    assert "'sofa' is not an option" in SPANS.validate(frozenset({"sofa"}), context=ROOM)[0].message
    assert "No option is chosen" in SPANS.validate(frozenset(), context=ROOM)[0].message
    assert SPANS.validate(frozenset({" x"}))
    blank = lettered(2)
    assert "empty" in SPANS.validate(frozenset({""}), context=blank)[0].message


def test_spans_baseline_when_options_are_known_then_mean_over_all_choices() -> None:
    # Key {bed} of bed, dining table, table, a lamp: only the choice {bed} shares a word, one of four.
    assert SPANS.random_baseline('["bed"]', context=ROOM) == pytest.approx(1 / 4)
    # Key {table}: itself 1, {dining table} 1/2, the others 0.
    assert SPANS.random_baseline('["table"]', context=ROOM) == pytest.approx(1.5 / 4)
    assert SPANS.random_baseline('["bed"]') is None


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Go up.\nTurn left", ("Go up.", "Turn left")),
        ("1. Go up.\n2) Turn left.\n- Stop", ("Go up.", "Turn left.", "Stop")),
        ("Go up. Turn left; stop!", ("Go up.", "Turn left", "stop!")),
        ("Fly 0.9 m forward", ("Fly 0.9 m forward",)),
        ("上升。左转。", ("上升。", "左转。")),
        ("\n Go \t up \n\n", ("Go up",)),
        ("in the living \room", ("in the living oom",)),
    ],
)
def test_steps_when_text_has_lines_or_sentences_then_split(text: str, steps: tuple[str, ...]) -> None:
    for mode in Mode:
        assert STEPS.parse(text, mode=mode).value == steps


def test_steps_score_when_one_is_missing_then_f1_over_all_words() -> None:
    score = STEPS.score("Go up.", "Go up.\nTurn left.")
    assert score.score == pytest.approx(2 * 1.0 * 0.5 / 1.5)
    assert not score.is_correct
    assert (score.details["guessed_steps"], score.details["expected_steps"]) == (1, 2)
    assert STEPS.score("go up\nturn left", "Go up.\nTurn left.").is_correct
    assert not STEPS.score("go up turn left", "Go up.\nTurn left.").is_correct


def test_steps_validate_when_untidy_then_says_which_step() -> None:
    assert STEPS.validate(("Go up.", "Turn left")) == []
    problems = STEPS.validate(("Go up.", "1. Turn", "", "Stop. Land."))
    assert [problem.field for problem in problems] == ["steps[2]", "steps[3]", "steps[4]"]
    assert len({problem.message for problem in problems}) == 3
    assert STEPS.validate(())[0].field == "steps"


@pytest.mark.parametrize("answer_format", [FREE, STEPS], ids=["free_text", "instruction_text"])
def test_baseline_when_text_is_free_then_none(answer_format: answers.AnswerFormat[object]) -> None:
    assert answer_format.random_baseline("Go up.") is None
