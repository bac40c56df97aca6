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
        graded: Those with a grade.
        graded_pct: Share of these.
        grade_pct: Mean grade in percent of the highest, None without any.
        undecided: Texts about which the judge said something else than a grade.
        open: Empty texts, and those about which it was not asked or the request failed.
    """

    total: int
    graded: int
    graded_pct: float | None
    grade_pct: float | None
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
    found: dict[Subject, ChatRequest] = {}
    for one in comparison.models:
        for scored in _free_texts(one.evaluation, released):
            subject = scored.place, scored.prediction.text
            if subject not in found and subject[1].strip():
                item = released.items[scored.place]
                found[subject] = grading_request(scored.prediction.text, item, max_tokens=max_tokens)
    return found


def model_grades(
    comparison: Comparison, released: ReleasedItems, said: Mapping[Subject, str]
) -> list[ModelGrades]:
    """Return the grades of each model.

    Args:
        comparison: The models.
        released: The items.
        said: The words of the judge about each text that it was asked about.
    """
    found = []
    for one in comparison.models:
        by_task: dict[str, list[Subject]] = defaultdict(list)
        for scored in _free_texts(one.evaluation, released):
            by_task[released.items[scored.place].task].append((scored.place, scored.prediction.text))
        every = [subject for subjects in by_task.values() for subject in subjects]
        tasks = {task: _total(subjects, said) for task, subjects in sorted(by_task.items())}
        found.append(ModelGrades(model=one.model, overall=_total(every, said), tasks=tasks))
    return found


def _free_texts(evaluation: Evaluation, released: ReleasedItems) -> Iterable[ScoredPrediction]:
    return (
        scored
        for scored in evaluation.scored
        if scored.flight is None and answers.get(released.items[scored.place].item.answer_format).is_prose
    )


def _total(subjects: list[Subject], said: Mapping[Subject, str]) -> GradeTotal:
    answered = [said[one] for one in subjects if one in said]
    grades = [grade for words in answered if (grade := read_grade(words)) is not None]
    return GradeTotal(
        total=len(subjects),
        graded=len(grades),
        graded_pct=PERCENT * len(grades) / len(subjects) if subjects else None,
        grade_pct=PERCENT * sum(grades) / (HIGHEST_GRADE * len(grades)) if grades else None,
        undecided=len(answered) - len(grades),
        open=len(subjects) - len(answered),
    )
