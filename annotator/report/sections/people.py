"""How far people agree, and how people, models and random answers score on the same items."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.human_reference.report import ReferenceScore, TaskReference
from annotator.release.document import DocumentTable, Mark, Section
from annotator.report.figures import ProjectFigures

NOBODY = "No item has answers of two people."
NO_SAMPLE = "The project has no human reference."


def people_sections(project: ProjectFigures) -> Iterator[Section]:
    """Yield the agreement and the human reference, over all items of the project as it was released."""
    people = project.people
    if not people.agreement:
        yield Section(title="Agreement of people", texts=(NOBODY,))
    else:
        yield Section(title="Agreement of people", tables=(_agreement_table(project),))
    if not people.reference:
        yield Section(title="Human reference", texts=(NO_SAMPLE,))
    else:
        tables = tuple(_reference_table(task) for task in people.reference)
        yield Section(title="Human reference", tables=tables)


def _agreement_table(project: ProjectFigures) -> DocumentTable:
    found = project.people.agreement
    return DocumentTable(
        title="Agreement by task and field, with 95 % bootstrap intervals",
        head=("Subject", "people", "shared", "equal", "Fleiss' kappa", "Krippendorff's alpha", "score"),
        rows=tuple(
            (
                one.subject,
                f"{one.people}",
                f"{one.units:,}",
                coefficient_text(one.percent),
                coefficient_text(one.fleiss),
                coefficient_text(one.alpha),
                coefficient_text(one.score),
            )
            for one in found
        ),
        numeric=frozenset(range(1, 7)),
        marks=tuple(_mark(one.alpha if one.alpha.value is not None else one.score) for one in found),
        plot="interval",
        note="The plot shows alpha with its interval, or the score where alpha is not defined; 0 to 1.",
    )


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
