"""All that a project says about its people's answers: agreement and human reference, in one table too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotator.domain.actor import Actor
from annotator.domain.record import ValueObject
from annotator.progress import Progress
from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.agreement.project_agreement import measure_project
from annotator.quality.agreement.report import SubjectAgreement
from annotator.quality.human_reference.report import ReferenceScore, TaskReference, measure_reference
from annotator.queries.ordered_reader import in_log_order
from annotator.queries.reader import Reader

COLUMNS = ("part", "subject", "who", "figure", "value", "low", "high", "units", "reason")
"""Columns of the table, one row for each figure."""


class PeopleFigures(ValueObject, frozen=True, kw_only=True):
    """Agreement and human reference of one state of a project.

    Attributes:
        agreement: Agreement about each task and field of the event form; people are ids.
        reference: Human reference of each task.
        names: Names of people by their ids.
    """

    agreement: tuple[SubjectAgreement, ...] = ()
    reference: tuple[TaskReference, ...] = ()
    names: Mapping[str, str] = {}

    def name_of(self, person: str) -> str:
        """Return the name of a person; an unknown id is shown as it is."""
        return self.names.get(person, person)

    def names_of(self, people: tuple[str, str]) -> str:
        """Return the names of two people in alphabetical order."""
        return " / ".join(sorted(map(self.name_of, people)))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield a row of ``COLUMNS`` for each figure."""
        for subject in self.agreement:
            for name, found in _figures_of(subject):
                yield _row("agreement", subject.subject, "", name, found)
            for pair in subject.pairs:
                people = self.names_of(pair.people)
                for name, found in (("percent", pair.percent), ("cohens_kappa", pair.kappa)):
                    yield _row("pair", subject.subject, people, name, found)
                yield from _scored("pair", subject.subject, people, pair.score, pair.differences)
        for task in self.reference:
            scores: dict[str, ReferenceScore] = {"people": task.people, **task.models, "random": task.random}
            for who, score in scores.items():
                yield _row("reference", task.task, who, "score", score.score)
                yield _row("reference", task.task, who, "right", score.exact)


def people_figures(reader: Reader, *, seed: int = 0, progress: Progress | None = None) -> PeopleFigures:
    """Return the figures of a project.

    Of two answers of one person that met in a merge, the first one in the order of the log counts, as in the
    report of a release.

    Args:
        reader: The project.
        seed: Of the intervals.
        progress: Counts tasks and items; may cancel.
    """
    with reader.snapshot(), in_log_order(reader, progress=progress or Progress()) as ordered:
        return PeopleFigures(
            agreement=tuple(measure_project(ordered, seed=seed, progress=progress)),
            reference=tuple(measure_reference(ordered, seed=seed, progress=progress)),
            names={actor.id: actor.name for actor in ordered.records(Actor)},
        )


def _figures_of(found: SubjectAgreement) -> Iterator[tuple[str, Coefficient]]:
    yield "percent", found.percent
    yield "fleiss_kappa", found.fleiss
    yield "krippendorffs_alpha", found.alpha
    if found.score is not None:
        yield "score", found.score
    yield from found.differences.items()


def _scored(
    part: str, subject: str, who: str, score: Coefficient | None, differences: Mapping[str, Coefficient]
) -> Iterator[tuple[str, ...]]:
    if score is not None:
        yield _row(part, subject, who, "score", score)
    for name, found in differences.items():
        yield _row(part, subject, who, name, found)


def _row(part: str, subject: str, who: str, name: str, found: Coefficient) -> tuple[str, ...]:
    numbers = ("" if number is None else repr(number) for number in (found.value, found.low, found.high))
    return (part, subject, who, name, *numbers, str(found.units), found.reason)
