"""What all answer formats share: context, parsed value, problem, score, and the class they derive from."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Generic, Literal, TypeVar

from annotator.domain.answers.box_scale import BoxScale
from annotator.domain.item import Option
from annotator.domain.random_source import RandomSource
from annotator.domain.record import ValueObject

V = TypeVar("V")
Scale = Literal["nominal", "ordinal", "interval", "circular", "set"]
"""How far two answers are apart. ``nominal``: equal or not; ``ordinal``: by rank; ``interval``: by the
difference of numbers; ``circular``: by the angle between directions in degrees; ``set``: by shared labels."""

LONGEST_REPLY = 1_000_000
"""Characters of the longest text that is read strictly, thoughts included; a longer one is unparsed.

No model writes more in one turn (128,000 tokens are about 500,000 characters), but an imported cell may. A
longer text is refused, not truncated: a part alone cannot show that the rest contains no other answer. Every
pattern of a format must read texts up to this limit in linear time. Published scripts have no such limit, and
so the compatible mode has none.
"""


class Mode(StrEnum):
    """Whose rules read and score an answer.

    ``STRICT`` is Vantage's own mode: text that is not certain to be an answer is unparsed. ``COMPATIBLE``
    equals the benchmark's own published script to the last digit, including its faults, so that figures can
    be compared with its paper.
    """

    STRICT = "strict"
    COMPATIBLE = "compatible"


class LetterRules(StrEnum):
    """The benchmark whose script selects the option letter in compatible mode."""

    SPATIALUAV = "spatialuav"
    AIRCOP = "aircop"
    URBANVIDEO = "urbanvideo"


class AnswerContext(ValueObject, frozen=True, kw_only=True):
    """The data that an answer may refer to. All of it is optional; unknown values are not checked.

    Attributes:
        options: The item's choices in the order shown.
        letter_rules: The benchmark whose script selects the letter in compatible mode.
        region_ids: Per view, in the order of the item's media, the neutral ids that exist there; an empty
            set for a view whose regions are not known.
        image_size_px: Width and height of the picture that boxes refer to.
        max_distance_m: Largest distance that the task asks for, for the random baseline of distances.
        box_scale: Scale of boxes in a model's reply, None for pixels of the image.
    """

    options: tuple[Option, ...] = ()
    letter_rules: LetterRules = LetterRules.SPATIALUAV
    region_ids: tuple[frozenset[int], ...] = ()
    image_size_px: tuple[int, int] | None = None
    max_distance_m: float | None = None
    box_scale: BoxScale | None = None

    @property
    def letters(self) -> str:
        """The letters that can be answered, "" where the options are not known."""
        return "".join([option.letter for option in self.options])

    @property
    def all_region_ids(self) -> frozenset[int]:
        """The region ids of all views together."""
        return frozenset().union(*self.region_ids)


NO_CONTEXT = AnswerContext()


class ParsedAnswer(ValueObject, Generic[V], frozen=True, kw_only=True):
    """A value that was read from text, or the reason why none could be.

    Attributes:
        value: The value, None where the text could not be read.
        reason: Why it could not be read; "" if it was read.
    """

    value: V | None = None
    reason: str = ""

    @property
    def is_parsed(self) -> bool:
        """Whether there is a value."""
        return self.value is not None


class AnswerProblem(ValueObject, frozen=True, kw_only=True):
    """One problem of a value.

    Attributes:
        field: The part of the answer concerned, for instance ``regions`` or ``x2``.
        message: The problem, with the value.
        advice: How to correct it.
    """

    field: str
    message: str
    advice: str


class Score(ValueObject, frozen=True, kw_only=True):
    """The score of one prediction.

    Attributes:
        score: 0.0 to 1.0 under the format's metric.
        is_correct: Whether it counts as right, which for graded metrics is more than ``score > 0``.
        is_parsed: Whether the prediction could be read. Unread ones score 0 and are counted apart.
        is_key_parsed: Whether the key could be read. If not, the item cannot be scored and is to be excluded.
        is_counted: False where the published script leaves the row out of its denominator.
        reason: Why prediction or key could not be read, or "".
        details: Parts of the metric, all finite: ``iou``, ``angle_error_deg``, ``matched_pairs`` and so on.
    """

    score: float
    is_correct: bool
    is_parsed: bool = True
    is_key_parsed: bool = True
    is_counted: bool = True
    reason: str = ""
    details: Mapping[str, float] = {}


class MetricRule(ValueObject, frozen=True, kw_only=True):
    """A metric that a task set can name.

    Attributes:
        id: Its name in a task set.
        meaning: What it measures.
        required: Required parameters.
        optional: Optional parameters.
    """

    id: str
    meaning: str
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


class FormatDocs(ValueObject, frozen=True, kw_only=True):
    """The row of a format in the table of docs/answers.md.

    Attributes:
        example: A canonical text.
        value: What a parsed value is.
        score: The score under the strict rules.
        right_when: When an answer counts as right.
        baseline: What a random answer scores.
        distractors: How wrong options of a multiple-choice variant are drawn, and how far apart options are;
            "" where none can be.
    """

    example: str
    value: str
    score: str
    right_when: str
    baseline: str
    distractors: str = ""


class AnswerFormat(ABC, Generic[V]):
    """One answer format: reads, writes, checks and scores answers of its kind. Has no state.

    Attributes:
        id: Name in items and task sets.
        title: Displayed name.
        meaning: What an answer is, in words that continue 'the answer is'.
        prompt: Instruction to a model about the form of its answer; ``{letters}`` is replaced by the valid
            letters.
        docs: The row in the documents.
        metrics: Metrics that score it beside ``equality``, which scores every text.
        has_options: Whether its items have options.
        names_regions: Whether an answer names regions by their numbers.
        is_prose: Whether an answer is right only where the words are equal, so that models are asked only
            on request.
        is_scored: Whether a task has to name a metric for it.
        scale: How far two answers are apart when the agreement of people is measured; None where only their
            mean score tells, as for boxes.
        nearest_score: Highest score that an option of a multiple-choice variant has against another one.
    """

    __slots__ = ()

    id: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str]
    prompt: ClassVar[str]
    docs: ClassVar[FormatDocs]
    metrics: ClassVar[tuple[MetricRule, ...]] = ()
    has_options: ClassVar[bool] = False
    names_regions: ClassVar[bool] = False
    is_prose: ClassVar[bool] = False
    is_scored: ClassVar[bool] = True
    scale: ClassVar[Scale | None] = "nominal"
    nearest_score: ClassVar[float] = 0.0

    def compared_text(self, value: V) -> str:
        """Return the text that equal answers of people share: by default the canonical one."""
        return self.render(value)

    def on_scale(self, value: V) -> Any:  # noqa: ANN401 - a text, a number or a set of labels
        """Return a value as it stands on the format's scale: by default its canonical text."""
        return self.render(value)

    def parse(
        self, text: str, *, context: AnswerContext = NO_CONTEXT, mode: Mode = Mode.STRICT
    ) -> ParsedAnswer[V]:
        """Read an answer from free text. Never raises, whatever the text."""
        if mode is Mode.COMPATIBLE:
            return self._parse_compatible(text, context)
        return self._read(text, context)

    @abstractmethod
    def render(self, value: V) -> str:
        """Return the canonical text of a value; ``parse`` reads the same value back from it."""

    def validate(self, value: V, *, context: AnswerContext = NO_CONTEXT) -> list[AnswerProblem]:
        """Return the problems of a value as an answer key; none if it is valid."""
        return self._problems(value, context)

    def random_baseline(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the expected strict score of a random answer, None where that is not defined or not known.

        The random answer is uniform over all answers of the key's own shape: as many regions, pairs or
        options as the key has. Guessing the number as well would score less.
        """
        # Strict also for compatible figures: published scripts have no baseline of their own.
        truth = self._read(key, context).value
        return None if truth is None else self._baseline(truth, context)

    def guess_chance(self, key: str, *, context: AnswerContext = NO_CONTEXT) -> float | None:
        """Return the probability that a random answer of the key's form is right, None if unknown.

        Formats whose scores are graded differ here from ``random_baseline``, which is a mean score.
        """
        return self.random_baseline(key, context=context)

    def canonical(self, text: str, *, context: AnswerContext = NO_CONTEXT) -> str | None:
        """Return the canonical text of an answer, or None where it cannot be read strictly."""
        value = self._read(text, context).value
        return None if value is None else self.render(value)

    def has_repeats(self, _text: str, /) -> bool:
        """Return whether a text names a part of the answer twice, which the canonical text does only once.

        Published scripts may count it twice, so that an answer key with repeats must stay unchanged.
        """
        return False

    def stored_key(self, text: str, *, context: AnswerContext = NO_CONTEXT) -> str | None:
        """Return an answer key as it is stored and released: canonical, but with its repeats.

        None where it cannot be read strictly.
        """
        canonical = self.canonical(text, context=context)
        return text if canonical is not None and self.has_repeats(text) else canonical

    def option_text(self, value: V) -> str:
        """Return the text of an option that stands for a value: by default the canonical one."""
        return self.render(value)

    def perturbed(
        self,
        value: V,  # noqa: ARG002 - formats with perturbations use them
        *,
        key: V,  # noqa: ARG002
        random: RandomSource,  # noqa: ARG002
        context: AnswerContext,  # noqa: ARG002
    ) -> V | None:
        """Return another value, drawn at random; None where the format has none.

        It may be too near to the given one: ``are_apart`` decides.

        Args:
            value: An option drawn so far.
            key: The answer key, which decides how values are written: how round, signed or not.
            random: The draw.
            context: What answers can refer to.
        """
        return None

    def are_apart(self, one: V, other: V) -> bool:
        """Return whether two values can be options of one question: neither is nearly right for the other."""
        scores = (self._compare(one, other), self._compare(other, one))
        return all(not score.is_correct and score.score <= self.nearest_score for score in scores)

    def likeness(self, one: V, other: V) -> float:
        """Return how much two values have in common, as options are compared without the images."""
        return self._compare(one, other).score + self._compare(other, one).score

    def score(
        self, prediction: str, key: str, *, context: AnswerContext = NO_CONTEXT, mode: Mode = Mode.STRICT
    ) -> Score:
        """Score a prediction against a key. Never raises, whatever the texts."""
        if mode is Mode.COMPATIBLE:
            return self._score_compatible(prediction, key, context)
        truth = self._read(key, context)
        # A prediction is not read where there is nothing to compare it with.
        guess = truth if truth.value is None else self._read(prediction, context)
        return self.score_parsed(guess, truth)

    def score_parsed(self, guess: ParsedAnswer[V], truth: ParsedAnswer[V]) -> Score:
        """Score a prediction against a key, both read strictly: what ``score`` does after reading.

        For comparing each of many texts with many others, each of which is then read once.
        """
        if truth.value is None:
            return unreadable_key(truth.reason)
        if guess.value is None:
            return unreadable(guess.reason)
        return self._compare(guess.value, truth.value)

    def _read(self, text: str, context: AnswerContext) -> ParsedAnswer[V]:
        if len(text) > LONGEST_REPLY:
            return ParsedAnswer(reason=f"The answer is too long ({len(text):,} characters).")
        return self._parse_strict(text, context)

    @abstractmethod
    def _parse_strict(self, text: str, context: AnswerContext, /) -> ParsedAnswer[V]: ...

    def _parse_compatible(self, text: str, context: AnswerContext, /) -> ParsedAnswer[V]:
        # Formats without a published script have only the strict rules.
        return self._read(text, context)

    def _score_compatible(self, prediction: str, key: str, context: AnswerContext, /) -> Score:
        return self.score(prediction, key, context=context)

    @abstractmethod
    def _compare(self, guess: V, truth: V, /) -> Score: ...

    @abstractmethod
    def _problems(self, value: V, context: AnswerContext, /) -> list[AnswerProblem]: ...

    @abstractmethod
    def _baseline(self, truth: V, context: AnswerContext, /) -> float | None: ...


def chance_of_subset(chosen: int, *, of: int) -> float | None:
    """Return the chance to draw one subset out of all of its size, None where there is none so large."""
    subsets = math.comb(of, chosen)
    return 1 / subsets if subsets else None


def unreadable(
    reason: str, *, is_correct: bool = False, score: float = 0.0, details: Mapping[str, float] | None = None
) -> Score:
    """Return the score of a prediction that could not be read.

    Args:
        reason: Why not, in words.
        is_correct: True only where a published script takes "nothing found" for the right answer.
        score: Above 0.0 only in the same case.
        details: Parts of the metric, as in ``Score``.
    """
    return Score(score=score, is_correct=is_correct, is_parsed=False, reason=reason, details=details or {})


def unreadable_key(reason: str) -> Score:
    """Return the score of an item whose key could not be read: it says nothing about the prediction."""
    return Score(score=0.0, is_correct=False, is_key_parsed=False, reason=f"Answer key: {reason}")


def right_or_wrong(*, is_correct: bool) -> Score:
    """Return the score of a format that knows only right and wrong."""
    return _RIGHT if is_correct else _WRONG


# Shared instances: scoring a hundred thousand letters must not create as many equal records.
_RIGHT = Score(score=1.0, is_correct=True)
_WRONG = Score(score=0.0, is_correct=False)
