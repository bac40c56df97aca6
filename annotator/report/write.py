"""Writes a report as HTML and PDF."""

from __future__ import annotations

import glob
import time
from collections.abc import Iterator
from pathlib import Path

from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.report.figures import ReportFigures
from annotator.report.html import html_of
from annotator.report.measure import measure_report
from annotator.report.report_order import ReportOrder
from annotator.report.sections import report_document
from annotator.report.translation import translated_document

ABANDONED_AFTER_S = 3_600.0
"""Age of a partial report that no process is writing any more, s: one is written in seconds."""


def write_report(order: ReportOrder, *, progress: Progress) -> ReportFigures:
    """Measure a release, write its report, and return the figures.

    Equal releases give equal bytes in one language. A file that is there is replaced, in one step.

    Raises:
        UserError: The release is not sound, the project does not contain it, or a file would be part of it.
        EnvironmentFailure: The project cannot be read, or a file cannot be written.
        Cancelled: The user cancelled the operation.
    """
    folder = Path(order.release)
    for file in order.files:
        if file.resolve().is_relative_to(folder.resolve()):
            raise UserError(
                f"The report {file} would be a file of the release.",
                hint="Choose a place outside its folder.",
            )
    figures = measure_report(
        folder, project=Path(order.project) if order.project else None, progress=progress
    )
    progress.begin("Writing report", total=len(order.files))
    for file, content in _rendered(figures, order):
        _replace(file, content)
        progress.step()
    progress.end()
    return figures


def _rendered(figures: ReportFigures, order: ReportOrder) -> Iterator[tuple[Path, bytes]]:
    document = translated_document(report_document(figures), order.language)
    if order.html:
        yield Path(order.html), html_of(document)
    if order.pdf:
        # Its library takes a third of a second to import.
        from annotator.report.pdf import pdf_of

        yield Path(order.pdf), pdf_of(document)


def _replace(file: Path, content: bytes) -> None:
    made = file.with_name(f".{file.name}.{new_id()}.part")
    try:
        try:
            made.write_bytes(content)
            made.replace(file)
            _remove_abandoned(file)
        finally:
            made.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            f"{file} cannot be written: {error.strerror}.", hint="Choose another folder, or free disk space."
        ) from error


def _remove_abandoned(file: Path) -> None:
    """Delete what killed processes left of earlier reports at this path."""
    for left in file.parent.glob(f".{glob.escape(file.name)}.*.part"):
        if time.time() - left.stat().st_mtime > ABANDONED_AFTER_S:
            left.unlink(missing_ok=True)
