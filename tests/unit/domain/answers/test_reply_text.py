from __future__ import annotations

import pytest

from annotator.domain.answers.numerals import published_floats, published_ints, strict_numbers, write_number
from annotator.domain.answers.reply_text import extract_answer, extract_answer_line, normalize_typography
from annotator.domain.answers.token_overlap import collapse, overlap, published_tokens, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ｒｅｇｉｏｎ　３，４", "Region 3,4"),
        ("3–15 — −7", "3-15 - -7"),
        ("8 o’clock “now”", '8 o\'clock "now"'),
        ("答案：Ｂ。", "答案:B."),
        ("3→15", "3->15"),
        ("`Region 1`", "'Region 1'"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_fold_when_typography_varies_then_plain(text: str, folded: str) -> None:
    assert normalize_typography(text) == folded


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("  Region 3 ", "Region 3"),
        ("The answer is: Region 3", "Region 3"),
        ("**Final Answer:** Region 3\n\nRegion 5 is far.", "Region 3"),
        ("Answer: 1\nthen\nAnswer: 2", "2"),
        ("Region 3\nAnswer:", "Region 3\nAnswer:"),
        ("答案应该是３。", "3."),
        ("选项：C", "C"),
        (r"so \boxed{7} it is, answer: 8", "7"),
        ("Region 3 because it is near", "Region 3"),
        ("Because it is near: Region 3", "Because it is near: Region 3"),
        ("Region 3. Reason: Region 5 is far", "Region 3."),
        ("区域3，因为区域5很远", "区域3,"),
        ("<think>Region 9</think>\nRegion 3", "Region 3"),
        ("<THINK>Region 9", ""),
        ("lost opening</think>Region 3", "Region 3"),
        ("5 < 7", "5 < 7"),
    ],
)
def test_answer_part_when_reply_talks_then_only_what_answers(text: str, part: str) -> None:
    assert extract_answer(text) == part


def test_answer_line_when_marked_then_first_line_only() -> None:
    assert extract_answer_line("Answer: B\nC is far") == "B"
    assert extract_answer_line("B\nC is far") == "B\nC is far"


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (269.4, 1, "269.4"),
        (-160.0, 1, "-160.0"),
        (823.0, 0, "823"),
        (0.25, 1, "0.25"),
        (1e-7, 0, "0.0000001"),
        (1e21, 1, "1000000000000000000000.0"),
        (5, 0, "5"),
    ],
)
def test_write_number_when_written_then_shortest_without_exponent(
    number: float, decimals: int, text: str
) -> None:
    assert write_number(number, decimals=decimals) == text
    assert float(text) == number


def test_numbers_when_read_then_published_and_strict_rules_differ() -> None:
    text = "x1=3, 1-2, v1.2.3 and 4.5"
    assert published_ints(text) == [1, 3, 1, -2, 1, 2, 3, 4, 5]
    assert published_floats(text) == [1.0, 3.0, 1.0, -2.0, 1.2, 0.3, 4.5]
    assert strict_numbers("x1=3, v1.2.3 and 4.5") == [3.0, 4.5]
    assert strict_numbers("9" * 400) is None


def test_tokens_when_script_is_not_latin_then_ours_see_them() -> None:
    assert tokens("Drone’s 无人机 ÉTÉ_2") == ["drone", "s", "无", "人", "机", "été", "2"]
    assert published_tokens("Drone’s 无人机 ÉTÉ_2") == ["drone", "s", "t", "2"]


def test_overlap_when_things_repeat_then_counted_as_often() -> None:
    shared = overlap(["a", "a", "b"], ["a", "b", "b", "c"])
    assert (shared.matched, shared.precision, shared.recall) == (2, pytest.approx(2 / 3), 0.5)
    assert shared.f1 == pytest.approx(4 / 7)
    assert overlap([], []).f1 == 0.0


def test_collapse_when_text_cannot_be_stored_then_mended() -> None:
    assert collapse(" a\ud800 \n b ") == "a\ufffd b"
