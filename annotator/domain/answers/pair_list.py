"""Pair list: regions of two views that are the same thing (``3-15, 4-5``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

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
from annotator.domain.answers.distractors import region_pool
from annotator.domain.answers.numerals import TOO_LONG, has_digit
from annotator.domain.answers.region_parser import id_problems
from annotator.domain.answers.reply_text import extract_answer, is_negated, one_line
from annotator.domain.answers.token_overlap import overlap
from annotator.domain.random_source import RandomSource

# SpatialUAV, eval_spatialuav.py: (\d+)\s*-\s*(\d+), so only the plain hyphen joins, and "1-2-3" gives 1-2.
# It finds the same pairs in this form, and does not take minutes over a reply of ten thousand digits.
_PUBLISHED_PAIR = re.compile(r"(?<!\d)(\d++)\s*+-\s*+(\d+)")

# Ours takes dashes, arrows and brackets as well, but no chain like "1-2-3", which has two readings.
_ID = r"(?:region ?)?([0-9]{1,6})(?![0-9]|\.[0-9])"
_PAIR = re.compile(
    rf"(?<![0-9.A-Za-z-])(?:{_ID} ?(?:<?-+>?|=+>?|:) ?{_ID}(?! ?[-=:]+>? ?[0-9])"
    rf"|[\[(] ?{_ID}, ?{_ID} ?[\])])",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\bor\b|或", re.IGNORECASE)
# "Regions 1-5" is a range.
_RANGE = re.compile(r"\b(?:regions|ids?|from) ?[0-9]{1,6} ?-|[0-9] ?(?:\bto\b|到|至) ?[0-9]", re.IGNORECASE)
# "Image 1 and Image 2 share 3-15": these numbers are no regions that were left out of a pair.
_VIEW_NAME = re.compile(
    r"\b(?:image|view|uav|img) ?([0-9]{1,2})\b|(?:图像?|视角) ?([0-9]{1,2})", re.IGNORECASE
)


class RegionPair(msgspec.Struct, frozen=True, order=True):
    """A region of the first view and the region of the second that shows the same thing.

    Attributes:
        first: Neutral id in the first view.
        second: Neutral id in the second view.
    """

    first: int
    second: int


class PairList(AnswerFormat[frozenset[RegionPair]]):
    """Directed region pairs without order, scored by F1.

    Source: SpatialUAV, eval_spatialuav.py, A2A_Shared_Association and A2G_Shared_Association. The script
    counts a pair as often as it is named; ours counts it once.
    """

    __slots__ = ()
    id = "pair_list"
    title = "List of pairs"
    meaning = "pairs of regions, one region per view"
    prompt = "Reply with all pairs of regions, the one of image 1 first, formatted exactly like: 3-15, 4-5"
    metrics = (MetricRule(id="pair_f1", meaning="F1 over pairs"),)
    docs = FormatDocs(
        example="`3-15, 4-5`",
        value="set of pairs, first view first",
        score="F1 of directed pairs",
        right_when="sets equal",
        baseline="pairs of the answer key / possible pairs",
        distractors="half of the pairs or more exchanged for other regions of the views; F1 at most 0.5",
    )
    names_regions = True
    scale = "set"
    nearest_score = 0.5

    def on_scale(self, value: frozenset[RegionPair]) -> frozenset[RegionPair]:
        """Return the pairs."""
        return value

    def render(self, value: frozenset[RegionPair]) -> str:
        """Return the pairs in rising order."""
        return ", ".join([f"{pair.first}-{pair.second}" for pair in sorted(value)])

    def guess_chance(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the chance of one set among all of as many pairs of the first two views."""
        truth = self.parse(key, context=context).value
        views = context.region_ids
        if truth is None or len(views) < 2:
            return None
        return chance_of_subset(len(truth), of=len(views[0]) * len(views[1]))

    def perturbed(
        self,
        value: frozenset[RegionPair],
        *,
        key: frozenset[RegionPair],  # noqa: ARG002 - the value is as good
        random: RandomSource,
        context: AnswerContext,
    ) -> frozenset[RegionPair] | None:
        """Return as many pairs, half of them or more with other regions of the same two views."""
        views = (*context.region_ids, frozenset(), frozenset())
        kept = random.sample(sorted(value), random.below(len(value) // 2 + 1))
        firsts, seconds = (
            _free_regions(_ids(value, at=at), view=views[at], used={*_ids(kept, at=at)}) for at in range(2)
        )
        missing = len(value) - len(kept)
        pairs = zip(random.sample(firsts, missing), random.sample(seconds, missing), strict=False)
        return frozenset(kept) | {RegionPair(*pair) for pair in pairs} or None

    def has_repeats(self, text: str, /) -> bool:
        """Return whether a text names one pair twice."""
        pairs = _PAIR.findall(_plain(text))
        return len(set(pairs)) < len(pairs)

    def _parse_strict(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[frozenset[RegionPair]]:
        part = _plain(text)
        found = _PAIR.findall(part)
        if not found:
            return ParsedAnswer(reason="No pair like 3-15 was found.")
        if is_negated(part):
            return ParsedAnswer(reason="The answer contains negated pairs.")
        # A number that is left may be a region whose partner was not understood: half an answer is none.
        if has_digit(_VIEW_NAME.sub("", _PAIR.sub("", part))):
            return ParsedAnswer(reason="The answer contains numbers outside the pairs.")
        if _ALTERNATIVE.search(part) or _RANGE.search(part) or _is_reversed(part):
            return ParsedAnswer(
                reason="The pairs are alternatives, a range, or in the order of the other view first."
            )
        return ParsedAnswer(value=frozenset(_pair(groups) for groups in found))

    def _parse_compatible(self, text: str, _context: AnswerContext, /) -> ParsedAnswer[frozenset[RegionPair]]:
        pairs = _published_pairs(text)
        if pairs is None:
            return ParsedAnswer(reason=TOO_LONG)
        return ParsedAnswer(value=frozenset(pairs)) if pairs else ParsedAnswer(reason="No pair was found.")

    def _score_compatible(self, prediction: str, key: str, _context: AnswerContext, /) -> Score:
        guess, truth = _published_pairs(prediction), _published_pairs(key)
        if guess is None or truth is None:
            return unreadable(TOO_LONG)
        score = _score(guess, truth)
        if guess:
            return score
        return unreadable("No pair was found.", is_correct=score.is_correct, details=score.details)

    def _compare(self, guess: frozenset[RegionPair], truth: frozenset[RegionPair], /) -> Score:
        return _score(sorted(guess), sorted(truth))

    def _problems(self, value: frozenset[RegionPair], context: AnswerContext, /) -> list[AnswerProblem]:
        if not value:
            return [
                AnswerProblem(
                    field="pairs", message="The answer contains no pair.", advice="Enter at least one pair."
                )
            ]
        return [*_impossible(value), *_unknown(value, context)]

    def _baseline(self, truth: frozenset[RegionPair], context: AnswerContext, /) -> float | None:
        if len(context.region_ids) < 2:
            return None
        # As many pairs guessed as the key has: precision, recall and F1 are one and the same.
        possible = len(context.region_ids[0]) * len(context.region_ids[1])
        return len(truth) / possible if len(truth) <= possible else None


def _ids(pairs: Iterable[RegionPair], *, at: int) -> list[int]:
    """Return the regions of one view."""
    return [(pair.first, pair.second)[at] for pair in pairs]


def _free_regions(named: Sequence[int], *, view: frozenset[int], used: set[int]) -> list[int]:
    """Return the regions of a view that no pair has yet."""
    return [number for number in region_pool(named, views=(view,)) if number not in used]


def _plain(text: str) -> str:
    """Return the answer with one blank for each run of them, which is all that the patterns expect."""
    return " ".join(one_line(extract_answer(text)).split())


def _pair(groups: Sequence[str]) -> RegionPair:
    first, second = [int(digits) for digits in groups if digits]
    return RegionPair(first, second)


def _is_reversed(part: str) -> bool:
    """Return whether the views are named with a later one first, so that the pairs may be turned round."""
    views = [int(digits) for groups in _VIEW_NAME.findall(part) for digits in groups if digits]
    return views[:2] != sorted(views[:2])


def _published_pairs(text: str) -> list[RegionPair] | None:
    try:
        return [RegionPair(int(first), int(second)) for first, second in _PUBLISHED_PAIR.findall(text)]
    except ValueError:
        return None


def _score(guess: Sequence[RegionPair], truth: Sequence[RegionPair]) -> Score:
    shared = overlap(guess, truth)
    is_correct = shared.matched == shared.guessed == shared.expected
    return Score(score=shared.f1, is_correct=is_correct, details=shared.details("pairs"))


def _impossible(pairs: frozenset[RegionPair]) -> list[AnswerProblem]:
    return id_problems({number for pair in pairs for number in (pair.first, pair.second)}, field="pairs")


def _unknown(pairs: frozenset[RegionPair], context: AnswerContext) -> list[AnswerProblem]:
    problems = []
    for index, ids in enumerate(context.region_ids[:2]):
        named = {(pair.first, pair.second)[index] for pair in pairs}
        strangers = sorted(named - ids) if ids else []
        if strangers:
            message = f"Not in view {index + 1}: {', '.join(map(str, strangers))}."
            problems.append(AnswerProblem(field="pairs", message=message, advice="Use regions of the view."))
    return problems
