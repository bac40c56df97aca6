"""Region set: the regions that a question asks for, in any order (``Region 3, 4``)."""

from __future__ import annotations

from annotator.domain.answers.base import (
    NO_CONTEXT,
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    ParsedAnswer,
    Score,
    chance_of_subset,
    unreadable,
)
from annotator.domain.answers.distractors import exchange_members, region_pool
from annotator.domain.answers.numerals import TOO_LONG, published_ints
from annotator.domain.answers.region_parser import read_regions, region_problems, write_regions
from annotator.domain.answers.token_overlap import TokenOverlap
from annotator.domain.random_source import RandomSource


class RegionSet(AnswerFormat[frozenset[int]]):
    """Region ids without order, scored by recall; an answer with more regions than the answer key scores 0.

    Source: SpatialUAV, eval_spatialuav.py, Region_Recognition and Anomaly_Detection.
    """

    __slots__ = ()
    id = "region_set"
    title = "Set of regions"
    meaning = "one or more regions in any order"
    prompt = "Reply with the ids of the regions, formatted exactly like: Region 3, 4"
    metrics = (
        MetricRule(
            id="region_recall", meaning="share of the answer key's regions found; 0 if more regions are given"
        ),
    )
    docs = FormatDocs(
        example="`Region 3, 4`",
        value="set of region ids",
        score="recall, 0 for more regions than the answer key",
        right_when="sets equal",
        baseline="regions of the answer key / regions of the views",
        distractors="half of the regions or more exchanged for others of the views; half in common at most",
    )
    names_regions = True
    scale = "set"
    nearest_score = 0.5

    def on_scale(self, value: frozenset[int]) -> frozenset[int]:
        """Return the region ids."""
        return value

    def render(self, value: frozenset[int]) -> str:
        """Return the ids in rising order."""
        return write_regions(sorted(value))

    def _problems(self, value: frozenset[int], context: AnswerContext, /) -> list[AnswerProblem]:
        return region_problems(value, context=context)

    def guess_chance(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the chance of one set among all of as many regions."""
        truth = self.parse(key, context=context).value
        return None if truth is None else chance_of_subset(len(truth), of=len(context.all_region_ids))

    def perturbed(
        self,
        value: frozenset[int],
        *,
        key: frozenset[int],  # noqa: ARG002 - the value is as good
        random: RandomSource,
        context: AnswerContext,
    ) -> frozenset[int] | None:
        """Return a set with other regions of the same views in place of half of the regions or more."""
        pool = region_pool(value, views=context.region_ids)
        return exchange_members(value, pool=pool, random=random) or None

    def has_repeats(self, text: str, /) -> bool:
        """Return whether a text names one region twice."""
        regions = read_regions(text).value or ()
        return len(set(regions)) < len(regions)

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[frozenset[int]]:
        parsed = read_regions(text)
        return (
            ParsedAnswer(reason=parsed.reason)
            if parsed.value is None
            else ParsedAnswer(value=frozenset(parsed.value))
        )

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[frozenset[int]]:
        numbers = published_ints(text)
        if numbers is None:
            return ParsedAnswer(reason=TOO_LONG)
        return (
            ParsedAnswer(value=frozenset(numbers))
            if numbers
            else ParsedAnswer(reason="No integer was found.")
        )

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        guess, truth = published_ints(prediction), published_ints(key)
        if guess is None or truth is None:
            return unreadable(TOO_LONG)
        score = self._compare(frozenset(guess), frozenset(truth))
        if guess:
            return score
        # An empty answer equals an empty answer key: correct, with a recall of 0.
        return unreadable("No integer was found.", is_correct=not truth, details=score.details)

    def _compare(self, guess: frozenset[int], truth: frozenset[int], /) -> Score:
        # Naming every region would have full recall, so an answer longer than the answer key scores 0.
        shared = TokenOverlap(matched=len(guess & truth), guessed=len(guess), expected=len(truth))
        is_oversized = len(guess) > len(truth)
        return Score(
            score=0.0 if is_oversized else shared.recall,
            is_correct=guess == truth,
            details={**shared.details("regions"), "is_oversized": float(is_oversized)},
        )

    def _baseline(self, truth: frozenset[int], context: AnswerContext, /) -> float | None:
        # Each of as many distinct regions as the key has is right with probability size of key / regions.
        count = len(context.all_region_ids)
        return len(truth) / count if len(truth) <= count else None
