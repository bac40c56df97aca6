"""The human reference in figures: people, models and random answers on the same items, by the same scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotator.domain import answers
from annotator.domain.answers import Score
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.query import qualified_task
from annotator.domain.record import ValueObject
from annotator.domain.response import Response
from annotator.domain.study import sends_images
from annotator.progress import Progress
from annotator.quality.agreement.coefficients import Coefficient, mean_score
from annotator.quality.answer_scores import score_answer
from annotator.quality.context import CheckContext, answer_context
from annotator.quality.human_reference.sample import ROLE
from annotator.quality.predictions import ItemPrediction, collect_predictions
from annotator.queries.reader import Reader

ALL_TASKS = ""
NOT_ANSWERED = "Nobody has answered these items yet."
NO_BASELINE = "A format of free text has no random answer."
UNKNOWN_BASELINE = "The media or regions that the random answer depends on are not known."
ASKED_KINDS = frozenset({"answer", "unparsed", "empty"})
"""Kinds of predictions that say something about the model; an error or a lost request does not."""


class ReferenceScore(ValueObject, frozen=True, kw_only=True):
    """The scores of the people, of one model, or of random answers.

    Attributes:
        items: Number of items.
        answers: Number of answers about them, 0 for random answers.
        unparsed: Answers that cannot be read, which score 0.
        score: Mean score over the items, that of an item being the mean of its answers.
        exact: Share of right answers, in the same way.
    """

    items: int
    answers: int
    unparsed: int
    score: Coefficient
    exact: Coefficient


class TaskReference(ValueObject, frozen=True, kw_only=True):
    """The human reference of one task.

    Attributes:
        task: ``set/task``, ``ALL_TASKS`` for the sum of all.
        answer_format: Id of the format of its answers, "" for several.
        sampled: Number of items in the sample.
        outdated: Answers about an earlier form of their item, which do not count.
        not_independent: Answers of persons who had worked on the item before, or had seen its key, which do
            not count.
        people: The people.
        random: Random answers of the form of the answer key; no interval, since nothing is estimated.
        models: The models by name, each with its newest predictions about the items that people answered.
    """

    task: str
    answer_format: str
    sampled: int
    outdated: int
    not_independent: int
    people: ReferenceScore
    random: ReferenceScore
    models: Mapping[str, ReferenceScore]


@dataclass(kw_only=True)
class _Case:
    """One item of the sample with the scores of its answers."""

    item: Item
    people: list[Score] = field(default_factory=list)
    models: dict[str, list[Score]] = field(default_factory=dict)
    outdated: int = 0
    not_independent: int = 0
    random_score: float | None = None
    random_exact: float | None = None


def measure_reference(
    reader: Reader,
    *,
    is_chosen: Callable[[Item], bool] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[TaskReference]:
    """Return the human reference of each task that has a sample, and of all tasks together first.

    Args:
        reader: The project.
        is_chosen: Returns whether an item of the sample counts, None for all.
        seed: Of the intervals.
        progress: Counts the items; may cancel.
    """
    watch = progress or Progress()
    cases = _cases(reader, progress=watch)
    if is_chosen is not None:
        cases = {item: case for item, case in cases.items() if is_chosen(case.item)}
    answered = {item: case for item, case in cases.items() if case.people}
    _add_baselines(answered.values(), reader=reader)
    _add_models(answered, reader=reader, progress=watch)
    groups: dict[tuple[str, str], list[_Case]] = defaultdict(list)
    for case in cases.values():
        task = qualified_task(case.item.task_set, case.item.task)
        groups[task, case.item.answer_format].append(case)
    found = [
        _measured(task, format_id, group, seed=seed) for (task, format_id), group in sorted(groups.items())
    ]
    total = [_measured(ALL_TASKS, "", list(cases.values()), seed=seed)] if len(found) > 1 else []
    return [*total, *found]


def _cases(reader: Reader, *, progress: Progress) -> dict[str, _Case]:
    sampled = reader.assigned.assigned_items(ROLE)
    cases = {item.id: _Case(item=item) for item in reader.records(Item, ids=list(sampled))}
    work = reader.assigned.item_work(cases)
    indices = {response: index for _, _, response, index in reader.assigned.answer_positions(cases)}
    progress.begin("Score people", total=len(cases))
    for case in cases.values():
        progress.step()
        for response in _first_answers(case, sampled[case.item.id], reader=reader):
            worked = work.get(case.item.id, {}).get(response.person)
            if worked is not None and worked < indices[response.id]:
                case.not_independent += 1
            elif (score := score_answer(response.answer, case.item)) and score.is_key_parsed:
                case.people.append(score)
    progress.end()
    return cases


def _first_answers(case: _Case, persons: Collection[str], *, reader: Reader) -> Iterator[Response]:
    """Yield the first answer of each person about the present form, which alone counts as for agreement.

    Counts the answers about an earlier form that come before it.
    """
    shown, known = prompt_digest(case.item), set[str]()
    for response in reader.find(Response, item=case.item.id):
        if response.person not in persons or response.person in known:
            continue
        if response.shown == shown:
            known.add(response.person)
            yield response
        else:
            case.outdated += 1


def _add_baselines(cases: Iterable[_Case], *, reader: Reader) -> None:
    context = CheckContext.of(reader)
    for case in cases:
        # Only items of a known format have scores of people.
        form, known = answers.get(case.item.answer_format), answer_context(case.item, context)
        case.random_score = form.random_baseline(case.item.answer_key, context=known)
        case.random_exact = form.guess_chance(case.item.answer_key, context=known)


def _add_models(cases: Mapping[str, _Case], *, reader: Reader, progress: Progress) -> None:
    """Add the predictions of runs with all images: blind runs were asked another question than the people."""
    if not cases:
        return
    for run in reader.runs.all():
        if not sends_images(run):
            continue
        for entry in collect_predictions(reader, run, progress=progress, only=cases.keys()):
            case = cases[entry.item.id]
            # A run about a release asked the item as it was released.
            if prompt_digest(entry.item) != prompt_digest(case.item):
                continue
            for model, scores in _by_model(entry.predictions, item=case.item).items():
                # Runs come with the newest first.
                case.models.setdefault(model, scores)


def _by_model(predictions: Iterable[ItemPrediction], *, item: Item) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = defaultdict(list)
    for prediction in predictions:
        if prediction.kind in ASKED_KINDS and (score := score_answer(prediction.answer, item)):
            found[prediction.model].append(score)
    return dict(found)


def _measured(task: str, format_id: str, cases: Sequence[_Case], *, seed: int) -> TaskReference:
    answered = [case for case in cases if case.people]
    return TaskReference(
        task=task,
        answer_format=format_id,
        sampled=len(cases),
        outdated=sum(case.outdated for case in cases),
        not_independent=sum(case.not_independent for case in cases),
        people=_scored([case.people for case in answered], seed=seed),
        random=_random(answered),
        models=_model_scores(answered, seed=seed),
    )


def _model_scores(cases: Sequence[_Case], *, seed: int) -> dict[str, ReferenceScore]:
    names = sorted({model for case in cases for model in case.models})
    return {
        name: _scored([case.models[name] for case in cases if name in case.models], seed=seed)
        for name in names
    }


def _scored(items: Sequence[Sequence[Score]], *, seed: int) -> ReferenceScore:
    given = [score for scores in items for score in scores]
    return ReferenceScore(
        items=len(items),
        answers=len(given),
        unparsed=sum(not score.is_parsed for score in given),
        score=_mean(items, lambda score: score.score, seed=seed),
        exact=_mean(items, lambda score: float(score.is_correct), seed=seed),
    )


def _mean(items: Sequence[Sequence[Score]], value: Callable[[Score], float], *, seed: int) -> Coefficient:
    if not items:
        return Coefficient(value=None, reason=NOT_ANSWERED)
    means = [sum(map(value, scores)) / len(scores) for scores in items]
    return mean_score(np.array(means, dtype=float), seed=seed)


def _random(cases: Sequence[_Case]) -> ReferenceScore:
    scores = [case.random_score for case in cases if case.random_score is not None]
    exact = [case.random_exact for case in cases if case.random_exact is not None]
    reason = _why_unknown(cases)
    return ReferenceScore(
        items=len(scores),
        answers=0,
        unparsed=0,
        score=_exact_mean(scores, reason=reason),
        exact=_exact_mean(exact, reason=reason),
    )


def _exact_mean(values: Sequence[float], *, reason: str) -> Coefficient:
    """Return a mean of known probabilities, which has no interval."""
    if not values:
        return Coefficient(value=None, reason=reason)
    return Coefficient(value=sum(values) / len(values), units=len(values))


def _why_unknown(cases: Sequence[_Case]) -> str:
    if not cases:
        return NOT_ANSWERED
    has_none = all(answers.get(case.item.answer_format).docs.baseline == "none" for case in cases)
    return NO_BASELINE if has_none else UNKNOWN_BASELINE
