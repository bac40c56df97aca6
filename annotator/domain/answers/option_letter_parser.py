"""Option letters that a reply mentions: the strict reading that option letters and span sets share."""

from __future__ import annotations

import re

from annotator.domain.answers.reply_text import contains_any

# The whole reply is a letter with its trimmings: "b", "(C)", "**D**", "选项C", "A."
# Trimmings are taken whole (*+), once between two words, or a long row of blanks is tried in every cut.
# The patterns below keep the same rule: between two words at most one run of blanks.
_WHOLE = re.compile(
    r"[\W_]*+(?:(?:(?:the )?(?:correct )?(?:answer|option|choice)|选项|选择|选|答案)[\W_]*+)?([A-Ia-i])"
    r"[\W_]*+(?:(?:选项|项)[\W_]*+)?",
    re.IGNORECASE,
)
# A letter with its option's text behind it: "B. The red car".
_LEAD = re.compile(r"[\W_]*+([A-I])[*_\]\"']*(?:[.):,]| -)[*_\]\"']*\s*(\S.*)", re.DOTALL)
# "option c" in lower case is a letter only because of the word before it.
_MARKED = re.compile(
    r"(?:\b(?:option|choice)\s?|选项\s?|选择?\s?|答案\s?)[\[(\"'*]*([A-Ia-i])(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])([A-I])\s?(?:选项|项)",
    re.IGNORECASE,
)
_MARKED_WORDS = ("option", "choice", "选", "答案", "项")
# Not part of a word, a code ("C-shaped", "B52") or a shortened form ("A's"); Chinese may touch it.
_ALONE = re.compile(r"(?<![A-Za-z0-9-])(?<![A-Za-z0-9]')([A-I])(?![A-Za-z0-9]|['-][A-Za-z0-9])")
# "A car" and "I think" are words of the sentence; "A and B", "A is right" are letters.
_NEXT_WORD = re.compile(r"\s+([A-Za-z]{2,})")
_AFTER_LETTER = {
    "A": frozenset(
        (
            "and", "or", "nor", "but", "vs", "versus", "than", "to", "in", "on", "at", "from", "by", "for",
            "is", "was", "has", "would", "should", "will", "can", "shows", "matches", "seems", "as", "since",
            "because", "that", "which", "then", "so", "not",
        )
    ),
    "I": frozenset(("and", "or", "nor", "vs", "versus", "to", "is")),
}  # fmt: skip
# "not B", "rather than B" before the letter, "is wrong" after it: what is rejected is not the answer.
_REJECTED_BEFORE = re.compile(
    r"(?:\b(?:not|isn't|never|except|excluding|eliminate|exclude|than|instead of|rule out|ruled out)\s+"
    r"(?:(?:option|choice|answer)\s*)?|(?:不是|不选|排除|而非|除了)\s*(?:选项)?\s*)[\[(\"'*]*$",
    re.IGNORECASE,
)
_REJECTED_AFTER = re.compile(
    r"[\])\"'*]*+\s*+(?:(?:is|are|was|seems|looks|can be|should be|could be)\s++(?:\w{1,12}\s)?"
    r"(?:wrong|incorrect|not|false|impossible|unlikely|implausible|inconsistent|less|worse|worst|least|eliminated"
    r"|excluded|ruled out|out)\b|isn't\b|(?:does|do|can|could|should)(?:n't| not)\b|cannot\b|contradicts\b"
    r"|(?:(?:选项|项)\s*+)?(?:是)?(?:错|不对|不正确))",
    re.IGNORECASE,
)
# "building C", "from point A": the letter is the name of something in the item.
_NAMED_THING = re.compile(
    r"\b(?:buildings?|points?|areas?|zones?|uavs?|drones?|images?|views?|regions?|cars?|vehicles?|roads?|streets?"
    r"|gates?|sectors?|plans?|types?|class|teams?|levels?|blocks?|cameras?|towers?|routes?|paths?|pictures?"
    r"|positions?|locations?|landmarks?|vitamin)\s+[\"'(]?$",
    re.IGNORECASE,
)
_WINDOW = 32


def whole_letter(part: str) -> str | None:
    """Return the letter, in upper case, that is all a reply says."""
    match = _WHOLE.fullmatch(part)
    return match[1].upper() if match else None


def lead_letter(part: str) -> tuple[str, str] | None:
    """Return the letter that a reply starts with and the text behind it."""
    match = _LEAD.fullmatch(part)
    return (match[1], match[2]) if match else None


def mentioned_letters(part: str) -> frozenset[str]:
    """Return the letters from A to I, in upper case, that a reply speaks for.

    A letter counts where "option", "选项" or the like marks it, or where a capital stands alone and is
    neither the article nor the pronoun; unless the reply rejects it ("not B", "option B is wrong") or
    it names something else ("building B").
    """
    positions: dict[str, list[int]] = {}
    for index in _letter_places(part):
        positions.setdefault(part[index].upper(), []).append(index)
    # One place that is not rejected is enough: the rest of a page of letters need not be looked at.
    return frozenset(
        [letter for letter, own in positions.items() if not all(_is_rejected(index, part) for index in own)]
    )


def _letter_places(part: str) -> set[int]:
    """Return where letters stand alone or behind a word that marks them, rejected ones included."""
    alone = {match.start() for match in _ALONE.finditer(part) if not _is_word(match.start(), part)}
    matches = _MARKED.finditer(part) if contains_any(part, _MARKED_WORDS) else ()
    marked = {match.start(match.lastindex or 0) for match in matches}
    # After "option" a capital A is a letter whatever follows; "option a person" and "option I see" are not.
    return alone | {index for index in marked if part[index] not in "aIi" or not _is_word(index, part)}


def _is_word(index: int, part: str) -> bool:
    """Return whether the character is the article "a" or the pronoun "I"."""
    expected = _AFTER_LETTER.get(part[index].upper())
    following = _NEXT_WORD.match(part, index + 1) if expected else None
    return following is not None and following[1].lower() not in (expected or ())


def _is_rejected(index: int, part: str) -> bool:
    before = part[max(0, index - _WINDOW) : index]
    rejections = (_REJECTED_BEFORE.search(before), _NAMED_THING.search(before))
    return any(rejections) or _REJECTED_AFTER.match(part, index + 1) is not None
