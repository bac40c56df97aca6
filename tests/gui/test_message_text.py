from __future__ import annotations

import time

import pytest

from annotator.errors import EnvironmentFailure, UserError
from tests.patience import PATIENCE_S
from widgets.message_text import error_text, message_text
from widgets.translation import set_language


@pytest.fixture
def chinese() -> None:
    set_language("zh")


def test_message_when_english_is_spoken_then_stays_as_it_is() -> None:
    assert (
        message_text("pilot.vantage is not a Vantage project.") == "pilot.vantage is not a Vantage project."
    )


@pytest.mark.parametrize(
    ("english", "translated"),
    [
        ("The comment is empty.", "评论为空。"),
        ("/a/停车场.vantage is not a Vantage project.", "/a/停车场.vantage 不是 Vantage 项目。"),
        ("x.png has 2 x 3 pixels; the limit is 4 megapixels.", "x.png 有 2 x 3 像素；上限为 4 百万像素。"),
        ("'a.jpg' has 2 annotations: record 3, record 38.", "“a.jpg”有 2 个标注：record 3, record 38。"),
        # A message within a message, and a reason of SQLite.
        (
            "The backup is incomplete: p.vantage is damaged: database disk image is malformed.",
            "备份不完整：p.vantage 已损坏：数据库文件已损坏。",
        ),
        # A reason and what to do about it, in one text.
        ("a.json is empty. Check the file.", "a.json 为空。请检查文件。"),
        # What is not known stays English, beside what is known.
        ("The machine sings. Check the file.", "The machine sings. 请检查文件。"),
        ("The machine sings.", "The machine sings."),
        ("", ""),
        # Gates by their titles, which the window shows.
        (
            (
                "The release is refused, because required gates fail. Second look is done: fails for 3 of 3. "
                "No forks: fails for 2."
            ),
            "发布被拒绝，因为必须通过的关卡未通过。已完成复核：3 项中有 3 项未通过。没有分叉：2 项未通过。",
        ),
        # A list of reasons.
        ("the path is empty; it is encrypted; new", "路径为空; 它已加密; new"),
        # Values are data: neither places nor patterns.
        ("{2}.json is empty.", "{2}.json 为空。"),
        (r"\1.json is empty.", r"\1.json 为空。"),
    ],
)
def test_message_when_chinese_is_spoken_then_is_chinese_with_its_values(
    english: str, translated: str, chinese: None
) -> None:
    assert message_text(english) == translated


def test_error_when_chinese_is_spoken_then_has_message_and_hint(chinese: None) -> None:
    error = EnvironmentFailure("The project file is damaged: disk I/O error.", hint="Check the file.")
    assert error_text(error) == "项目文件已损坏：磁盘输入输出错误。 请检查文件。"
    assert error_text(UserError("There is nothing to undo.")) == "没有可撤销的内容。"


def test_message_when_made_to_take_long_then_ends(chinese: None) -> None:
    began = time.monotonic()
    for text in ("a: " * 600 + "b", "of the " * 280 + ".", "x" * 1_000_000, ". " * 900):
        assert message_text(text)
    assert time.monotonic() - began < PATIENCE_S
