"""The results of evaluation runs that were started together: accuracy by model and input variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from annotator.domain.eval_settings import EvaluationSettings
from annotator.domain.input_variants import FrameOrder, Variants, variant_title
from annotator.domain.profile import ModelProfile
from annotator.domain.record import ValueObject
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.accuracy import Accuracy, accuracy_of
from annotator.quality.predictions import (
    ItemPrediction,
    ItemPredictionKind,
    ItemPredictions,
    collect_predictions,
)
from annotator.queries.reader import Reader

NO_ANSWER: frozenset[ItemPredictionKind] = frozenset({"unparsed", "empty"})
"""Replies without an answer: they count as wrong, since the model was asked and has replied."""


class VariantResult(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The answers of one model under one input variant.

    Attributes:
        run: Id of the run.
        model: Name of the model profile.
        longest_px: Longer side that images were reduced to, 0 for no reduction.
        frames: Maximum number of frames of a video.
        frame_order: Order of the frames.
        input: The part of the input that is sent, "" for the whole.
        items: Number of items with an answer or a reply without one.
        accuracy: Share of correct answers, None without any.
        unparsed: Replies from which no answer could be read, which count as wrong.
        open: Requests without a reply so far, or whose call failed; they do not count.
    """

    run: str
    model: str
    longest_px: int
    frames: int
    frame_order: str
    input: str
    items: int
    accuracy: Accuracy | None
    unparsed: int
    open: int


def evaluation_settings(run: Run) -> EvaluationSettings:
    """Return the settings of an evaluation run."""
    return msgspec.convert(run.settings, EvaluationSettings)


def runs_of_study(runs: Iterable[Run], run: Run) -> list[Run]:
    """Return the evaluation runs that were started together with a run, oldest first."""
    study = run.settings.get("study", "")
    together = [one for one in runs if one.kind == "evaluation" and one.settings.get("study", "") == study]
    return sorted(together, key=_id_of) if study else [run]


def study_results(reader: Reader, run: Run, *, progress: Progress) -> list[VariantResult]:
    """Return the results of the runs that were started together with a run, by model and variant.

    Raises:
        Cancelled: The user stopped it.
    """
    results = []
    for one in runs_of_study(reader.runs.all(), run):
        predictions = collect_predictions(reader, one, progress=progress)
        results += [_result(one, model, predictions) for model in one.models]
    return sorted(results, key=_sort_key)


def _result(run: Run, model: str, items: Sequence[ItemPredictions]) -> VariantResult:
    given = evaluation_settings(run).given
    visuals = given.visuals_of(msgspec.convert(run.profiles[model], ModelProfile).stated_visuals)
    own = [entry.of_model(model) for entry in items]
    counts = Counter(one.kind for predictions in own for one in predictions)
    judged = [list(map(_counted, predictions)) for predictions in own]
    return VariantResult(
        run=run.id,
        model=model,
        longest_px=visuals.longest_px,
        frames=visuals.frames,
        frame_order=_frame_order(given.variants),
        input=variant_title(tuple(one for one in given.variants if one.ablates not in {None, "order"})),
        items=sum(any(one.is_right is not None for one in predictions) for predictions in judged),
        accuracy=accuracy_of(judged),
        unparsed=sum(counts[kind] for kind in NO_ANSWER),
        open=counts["unasked"] + counts["error"] + counts["outdated"],
    )


def _frame_order(variants: Variants) -> str:
    orders = [one.order for one in variants if isinstance(one, FrameOrder)]
    return orders[-1] if orders else "forward"


def _counted(prediction: ItemPrediction) -> ItemPrediction:
    if prediction.kind in NO_ANSWER:
        return msgspec.structs.replace(prediction, is_right=False)
    return prediction


def _id_of(run: Run) -> str:
    return run.id


def _sort_key(result: VariantResult) -> tuple[str, int, int, str, str, str]:
    return (
        result.model,
        result.longest_px,
        result.frames,
        result.frame_order,
        result.input,
        result.run,
    )
