"""How far people agree, and how people, models and random answers score on the same items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.agreement.report import SubjectAgreement
from annotator.quality.human_reference.report import ReferenceScore, TaskReference
from annotator.release.document import DocumentTable, Mark, Section
from annotator.report.figures import ProjectFigures

NOBODY = "No item has answers of two people."
NO_SAMPLE = "The project has no human reference."


def people_sections(project: ProjectFigures) -> Iterator[Section]:
    """Yield the agreement and the human reference, over all items of the project as it was released."""
    if project.hidden:
        return
    people = project.people
    if not people.agreement:
        yield Section(title="Agreement of people", texts=(NOBODY,))
    else:
        yield Section(title="Agreement of people", tables=_agreement_tables(people.agreement))
    if not people.reference:
        yield Section(title="Human reference", texts=(NO_SAMPLE,))
    else:
        tables = tuple(_reference_table(task) for task in people.reference)
        yield Section(title="Human reference", tables=tables)


def _agreement_tables(found: Sequence[SubjectAgreement]) -> tuple[DocumentTable, ...]:
    """Return two tables, since one with all intervals is wider than a page."""
    alpha = DocumentTable(
        title="Equal answers and Krippendorff's alpha, with 95 % bootstrap intervals",
        head=("Subject", "people", "shared", "equal", "alpha"),
        rows=tuple(
            (one.subject, f"{one.people}", f"{one.units:,}", *map(coefficient_text, (one.percent, one.alpha)))
            for one in found
        ),
        numeric=frozenset(range(1, 5)),
        marks=tuple(_mark(one.alpha) for one in found),
        plot="interval",
        note="The plot shows alpha with its interval, 0 to 1.",
        worded=frozenset({0}),
    )
    score = DocumentTable(
        title="Fleiss' kappa and mean score of one answer against another",
        head=("Subject", "unread", "kappa", "score"),
        rows=tuple(
            (one.subject, f"{one.unread:,}", *map(coefficient_text, (one.fleiss, one.score))) for one in found
        ),
        numeric=frozenset(range(1, 4)),
        marks=tuple(_mark(one.score) for one in found),
        plot="interval",
        note="The plot shows the score with its interval, 0 to 1.",
        worded=frozenset({0}),
    )
    return (alpha, score)


def _reference_table(task: TaskReference) -> DocumentTable:
    scores: dict[str, ReferenceScore] = {"people": task.people, **task.models, "random": task.random}
    outdated = f"{task.outdated:,} answers about an earlier form of their item do not count, "
    worked = f"nor do {task.not_independent:,} of persons who had worked on it."
    return DocumentTable(
        title=f"Human reference: {task.task or 'all tasks'} ({task.sampled:,} sampled items)",
        head=("Who", "items", "answers", "unparsed", "score", "right"),
        rows=tuple(
            (
                who,
                f"{one.items:,}",
                f"{one.answers:,}",
                f"{one.unparsed:,}",
                coefficient_text(one.score),
                coefficient_text(one.exact),
            )
            for who, one in scores.items()
        ),
        numeric=frozenset(range(1, 6)),
        marks=tuple(_mark(one.score) for one in scores.values()),
        plot="interval",
        note=outdated + worked if task.outdated or task.not_independent else "",
        worded=frozenset({0}),
    )


def coefficient_text(found: Coefficient | None) -> str:
    """Return a coefficient with its interval; a dash where it is not defined."""
    if found is None or found.value is None:
        return "–"
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _mark(found: Coefficient | None) -> Mark:
    if found is None:
        return Mark(value=None)
    return Mark(value=found.value, low=found.low, high=found.high)
