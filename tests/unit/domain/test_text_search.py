from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.text_search import count_words, digest_of_words, searchable, text_digest, words_of


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


@given(text=st.text(st.characters(max_codepoint=127)))
def test_ascii_text_when_cut_into_words_then_they_are_those_of_the_rule_for_all_scripts(text: str) -> None:
    # One word of another script, and the whole text is cut by that rule.
    assert words_of(f"{text} é") == [*words_of(text), "é"]
    assert count_words(f"{text} é") == count_words(text) + 1


@given(text=st.text(st.characters(max_codepoint=127)))
def test_ascii_text_when_digested_then_the_digest_is_that_of_its_words(text: str) -> None:
    assert text_digest(text) == digest_of_words(words_of(text))


@pytest.mark.parametrize("text", ["Region 12, Oak_Street?", "region 3 OAK street", "Region 7: oak - street"])
def test_digest_when_case_signs_and_numbers_differ_then_it_is_the_same(text: str) -> None:
    assert text_digest(text) == text_digest("region 0 oak street")
