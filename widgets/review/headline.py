"""The reason of a case in words: '3 models say B, the key is D, two people said B'."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.flag import Flag
from annotator.domain.item import Item
from widgets import display_text
from widgets.message_text import message_text
from widgets.review.case_answers import AnswerGroup
from widgets.translation import join_texts, tr, trn

LONGEST = 40
"""Maximum number of characters of an answer in the headline."""
SHOWN = 4
"""Maximum number of different answers in the headline."""


def headline(item: Item, groups: Sequence[AnswerGroup]) -> str:
    """Return who says what about an item, "" if nobody has answered it.

    Args:
        item: The item.
        groups: The different answers.
    """
    if not groups:
        return ""
    parts = [part for group in groups[:SHOWN] for part in _about(group)]
    if len(groups) > SHOWN:
        parts.append(trn("{n} more answer", "{n} more answers", n=len(groups) - SHOWN))
    text = join_texts([*parts, _key(item)])
    return text[:1].upper() + text[1:]


def flag_headline(flags: Sequence[Flag], *, forks: int) -> str:
    """Return why a record has a case that nobody answered: its first flag, and the number of the others."""
    if not flags:
        return trn("Two versions of {n} field", "Two versions of {n} fields", n=forks) if forks else ""
    first = message_text(flags[0].message) or display_text.flag_kind_title(flags[0].kind)
    if len(flags) == 1:
        return first
    return trn("{first} {n} more flag.", "{first} {n} more flags.", n=len(flags) - 1, first=first)


def short_answer(answer: str) -> str:
    """Return an answer on one line, cut to a length that can be read quickly."""
    line = " ".join(answer.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _about(group: AnswerGroup) -> list[str]:
    answer = short_answer(group.answer)
    parts = []
    if group.people:
        parts.append(
            trn("{n} person says {answer}", "{n} people say {answer}", n=group.people, answer=answer)
        )
    if group.models:
        parts.append(trn("{n} model says {answer}", "{n} models say {answer}", n=group.models, answer=answer))
    return parts


def _key(item: Item) -> str:
    if not item.answer_key:
        return tr("there is no answer key")
    return tr("the answer key is {answer}", answer=short_answer(item.answer_key))
