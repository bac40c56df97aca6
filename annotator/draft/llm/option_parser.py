"""Parsing of option lists in replies, and of the option named as the answer."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.domain.item import LETTERS
from annotator.draft.llm.text_cleaning import clean_text

MOST_DIGITS = 2
_TEXT = frozenset({"text", "content", "value", "option", "answer", "description", "statement"})
_LABEL = frozenset({"letter", "label", "id", "index", "number", "name"})
_KEY = frozenset({"key"})
_FLAG = frozenset({"correct", "iscorrect", "right", "isright", "isanswer"})
_TRUE = frozenset({"true", "yes"})
_NOT_LETTER = re.compile(r"[\W_]+")
# "3.5 m" begins with a number, not with an option label.
_MARK = re.compile(
    r"^\W{0,2}(?:option\s+)?([A-Ia-i]|\d{1,2})\s*[.):\uff1a、\uff0e](?!\d)\W{0,2}(?=\S)", re.IGNORECASE
)
_LONE_LETTER = re.compile(
    r"^\W*(?:option\s+|choice\s+|answer\s*[:\uff1a]?\s*)?\(?([A-I])\)?\W*$", re.IGNORECASE
)
_LINE_OPTION = re.compile(
    r"^[ \t>*-]{0,6}[(\[]?([A-I])[)\].:\uff1a、\uff0e][)\]*]{0,3}[ \t]+(\S.*)$", re.MULTILINE
)
_INLINE_OPTION = re.compile(r"(?:(?<=\s)|^)\(?([A-I])[.)]\s+(?=\S)")
_ANSWER = re.compile(
    r"(?:correct |right |final )?answer(?: is)?\W{0,6}\s*\(?([A-I])\b|答案\s*[:\uff1a是为]*\s*([A-I])\b",
    re.IGNORECASE,
)
SEVERAL = "The answer names several options; exactly one is right."
UNSAID = "The reply does not say which option is right."
FOREIGN = "The answer is none of the options."
AMBIGUOUS = "The answer is the text of one option and the mark of another; which of them is meant?"


@dataclass(frozen=True, kw_only=True)
class ParsedOption:
    """One option of a reply.

    Attributes:
        label: Its letter or number, "" for none.
        text: Its text without these.
        is_right: Whether it is marked as the right one.
    """

    label: str = ""
    text: str = ""
    is_right: bool = False


def named_members(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the members of an object by names without case, blanks and underscores."""
    return {_NOT_LETTER.sub("", str(name)).casefold(): content for name, content in value.items()}


def member_of(members: Mapping[str, Any], names: frozenset[str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the first member that has one of some names and is not null."""
    return next((content for name, content in members.items() if name in names and content is not None), None)


def field_text(value: object) -> str:
    """Return a value as a field's text: numbers as digits, "" for all other types."""
    if isinstance(value, str):
        return clean_text(value)
    # True is an int in Python, and would become the option "1".
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return str(int(value) if value == int(value) else value)


def without_mark(text: str) -> str:
    """Return an option without the letter or number before it."""
    return clean_text(_MARK.sub("", text, count=1)) if _MARK.match(text) else text


def read_options(value: object) -> list[ParsedOption]:
    """Return the options of a list, of an object by letter or number, or of lines."""
    if isinstance(value, dict):
        return [_labelled(str(name), content) for name, content in value.items()]
    if isinstance(value, list):
        return [_of_object(entry) if isinstance(entry, dict) else _of_text(entry) for entry in value]
    return options_in(value) if isinstance(value, str) else []


def options_in(text: str) -> list[ParsedOption]:
    """Return options on lines of their own, or in sequence on one line, lettered from A."""
    pairs = [(found[1].upper(), found[2]) for found in _LINE_OPTION.finditer(text)]
    if len(pairs) < 2:
        marks = list(_INLINE_OPTION.finditer(text))
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        pairs = [(mark[1].upper(), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)]
    # Only sequences that start with A: the B of 'B. Smith' in a sentence is not an option.
    run = [pair for index, pair in enumerate(pairs[: len(LETTERS)]) if pair[0] == LETTERS[index]]
    return [ParsedOption(label=letter, text=clean_text(_ANSWER.split(said)[0])) for letter, said in run]


def first_option_at(text: str) -> int:
    """Return the position of the first option line, the length of the text if there is none."""
    found = _LINE_OPTION.search(text) or _INLINE_OPTION.search(text)
    return found.start() if found else len(text)


def answer_in(text: str) -> str | None:
    """Return the letter named as the answer, the last one if there are several."""
    letters = [found[1] or found[2] for found in _ANSWER.finditer(text)]
    # A model that reasons first mentions wrong options before the answer.
    return letters[-1] if letters else None


def find_answer_option(answer: object, options: Sequence[ParsedOption]) -> int | str:
    """Return the index of the option named by an answer, or the problem as text."""
    if isinstance(answer, list) and len(answer) > 1:
        return SEVERAL
    text = field_text(_named(answer))
    return _stated_index(text, options) if text else _flagged_index(options)


def _named(answer: object) -> object:
    """Return the name in an answer: the entry of a list of one, the letter or text of an object."""
    named = answer[0] if isinstance(answer, list) and answer else answer
    if not isinstance(named, dict):
        return named
    members = named_members(named)
    return member_of(members, _LABEL) or member_of(members, _TEXT)


def _flagged_index(options: Sequence[ParsedOption]) -> int | str:
    marked = [index for index, option in enumerate(options) if option.is_right]
    return marked[0] if len(marked) == 1 else UNSAID


def _stated_index(text: str, options: Sequence[ParsedOption]) -> int | str:
    # If options are numbers, "2" may be the text of one option and the label of another.
    by_text, by_mark = _index_of_text(text, options), _index_of_mark(text, options)
    if by_text is not None and by_mark is not None and by_mark != by_text:
        return AMBIGUOUS
    index = _index_of_label(text, options) if by_text is None else by_text
    return FOREIGN if index is None else index


def _labelled(label: str, content: object) -> ParsedOption:
    option = _of_object(content) if isinstance(content, dict) else _of_text(content)
    return ParsedOption(label=label, text=option.text, is_right=option.is_right)


def _of_object(entry: Mapping[Any, Any]) -> ParsedOption:
    members = named_members(entry)
    if len(members) == 1 and not members.keys() & (_TEXT | _LABEL):
        # A list of objects with one option each, by its letter.
        label, content = next(iter(entry.items()))
        return ParsedOption(label=str(label), text=without_mark(field_text(content)))
    label = member_of(members, _LABEL) or member_of(members, _KEY) or ""
    return ParsedOption(
        label=str(label),
        text=without_mark(field_text(member_of(members, _TEXT))),
        is_right=any(_is_true(members.get(name)) for name in _FLAG),
    )


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in _TRUE)


def _of_text(entry: object) -> ParsedOption:
    text = field_text(entry)
    mark = _MARK.match(text)
    return ParsedOption(label=mark[1] if mark else "", text=without_mark(text))


def _index_of_text(text: str, options: Sequence[ParsedOption]) -> int | None:
    folded = without_mark(text).casefold()
    texts = [option.text.casefold() for option in options]
    return texts.index(folded) if folded and folded in texts else None


def _index_of_mark(text: str, options: Sequence[ParsedOption]) -> int | None:
    """Return the option that the model labelled with a letter or number, None if there is none."""
    labels = _labels(options)
    is_marked = all(option.label for option in options)
    return labels.index(text.upper()) if is_marked and text.upper() in labels else None


def _index_of_label(said: str, options: Sequence[ParsedOption]) -> int | None:
    # Full-width letters count as letters.
    said = unicodedata.normalize("NFKC", said)
    found = _LONE_LETTER.match(said) or _MARK.match(said)
    name = (found[1] if found else said).upper()
    labels = _labels(options)
    if name in labels:
        return labels.index(name)
    # For options without labels, "1" is the first option.
    is_number = name.isdecimal() and len(name) <= MOST_DIGITS
    index = int(name) - 1 if is_number else LETTERS.find(name) if len(name) == 1 else -1
    return index if 0 <= index < len(options) else None


def _labels(options: Sequence[ParsedOption]) -> list[str]:
    # The usual label forms in one list: "A", "(B)", "Option C", and full-width letters of Chinese keyboards.
    labels = [
        unicodedata.normalize("NFKC", option.label).upper().removeprefix("OPTION").strip(" ._()")
        for option in options
    ]
    return labels if all(labels) else list(LETTERS[: len(options)])
