"""One term of the product has one Chinese term, in the window, the messages and the reports."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "translations"
# By a pattern of the English text: the Chinese words that stand for something else.
OTHER_WORDS = {
    r"\bimages?\b": ("图片",),
    r"\bjobs?\b": ("任务",),
    r"\bclips?\b": ("剪辑",),
    r"\bconsensus\b": ("一致性",),
    r"\bevent labels?\b": ("事件标签",),
    r"\bhuman reference\b": ("人类参考", "人工参考"),
    r"\bpublic ids?\b": ("编号", "标识"),
    r"\banswer keys?\b": ("标准答案", "参考答案"),
    r"\bwith(?:held|holds?)\b": ("扣留", "保留"),
    r"\breleases?\b": ("版本文件夹", "该版本", "发布版"),
    r"\bopen flags?\b": ("未处理",),
    r"\b(?:item|variant|duplicate|draft)s? (?:was |is |are )?rejected\b": ("拒绝", "否决"),
    r"\bchat\b": ("聊天", "端点"),
    r"\bviews?\b": ("视图中", "该视图", "此视图", "一个视图"),
    r"\byou\b": ("你",),
}
# The English term beside one that has this word rightly.
RIGHT = re.compile(
    r"\btasks?\b.*\bjobs?\b|\bjobs?\b.*\btasks?\b|project version|version of vantage", re.IGNORECASE
)


def texts() -> list[tuple[str, str]]:
    """Return all English texts with their Chinese, of the three files."""
    found: list[tuple[str, str]] = []
    for path in sorted(FOLDER.glob("zh*.toml")):
        for table in tomllib.loads(path.read_text(encoding="utf-8")).values():
            found += [(english, chinese) for english, chinese in table.items() if isinstance(chinese, str)]
    return found


def deviations(pattern: str, words: tuple[str, ...], pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the texts with a term whose Chinese has a word for another term."""
    return [
        (english, chinese)
        for english, chinese in pairs
        if re.search(pattern, english, re.IGNORECASE)
        and not RIGHT.search(english)
        and any(word in chinese for word in words)
    ]


@pytest.mark.parametrize(("pattern", "words"), OTHER_WORDS.items(), ids=OTHER_WORDS)
def test_chinese_when_a_term_is_in_a_text_then_has_its_one_word(pattern: str, words: tuple[str, ...]) -> None:
    pairs = texts()
    assert len(pairs) > 5000
    assert deviations(pattern, words, pairs) == []


def test_chinese_when_another_word_is_planted_then_is_found() -> None:
    planted = [
        ("Retry the failed jobs.", "请重试失败的任务。"),
        ("Retry the failed jobs.", "请重试失败的作业。"),
    ]
    assert deviations(r"\bjobs?\b", ("任务",), planted) == planted[:1]
