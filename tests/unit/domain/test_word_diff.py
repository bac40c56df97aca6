from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.word_diff import MOST_TOKENS, DiffPart, diff_words


def test_words_when_one_is_replaced_then_it_is_removed_and_added() -> None:
    assert list(diff_words("the red car", "the blue car")) == [
        DiffPart("same", "the", 0),
        DiffPart("removed", " red", 3),
        DiffPart("added", " blue", 3),
        DiffPart("same", " car", 8),
    ]


def test_words_when_chinese_then_differ_by_character() -> None:
    assert [part for part in diff_words("左边的车", "右边的车") if part.kind != "same"] == [
        DiffPart("removed", "左", 0),
        DiffPart("added", "右", 0),
    ]


def test_texts_when_equal_then_are_one_part_and_when_empty_then_none() -> None:
    assert list(diff_words("same", "same")) == [DiffPart("same", "same", 0)]
    assert list(diff_words("", "")) == []


def test_texts_when_very_long_then_are_compared_as_a_whole() -> None:
    before, after = "a " * MOST_TOKENS, "b " * (MOST_TOKENS + 1)
    assert [part.kind for part in diff_words(before, after)] == ["removed", "added"]


@given(st.text(max_size=40), st.text(max_size=40))
def test_parts_when_joined_then_are_the_two_texts(before: str, after: str) -> None:
    parts = list(diff_words(before, after))
    assert "".join(part.text for part in parts if part.kind != "added") == before
    assert "".join(part.text for part in parts if part.kind != "removed") == after
    for part in parts:
        if part.kind != "removed":
            assert after[part.start : part.start + len(part.text)] == part.text
