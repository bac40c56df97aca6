"""Parsing of free text, such as a narration or an instruction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from annotator.domain.answers.reply_text import remove_reasoning
from annotator.draft.llm.json_parser import LONGEST_REPLY, values_in
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.text_cleaning import clean_lines, clean_text, remove_fences

# A refusal begins like this; a narration that contains "I cannot see the street any more" does not.
_REFUSAL = re.compile(
    r"\A\W*(?:i(?:'m|’m| am) (?:sorry|unable)\b|sorry\b|as an ai\b|unfortunately, i\b|很抱歉|抱歉|我无法"
    r"|i (?:cannot|can't|can’t) (?:assist|help|process|view|watch"
    r"|see (?:the|any) (?:image|video|picture|frame)))",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\A\s*<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")


def parse_text(
    text: str, *, members: Sequence[str], fewest_words: int, most_letters: int
) -> str | RejectedReply:
    """Return the text of a reply, extracted from JSON if it is enclosed in it.

    Args:
        text: The reply.
        members: Possible names of the text in an object.
        fewest_words: Minimum number of words.
        most_letters: Maximum number of characters; a longer text is faulty.
    """
    reply = remove_reasoning(text).strip()[:LONGEST_REPLY]
    inside = next((found for value in values_in(reply) if (found := _member_text(value, members))), "")
    message = clean_lines(inside or remove_fences(reply))
    if not message:
        return RejectedReply(problems=("The reply is empty.",))
    if _PAGE.match(message):
        return RejectedReply(problems=("It is a web page instead of an answer.",))
    if _REFUSAL.match(message):
        return RejectedReply(problems=("It is a refusal instead of an answer.",))
    # Chinese has no spaces between words, so every character counts as one.
    count = max(len(_WORD.findall(message)), sum("\u4e00" <= sign <= "\u9fff" for sign in message))
    if count < fewest_words:
        return RejectedReply(problems=(f"It has {count} words; at least {fewest_words} are required.",))
    if len(message) > most_letters:
        return RejectedReply(
            problems=(f"It has {len(message):,} characters; at most {most_letters:,} are allowed.",)
        )
    return message


def text_of(value: object) -> str:
    """Return a text for a field, "" for anything else."""
    return clean_text(value) if isinstance(value, str) else ""


def members_of(text: str, *, wanted: str) -> dict[str, Any] | None:
    """Return the first object of a reply that has a member, None if there is none."""
    for value in values_in(remove_reasoning(text)):
        if isinstance(value, dict) and wanted in value:
            return value
    return None


def lists_of(text: str) -> list[list[Any]]:
    """Return the lists of a reply: top-level lists, and those that are members of an object."""
    found: list[list[Any]] = []
    for value in values_in(remove_reasoning(text)):
        if isinstance(value, list):
            found.append(value)
        elif isinstance(value, dict):
            found += [member for member in value.values() if isinstance(member, list)]
    return found


def _member_text(value: object, members: Sequence[str]) -> str:
    if not isinstance(value, dict):
        return ""
    texts = (value.get(name) for name in members)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
