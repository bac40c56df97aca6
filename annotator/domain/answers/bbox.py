"""Box: the position of an object in an image (``[823, 189, 932, 249]``)."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    Mode,
    ParsedAnswer,
    Score,
    unreadable,
)
from annotator.domain.answers.box_match import SHORTEST, BoxMatch, match_boxes
from annotator.domain.answers.box_parser import FARTHEST_PX, read_corners
from annotator.domain.answers.numerals import TOO_LONG, published_ints, write_number
from annotator.domain.answers.region_label import RegionLabel
from annotator.domain.random_source import RandomSource
from annotator.domain.region import Box

PASS_SCORE = 0.5
"""Composite score from which a box is right. Source: SpatialUAV, ``--bbox-score-threshold`` 0.5."""

NEAREST_BOXES = 0.4
"""Highest composite score of two options of a multiple-choice variant."""

RANDOM_BOXES = 10_000
"""Boxes drawn for the random baseline: its standard error is below 0.002 for baselines up to 0.04."""

IMAGE_SIZES = 4
"""Sizes of images whose random boxes are kept, 1.5 MB each."""


class BoundingBox(AnswerFormat[Box]):
    """A box in image pixels, right where its composite score is at least 0.5.

    Source: SpatialUAV, eval_spatialuav.py, the box questions of A2A_Object_Matching. Whether the published
    numbers are pixels or thousandths is not said there; the context's image size is checked only where given.
    """

    __slots__ = ()
    id = "bbox"
    title = "Box"
    meaning = "a box as x1, y1, x2, y2"
    prompt = "Reply with one box in image pixels, formatted exactly like: [x1, y1, x2, y2]"
    metrics = (
        MetricRule(
            id="bbox_match",
            meaning="1 where the weighted sum of overlap, centre and size agreement reaches the threshold",
            required=("iou_weight", "centre_weight", "size_weight", "threshold"),
        ),
    )
    docs = FormatDocs(
        example="`[823, 189, 932, 249]`",
        value="box in image pixels",
        score="0 or 1",
        right_when="composite score at least 0.5",
        baseline="share of 10,000 fixed random boxes that pass",
        distractors="boxes of 0.2 to 2 times the sides, moved in the image; composite score at most 0.4",
    )
    scale = None

    def render(self, value: Box) -> str:
        """Return the corners as the benchmark's prompt asks for them."""
        return f"[{', '.join([write_number(number) for number in _corners(value)])}]"

    def perturbed(self, value: Box, *, key: Box, random: RandomSource, context: AnswerContext) -> Box:
        """Return a box of other sides, near the given one or anywhere in the image."""
        digits = 0 if all(float(number).is_integer() for number in _corners(key)) else 1
        return draw_box(value, digits=digits, random=random, size_px=context.image_size_px)

    def are_apart(self, one: Box, other: Box) -> bool:
        """Return whether two boxes stay well below the composite score that is right."""
        pairs = ((one, other), (other, one))
        return all(match_boxes(guess, truth=truth).composite <= NEAREST_BOXES for guess, truth in pairs)

    def likeness(self, one: Box, other: Box) -> float:
        """Return how near the corners are, in pixels below 0."""
        return -sum(abs(a - b) for a, b in zip(_corners(one), _corners(other), strict=True))

    def _parse_strict(self, text: str, context: AnswerContext, /) -> ParsedAnswer[Box]:
        corners = read_corners(text, scale=context.box_scale)
        if corners.value is None:
            return ParsedAnswer(reason=corners.reason)
        return ParsedAnswer(value=_box(corners.value))

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[Box]:
        numbers = published_ints(text)
        if numbers is None:
            return ParsedAnswer(reason=TOO_LONG)
        if len(numbers) < 4:
            return ParsedAnswer(reason="Fewer than four integers were found.")
        return ParsedAnswer(value=_box(numbers))

    def _score_compatible(self, prediction: str, key: str, context: AnswerContext, /) -> Score:
        truth = self._parse_compatible(key, context)
        if truth.value is None:
            # The task has two kinds of question; without four integers in its key it asks for a region.
            return RegionLabel().score(prediction, key, context=context, mode=Mode.COMPATIBLE)
        guess = self._parse_compatible(prediction, context)
        if guess.value is None:
            return unreadable(guess.reason, details=_details(BoxMatch(iou=0.0, center=0.0, size=0.0)))
        try:
            return self._compare(guess.value, truth.value)
        except OverflowError:
            # Integers that no float can hold stop the published script as well.
            return unreadable(TOO_LONG)

    def _compare(self, guess: Box, truth: Box, /) -> Score:
        match = match_boxes(guess, truth=truth)
        is_correct = match.composite >= PASS_SCORE
        return Score(score=float(is_correct), is_correct=is_correct, details=_details(match))

    def _problems(self, value: Box, context: AnswerContext, /) -> list[AnswerProblem]:
        problems = [*_extent_problems(value)]
        if context.image_size_px is not None:
            problems += _bounds_problems(value, *context.image_size_px)
        return problems

    def _baseline(self, truth: Box, context: AnswerContext, /) -> float | None:
        if context.image_size_px is None:
            return None
        # A box that shares nothing with the key has another centre or other sides, and scores below one half.
        near = (
            box
            for box in _random_boxes(*context.image_size_px)
            if box.x1 < truth.x2 and truth.x1 < box.x2 and box.y1 < truth.y2 and truth.y1 < box.y2
        )
        return sum(match_boxes(box, truth=truth).composite >= PASS_SCORE for box in near) / RANDOM_BOXES


def draw_box(near: Box, *, digits: int, random: RandomSource, size_px: tuple[int, int] | None) -> Box:
    """Return a random box as a wrong option beside another one, inside the image.

    Args:
        near: The other box.
        digits: Digits after the point.
        random: The draw.
        size_px: Width and height of the image, None if unknown.
    """
    is_anywhere = size_px is not None and random.below(2) == 0
    ranges = [
        _draw_side(low, high, random=random, limit=limit, is_anywhere=is_anywhere)
        for low, high, limit in zip(
            (near.x1, near.y1), (near.x2, near.y2), size_px or (FARTHEST_PX, FARTHEST_PX), strict=True
        )
    ]
    (x1, x2), (y1, y2) = ((round(low, digits), round(high, digits)) for low, high in ranges)
    return Box(x1=x1, y1=y1, x2=x2, y2=y2)


def _draw_side(
    low: float, high: float, *, random: RandomSource, limit: float, is_anywhere: bool
) -> tuple[float, float]:
    """Return a random range of pixels from 0 to a limit."""
    side = min((high - low) * random.between(20, 200) / 100, limit)
    moved = low + (high - low) * random.between(-200, 200) / 100
    start = random.between(0, int(limit)) if is_anywhere else moved
    start = max(0.0, min(start, limit - side))
    return start, start + side


def _corners(box: Box) -> tuple[float, float, float, float]:
    return box.x1, box.y1, box.x2, box.y2


def _box(numbers: Sequence[float]) -> Box:
    """Return the box of the first four numbers, sorted per axis: any two opposite corners are accepted."""
    x1, y1, x2, y2 = numbers[:4]
    return Box(x1=min(x1, x2), y1=min(y1, y2), x2=max(x1, x2), y2=max(y1, y2))


@functools.cache
def _unit_boxes() -> tuple[Box, ...]:
    """Return the fixed sample of boxes whose corners are uniform in the unit square."""
    draw = random.Random(0).random
    return tuple(_box((draw(), draw(), draw(), draw())) for _ in range(RANDOM_BOXES))


@functools.lru_cache(IMAGE_SIZES)
def _random_boxes(width: int, height: int) -> tuple[Box, ...]:
    """Return the fixed sample in an image of a size."""
    return tuple(
        Box(x1=x1 * width, y1=y1 * height, x2=x2 * width, y2=y2 * height)
        for x1, y1, x2, y2 in map(_corners, _unit_boxes())
    )


def _details(match: BoxMatch) -> dict[str, float]:
    return {
        "iou": match.iou,
        "center_score": match.center,
        "size_score": match.size,
        "composite_score": match.composite,
    }


def _extent_problems(box: Box) -> Iterator[AnswerProblem]:
    if max(map(abs, _corners(box))) <= 1:
        message = "All coordinates are from 0 to 1."
        yield AnswerProblem(field="x1, y1, x2, y2", message=message, advice="Enter image pixels.")
    advice = "Enter the left edge before the right edge and the upper edge before the lower edge."
    for low, high, names in ((box.x1, box.x2, "x1, x2"), (box.y1, box.y2, "y1, y2")):
        if not high - low >= SHORTEST:
            message = f"{low} to {high} is an empty range."
            yield AnswerProblem(field=names, message=message, advice=advice)
        if not -FARTHEST_PX <= low <= high <= FARTHEST_PX:
            message = f"{low} to {high} is outside any image."
            yield AnswerProblem(field=names, message=message, advice=f"Enter pixels up to {FARTHEST_PX:.0f}.")


def _bounds_problems(box: Box, width: int, height: int) -> Iterator[AnswerProblem]:
    for number, limit, name in zip(_corners(box), (width, height) * 2, ("x1", "y1", "x2", "y2"), strict=True):
        if not 0 <= number <= limit:
            message = f"{write_number(number)} is outside the image, 0 to {limit}."
            yield AnswerProblem(field=name, message=message, advice="Enter image pixels.")
