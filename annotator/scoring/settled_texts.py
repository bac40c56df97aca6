"""Decisions of people on replies that cannot be read: which answer a text means.

Source: UrbanVideo-Bench marks such replies with ``l**k``, and people settle them by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.errors import UserError
from annotator.importers.csv_rows import CsvTable
from annotator.importers.input_file import InputFile
from annotator.release.cells import csv_line
from annotator.scoring.prediction_file import InputProblem

COLUMNS = ("id", "text", "answer")


class _Decision(msgspec.Struct, kw_only=True):
    """One row of the table.

    Attributes:
        item: Id of the item, "" for every item.
        answer: The answer that the text means.
        line: Line of the table.
        is_used: Whether a prediction had this text.
    """

    item: str
    answer: str
    line: int
    is_used: bool = False


class SettledTexts:
    """A table of decisions.

    Attributes:
        problems: Rows that cannot be used.
    """

    def __init__(self, path: Path) -> None:
        """Read the table.

        Raises:
            UserError: It lacks a column, or decides one text in two ways.
            EnvironmentFailure: The disk refused.
        """
        self._decisions: dict[tuple[str, str], _Decision] = {}
        self.problems: list[InputProblem] = []
        file = InputFile.open(path)
        self._file = file.name
        table = CsvTable(file.text)
        if missing := [name for name in COLUMNS if name not in table.columns]:
            raise UserError(
                f"{file.name} has no column {', '.join(missing)}.",
                hint="It needs the columns id, text, answer.",
            )
        for row in table.rows():
            if row.fault:
                self._add_problem(row.fault, line=row.line)
            else:
                self._add(row.cells, line=row.line)

    def answer_for(self, text: str, *, item: str, answer_format: str, context: AnswerContext) -> str | None:
        """Return the answer that was decided for a text, None for a text that is readable or not decided."""
        decision = self._decisions.get((item, text)) or self._decisions.get(("", text))
        if decision is None or not answers.is_known(answer_format):
            return None
        form = answers.get(answer_format)
        if (
            form.parse(text, context=context).is_parsed
            or not form.parse(decision.answer, context=context).is_parsed
        ):
            return None
        decision.is_used = True
        return decision.answer

    def unused(self) -> Iterable[InputProblem]:
        """Return the decisions that no prediction needed."""
        for decision in self._decisions.values():
            if not decision.is_used:
                yield InputProblem(
                    kind="settled_not_used",
                    message="No unreadable prediction has this text, or the answer does not fit its format.",
                    item=decision.item,
                    file=self._file,
                    line=decision.line,
                )

    def _add(self, cells: Mapping[str, str], *, line: int) -> None:
        item, text, answer = (cells.get(name) or "" for name in COLUMNS)
        # An empty answer is a text that nobody has decided yet.
        if not answer.strip():
            return
        known = self._decisions.setdefault((item, text), _Decision(item=item, answer=answer, line=line))
        if known.answer != answer:
            raise UserError(
                f"Lines {known.line} and {line} of {self._file} decide the same text in two ways.",
                hint="Keep one of the two rows.",
            )

    def _add_problem(self, message: str, *, line: int) -> None:
        self.problems.append(InputProblem(kind="unreadable_row", message=message, file=self._file, line=line))


def write_unsettled(path: Path, texts: Iterable[tuple[str, str]]) -> int:
    """Write ids and texts that cannot be read, with an empty column for the answer; return their number."""
    rows = list(dict.fromkeys(texts))
    path.write_bytes(b"".join([csv_line(COLUMNS), *(csv_line((*row, "")) for row in rows)]))
    return len(rows)
