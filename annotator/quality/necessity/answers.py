"""The answers of a study by item and input: how sure models are with the whole input, and without a part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from annotator.domain.answer_groups import is_same
from annotator.domain.input_variants import AnyVariant, FrameOrder, InputPart, WrongImages, variant_title
from annotator.domain.item import Item
from annotator.domain.medium import VIDEO_TYPES, Medium
from annotator.domain.record import ValueObject
from annotator.domain.run import Run
from annotator.domain.study import variants_of
from annotator.progress import Progress
from annotator.quality.predictions import ItemPrediction, collect_predictions
from annotator.quality.study_results import NO_ANSWER
from annotator.queries.reader import Reader

Voter = tuple[str, str]
"""A model, and the title of the variants that its runs share: sizes and numbers of frames."""


class Sureness(ValueObject, frozen=True, kw_only=True):
    """The answers to one item under one input, over all models and repetitions; each model weighs the same.

    Attributes:
        right: Share of right answers, 0 to 1.
        wrong: Share of the most frequent wrong answer.
        answers: Number of each answer by model, "" for replies without one.
    """

    right: float
    wrong: float
    answers: dict[str, dict[str, int]]

    @property
    def is_right(self) -> bool:
        """Whether more than half of the answers are right."""
        return self.right > 0.5


class InputComparison(ValueObject, frozen=True, kw_only=True):
    """One item with the whole input and without a part of it, by the models that answered both.

    Attributes:
        item: The item.
        part: The part that is taken away.
        input: Title of the input without it.
        whole: The answers with the whole input.
        without: The answers without the part.
    """

    item: Item
    part: InputPart
    input: str
    whole: Sureness
    without: Sureness


@dataclass
class _InputAnswers:
    """Answers under one input: by item, then by voter."""

    part: InputPart | None = None
    items: dict[str, dict[Voter, list[ItemPrediction]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )


def compare_inputs(reader: Reader, runs: Iterable[Run], *, progress: Progress) -> list[InputComparison]:
    """Return the comparisons of each item, input by input in the order of the runs.

    Runs that take two parts away at once are not compared: it would not be known which part is needed.

    Args:
        reader: The project.
        runs: Evaluation runs that were started together.
        progress: Counts the answers; may cancel.

    Raises:
        Cancelled: The user stopped it.
    """
    items: dict[str, Item] = {}
    inputs: dict[str, _InputAnswers] = {"": _InputAnswers()}
    for run in runs:
        parts, shared = _divided(run)
        if len(parts) > 1:
            continue
        answers = inputs.setdefault(_title(parts), _InputAnswers())
        answers.part = parts[0].ablates if parts else None
        for entry in collect_predictions(reader, run, progress=progress):
            items[entry.item.id] = entry.item
            for prediction in entry.predictions:
                if prediction.kind in NO_ANSWER or prediction.is_right is not None:
                    answers.items[entry.item.id][prediction.model, shared].append(prediction)
    whole = inputs.pop("")
    media = _Media(reader)
    return [
        comparison
        for title, without in inputs.items()
        for comparison in _comparisons(items, whole, without, title=title, media=media)
    ]


def _divided(run: Run) -> tuple[list[AnyVariant], str]:
    """Return the variants of a run that take a part away, and the title of the others."""
    variants = variants_of(run)
    others = (one for one in variants if not one.ablates and not isinstance(one, FrameOrder))
    return [one for one in variants if one.ablates], variant_title(tuple(others))


def _title(parts: Sequence[AnyVariant]) -> str:
    # All draws together: only who is right with each of them has not read the answer from a wrong image.
    return (
        WrongImages().title if any(one.ablates == "scene" for one in parts) else variant_title(tuple(parts))
    )


class _Media:
    """Tells which items have a video."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._is_video: dict[str, bool] = {}

    def has_video(self, item: Item) -> bool:
        return any(self._is_a_video(medium) for medium in item.media)

    def _is_a_video(self, medium: str) -> bool:
        if medium not in self._is_video:
            known = self._reader.get(Medium, medium)
            self._is_video[medium] = known is not None and known.media_type in VIDEO_TYPES
        return self._is_video[medium]


def _comparisons(
    items: dict[str, Item], whole: _InputAnswers, without: _InputAnswers, *, title: str, media: _Media
) -> Iterator[InputComparison]:
    for item_id, by_voter in without.items.items():
        item = items[item_id]
        if without.part is None or (without.part == "order" and not media.has_video(item)):
            continue
        both = [voter for voter in whole.items.get(item_id, {}) if voter in by_voter]
        if both:
            yield InputComparison(
                item=item,
                part=without.part,
                input=title,
                whole=_sureness(item, {voter: whole.items[item_id][voter] for voter in both}),
                without=_sureness(item, {voter: by_voter[voter] for voter in both}),
            )


def _sureness(item: Item, by_voter: dict[Voter, list[ItemPrediction]]) -> Sureness:
    right, wrong = 0.0, _WrongAnswers(item)
    counts: dict[str, dict[str, int]] = {}
    for (model, shared), predictions in by_voter.items():
        weight = 1 / (len(predictions) * len(by_voter))
        own = counts.setdefault(" · ".join(filter(None, (model, shared))), {})
        for prediction in predictions:
            own[prediction.answer] = own.get(prediction.answer, 0) + 1
            right += weight * bool(prediction.is_right)
            if prediction.answer and not prediction.is_right:
                wrong.add(prediction.answer, weight)
    # Sums of shares such as 1/3 miss 1 by a rounding error, which comparisons would see.
    return Sureness(right=round(right, 9), wrong=round(wrong.most, 9), answers=counts)


class _WrongAnswers:
    """Shares of the wrong answers to an item; equal answers together."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self._shares: dict[str, float] = {}

    @property
    def most(self) -> float:
        return max(self._shares.values(), default=0.0)

    def add(self, answer: str, weight: float) -> None:
        same = next((one for one in self._shares if is_same(one, answer, item=self._item)), answer)
        self._shares[same] = self._shares.get(same, 0.0) + weight


def evidence_answers(comparisons: Sequence[InputComparison]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the numbers of answers of an item by input and model; "" is the whole input."""
    return {"": comparisons[0].whole.answers} | {one.input: one.without.answers for one in comparisons}
