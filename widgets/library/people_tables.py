"""Rows of the tables of people's answers: agreement, pairs of people, human reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from annotator.domain.query import ItemQuery
from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.agreement.project_agreement import EVENT_FORM
from annotator.quality.agreement.report import SubjectAgreement
from annotator.quality.human_reference.report import ALL_TASKS, ReferenceScore, TaskReference
from annotator.quality.human_reference.sample import ROLE
from annotator.quality.people_figures import PeopleFigures
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.field_titles import field_title
from widgets.message_text import message_text
from widgets.translation import tr

FindItems = Callable[[Reader], ItemQuery]
NOTHING = "–"


@dataclass(frozen=True, kw_only=True)
class PeopleRow:
    """One row.

    Attributes:
        texts: Texts of its cells.
        find: Finds the items that it is about; runs on the reading thread. None for views.
    """

    texts: tuple[str, ...]
    find: FindItems | None = None


def agreement_columns() -> tuple[str, ...]:
    """Return the headings of the table of agreement."""
    head = (tr("Task or field"), tr("People"), tr("Shared"), tr("Percent"))
    return (*head, tr("Fleiss' kappa"), tr("Alpha"), tr("Score"))


def agreement_rows(figures: PeopleFigures) -> list[PeopleRow]:
    """Return a row for each task, and each field of the event form."""
    titles = _titles(figures)
    return [
        PeopleRow(
            texts=(
                titles[one.subject],
                f"{one.people:,}",
                f"{one.units:,}",
                *map(coefficient_text, (one.percent, one.fleiss, one.alpha, one.score)),
            ),
            find=_shared(one.subject),
        )
        for one in figures.agreement
    ]


def pair_columns() -> tuple[str, ...]:
    """Return the headings of the table of pairs."""
    return (
        tr("Task or field"), tr("Two people"), tr("Shared"), tr("Percent"), tr("Cohen's kappa"), tr("Score"),
    )  # fmt: skip


def pair_rows(figures: PeopleFigures) -> list[PeopleRow]:
    """Return a row for each pair of people and what both answered, in the order of their names."""
    titles = _titles(figures)
    return [
        PeopleRow(
            texts=(
                titles[one.subject],
                figures.names_of(pair.people),
                f"{pair.percent.units:,}",
                *map(coefficient_text, (pair.percent, pair.kappa, pair.score)),
            ),
            find=_shared(one.subject, people=pair.people),
        )
        for one in figures.agreement
        for pair in sorted(one.pairs, key=lambda pair: figures.names_of(pair.people))
    ]


def reference_columns() -> tuple[str, ...]:
    """Return the headings of the table of the human reference."""
    return (
        tr("Task"), tr("Answered by"), tr("Items"), tr("Answers"), tr("Unparsed"), tr("Score"), tr("Right"),
    )  # fmt: skip


def reference_rows(figures: PeopleFigures) -> list[PeopleRow]:
    """Return rows for the people, the models and random answers, task by task."""
    titles = _titles(figures)
    return [row for task in figures.reference for row in _task_rows(task, title=titles[task.task])]


def coefficient_text(found: Coefficient | None) -> str:
    """Return a coefficient with its interval."""
    if found is None:
        return NOTHING
    if found.value is None:
        return tr("not defined")
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return tr(
        "{value} ({low} to {high})",
        value=f"{found.value:.3f}",
        low=f"{found.low:.2f}",
        high=f"{found.high:.2f}",
    )


def undefined_text(coefficients: Iterable[Coefficient | None]) -> str:
    """Return why some coefficients are not defined, "" if all are."""
    reasons = dict.fromkeys(found.reason for found in coefficients if found is not None and found.reason)
    return tr("Not defined: {reasons}", reasons=" ".join(map(message_text, reasons))) if reasons else ""


def agreement_coefficients(figures: PeopleFigures) -> Iterator[Coefficient | None]:
    """Yield what the table of agreement shows."""
    for one in figures.agreement:
        yield from (one.percent, one.fleiss, one.alpha, one.score)


def pair_coefficients(figures: PeopleFigures) -> Iterator[Coefficient | None]:
    """Yield what the table of pairs shows."""
    for one in figures.agreement:
        for pair in one.pairs:
            yield from (pair.percent, pair.kappa, pair.score)


def reference_coefficients(figures: PeopleFigures) -> Iterator[Coefficient | None]:
    """Yield what the table of the human reference shows."""
    for task in figures.reference:
        for scores in (task.people, *task.models.values(), task.random):
            yield from (scores.score, scores.exact)


def uncounted_text(figures: PeopleFigures) -> str:
    """Return how many answers the human reference does not count, "" for none."""
    tasks = [task for task in figures.reference if task.task != ALL_TASKS]
    outdated = sum(task.outdated for task in tasks)
    dependent = sum(task.not_independent for task in tasks)
    if not outdated and not dependent:
        return ""
    return tr(
        "Not counted: {outdated} answers about an earlier form of their item, {dependent} of persons who had "
        "worked on it.",
        outdated=f"{outdated:,}",
        dependent=f"{dependent:,}",
    )


def _task_rows(found: TaskReference, *, title: str) -> Iterator[PeopleRow]:
    items = tr("{n} of {total}", n=f"{found.people.items:,}", total=f"{found.sampled:,}")
    find = partial(_sampled_items, task=found.task)
    yield _score_row(title, tr("People"), found.people, items=items, find=find)
    for name, scores in found.models.items():
        yield _score_row(title, name, scores, items=f"{scores.items:,}", find=find)
    yield _score_row(title, tr("Random answers"), found.random, items=f"{found.random.items:,}", find=find)


def _score_row(title: str, who: str, scores: ReferenceScore, *, items: str, find: FindItems) -> PeopleRow:
    counts = (f"{scores.answers:,}", f"{scores.unparsed:,}") if scores.answers else (NOTHING, NOTHING)
    figures = map(coefficient_text, (scores.score, scores.exact))
    return PeopleRow(texts=(title, who, items, *counts, *figures), find=find)


def _titles(figures: PeopleFigures) -> dict[str, str]:
    """Return the titles of tasks and fields by their names."""
    subjects: Iterable[SubjectAgreement | TaskReference] = (*figures.agreement, *figures.reference)
    names = {one.subject if isinstance(one, SubjectAgreement) else one.task for one in subjects}
    shared = display_text.tasks_of_same_title(name for name in names if "/" in name)
    return {name: _title(name, shared=shared) for name in names}


def _title(name: str, *, shared: frozenset[str]) -> str:
    if name == ALL_TASKS:
        return tr("All tasks")
    part, _, field = name.partition(": ")
    if part == EVENT_FORM:
        return tr("Event form: {field}", field=field_title(field))
    return display_text.task_label(name, shared=shared)


def _shared(subject: str, *, people: tuple[str, ...] = ()) -> FindItems | None:
    # Fields of the event form are about views, not items.
    return (
        None if subject.startswith(f"{EVENT_FORM}: ") else partial(_shared_items, task=subject, people=people)
    )


def _shared_items(reader: Reader, *, task: str, people: tuple[str, ...]) -> ItemQuery:
    return ItemQuery(ids=tuple(reader.responses.shared_items(task, people=people)))


def _sampled_items(reader: Reader, *, task: str) -> ItemQuery:
    tasks = (task,) if task != ALL_TASKS else ()
    return ItemQuery(ids=tuple(reader.assigned.assigned_items(ROLE)), tasks=tasks)
