"""Scores the predictions of several models against one release, and compares them on the items they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.answers import Mode
from annotator.errors import UserError
from annotator.importers.input_file import printable
from annotator.progress import Progress
from annotator.quality.agreement.coefficients import mean_coefficient
from annotator.scoring.evaluation import Evaluation, Evaluator, ProblemList, TextReadings, scorer_for
from annotator.scoring.model_predictions import (
    PredictionSource,
    distinct_names,
    require_models,
    split_by_model,
)
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.score_tables import PERCENT, ScoreTables, score_tables
from annotator.scoring.settled_texts import SettledTexts

ALL_TASKS = ""
"""The task of a difference that is over all tasks."""
Floats = npt.NDArray[np.float64]


class ScoringSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How predictions are scored; the same for all models of a comparison.

    Attributes:
        mode: Whose rules apply.
        scores_missing: Whether an item without a prediction scores 0.
        settled: Decisions of people on texts that cannot be read.
        seed: Of the intervals.
        only: Models to score; empty for all.
        readings: What a model read in texts that cannot be read and that people have not decided.
    """

    mode: Mode = Mode.STRICT
    scores_missing: bool = False
    settled: SettledTexts | None = None
    seed: int = 0
    only: Sequence[str] = ()
    readings: TextReadings | None = None


class ModelEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one model of a comparison.

    Attributes:
        model: Its name, which no other model of the comparison has.
        file: File or folder of its predictions.
        form_id: Id of the form of the file.
        form_reason: Why the file counts as of this form, in words.
        evaluation: The scores, over the items that the model has predictions of.
    """

    model: str
    file: Path
    form_id: str
    form_reason: str
    evaluation: Evaluation


class SharedCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """Over which items models are compared.

    Attributes:
        items: Number of items in the release.
        scored_by_any: Items that count for at least one model.
        scored_by_all: Items that count for every model: the common ones.
        statement: The same in one sentence.
    """

    items: int
    scored_by_any: int
    scored_by_all: int
    statement: str


class ScoreDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The score of one model minus that of another, over the items that count for both.

    The intervals are 95 % bootstrap intervals of the paired differences: the items are drawn, each with its
    scores of both models. None where there are fewer than two items.

    Attributes:
        first: The model.
        second: The one that is subtracted.
        task: ``set/task``, ``ALL_TASKS`` for all tasks.
        items: Number of items that count for both.
        score: Difference of the mean scores in percentage points.
        score_low: Lower end of its interval.
        score_high: Upper end.
        exact: Difference of the shares of right answers in percentage points.
        exact_low: Lower end of its interval.
        exact_high: Upper end.
    """

    first: str
    second: str
    task: str
    items: int
    score: float | None
    score_low: float | None
    score_high: float | None
    exact: float | None
    exact_low: float | None
    exact_high: float | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Several models on one release.

    Attributes:
        mode: Whose rules apply.
        models: The models, in the order of the files, and in a file in the order of their first row.
        coverage: Over which items they are compared.
        common_indices: Positions of the common items in the release.
        common: The scores of each model over the common items, by name.
        differences: Of each pair of models, over all tasks and by task.
        problems: What belongs to no single model: rows without the name of one, decisions that none needed.
    """

    mode: Mode
    models: Sequence[ModelEvaluation]
    coverage: SharedCoverage
    common_indices: Sequence[int]
    common: Mapping[str, ScoreTables]
    differences: Sequence[ScoreDifference]
    problems: ProblemList

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the models, in order."""
        return tuple(one.model for one in self.models)

    @property
    def tables(self) -> dict[str, ScoreTables]:
        """The scores of each model over its own items, by name."""
        return {one.model: one.evaluation.tables for one in self.models}

    @property
    def scored_indices(self) -> list[int]:
        """Positions of the items that are scored for at least one model."""
        return sorted({one.position for model in self.models for one in model.evaluation.scored})


def compare_predictions(
    released: ReleasedItems,
    files: Sequence[PredictionSource],
    settings: ScoringSettings | None = None,
    *,
    progress: Progress,
) -> Comparison:
    """Score the models of some files, and compare them.

    Args:
        released: The items.
        files: Predictions of one model or of several in each.
        settings: How they are scored.
        progress: Counts predictions, then pairs of models; may cancel.

    Raises:
        UserError: A file is given twice or damaged as a whole, or a chosen model is in none.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    chosen = settings or ScoringSettings()
    _require_distinct([file.path for file in files])
    problems = ProblemList()
    models = _evaluated(released, files, chosen, problems=problems, progress=progress)
    if chosen.settled is not None:
        for problem in (*chosen.settled.problems, *chosen.settled.unused()):
            problems.add(problem)
    shared = _shared_items(models)
    any_count = len({index for one in models for index in _counted(one.evaluation)})
    return Comparison(
        mode=chosen.mode,
        models=models,
        coverage=_coverage(len(released.items), any_count, len(shared), models=len(models)),
        common_indices=sorted(shared),
        common={one.model: _common_tables(one.evaluation, shared, released, chosen.seed) for one in models},
        differences=list(_differences(models, released, seed=chosen.seed, progress=progress)),
        problems=problems,
    )


def _require_distinct(paths: Sequence[Path]) -> None:
    known: set[Path] = set()
    for path in paths:
        if path.resolve() in known:
            raise UserError(
                f"{printable(str(path))} is given twice.", hint="Name each file of predictions once."
            )
        known.add(path.resolve())


def _evaluated(
    released: ReleasedItems,
    files: Sequence[PredictionSource],
    settings: ScoringSettings,
    *,
    problems: ProblemList,
    progress: Progress,
) -> list[ModelEvaluation]:
    """Return the scores of each model that was chosen, under distinct names."""
    models: list[ModelEvaluation] = []
    known: list[str] = []
    # Of all models: short answers recur, and all models are compared with the same answer keys.
    scorer = scorer_for(released, mode=settings.mode)
    for file in files:
        split = split_by_model(file, progress=progress)
        for problem in split.problems:
            problems.add(problem)
        # Also those that are not chosen: the hint about a name that no file has lists them.
        known += [own.model for own in split.models]
        for own in split.models:
            if settings.only and own.model not in settings.only:
                continue
            evaluator = Evaluator(
                released,
                mode=settings.mode,
                model=own.model,
                settled=settings.settled,
                scores_missing=settings.scores_missing,
                readings=settings.readings,
                scorer=scorer,
            )
            evaluation = evaluator.evaluate(own.entries, seed=settings.seed, progress=progress)
            models.append(_named(own.model, file, evaluation))
    require_models(settings.only, known)
    names = distinct_names([(one.model, one.file) for one in models])
    return [msgspec.structs.replace(one, model=name) for one, name in zip(models, names, strict=True)]


def _named(model: str, file: PredictionSource, evaluation: Evaluation) -> ModelEvaluation:
    return ModelEvaluation(
        model=model,
        file=file.path,
        form_id=file.form.id,
        form_reason=file.reason,
        evaluation=evaluation,
    )


def _counted(evaluation: Evaluation) -> set[int]:
    return {one.position for one in evaluation.scored if one.is_counted}


def _shared_items(models: Sequence[ModelEvaluation]) -> set[int]:
    """Return the places of the items that count for every model."""
    return set.intersection(*(_counted(one.evaluation) for one in models)) if models else set()


def _common_tables(
    evaluation: Evaluation, shared: set[int], released: ReleasedItems, seed: int
) -> ScoreTables:
    # Every item of this model is common: the sums and their intervals would be the same.
    if len(shared) == len(evaluation.scored):
        return evaluation.tables
    return score_tables([one for one in evaluation.scored if one.position in shared], released, seed=seed)


def _coverage(items: int, any_count: int, all_count: int, *, models: int) -> SharedCoverage:
    if models == 1:
        statement = f"One model is scored, over {all_count:,} of {items:,} items."
    else:
        statement = (
            f"{models} models are scored, each over the items that it has predictions of; "
            f"{all_count:,} of {items:,} items are common to all models."
        )
    return SharedCoverage(items=items, scored_by_any=any_count, scored_by_all=all_count, statement=statement)


def _differences(
    models: Sequence[ModelEvaluation], released: ReleasedItems, *, seed: int, progress: Progress
) -> Iterator[ScoreDifference]:
    """Yield the differences of each pair of models, over all tasks first."""
    tasks = [item.task for item in released.items]
    indices = {task: np.flatnonzero(np.array(tasks) == task) for task in sorted(set(tasks))}
    indices = {ALL_TASKS: np.arange(len(tasks)), **indices}
    scores = {one.model: _score_columns(one.evaluation, items=len(tasks)) for one in models}
    pairs = list(combinations([one.model for one in models], 2))
    progress.begin("Comparing models", total=len(pairs))
    for first, second in pairs:
        # By item and before the mean: what makes an item hard for both cancels out, and the interval is
        # narrower.
        both = scores[first] - scores[second]
        for task, own in indices.items():
            found = both[:, own]
            # NaN where the item counts for one of the two models only.
            found = found[:, ~np.isnan(found[0])]
            if task == ALL_TASKS or found.size:
                yield _difference(first, second, task=task, values=found, seed=seed)
        progress.step()
    progress.end()


def _score_columns(evaluation: Evaluation, *, items: int) -> Floats:
    """Return score and correctness of each item, (2, items), NaN where the item does not count."""
    columns = np.full((2, items), np.nan)
    for one in evaluation.scored:
        if one.is_counted:
            columns[:, one.position] = one.score, one.is_correct
    return columns


def _difference(first: str, second: str, *, task: str, values: Floats, seed: int) -> ScoreDifference:
    score, exact = (mean_coefficient(PERCENT * row, seed=seed) for row in values)
    return ScoreDifference(
        first=first,
        second=second,
        task=task,
        items=values.shape[1],
        score=score.value,
        score_low=score.low,
        score_high=score.high,
        exact=exact.value,
        exact_low=exact.low,
        exact_high=exact.high,
    )
