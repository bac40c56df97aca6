"""Tells files of models' answers from AirCopBench's evaluation apart: they hold no questions to import.

Source: evaluation.py, which writes ``…_responses.json`` and ``…_metrics.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.importers.imported_record import ImportedRecord, ImportIssue
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile

_ANSWERS = re.compile(r'\s*\[\s*\{[^{}]*"predicted_answer"\s*:')
_FIGURES = re.compile(r'\s*\{\s*"datasets_done"\s*:')


class AircopResponses(FileImporter):
    """Says of a file of answers or figures what it is, and takes nothing from it."""

    id = "aircop-responses"
    title = "AirCopBench model answers, without questions (JSON)"
    files = "AirCopBench's `…_responses.json` and `…_metrics.json`: a model's answers"
    gives = "nothing; the report contains a note"

    def recognizes(self, file: InputFile) -> bool:
        """Look for predicted answers, or for the figures made from them."""
        return bool(_ANSWERS.match(file.head) or _FIGURES.match(file.head))

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        """Yield the one reason why nothing is taken."""
        context.progress.begin(f"Importing {file.name}", total=1)
        context.progress.step()
        is_figures = _FIGURES.match(file.head)
        kept = "figures of a model" if is_figures else "answers of a model"
        message = f"The file contains {kept} and no questions. Import the test file of these questions."
        field = "datasets_done" if is_figures else "predicted_answer"
        yield ImportIssue(line=1, locator="the whole file", field=field, message=message)
