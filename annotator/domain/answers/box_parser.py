"""The four corner coordinates of a box in a reply: the strict reading of the format bbox."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotator.domain.answers.base import ParsedAnswer
from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.answers.numerals import NUMBER, RANGE, is_composed, strict_numbers
from annotator.domain.answers.reply_text import extract_answer, is_negated

FARTHEST_PX = 1e6
"""Larger than any image; above it, squares of sides are no longer exact."""

_EDGES = {
    **dict.fromkeys(("x1", "xmin", "left"), 0),
    **dict.fromkeys(("y1", "ymin", "top"), 1),
    **dict.fromkeys(("x2", "xmax", "right"), 2),
    **dict.fromkeys(("y2", "ymax", "bottom"), 3),
}
_NAMES = r"[xy]_?[12]|[xy]_?m(?:in|ax)|left|top|right|bottom"
GROUP = re.compile(rf"[\[(]\s*{NUMBER}(?:\s*,\s*{NUMBER}){{3}}\s*[\])]")
"""Four numbers in brackets, which distinguish a box from other numbers: "Image 2: [823, 189, 932, 249]"."""
# Two corners, as Qwen-VL writes them where its special tokens are dropped: "car(100,200),(300,400)".
_POINT = rf"\(\s*{NUMBER}\s*,\s*{NUMBER}\s*\)"
_POINTS = re.compile(rf"{_POINT}(?:\s*,\s*{_POINT})+")
# Special tokens of Qwen-VL and InternVL, with the name of the object before the box.
_TAGGED = re.compile(r"<\|box_start\|>([^<]*+)<\|box_end\|>|<box>([^<]*+)</box>")
_OBJECT = re.compile(r"<\|object_ref_start\|>[^<]*+<\|object_ref_end\|>|<ref>[^<]*+</ref>")
_NUMBER = re.compile(NUMBER)
_EDGE = re.compile(rf"(?<![A-Za-z0-9-])({_NAMES})(?![A-Za-z0-9-])", re.IGNORECASE)
_LABELLED = re.compile(
    rf"(?<![A-Za-z0-9-])({_NAMES})\b[\"'*]{{0,3}} ?[:=]? ?[\"'*]{{0,3}}({NUMBER})", re.IGNORECASE
)
_CORNER = re.compile(r"\b(top|upper|bottom|lower)[- ](left|right)\b", re.IGNORECASE)
_OTHER_FORM = re.compile(
    r"(?<![A-Za-z])(?:w|h|cx|cy|xc|yc|width|height|cent(?:er|re)|size|radius|xywh|cxcywh|coco|yolo"
    r"|normali[sz]ed|relative|percent\w*|ratios?|fractions?)(?![A-Za-z])|%|宽|高|中心|归一化|百分",
    re.IGNORECASE,
)
_LOOSE_SIGN = re.compile(r"-\s+[0-9.]")
# Words permitted around four numbers without brackets.
_FILLERS = re.compile(
    r"\b(?:the|is|at|and|to|from|of|in|(?:image|view|region) [0-9]{1,2}|b?box|bounding|coordinates?|corners?"
    r"|pixels?|px|xyxy|region|object|target|answer)\b|坐标|框|像素|目标|答案|为|是|到|至|和",
    re.IGNORECASE,
)


def read_corners(text: str, *, scale: BoxScale | None = None) -> ParsedAnswer[Sequence[float]]:
    """Return x1, y1, x2, y2 in image pixels from a reply that gives any two opposite corners in any order.

    Refused: width and height, centres, parts of the image size (all numbers from 0 to 1, or per cent), other
    orders than x before y that are not named for each number, several boxes, and numbers among other words.

    Args:
        text: The reply.
        scale: The scale that the reply was asked for, None for pixels of the image.
    """
    part = _OBJECT.sub("", extract_answer(text))
    if reason := _doubt(part):
        return ParsedAnswer(reason=reason)
    groups = {" ".join(group.split()) for group in _groups(part)}
    if len(groups) > 1:
        return ParsedAnswer(reason="The answer contains several boxes.")
    # The same box said twice ("[1, 2, 3, 4], that is [1, 2, 3, 4]") is one answer.
    is_row_first = scale is not None and scale.is_row_first
    listed = groups.pop() if groups else _only_numbers(part)
    numbers = _ordered(part, listed, is_row_first=is_row_first)
    if len(numbers) != 4 or max(map(abs, numbers)) > FARTHEST_PX:
        return ParsedAnswer(reason="No box of four numbers like [823, 189, 932, 249] was found.")
    return _in_pixels(numbers, scale)


def _doubt(part: str) -> str:
    """Return why the numbers of a reply may not be corners, "" if there is no doubt."""
    if is_negated(part):
        return "The answer contains a negation."
    if _OTHER_FORM.search(part) or RANGE.search(part) or _LOOSE_SIGN.search(part) or is_composed(part):
        return "The numbers are not the corners of a box in image pixels."
    return ""


def _groups(part: str) -> list[str]:
    """Return the texts between special tokens for boxes, else those in brackets, else lists of points."""
    tagged = [first or second for first, second in _TAGGED.findall(part)]
    return tagged or GROUP.findall(part) or _POINTS.findall(part)


def _in_pixels(numbers: Sequence[float], scale: BoxScale | None) -> ParsedAnswer[Sequence[float]]:
    # Mostly parts of the sides, and as pixels or thousandths a box of nothing.
    if (scale is None or not scale.is_fraction) and max(map(abs, numbers)) <= 1:
        return ParsedAnswer(reason="The coordinates are parts of the image size, not pixels.")
    if scale is None:
        return ParsedAnswer(value=numbers)
    if not scale.holds(numbers):
        limits = f"{scale.width:g} x {scale.height:g}"
        return ParsedAnswer(reason=f"The coordinates are not within {limits}, as the model was asked for.")
    return ParsedAnswer(value=scale.to_pixels(numbers))


def _ordered(part: str, listed: str, *, is_row_first: bool) -> Sequence[float]:
    """Return the listed numbers as x1, y1, x2, y2; none where the edges are named and are not these."""
    numbers = strict_numbers(listed) or []
    if not _are_opposite(_CORNER.findall(part)):
        return []
    names = [_edge(name) for name in _EDGE.findall(part)]
    if not names and is_row_first and len(numbers) == 4:
        return [numbers[1], numbers[0], numbers[3], numbers[2]]
    if names in ([], [0, 1, 2, 3]):
        return numbers
    labelled = _labelled_numbers(part)
    return [labelled[edge] for edge in range(4)] if len(labelled) == len(names) == len(numbers) == 4 else []


def _labelled_numbers(part: str) -> dict[int, float]:
    return {_edge(name): float(number) for name, number in _LABELLED.findall(part)}


def _edge(name: str) -> int:
    return _EDGES[name.lower().replace("_", "")]


def _are_opposite(corners: Sequence[tuple[str, str]]) -> bool:
    """Return whether two named corners lie opposite each other; none named is well."""
    if not corners:
        return True
    sides = [(vertical.lower() in ("top", "upper"), side.lower()) for vertical, side in corners]
    return len(sides) == 2 and all(first != second for first, second in zip(*sides, strict=True))


def _only_numbers(part: str) -> str:
    """Return a text of nothing but numbers, names of edges and fillers; "" for any other text."""
    rest = _FILLERS.sub("", _CORNER.sub("", part))
    bare = _EDGE.sub("", _NUMBER.sub("", rest))
    return "" if any(character.isalnum() for character in bare) else rest
