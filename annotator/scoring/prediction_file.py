"""Reads files of predictions row by row: JSON lines, a JSON list, CSV or TSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from annotator.errors import UserError
from annotator.importers.input_file import InputFile, printable
from annotator.importers.record_fields import RecordError
from annotator.importers.tables import first_columns, is_delimited
from annotator.progress import Progress
from annotator.scoring.forms import FORMS
from annotator.scoring.prediction_form import Prediction, PredictionForm
from annotator.scoring.prediction_rows import InputProblem, RawRow, raw_rows

ENDINGS = frozenset({".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt"})
"""Endings of the files in a folder of predictions that are read."""
LOOKED_AT = 20
"""Rows whose fields tell the form."""
TEXT_LOOKED_AT = 2_000
"""Characters that tell whether a file is text."""
MOST_CONTROLS = 0.05
"""Share of control characters in text; in UTF-16 read as UTF-8 it is a half, in compressed data a tenth."""
STEP = 1_000


class PredictionFile:
    """A file, or a folder of files, with predictions.

    Attributes:
        path: The file or folder.
        form: The form that it has.
        reason: Why it counts as of this form, in words.
    """

    def __init__(self, path: Path, *, form_id: str = "") -> None:
        """Find the form.

        Args:
            path: The file or folder.
            form_id: Id of the form, "" to find it from the content.

        Raises:
            UserError: There is nothing to read, or the form is unknown or not that of the file.
            EnvironmentFailure: The disk refused.
        """
        self.path = path
        self._files = _files_at(path)
        # One form for a whole folder, by its first file; rows of another form are listed as unreadable.
        columns = _columns(self._files[0])
        self.form, shown = _form_of(columns, form_id=form_id, name=self._files[0].name)
        _require_distinct(columns, self.form, name=self._files[0].name)
        self.reason = (
            f"fields {', '.join(shown)}" if shown else "the form was given; the file lacks some of its fields"
        )

    def read(self, *, progress: Progress) -> Iterator[Prediction | InputProblem]:
        """Yield the predictions, and what cannot be read, in the order of the file.

        Raises:
            UserError: A file is too large for its kind, or damaged as a whole.
            EnvironmentFailure: The disk refused.
            Cancelled: The user stopped it.
        """
        for file in self._files:
            progress.begin(f"Reading {file.name}")
            for number, row in enumerate(raw_rows(file), start=1):
                if number % STEP == 0:
                    progress.step(STEP)
                yield self._prediction(row, file=file)
            progress.end()

    def _prediction(self, row: RawRow, *, file: InputFile) -> Prediction | InputProblem:
        if row.fault:
            return InputProblem(kind=row.kind, message=row.fault, file=file.name, line=row.line)
        try:
            return self.form.prediction(row.cells, line=row.line, file=file.name)
        except RecordError as fault:
            message = printable(f"{fault.field}: {fault}")
            return InputProblem(kind="unreadable_row", message=message, file=file.name, line=row.line)


def _files_at(path: Path) -> tuple[InputFile, ...]:
    if not path.is_dir():
        return (InputFile.open(path),)
    names = sorted(child for child in path.rglob("*") if child.suffix.lower() in ENDINGS and child.is_file())
    if not names:
        raise UserError(
            f"{printable(str(path))} contains no predictions.",
            hint="Choose a JSON, JSON lines, CSV or TSV file, or a folder of them.",
        )
    return tuple(InputFile.open(name) for name in names)


def _form_of(columns: Sequence[str], *, form_id: str, name: str) -> tuple[PredictionForm, tuple[str, ...]]:
    """Return the form of a file and the fields that show it, none where the form was given without them."""
    if form_id:
        if form_id not in FORMS:
            raise UserError(f"Unknown form {form_id!r}.", hint=f"Use one of: {', '.join(FORMS)}.")
        return FORMS[form_id], FORMS[form_id].recognized_by(columns)
    found = [(form, shown) for form in FORMS.values() if (shown := form.recognized_by(columns))]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(form.id for form, _ in found)
        raise UserError(f"{name} matches several forms: {ids}.", hint="Name the form with --form.")
    listed = ", ".join(printable(column) for column in list(columns)[:12]) or "none"
    raise UserError(
        f"{name} has no known form of predictions; its fields: {listed}.",
        hint=f"Use the fields item and prediction, or one of the forms: {', '.join(FORMS)}.",
    )


def _require_distinct(columns: Sequence[str], form: PredictionForm, *, name: str) -> None:
    """Refuse a table with two columns of ids or answers: which one is meant, nothing tells.

    Raises:
        UserError: It has.
    """
    for column in (*form.id_fields, *form.text_fields):
        if columns.count(column) > 1:
            raise UserError(f"{name} has the column {column} twice.", hint="Remove or rename one of the two.")


def _columns(file: InputFile) -> tuple[str, ...]:
    """Return the fields of the first rows, as they appear; of a table all columns, even alike ones."""
    if not file.head.strip():
        raise UserError(f"{file.name} is empty.", hint="Choose a file with predictions.")
    if is_delimited(file):
        _require_text(file)
        return first_columns(file)[0]
    columns: dict[str, None] = {}
    first = list(islice(raw_rows(file), LOOKED_AT))
    for row in first:
        columns |= dict.fromkeys(row.cells)
    if first and not columns:
        _require_text(file)
        raise UserError(
            f"None of the first rows of {file.name} can be read. Line {first[0].line}: {first[0].fault}",
            hint="Choose a file with predictions.",
        )
    return tuple(columns)


def _require_text(file: InputFile) -> None:
    """Refuse what is no text, or is text in an encoding that nothing tells: it has control characters.

    Raises:
        UserError: It is.
    """
    beginning = file.head[:TEXT_LOOKED_AT]
    controls = sum(character < " " and not character.isspace() for character in beginning)
    if controls > MOST_CONTROLS * len(beginning):
        raise UserError(
            f"{file.name} is not UTF-8 text. It may be UTF-16 without a byte order mark, or compressed.",
            hint="Save it as UTF-8, and choose that file.",
        )
