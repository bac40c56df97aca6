"""The parts of a report, and the document that they make."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.release.card import (
    gate_section,
    lead_texts,
    licence_table,
    limit_texts,
    split_table,
    subset_table,
    withheld_table,
)
from annotator.release.document import Document, Section, present
from annotator.report.figures import ReportFigures
from annotator.report.sections.content import content_sections
from annotator.report.sections.making import making_sections
from annotator.report.sections.models import model_sections
from annotator.report.sections.people import people_sections

ALONE = (
    "The report was made of the release folder alone. How the items were made, agreement, human "
    "reference, models, statistics and licences are in the report that is made with the project."
)


def report_document(figures: ReportFigures) -> Document:
    """Return the document of a report."""
    sections = (section for section in _sections(figures) if not section.is_empty)
    return Document(title=f"Release report: {figures.name}", lead=_lead(figures), sections=tuple(sections))


def _lead(figures: ReportFigures) -> tuple[str, ...]:
    signature = "signed" if figures.is_signed else "not signed"
    size = f"{figures.files:,} files, {figures.bytes:,} bytes, {signature}."
    alone = () if figures.project is not None else (ALONE,)
    return (*lead_texts(figures.card), size, *alone)


def _sections(figures: ReportFigures) -> Iterator[Section]:
    card, project = figures.card, figures.project
    if project is not None:
        yield from making_sections(project)
    yield _withheld(figures)
    yield gate_section(card.gates)
    splits = split_table(card.splits) if card.splits is not None else None
    subset = subset_table(card.subset) if card.subset is not None else None
    yield Section(title="Splits and subset", tables=present(splits, subset))
    yield from content_sections(figures)
    if project is not None:
        yield from people_sections(project)
        yield from model_sections(project)
    yield Section(title="Licences", tables=present(licence_table(card.licences)))
    yield Section(title="Limits", texts=limit_texts(card))


def _withheld(figures: ReportFigures) -> Section:
    card = figures.card
    if not card.withheld:
        return Section(title="Withheld records", texts=("No record was withheld.",))
    text = f"{card.withheld:,} of {card.withheld + card.records:,} records were withheld."
    return Section(title="Withheld records", texts=(text,), tables=present(withheld_table(card.reasons)))
