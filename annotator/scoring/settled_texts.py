"""Decisions of people on replies that cannot be read: which answer a text means.

Source: UrbanVideo-Bench marks such replies with ``l**k``, and people settle them by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from annotator.domain import answers
from annotator.domain.answers import AnswerContext
from annotator.domain.latest_decision import latest_decisions
from annotator.domain.settled_text import NO_ANSWER, SettledText
from annotator.errors import UserError
from annotator.importers.csv_rows import CsvTable
from annotator.importers.input_file import InputFile, printable
from annotator.release.cells import csv_line
from annotator.scoring.prediction_rows import InputProblem

COLUMNS = ("id", "text", "answer")
FURTHER = ("model", "answer_format")
"""Names of further columns, which a table need not have."""


class _Decision(msgspec.Struct, kw_only=True):
    """What one text means.

    Attributes:
        item: Id of the item, "" for every item.
        answer: The answer that the text means, ``NO_ANSWER`` for none.
        line: Line of the table, 0 for a decision of the project.
        is_used: Whether a prediction had this text.
    """

    item: str
    answer: str
    line: int = 0
    is_used: bool = False


class SettledTexts:
    """Decisions of people: those of a project; a row of a table replaces the decision on the same text.

    Attributes:
        problems: Rows of the table that cannot be used.
    """

    def __init__(self, path: Path | None = None, *, records: Iterable[SettledText] = ()) -> None:
        """Read the decisions.

        Args:
            path: A table, None for none.
            records: Decisions of a project.

        Raises:
            UserError: The table lacks a column, or decides one text in two ways.
            EnvironmentFailure: The disk refused.
        """
        self._decisions: dict[tuple[str, ...], _Decision] = {}
        self.problems: list[InputProblem] = []
        self._file = ""
        for one in latest_decisions(records):
            self._decisions[one.subject] = _Decision(item=one.item, answer=one.answer or NO_ANSWER)
        if path is not None:
            self._read(path)

    def _read(self, path: Path) -> None:
        table = _open_table(path)
        self._file = printable(path.name)
        for row in table.rows():
            if row.fault:
                self._add_problem(row.fault, line=row.line)
            else:
                self._add(row.cells, line=row.line)

    def answer_for(
        self, text: str, *, item: str, answer_format: str, context: AnswerContext, model: str = ""
    ) -> str | None:
        """Return the answer that was decided for a text, None for a text that is readable or not decided.

        Args:
            text: The reply.
            item: Public id of its item.
            answer_format: Format of the item.
            context: What answers refer to.
            model: Name of the model.

        Returns:
            The answer as it was entered, ``NO_ANSWER`` where the text was decided to mean none.
        """
        # From the decision on this reply alone to the one on all replies with its text.
        subjects = (
            (named, text, by, form_id)
            for named, by in ((item, model), (item, ""), ("", model), ("", ""))
            for form_id in (answer_format, "")
        )
        decision = next((found for one in subjects if (found := self._decisions.get(one))), None)
        if decision is None:
            return None
        # A decision on all items with a text may be about another format, or about options that this
        # item lacks.
        if not is_applicable(decision.answer, text, answer_format=answer_format, context=context):
            return None
        decision.is_used = True
        return decision.answer

    def unused(self) -> Iterable[InputProblem]:
        """Return the decisions of the table that no prediction needed; a project has other releases' too."""
        for decision in self._decisions.values():
            if decision.line and not decision.is_used:
                yield InputProblem(
                    kind="settled_not_used",
                    message="No unreadable prediction has this text, or the answer does not fit its format.",
                    item=decision.item,
                    file=self._file,
                    line=decision.line,
                )

    def _add(self, cells: Mapping[str, str], *, line: int) -> None:
        decision = decision_of(cells)
        if decision is None:
            return
        known = self._decisions.get(decision.subject)
        if known is not None and known.line and known.answer != (decision.answer or NO_ANSWER):
            raise _contradiction(known.line, line, file=self._file)
        self._decisions[decision.subject] = _Decision(
            item=decision.item, answer=decision.answer or NO_ANSWER, line=line
        )

    def _add_problem(self, message: str, *, line: int) -> None:
        self.problems.append(InputProblem(kind="unreadable_row", message=message, file=self._file, line=line))


def is_applicable(answer: str, text: str, *, answer_format: str, context: AnswerContext) -> bool:
    """Return whether a decision counts: for a text that no rule can read, and an answer of the format.

    Args:
        answer: What was decided, ``NO_ANSWER`` for none.
        text: The reply.
        answer_format: Format of the item.
        context: What answers refer to.
    """
    if not answers.is_known(answer_format):
        return False
    form = answers.get(answer_format)
    if form.parse(text, context=context).is_parsed:
        return False
    return answer == NO_ANSWER or form.parse(answer, context=context).is_parsed


def _open_table(path: Path) -> CsvTable:
    file = InputFile.open(path)
    table = CsvTable(file.text)
    if missing := [name for name in COLUMNS if name not in table.columns]:
        raise UserError(
            f"{file.name} has no column {', '.join(missing)}.",
            hint="It needs the columns id, text, answer.",
        )
    return table


def decision_of(cells: Mapping[str, str]) -> SettledText | None:
    """Return the decision of a row, None for a text that nobody has decided yet."""
    item, text, answer, model, answer_format = (cells.get(name) or "" for name in (*COLUMNS, *FURTHER))
    if not answer.strip():
        return None
    is_none = answer.strip().casefold() == NO_ANSWER
    return SettledText(
        item=item, text=text, answer="" if is_none else answer, model=model, answer_format=answer_format
    )


def read_decisions(path: Path) -> list[SettledText]:
    """Return the decisions of a table.

    Raises:
        UserError: The table lacks a column, a row is damaged, or two rows decide one text in two ways.
        EnvironmentFailure: The disk refused.
    """
    found: dict[tuple[str, ...], tuple[int, SettledText]] = {}
    for row in _open_table(path).rows():
        if row.fault:
            raise UserError(f"{printable(path.name)}, {row.locator}: {row.fault}")
        decision = decision_of(row.cells)
        if decision is None:
            continue
        line, known = found.setdefault(decision.subject, (row.line, decision))
        if known.answer.strip() != decision.answer.strip():
            raise _contradiction(line, row.line, file=printable(path.name))
    return [decision for _, decision in found.values()]


def _contradiction(line: int, other: int, *, file: str) -> UserError:
    return UserError(
        f"Lines {line} and {other} of {file} decide the same text in two ways.",
        hint="Keep one of the two rows.",
    )


def write_settled(path: Path, decisions: Iterable[SettledText]) -> int:
    """Write decisions as a table for ``--settled``; return their number."""
    rows = [(one.item, one.text, one.answer or NO_ANSWER, one.model, one.answer_format) for one in decisions]
    path.write_bytes(b"".join(map(csv_line, [(*COLUMNS, *FURTHER), *rows])))
    return len(rows)


def write_unsettled(path: Path, texts: Iterable[tuple[str, str]]) -> int:
    """Write ids and texts that cannot be read, with an empty column for the answer; return their number."""
    rows = list(dict.fromkeys(texts))
    path.write_bytes(b"".join([csv_line(COLUMNS), *(csv_line((*row, "")) for row in rows)]))
    return len(rows)
