"""Regions that a reply names: the strict reading that region sets and region labels share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from annotator.domain.answers.base import AnswerContext, AnswerProblem, ParsedAnswer
from annotator.domain.answers.numerals import THOUSANDS, format_numbers, is_composed
from annotator.domain.answers.reply_text import extract_answer, is_negated, one_line

HIGHEST_ID = 999_999

_LABEL = r"(?:regions?|区域)"
# Possessive, so that a reply of a thousand brackets is read once and not in every way it can be split.
_OPEN, _CLOSE = r"[\[({\"'*]*+", r"[\])}\"'*]*+"
_ID = rf"{_OPEN}(?:{_LABEL}[ _]?{_OPEN})?\#?(?<![0-9.])[0-9]{{1,6}}+(?![0-9A-Za-z_]|\.[0-9])"
_WORD = r"\band\b|\bor\b|\bto\b|\bthrough\b|以及|和|与|及|或|到|至"
_JOIN = rf"(?: ?(?:, ?(?:and |or )?|;|&|/|-|~|{_WORD}) ?| (?=[0-9]|{_LABEL}))"
_LIST = rf"{_ID}(?:{_CLOSE}{_JOIN}{_ID})*"
_LABELLED = re.compile(
    rf"{_LABEL}(?: ids?| labels?| numbers?)?(?: ?(?:is|are|:|=|是|为|#|_))? ?-?(?<! -)(?P<list>{_LIST})",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?P<list>{_LIST}){_CLOSE}\.?", re.IGNORECASE)
# A malformed further id ("Region 1, -2") must not be ignored silently.
_LEFT_OVER = re.compile(rf"{_CLOSE}[ ,;&/~-]*(?:and |or )?-? ?[0-9]")
# "Region 3, 5 meters away": the 5 is no region.
_COUNTED = re.compile(
    r" ?(?:%|o'clock|(?:m|km|met(?:er|re)s?|degrees?|px|pixels?|cars?|vehicles?|people|persons?|objects?)\b"
    r"|[米度辆个])",
    re.IGNORECASE,
)
_REMARK = re.compile(r" ?\([^()0-9]*\)")
# "3号和4号区域" is brought to the form 区域3和区域4.
_NUMBERED = re.compile(r"([0-9]{1,6}) ?号(?:区域)?")
_SPLIT = re.compile(r"([0-9]+)")
_ALTERNATIVE = re.compile(r"\bor\b|/|或", re.IGNORECASE)
# Numbers that name something else, or count it: "image 2", "2 of 3", "2 cars", and what was read ("\0").
_OTHER_NUMBER = re.compile(
    r"\b(?:images?|views?|uavs?|img|steps?|figures?|frames?|questions?) ?"
    r"[0-9]{1,3}(?:(?:, ?| and | & )[0-9]{1,3})*+"
    r"|(?:图像?|视角|无人机) ?[0-9]{1,3}|(?<![0-9.])[0-9]++ (?:out )?of (?:the )?[0-9]++"
    r"|(?<![0-9.])[0-9.]++ ?(?:\0|%|°|"
    r"(?!(?:and|or|as|is|are|in|at|on|to|too|also|for|because|with|which|would|if|but)\b)[A-Za-z]{2,}|m\b|[米度辆个])",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"(?<![A-Za-z0-9_])[0-9]")
_RANGE = re.compile(r"-|~|\bto\b|\bthrough\b|到|至", re.IGNORECASE)


def read_regions(text: str) -> ParsedAnswer[tuple[int, ...]]:
    """Return the region ids that a reply names, in its order.

    Exactly one list is read: the whole reply, or the one that the word "Region" (区域) marks. Several
    different lists, alternatives, negations and ranges of more than two neighbours are refused.
    """
    # One blank for each run of them, which is all that the patterns expect.
    part = _NUMBERED.sub(r"区域\1", _REMARK.sub("", " ".join(one_line(extract_answer(text)).split())))
    matches = list(_LABELLED.finditer(part)) or list(filter(None, [_BARE.fullmatch(part)]))
    if not matches:
        return ParsedAnswer(reason="No region like Region 3 was found.")
    if reason := _doubt(part, matches):
        return ParsedAnswer(reason=reason)
    readings = [_expand(match["list"]) for match in matches]
    if any(reading != readings[0] for reading in readings):
        return ParsedAnswer(reason="The answer contains regions in several places.")
    return readings[0]


def id_problems(ids: Iterable[int], *, field: str) -> list[AnswerProblem]:
    """Return the problems of region ids that are invalid in any view."""
    wrong = sorted({number for number in ids if not 0 <= number <= HIGHEST_ID})
    if not wrong:
        return []
    message = f"Not a region id: {format_numbers(wrong)}."
    return [AnswerProblem(field=field, message=message, advice=f"Region ids are 0 to {HIGHEST_ID}.")]


def region_problems(regions: Iterable[int], *, context: AnswerContext) -> list[AnswerProblem]:
    """Return the problems of region ids: none given, invalid, or not in any view."""
    ids, known = set(regions), context.all_region_ids
    if not ids:
        return [
            AnswerProblem(
                field="regions", message="The answer contains no region.", advice="Enter at least one region."
            )
        ]
    unknown = sorted(ids - known) if known else []
    if not unknown:
        return id_problems(ids, field="regions")
    advice = f"The views have {format_numbers(sorted(known))}."
    stranger = AnswerProblem(
        field="regions", message=f"Not in any view: {format_numbers(unknown)}.", advice=advice
    )
    return [*id_problems(ids, field="regions"), stranger]


def write_regions(regions: Iterable[int]) -> str:
    """Return regions as the benchmark's prompts ask for them: ``Region 1, 2``."""
    return f"Region {format_numbers(list(regions))}"


def _doubt(part: str, matches: Sequence[re.Match[str]]) -> str:
    """Return why the numbers of a reply may not be its regions, "" if there is no doubt."""
    if is_negated(part):
        return "The answer contains negated regions."
    if any(_LEFT_OVER.match(part, match.end()) or _COUNTED.match(part, match.end()) for match in matches):
        return "A number among or after the regions is not a region id."
    if is_composed(part) or THOUSANDS.search(part) or _BARE_NUMBER.search(_unread(part, matches)):
        return "The answer contains numbers that are no region ids."
    return ""


def _unread(part: str, matches: Sequence[re.Match[str]]) -> str:
    """Return the text without the lists that were read and without numbers of other things."""
    for match in reversed(matches):
        part = f"{part[: match.start()]}\0{part[match.end() :]}"
    return _OTHER_NUMBER.sub("", part)


def _expand(listed: str) -> ParsedAnswer[tuple[int, ...]]:
    """Return the ids of one matched list, with "1-2" as 1 and 2."""
    pieces = _SPLIT.split(listed)
    numbers, joins = [int(digits) for digits in pieces[1::2]], pieces[2:-1:2]
    if any(_ALTERNATIVE.search(join) for join in joins):
        return ParsedAnswer(reason="The answer contains alternatives.")
    for first, join, second in zip(numbers, joins, numbers[1:], strict=False):
        # "1-2" is 1 and 2 as a range and as a pair; for "1-5" the two differ, so it is ambiguous.
        if _RANGE.search(join) and second != first + 1:
            return ParsedAnswer(reason=f"{first}-{second} is ambiguous: a range or a pair.")
    return ParsedAnswer(value=tuple(numbers))
