"""Independent answers in a table, for people who answered outside Vantage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.edits.people import find_people
from annotator.errors import UserError
from annotator.importers.table_rows import Table, TableRow
from annotator.importers.tables import first_table
from annotator.queries.reader import Reader
from annotator.spreadsheets.item_sheet import cell_text, item_named

REQUIRED = ("name", "person", "answer")
COLUMNS = (*REQUIRED, "task_set", "seconds", "reason")


def read_responses(path: Path, reader: Reader, *, executing: Actor) -> AddResponses:
    """Return the command that records the answers of a table.

    Columns: name (of the item), person, answer; task_set (where a name occurs in several), seconds, reason.
    People are found by name, whose case does not matter; those the project does not contain are added.

    Args:
        path: The table.
        reader: The project.
        executing: The person who executes the command.

    Raises:
        UserError: The file is not such a table, a row is damaged or names no item or several, or several
            persons have one name.
    """
    table = _table_of_answers(path)
    people: dict[str, Actor] = {}
    added: dict[str, Actor] = {}
    answers = []
    for row in table.rows():
        if row.fault:
            raise UserError(f"{path.name}, {row.locator}: {row.fault}")
        cells = {column: cell_text(row.cells.get(column)).strip() for column in table.columns}
        name = cells["person"]
        if not name:
            raise UserError(f"{row.locator}: The person is missing.", hint="Enter who gave the answer.")
        if name not in people:
            (people[name],), new = find_people((name,), reader, may_be_new=True, executing=executing)
            added.update({person.id: person for person in new})
        answers.append(_answer(row, cells, person=people[name], reader=reader))
    return AddResponses(answers=tuple(answers), people=tuple(added.values()))


def _table_of_answers(path: Path) -> Table:
    table = first_table(path)
    if table is None or not set(REQUIRED) <= set(table.columns) <= set(COLUMNS):
        raise UserError(
            f"{path.name} is not a table of answers.",
            hint=f"Columns: {', '.join(REQUIRED)}; optional: {', '.join(COLUMNS[len(REQUIRED) :])}.",
        )
    return table


def _answer(row: TableRow, cells: Mapping[str, str], *, person: Actor, reader: Reader) -> GivenAnswer:
    return GivenAnswer(
        item=item_named(row, cells, reader).id,
        answer=cells["answer"],
        person=person.id,
        duration_s=_duration_s(row, cells.get("seconds", "")),
        reason=cells.get("reason", ""),
    )


def _duration_s(row: TableRow, seconds: str) -> float:
    try:
        duration_s = float(seconds or 0)
    except ValueError:
        raise UserError(f"{row.locator}: '{seconds}' is not a number of seconds.") from None
    # "nan", "inf" and "1e999" are numbers to Python, and no duration.
    if not (math.isfinite(duration_s) and duration_s >= 0):
        raise UserError(
            f"{row.locator}: '{seconds}' is not a duration.",
            hint="Enter seconds, 0 or more; leave it empty if unknown.",
        )
    return duration_s
