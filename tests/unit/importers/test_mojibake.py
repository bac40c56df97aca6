from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotator.importers.input_file import InputFile
from annotator.importers.mojibake import gbk_text, looks_damaged, mended

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)
TYPOGRAPHIC = st.sampled_from(["’s", "‐room", "—and", "“door", "…then", "–x"])
ACCENTED = st.sampled_from(["café", "naïve", "façade", "entrée", "Zürich", "señor", "crème"])
PROSE = st.lists(st.tuples(WORDS, TYPOGRAPHIC).map("".join) | WORDS | ACCENTED, min_size=1, max_size=8).map(
    " ".join
)
HANZI = st.integers(0xB0, 0xD6).flatmap(
    lambda lead: st.integers(0xA1, 0xFE).map(lambda trail: bytes([lead, trail]).decode("gb2312"))
)
CHINESE = st.lists(HANZI, min_size=4, max_size=12).map("".join)


def damage(text: str, *, times: int = 1) -> str:
    """Return a text as a program leaves it that takes UTF-8 for GBK; not every text can be taken so."""
    for _ in range(times):
        try:
            text = text.encode().decode("gbk")
        except UnicodeDecodeError:
            assume(False)
    return text


@given(text=PROSE, times=st.integers(1, 2))
def test_text_when_damaged_then_mended_to_the_letter(text: str, times: int) -> None:
    hurt = damage(text, times=times)
    assume(hurt != text)
    assert mended(hurt) == text


@given(text=st.lists(PROSE | st.sampled_from(["left.", "3 m", "(a)"]), max_size=5).map(", ".join))
def test_english_when_right_then_untouched(text: str) -> None:
    assert mended(text) is None
    assert not looks_damaged(text)


@given(
    parts=st.lists(CHINESE | WORDS | st.sampled_from(["，", "。", "（UAV1）", " "]), max_size=6), must=CHINESE
)
def test_chinese_when_right_then_untouched(parts: list[str], must: str) -> None:
    assert mended("".join([*parts, must])) is None


@given(text=st.text(max_size=30))
def test_any_text_when_mended_then_without_chinese_and_damaged_again_it_is_as_it_came(text: str) -> None:
    read = mended(text)
    if read is not None:
        assert read != text
        assert mended(read) is None
        assert not any("\u2e80" <= ch <= "\u9fff" for ch in read)


@pytest.mark.parametrize(
    ("hurt", "text"),
    [
        ("the hallway鈥檚 end", "the hallway’s end"),
        ("the hallway閳ユ獨 end", "the hallway’s end"),
        ("the left鈥恠ide of the hallway閳ユ獨 end", "the left‐side of the hallway’s end"),
        ("a wall閳ユ仐ounted lamp", "a wall‐mounted lamp"),
        ("“the hallway鈥檚” end", "“the hallway’s” end"),
        ("turn 90掳 left", "turn 90° left"),
        ("the Caf茅", "the Café"),
        ("3脳4 m", "3×4 m"),
    ],
)
def test_text_when_damaged_once_or_twice_then_what_it_was(hurt: str, text: str) -> None:
    assert mended(hurt) == text


@pytest.mark.parametrize(
    "text",
    [
        "plain", "", "the hallway’s “end” – a naïve café", "没有", "贵州茅台", "打开app没反应", "UAV每",
        "UAV1，UAV3", "掳 alone", "Caf脡", "ﬁ", "日本語 ユ", "the hallway鈥?s end", "鈥檚 和中文",
    ],
)  # fmt: skip
def test_text_when_not_certainly_damaged_then_untouched(text: str) -> None:
    assert mended(text) is None


@pytest.mark.parametrize("text", ["the hallway鈥?s", "a \ufffd b", "He said 鈥淗ello鈥?"])
def test_damage_when_bytes_are_lost_then_told(text: str) -> None:
    assert looks_damaged(text)


@pytest.mark.parametrize("text", ["the hallway鈥檚 end", "the hallway’s end", "无人机", ""])
def test_damage_when_nothing_is_lost_then_not_told(text: str) -> None:
    assert not looks_damaged(text)


@pytest.mark.parametrize("text", ["the hallway’s end", "无人机 “A”—B", "naïve café à"])
def test_bytes_when_gbk_then_read_right(text: str) -> None:
    assert gbk_text(InputFile.decoded(text.encode("gbk", errors="ignore"))) == text.encode(
        "gbk", errors="ignore"
    ).decode("gbk")


@pytest.mark.parametrize("data", [b"Caf\xe9s", "naïve façade".encode("latin-1"), b"\xff\xfe\xff", b"a\x80b"])
def test_bytes_when_of_another_encoding_then_not_guessed(data: bytes) -> None:
    assert gbk_text(data.decode("utf-8", errors="surrogateescape")) is None


def test_text_when_utf8_then_no_gbk() -> None:
    assert gbk_text("the hallway’s end") is None


def test_published_list_when_mended_then_81_texts_and_nothing_else(shared_data: Path) -> None:
    path = shared_data / "indooruav" / "test_vln_seen.json"
    texts = [text for steps in json.loads(path.read_text(encoding="utf-8")).values() for text in steps]
    pairs = [(text, read) for text in texts if (read := mended(text)) is not None]
    assert (len(texts), len(pairs)) == (5622, 81)
    assert {ch for _, read in pairs for ch in read if not ch.isascii()} == {"’", "‐"}
    assert sum(read.count("’s") for _, read in pairs) == 73
    assert sum("閳" in text for text, _ in pairs) == 14
    assert not any(looks_damaged(text) for text in texts)
