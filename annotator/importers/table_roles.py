"""Which column of somebody's own table plays which role, guessed from its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from annotator.domain.item import LETTERS
from annotator.domain.task_set import plain_name

OPTION_ROLES = tuple(f"option_{letter.lower()}" for letter in LETTERS)
ROLES = (
    *("name", "question", "options", *OPTION_ROLES, "answer"),
    *("task", "task_set", "media", "scene", "view", "explanation"),
)

# Words that teams use, in the order in which they count where a table has several of them.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "name": (
        *("name", "question id", "item id", "qid", "id", "index", "idx", "no", "number", "uid"),
        *("题目id", "题目编号", "题号", "问题编号", "编号", "序号", "名称"),
    ),
    "question": (
        *("question", "question text", "stem", "prompt", "query"),
        *("问题", "题目", "题干", "题目信息", "题目内容", "问题内容"),
    ),
    "options": (
        *("options", "choices", "choice", "candidates"),
        *("选项", "题目选项", "候选项", "备选项", "候选答案"),
    ),
    "answer": (
        *("answer", "correct answer", "right answer", "key", "gt", "ground truth", "label", "correct"),
        *("solution", "extracted answer", "答案", "正确答案", "标准答案", "参考答案"),
    ),
    "task": (
        *("task", "task type", "question type", "question category", "category", "type", "subtask"),
        *("任务", "任务类型", "题目类型", "问题类型", "类型", "类别"),
    ),
    "task_set": ("task set", "benchmark", "任务集"),
    "media": (
        *("media", "medium", "image", "images", "picture", "pictures", "photo", "image path", "image paths"),
        *("img", "video", "videos", "video path", "video id", "video name", "file", "file name", "filename"),
        *(
            "path",
            "图片",
            "图像",
            "图片信息",
            "图片路径",
            "照片",
            "视频",
            "视频路径",
            "媒体",
            "文件",
            "文件名",
        ),
    ),
    "scene": (
        *("scene", "scene id", "scene name", "group", "sequence"),
        *("场景", "场景id", "场景编号", "场景名称"),
    ),
    "view": ("view", "uav", "camera", "drone", "视角", "视图", "无人机", "相机"),
    "explanation": ("explanation", "reason", "rationale", "analysis", "解析", "解释", "说明", "理由", "分析"),
}
_RANK = {word: (role, rank) for role, words in _WORDS.items() for rank, word in enumerate(words)}
LONGEST_NAME = 200
"""Characters of a column's name; a longer one is no name, and looking for brackets in it takes for ever."""
_BRACKETS = re.compile(r"\s*[(（\[【].*[)）\]】]\s*$")
_OPTION = re.compile(r"(?:option|choice|opt|选项|候选)?\s*([a-i])(?:\s*(?:option|选项))?", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


QUESTION_ROLES = frozenset({"question", "option_a", "option_b", "answer"})
"""Roles whose columns together make a table one of questions, whatever else it holds."""


def guess_roles(columns: Sequence[str], *, mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each role.

    Args:
        columns: Names of the columns.
        mapping: Column of a role as a person said it; it counts before every guess.
    """
    roles = {role: column for role, column in mapping.items() if role in ROLES and column in columns}
    free = [column for column in columns if column not in roles.values()]
    found: dict[str, tuple[int, str]] = {}
    for column in free:
        if option := _option_role(column):
            roles.setdefault(option, column)
        elif (guess := _RANK.get(_plain(column))) is not None:
            role, rank = guess
            if role not in found or rank < found[role][0]:
                # Of several columns for a role the word that stands first in the list counts.
                found[role] = rank, column
    return {**{role: column for role, (_, column) in found.items()}, **roles}


def _plain(column: str) -> str:
    if len(column) > LONGEST_NAME:
        return ""
    return plain_name(_CAMEL.sub(" ", _BRACKETS.sub("", column)).replace("_", " "))


def _option_role(column: str) -> str:
    found = _OPTION.fullmatch(_plain(column))
    return f"option_{found[1].lower()}" if found else ""
