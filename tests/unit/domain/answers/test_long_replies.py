"""Long and hostile replies: read in time that grows with their length, or refused for their length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.domain import answers
from annotator.domain.answers import AnswerContext, LetterRules, Mode
from annotator.domain.answers.base import LONGEST_REPLY
from annotator.domain.item import Option
from tests.hangs import soon

LENGTH = 50_000
"""Characters: all formats together take 0.4 s; minutes, where time grows with the square of the length."""
OPTIONS = tuple(
    Option(letter=letter, text=text)
    for letter, text in zip("ABCD", ("red car", "blue bus", "3 cars", "left"), strict=True)
)
CONTEXTS = tuple(AnswerContext(options=OPTIONS, letter_rules=rules) for rules in LetterRules)
PIECES = (
    *(
        " ",
        "\n",
        "\u3000",
        "(",
        "[",
        "{",
        "]",
        ")",
        "_",
        "*",
        "-",
        ".",
        ",",
        ";",
        ":",
        "=",
        ">",
        "/",
        "~",
        "&",
    ),
    *(
        "'",
        '"',
        "\\",
        "0",
        "12",
        "A",
        "a",
        "I",
        " and ",
        "or",
        " to ",
        "option ",
        "choice",
        "answer ",
        " is ",
    ),
    *(
        "not ",
        "选",
        "选项",
        "答案",
        "区域",
        "方向",
        "点",
        "号",
        "项",
        "和",
        "十",
        "一",
        "one",
        "region ",
        "Direction ",
    ),
    *("label", "o'clock", " degrees", "m", "<think>", "</think>", "\\boxed{", "because", "reason", "Image 1"),
    *("wrong", "than ", "Option:", "ANSWER:", "OPTION"),
)


def read_by_all(text: str) -> None:
    """Read a text in every format and by every published script, in time."""
    with soon():
        for answer_format in answers.formats().values():
            answer_format.parse(text)
            answer_format.parse(text, context=CONTEXTS[0])
            for context in CONTEXTS if answer_format.id == "option_letter" else CONTEXTS[:1]:
                answer_format.parse(text, context=context, mode=Mode.COMPATIBLE)


@pytest.mark.parametrize(
    ("beginning", "piece", "ending"),
    [
        ("", "1,", "!"),
        ("", "1 to ", ""),
        ("", "一或", "z"),
        ("direction ", "1 or ", "!"),
        ("", "(", "z"),
        ("", "_", ""),
        ("option", "*", "!"),
        ("A", "\n", "z"),
        ("A.", " ", "z"),
        ("A", ", and ", "!"),
        ("a car", " ", "z"),
        ("Option:", " [", "!"),
        ("region", "A\n", "!"),
    ],
)
def test_parse_when_a_reply_repeats_one_thing_then_is_no_hang(
    beginning: str, piece: str, ending: str
) -> None:
    read_by_all(beginning + piece * (LENGTH // len(piece)) + ending)


@pytest.mark.slow
@settings(derandomize=False, max_examples=60)
@given(
    beginning=st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
    piece=st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join),
    ending=st.lists(st.sampled_from(PIECES), max_size=2).map("".join),
)
def test_parse_when_any_pieces_repeat_then_is_no_hang(beginning: str, piece: str, ending: str) -> None:
    read_by_all(beginning + piece * (LENGTH // len(piece)) + ending)


@pytest.mark.parametrize("format_id", [answer_format.id for answer_format in answers.formats().values()])
def test_parse_when_longer_than_any_reply_then_unparsed_and_not_cut(format_id: str) -> None:
    answer_format = answers.get(format_id)
    key = {"pair_list": "1-2", "bbox": "[1, 2, 3, 4]", "angle_distance": "3 degrees, 1 m"}.get(format_id, "3")
    context = AnswerContext(options=(Option(letter="A", text="3"),))
    text = {"option_letter": "A"}.get(format_id, key)
    longest = text + " " * (LONGEST_REPLY - len(text))
    assert answer_format.parse(longest, context=context).is_parsed
    assert "1,000,001 characters" in answer_format.parse(longest + " ", context=context).reason
    assert not answer_format.score(longest + " ", text, context=context).is_parsed
    assert not answer_format.score(text, longest + " ", context=context).is_key_parsed
    assert answer_format.canonical(longest + " ", context=context) is None
    assert answer_format.random_baseline(longest + " ", context=context) is None
