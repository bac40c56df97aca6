"""Places of records in files are shown in the language of the window."""

from __future__ import annotations

import pytest

from widgets.locator_text import locator_text
from widgets.translation import set_language

CASES = {
    "line 12": "第 12 行",
    "record 3": "第 3 条记录",
    "row 17": "第 17 行",
    "entry 2": "第 2 项",
    "pose 1": "第 1 个位姿",
    "sheet Route row 4": "工作表 Route, 第 4 行",
    "sheet Route": "工作表 Route",
    "the whole file": "整个文件",
    "ego_pose, CAM_FRONT": "ego_pose, CAM_FRONT",
    "": "",
}


@pytest.mark.parametrize(("locator", "chinese"), CASES.items(), ids=CASES)
def test_locator_when_shown_then_is_in_the_language_of_the_window(locator: str, chinese: str) -> None:
    assert locator_text(locator).replace(", row", " row") == locator
    set_language("zh")
    assert locator_text(locator) == chinese
