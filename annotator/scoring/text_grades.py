"""The grades that a judge model gives to free texts: beside the score by words, which they do not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from annotator.domain import answers
from annotator.model_api import ChatRequest
from annotator.scoring.comparison import Comparison
from annotator.scoring.evaluation import Evaluation, Subject
from annotator.scoring.judge_prompt import HIGHEST_GRADE, grading_request, read_grade
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.score_tables import PERCENT
from annotator.scoring.scorer import ScoredPrediction


class GradeTotal(msgspec.Struct, frozen=True, kw_only=True):
    """The grades of some free texts.

    Attributes:
        total: Number of predictions that are free texts.
        graded: Those with a grade; an empty one has the grade 0 without being asked about.
        graded_pct: Share of these.
        grade_pct: Mean grade in percent of the highest, None without any.
        least_pct: The same with 0 for each undecided text: a reply that keeps the judge from grading gains
            nothing by it.
        empty: Texts that are empty.
        undecided: Texts about which the judge said something else than a grade.
        open: Texts about which it was not asked, or the request failed.
    """

    total: int
    graded: int
    graded_pct: float | None
    grade_pct: float | None
    least_pct: float | None
    empty: int
    undecided: int
    open: int


class ModelGrades(msgspec.Struct, frozen=True, kw_only=True):
    """The grades of one model.

    Attributes:
        model: Its name.
        overall: Over all tasks.
        tasks: By task as ``set/task``.
    """

    model: str
    overall: GradeTotal
    tasks: Mapping[str, GradeTotal]


def grading_requests(
    comparison: Comparison, released: ReleasedItems, *, max_tokens: int
) -> dict[Subject, ChatRequest]:
    """Return the request about each distinct free text."""
    return {
        (index, text): grading_request(text, released.items[index], max_tokens=max_tokens)
        for index, text in _distinct_texts(comparison, released)
    }


def free_text_count(comparison: Comparison, released: ReleasedItems) -> int:
    """Return the number of distinct free texts that a model can grade."""
    return len(_distinct_texts(comparison, released))


def _distinct_texts(comparison: Comparison, released: ReleasedItems) -> dict[Subject, None]:
    """Return the free texts that are not empty, each once, in order."""
    return {
        (scored.position, scored.prediction.text): None
        for one in comparison.models
        for scored in _free_texts(one.evaluation, released)
        if scored.prediction.text.strip()
    }


def model_grades(
    comparison: Comparison, released: ReleasedItems, replies: Mapping[Subject, str]
) -> list[ModelGrades]:
    """Return the grades of each model.

    Args:
        comparison: The models.
        released: The items.
        replies: The words of the judge about each text that it was asked about.
    """
    found = []
    for one in comparison.models:
        by_task: dict[str, list[Subject]] = defaultdict(list)
        for scored in _free_texts(one.evaluation, released):
            by_task[released.items[scored.position].task].append((scored.position, scored.prediction.text))
        every = [subject for subjects in by_task.values() for subject in subjects]
        tasks = {task: _total(subjects, replies) for task, subjects in sorted(by_task.items())}
        found.append(ModelGrades(model=one.model, overall=_total(every, replies), tasks=tasks))
    return found


def _free_texts(evaluation: Evaluation, released: ReleasedItems) -> Iterable[ScoredPrediction]:
    return (
        scored
        for scored in evaluation.scored
        if scored.flight is None and answers.get(released.items[scored.position].item.answer_format).is_prose
    )


def _total(subjects: list[Subject], said: Mapping[Subject, str]) -> GradeTotal:
    empty = sum(not text.strip() for _, text in subjects)
    answered = [said[one] for one in subjects if one in said]
    grades = [grade for text in answered if (grade := read_grade(text)) is not None]
    graded, undecided = len(grades) + empty, len(answered) - len(grades)
    return GradeTotal(
        total=len(subjects),
        graded=graded,
        graded_pct=PERCENT * graded / len(subjects) if subjects else None,
        grade_pct=_share(sum(grades), graded),
        least_pct=_share(sum(grades), graded + undecided),
        empty=empty,
        undecided=undecided,
        open=len(subjects) - len(answered) - empty,
    )


def _share(points: int, texts: int) -> float | None:
    return PERCENT * points / (HIGHEST_GRADE * texts) if texts else None
