"""One number that a label marks in free text, such as "2 o'clock" or "Direction 3"."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from annotator.domain.answers.base import ParsedAnswer
from annotator.domain.answers.numerals import THOUSANDS, format_numbers, is_composed
from annotator.domain.answers.reply_text import extract_answer, is_negated

_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_VALUE_OF = {
    **{word: value for words in (_ENGLISH, _CHINESE) for value, word in enumerate(words, start=1)},
    "两": 2,
}
# Longest first: "十一" must not be read as "十".
_ONE = (
    r"(?:[0-9]{1,2}(?![0-9]|\.[0-9]|[eE][0-9])|(?:" + "|".join(_ENGLISH) + r")(?![A-Za-z])"
    r"|十[一二]|[" + "".join(_CHINESE[:10]) + "两])"
)
# "2 or 3", "2-3": they are read together, so that the second is not read as the only answer.
_JOIN = r"\s?(?:-|,|/|~|&|\bto\b|\bor\b|\band\b|或|和|到|至)\s?"
_NUMBER = re.compile(_ONE, re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
# "3 o'clock or 4": what goes on behind the label.
_MORE = re.compile(
    r"[\])\"'*]{0,4} ?,? ?(?:[-/~&]|或者?|到|至|和"
    r"|(?:(?:or|to|and|no|else|rather|maybe|perhaps|possibly|even)\b,? ?){1,4}) ?" + _ONE,
    re.IGNORECASE,
)
# "twenty two o'clock", "half past 3": words that change the value of the number next to them.
_CHANGED = re.compile(
    r"\b(?:\w+teen|twenty|thirty|forty|fifty|sixty|past|halfway|opposite|between)\b|对面|相反", re.IGNORECASE
)

BARE_NUMBERS = rf"{_ONE}(?:{_JOIN}{_ONE})*+"
"""Pattern of one number, or of several that are joined, in digits or words.

Possessive, since nothing that follows a number is both a join and a label. It must be the last choice of a
pattern whose label stands behind the numbers: a list without a label is skipped at one go and not
searched again from each of its numbers, in time that grows with the square of its length.
"""
NUMBERS = rf"({BARE_NUMBERS})"
"""The same as a group, which says that it counts; a label goes around it."""


class LabelledNumber(msgspec.Struct, frozen=True, kw_only=True):
    """The way in which one kind of answer is written.

    Attributes:
        labelled: Pattern around ``NUMBERS`` with its label; found anywhere in the reply. What it finds
            without the group does not count (``BARE_NUMBERS``).
        bare: Pattern around ``NUMBERS`` that the whole reply must match where no label is found.
        highest: Largest number; the smallest is 1.
        example: How the answer should look, for messages.
    """

    labelled: re.Pattern[str]
    bare: re.Pattern[str]
    highest: int
    example: str

    def read(self, text: str) -> ParsedAnswer[int]:
        """Return the one number that a reply names, or why there is none."""
        # One blank for each run of them, which is all that the patterns expect.
        part = _BLANKS.sub(" ", extract_answer(text))
        matches = [match for match in self.labelled.finditer(part) if any(match.groups())]
        found = {_value(word) for word in _NUMBER.findall(self._listed(part, matches))}
        if not found:
            return ParsedAnswer(reason=f"No answer like {self.example} was found.")
        if len(found) > 1:
            return ParsedAnswer(
                reason=f"The answer contains several values: {format_numbers(sorted(found))}."
            )
        # Checked last: only a reply with a number can deny it, as in "not 3".
        reason = _doubt(part, matches)
        return ParsedAnswer(reason=reason) if reason else self._in_range(found.pop())

    def _listed(self, part: str, matches: Sequence[re.Match[str]]) -> str:
        """Return the numbers as they are written: after labels, or else as the whole reply."""
        lists = [group for match in matches for group in match.groups() if group]
        bare = self.bare.fullmatch(part) if not lists else None
        return bare[1] if bare else " ".join(lists)

    def _in_range(self, value: int) -> ParsedAnswer[int]:
        if 1 <= value <= self.highest:
            return ParsedAnswer(value=value)
        return ParsedAnswer(reason=f"{value} is outside 1 to {self.highest}.")


def _doubt(part: str, matches: Sequence[re.Match[str]]) -> str:
    """Return why a number in a reply may not be its answer, "" if there is no doubt."""
    if is_composed(part) or THOUSANDS.search(part) or _CHANGED.search(part):
        return "The words or signs beside the number change its meaning."
    if any(_MORE.match(part, match.end()) for match in matches):
        return "The answer contains alternatives."
    return "The answer contains a negation." if is_negated(part) else ""


def _value(word: str) -> int:
    return _VALUE_OF[word.lower()] if word.lower() in _VALUE_OF else int(word)
