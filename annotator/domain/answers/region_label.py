"""Region label: one region, or several in the order asked for (``Region 3``)."""

from __future__ import annotations

import math

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    ParsedAnswer,
    Score,
    right_or_wrong,
    unreadable,
)
from annotator.domain.answers.distractors import region_pool
from annotator.domain.answers.numerals import TOO_LONG, published_ints
from annotator.domain.answers.region_parser import read_regions, region_problems, write_regions
from annotator.domain.random_source import RandomSource


class RegionLabel(AnswerFormat[tuple[int, ...]]):
    """Region ids in order; right only where the whole list is equal.

    Source: SpatialUAV, eval_spatialuav.py, Distance_Comparison, A2A_Occlusion_Removal, A2G_View_Translation
    and the region questions of A2A_Object_Matching.
    """

    __slots__ = ()
    id = "region_label"
    title = "Region label"
    meaning = "one region, or several in a fixed order"
    prompt = (
        "Reply with the id of the region, or several in the order asked for, formatted exactly like: Region 3"
    )
    docs = FormatDocs(
        example="`Region 3`",
        value="region ids in order",
        score="0 or 1",
        right_when="lists equal",
        baseline="1 / ordered selections of the answer key's length",
        distractors="other regions of the views, or another order; half of the places in common at most",
    )
    names_regions = True

    def render(self, value: tuple[int, ...]) -> str:
        """Return the ids in their order."""
        return write_regions(value)

    def perturbed(
        self,
        value: tuple[int, ...],
        *,
        key: tuple[int, ...],  # noqa: ARG002 - the value is as good
        random: RandomSource,
        context: AnswerContext,
    ) -> tuple[int, ...] | None:
        """Return as many regions of the same views, for a list at times the same in another order."""
        is_reordered = len(value) > 1 and random.below(2) == 0
        pool = value if is_reordered else region_pool(value, views=context.region_ids)
        return tuple(random.sample(pool, len(value)))

    def are_apart(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Return whether two lists have other regions in half of their places or more."""
        return one != other and 2 * _shared_positions(one, other) <= max(len(one), len(other))

    def likeness(self, one: tuple[int, ...], other: tuple[int, ...]) -> float:
        """Return how many regions, and how many places, two lists have in common."""
        return float(len(set(one) & set(other)) + _shared_positions(one, other))

    def _problems(self, value: tuple[int, ...], context: AnswerContext, /) -> list[AnswerProblem]:
        problems = region_problems(value, context=context)
        if len(set(value)) < len(value):
            message = f"A region occurs twice: {self.render(value)}."
            problems.append(AnswerProblem(field="regions", message=message, advice="Enter each region once."))
        return problems

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[tuple[int, ...]]:
        return read_regions(text)

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[tuple[int, ...]]:
        numbers = published_ints(text)
        if numbers is None:
            return ParsedAnswer(reason=TOO_LONG)
        return ParsedAnswer(value=tuple(numbers)) if numbers else ParsedAnswer(reason="No integer was found.")

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        guess, truth = published_ints(prediction), published_ints(key)
        if guess is None or truth is None:
            return unreadable(TOO_LONG)
        if guess:
            return right_or_wrong(is_correct=guess == truth)
        return unreadable("No integer was found.", score=float(not truth), is_correct=not truth)

    def _compare(self, guess: tuple[int, ...], truth: tuple[int, ...], /) -> Score:
        return right_or_wrong(is_correct=guess == truth)

    def _baseline(self, truth: tuple[int, ...], context: AnswerContext, /) -> float | None:
        # One over the number of ordered selections as long as the key; more than there are cannot be drawn.
        count = len(context.all_region_ids)
        return 1 / math.perm(count, len(truth)) if len(truth) <= count else None


def _shared_positions(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(first == second for first, second in zip(one, other, strict=False))
