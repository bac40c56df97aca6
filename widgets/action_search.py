"""Finds actions by typed text: by their titles in every language, by synonyms, and by letters in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from widgets.translation import LANGUAGES, catalogue

SYNONYMS: dict[str, str] = {
    "edit.undo": "revert back take back 撤回",
    "edit.redo": "repeat again 恢复",
    "edit.search": "find filter 查找",
    "edit.clear_filters": "reset all 重置",
    "edit.copy_names": "clipboard 剪贴板",
    "project.import": "add load files folder data 添加 载入",
    "project.locate": "missing relink move media 丢失 重新链接",
    "project.check": "validate quality findings flags 校验 质量",
    "project.draft": "generate questions items 生成 题目",
    "project.release": "export publish 导出",
    "app.person": "person user name author who switch rename account profile 姓名 作者 人员",
    "app.quit": "exit close 关闭",
    "item.reject": "discard delete remove exclude 删除 排除",
    "item.restore": "undelete 还原",
    "record.comment": "note remark discussion question 备注 讨论",
    "comments.pin": "place annotation note 图钉",
    "media.licence": "license copyright 版权",
    "go.runs": "jobs models 任务 模型",
    "go.annotate": "draw label regions stage 标注",
    "go.progress": "statistics counts 统计",
    "go.statistics": "figures plots distributions charts histogram 统计 图表 分布",
    "go.balance": "balance bias distribution key 均衡 字母 偏差",
    "go.duplicates": "duplicates same similar questions 重复 相似",
    "go.files": "missing health 丢失",
    "view.filters": "filters scenes sidebar side bar hide show 筛选 侧栏",
    "view.inspector": "inspector details annotations sidebar side bar hide show 检查器 侧栏",
    "view.grid": "thumbnails table 缩略图 表格",
    "view.larger": "zoom thumbnails 缩略图",
    "view.smaller": "zoom thumbnails 缩略图",
    "view.dark": "theme appearance color colour night black mode 主题 外观 夜间",
    "view.light": "theme appearance color colour day white mode 主题 外观",
    "view.system": "theme appearance automatic mode 主题 外观 自动",
    "view.english": "language locale translation 语言 英文",
    "view.chinese": "language locale translation 中文 汉语 语言",
    "help.keys": "help keys hotkeys keybindings 快捷键 帮助",
    "help.guide": "manual documentation help 手册 文档 帮助",
    "help.about": "version licences 版本",
    "help.edit_keys": "hotkeys keybindings customize 自定义",
    "runs.models": "endpoints api key server 接口 服务器",
    "runs.limits": "budget money price 预算 费用",
    "runs.cancel": "stop abort 停止",
    "stage.fit": "zoom whole 缩放",
    "stage.loupe": "loupe zoom 放大镜",
    "stage.box": "rectangle bounding bbox 矩形",
    "stage.link": "match same associate 关联",
    "stage.model": "preview prompt 预览",
}
"""Synonyms that users may type for an action, in both languages."""
_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
WHOLE, BEGINNING, LETTERS = 3, 2, 1
"""Kinds of matches: by whole words, by prefixes of words, by letters in order."""


@dataclass(frozen=True, order=True)
class Match:
    """Quality of a match; a larger value is a better match.

    Attributes:
        is_word: Whether every typed word is a word or the prefix of a word.
        is_possible: Whether the action can be executed now.
        kind: ``WHOLE``, ``BEGINNING`` or ``LETTERS``.
        is_own: Whether the text is the action's title, not a synonym.
        score: Number of adjacent letters and of word starts, relative to the length of the text.
    """

    is_word: bool
    is_possible: bool
    kind: int
    is_own: bool
    score: float


def match_action(
    typed: str, *, action_id: str, texts: Sequence[str], menu: str, is_possible: bool
) -> Match | None:
    """Return the quality of the match of an action, None for no match.

    Args:
        typed: The typed text.
        action_id: Id of the action, "" for none.
        texts: Its titles, as shown and in every language.
        menu: Title of its menu, which is searched together with the titles.
        is_possible: Whether it can be executed now.
    """
    own = [_match(typed, text, is_possible=is_possible, is_own=True) for text in texts if text]
    others = [
        _match(typed, text, is_possible=is_possible, is_own=False)
        for text in (SYNONYMS.get(action_id, ""), f"{texts[0]} {menu}")
    ]
    # Scattered letters in a list of synonyms are no meaningful match.
    fitting = [one for one in (*own, *others) if one is not None and (one.is_own or one.is_word)]
    return max(fitting, default=None)


@cache
def texts_of(english: str) -> tuple[str, ...]:
    """Return a text in every language."""
    others = (_texts(code).get(english, "") for code in LANGUAGES if code != "en")
    return english, *filter(None, others)


def fuzzy_score(typed: str, text: str) -> float:
    """Return how well the typed letters match a text: 0.0 if it does not contain them in order.

    Runs of letters and beginnings of words count most, so that 'imp' finds 'Import files' before
    'Show all components'.
    """
    letters, target = typed.casefold().replace(" ", ""), text.casefold()
    if not letters:
        return 1.0
    score, at, run = 0.0, 0, 0
    for letter in letters:
        found = target.find(letter, at)
        if found < 0:
            return 0.0
        run = run + 1 if found == at and at else 1
        begins = found == 0 or not target[found - 1].isalnum()
        # In total a run of n letters scores n squared.
        score += 2 * run - 1 + (3.0 if begins else 0.0)
        at = found + 1
    return score / (1 + 0.01 * len(target))


def _match(typed: str, text: str, *, is_possible: bool, is_own: bool) -> Match | None:
    kind = _kind(typed.casefold(), text.casefold())
    if not kind:
        return None
    return Match(
        is_word=kind > LETTERS,
        is_possible=is_possible,
        kind=kind,
        is_own=is_own,
        score=fuzzy_score(typed, text),
    )


def _kind(typed: str, text: str) -> int:
    asked, words = _WORD.findall(typed), _WORD.findall(text)
    # Chinese has no spaces between words: a substring counts as a word.
    if asked and all(word in words or (_CHINESE.search(word) and word in text) for word in asked):
        return WHOLE
    if asked and all(any(word.startswith(one) for word in words) for one in asked):
        return BEGINNING
    return LETTERS if fuzzy_score(typed, text) else 0


@cache
def _texts(code: str) -> dict[str, str]:
    return catalogue(code)
