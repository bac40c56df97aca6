"""Numbers of a reply with their units: what the formats angle and angle_distance read."""

from __future__ import annotations

import math
import re

import msgspec

from annotator.domain.answers.base import ParsedAnswer
from annotator.domain.answers.numerals import NUMBER, RANGE, is_composed
from annotator.domain.answers.reply_text import extract_answer, is_negated

_QUANTITY = re.compile(
    rf"(?P<number>{NUMBER}(?:[eE][-+]?[0-9]{{1,3}}(?![0-9A-Za-z.]))?)"
    r"\s*(?P<unit>弧度|千米|公里|厘米|[°度米]|[A-Za-z]+)?"
)
_UNITS = {
    # "o" is what NFKC leaves of the ordinal sign that some keyboards have in place of the degree sign.
    **dict.fromkeys(("degree", "degrees", "deg", "degs", "°", "o", "度"), "deg"),
    **dict.fromkeys(("meter", "meters", "metre", "metres", "m", "米"), "m"),
    # Words that go on after a number without a unit: "88 and 5", "88 clockwise".
    **dict.fromkeys(
        (
            "",
            "and",
            "or",
            "then",
            "clockwise",
            "cw",
            "ccw",
            "counter",
            "counterclockwise",
            "anti",
            "anticlockwise",
        ),
        "",
    ),
}
_KNOWN_UNIT = r"(?:deg(?:ree)?s?|met(?:er|re)s?|m|[°o度米])"
_COUNTER_CLOCKWISE = re.compile(r"\b(?:counter|anti)[- ]?clock-?wise\b|\bccw\b|逆时针|逆時針", re.IGNORECASE)
_CLOCKWISE = re.compile(r"clock-?wise|\bcw\b|顺时针|順時針", re.IGNORECASE)
# "88 degrees minus 5" is a calculation, "minus 5" a number below zero.
_SUBTRACTION = re.compile(rf"(?:[0-9]|{_KNOWN_UNIT})\s*\bminus\b", re.IGNORECASE)
_MINUS_WORD = re.compile(r"\b(?:minus|negative)\s+(?=[0-9.])|负\s*(?=[0-9.])", re.IGNORECASE)
_LIST_MARK = re.compile(r"^[^\S\n]*[0-9]{1,3}[.)][^\S\n]+", re.MULTILINE)
# "Between images 1 and 2": numbers that name a view are no quantities.
_NAMED = re.compile(
    r"(?:\b(?:images?|views?|regions?|uavs?|drones?|cameras?|frames?|photos?|pictures?|steps?|figures?)"
    r"|图像?|视角|区域)[ _#]?[0-9]{1,3}(?:(?:, ?| and | & | to )[0-9]{1,3})*+(?![0-9.A-Za-z°度米])"
    r"(?! ?(?:deg|met|m\b|°))",
    re.IGNORECASE,
)
_GLUED = re.compile(r"[0-9][ ,][0-9]")
_REFUSALS = (
    (RANGE, "The answer is a range."),
    (_SUBTRACTION, "The answer is a calculation."),
    (
        re.compile(
            r"[0-9]\s*+x\s*+[0-9]|\b(?:twice|double|triple|times|each)\b|[两三]倍|各转", re.IGNORECASE
        ),
        "The answer is a calculation.",
    ),
    (re.compile(r"-\s+[0-9.]"), "A dash before a number may be a minus sign or punctuation."),
    (
        re.compile(
            r"\b(?:left|right|back|backs|behind|rear|reverse|up|down|above|below|higher|lower|sideways|opposite"
            r"|(?:left|right|back|rear|up|down)-?wards?|(?:north|south|east|west)\w*|lateral\w*|a?descen\w+"
            r"|ascen\w+|pitch\w*|tilt\w*|roll\w*|elevation|altitude)\b"
            r"|左(?!右)|(?<!左)右|[东南西北]|向后|后退|倒退|往后|后方|后移|上升|下降|向上|向下|俯仰",
            re.IGNORECASE,
        ),
        "The answer contains a direction other than clockwise or counter-clockwise.",
    ),
    (
        re.compile(
            r"\b(?:more|less|greater|fewer|smaller|larger|over|under) than\b|\bat (?:least|most)\b"
            r"|\bup to\b|\bover\s+[-+]?[0-9]|[0-9]\+"
            r"|[<>≤≥]\s*[-+]?[0-9]|超过|至少|至多|最多|不到|小于|大于|不足",
            re.IGNORECASE,
        ),
        "The answer is a limit, not a value.",
    ),
    (
        re.compile(
            r"(?<![A-Za-z])(?:rad|radians?|km|cm|mm|(?:kilo|centi|milli)met(?:er|re)s?|feet|foot|ft|yards?|yd"
            r"|miles?|inch(?:es)?)(?![A-Za-z])|π|(?<![A-Za-z])pi(?![A-Za-z])|弧度|千米|公里|厘米|毫米|英尺"
            rf"|[0-9]\s*{_KNOWN_UNIT}\s*(?:/\s*[A-Za-z秒]|\bper\b|\^|每)",
            re.IGNORECASE,
        ),
        "A number is in a unit other than degrees and metres.",
    ),
    (
        re.compile(
            r"-[0-9.]+\s*(?:m|met(?:er|re)s?|米)\s+(?:forwards?|ahead)\b"
            r"|\b(?:forwards?|ahead)(?: by)?\s+-[0-9]",
            re.IGNORECASE,
        ),
        "The sign and the direction of the distance contradict each other.",
    ),
)
_DISTANCE_LABEL = re.compile(
    r"distance|translation|displacement|\bmov(?:e|ed|ing|ement)\b|距离|平移|移动", re.IGNORECASE
)
_ANGLE_LABEL = re.compile(r"angle|rotat|heading|yaw|\bturn|角|旋转|转", re.IGNORECASE)


class Quantities(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a reply by their unit.

    Attributes:
        angles_deg: Numbers marked as degrees.
        distances_m: Numbers marked as metres.
        unmarked: Numbers without any unit.
        starts_with_distance: Whether a word for a distance comes before any word for an angle.
    """

    angles_deg: tuple[float, ...]
    distances_m: tuple[float, ...]
    unmarked: tuple[float, ...]
    starts_with_distance: bool


def read_quantities(text: str) -> ParsedAnswer[Quantities]:
    """Return the numbers of a reply by unit, with degrees counted clockwise.

    Numbers of other things ("10 frames") are left out. Ranges, limits, calculations, other units, other
    directions, negations and numbers that can be divided in two ways ("1,200 meters") are refused.
    """
    part = extract_answer(text)
    reason = _refusal(part)
    if reason:
        return ParsedAnswer(reason=reason)
    part = _NAMED.sub(";", _LIST_MARK.sub("", _MINUS_WORD.sub("-", part)))
    if is_composed(part):
        return ParsedAnswer(reason="A number is a fraction, a calculation or partly in words.")
    matches = list(_QUANTITY.finditer(part))
    if _is_ambiguous(part, matches):
        return ParsedAnswer(reason="It is not clear where one number ends and the next begins.")
    return _by_unit(part, matches)


def turn_clockwise(angle_deg: float, *, text: str) -> ParsedAnswer[float]:
    """Return an angle with the sign that the reply's words give it: counter-clockwise is negative."""
    part = extract_answer(text)
    # The prompt asks for the clockwise angle, so the word is a sign.
    others, count = _COUNTER_CLOCKWISE.subn("", part)
    if not count:
        return ParsedAnswer(value=angle_deg)
    if angle_deg < 0 or _CLOCKWISE.search(others):
        return ParsedAnswer(reason="The answer contains both clockwise and counter-clockwise.")
    return ParsedAnswer(value=-angle_deg)


def _refusal(part: str) -> str:
    """Return why a reply is not one exact quantity of each kind, "" if it is."""
    if is_negated(part):
        return "The answer contains a negation."
    return next((reason for pattern, reason in _REFUSALS if pattern.search(part)), "")


def _by_unit(part: str, matches: list[re.Match[str]]) -> ParsedAnswer[Quantities]:
    by_unit: dict[str, list[float]] = {"deg": [], "m": [], "": []}
    for match in matches:
        by_unit.get(_unit(match), []).append(float(match["number"]))
    if not all(math.isfinite(number) for numbers in by_unit.values() for number in numbers):
        return ParsedAnswer(reason="A number is too large.")
    return ParsedAnswer(
        value=Quantities(
            angles_deg=tuple(by_unit["deg"]),
            distances_m=tuple(by_unit["m"]),
            unmarked=tuple(by_unit[""]),
            starts_with_distance=_starts_with_distance(part),
        )
    )


def _unit(match: re.Match[str]) -> str:
    """Return "deg", "m", "" for a number without a unit, or "other"."""
    return _UNITS.get((match["unit"] or "").lower(), "other")


def _is_ambiguous(part: str, matches: list[re.Match[str]]) -> bool:
    """Return whether adjacent numbers may be a single one: "1,200 meters", "1 200 m", "90 degrees 30"."""
    units = [_unit(match) for match in matches]
    # Without any unit, "160,70" can only be two numbers, since one alone answers nothing.
    if any(unit in ("deg", "m") for unit in units) and _GLUED.search(part):
        return True
    return any(
        units[index] in ("deg", "m")
        and units[index + 1] not in {"deg", "m"} - {units[index]}
        and not part[matches[index].end() : matches[index + 1].start()].strip()
        for index in range(len(matches) - 1)
    )


def _starts_with_distance(part: str) -> bool:
    distance, angle = _DISTANCE_LABEL.search(part), _ANGLE_LABEL.search(part)
    return distance is not None and (angle is None or distance.start() < angle.start())
