from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.text_search import count_words, searchable


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("red car", ["red", "car"]),
        ("停车场", ["停", "车", "场"]),
        ("UAV1在停车场", ["UAV1", "在", "停", "车", "场"]),
        ("ドローン", ["ド", "ロ", "ー", "ン"]),
        ("ひらがな", ["ひ", "ら", "が", "な"]),
        ("㐀豈", ["㐀", "豈"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("", []),
    ],
)
def test_searchable_when_a_script_has_no_blanks_then_each_sign_is_a_word(text: str, words: list[str]) -> None:
    assert searchable(text).split() == words


@given(text=st.text())
def test_searchable_when_blanks_are_taken_out_then_nothing_was_lost(text: str) -> None:
    assert searchable(text).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Which colour has van 0?", 5),
        ("第3区?", 3),
        ("van 第3区 , near it's x_y - 3.5 m?", 9),
        ("", 0),
        ("? - …", 0),
    ],
)
def test_count_when_signs_stand_alone_then_they_are_no_words(text: str, count: int) -> None:
    assert count_words(text) == count
