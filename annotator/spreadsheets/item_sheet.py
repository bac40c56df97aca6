"""Items as a table for editing in other programs, and the edits in such a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from annotator.commands.item_edits import (
    AddOption,
    ItemEdit,
    RemoveOption,
    SetAnswerKey,
    SetIssueClasses,
    SetOptionText,
    SetQuestion,
    SetTask,
)
from annotator.domain.item import LETTERS, IssueClass, Item
from annotator.errors import UserError
from annotator.importers.table_rows import TableRow
from annotator.importers.tables import first_table
from annotator.queries.reader import Reader
from annotator.release.cells import csv_line

COLUMNS = ("name", "task_set", "task", "question", *LETTERS, "answer", "issue_classes")
MARK = "\ufeff".encode()
"""Byte order mark: spreadsheet programs read a CSV file as UTF-8 only with it."""
_SEPARATOR = "; "


@dataclass(frozen=True, kw_only=True)
class SheetRow:
    """The edits of one row of a table.

    Attributes:
        locator: The position of the row.
        item: The item named in the row.
        edits: Its edits, in order; none where the row equals the item.
    """

    locator: str
    item: Item
    edits: tuple[ItemEdit, ...]


def item_cells(item: Item) -> dict[str, str]:
    """Return an item as the cells of its row."""
    options = {option.letter: option.text for option in item.options}
    return {
        "name": item.name,
        "task_set": item.task_set,
        "task": item.task,
        "question": item.question,
        **{letter: options.get(letter, "") for letter in LETTERS},
        "answer": item.answer_key,
        "issue_classes": _SEPARATOR.join(item.issue_classes),
    }


def write_sheet(path: Path, items: Iterable[Item]) -> None:
    """Write items as CSV; an existing file is not replaced.

    Raises:
        UserError: The file exists; choose another name.
        OSError: It cannot be written.
    """
    try:
        with path.open("xb") as file:
            file.write(MARK + csv_line(COLUMNS))
            file.writelines(csv_line(tuple(item_cells(item).values())) for item in items)
    except FileExistsError as error:
        raise UserError(f"{path.name} exists already.", hint="Choose another file name.") from error
    except OSError:
        # On a full disk: half a table would be taken for the whole.
        path.unlink(missing_ok=True)
        raise


def read_sheet(path: Path, reader: Reader) -> Iterator[SheetRow]:
    """Yield the edits of each row of an edited table.

    A column that is missing leaves its field as it is; options are taken as a whole, from A to the last one
    with a text.

    Raises:
        UserError: The file is not an item table, a row is damaged, or a row names no item or several; correct
            the table.
    """
    table = first_table(path)
    if table is None or "name" not in table.columns:
        raise UserError(
            f"{path.name} has no column 'name'.",
            hint="Write the table with: vantage items PROJECT --csv FILE.",
        )
    if unknown := [column for column in table.columns if column not in COLUMNS]:
        raise UserError(
            f"{path.name} has the unknown column '{unknown[0]}'.", hint=f"Columns: {', '.join(COLUMNS)}."
        )
    for row in table.rows():
        if row.fault:
            raise UserError(f"{path.name}, {row.locator}: {row.fault}")
        cells = {column: cell_text(row.cells.get(column)) for column in table.columns}
        item = item_named(row, cells, reader)
        yield SheetRow(locator=row.locator, item=item, edits=tuple(_edits(item, cells, row)))


def cell_text(value: object) -> str:
    """Return the text of a cell, "" for an empty one."""
    return "" if value is None else str(value)


def item_named(row: TableRow, cells: Mapping[str, str], reader: Reader) -> Item:
    """Return the item that a row names.

    Args:
        row: The row, for the message.
        cells: Its cells; ``name``, and ``task_set`` where it has that column.
        reader: The project.

    Raises:
        UserError: There is no such item, or there are several.
    """
    named: dict[str, Any] = {"name": cells["name"]}
    found = list(reader.find(Item, **named))
    if len(found) > 1 and cells.get("task_set"):
        found = [item for item in found if item.task_set == cells["task_set"]]
    if len(found) != 1:
        count = "no item" if not found else f"{len(found)} items"
        raise UserError(
            f"{row.locator}: There is {count} named '{cells['name']}'.",
            hint="Each row needs the name of one item, and its task set where the name occurs in several.",
        )
    return found[0]


def _edits(item: Item, cells: Mapping[str, str], row: TableRow) -> Iterator[ItemEdit]:
    now = item_cells(item)
    changed = {column for column, text in cells.items() if text != now[column]}
    if changed & {"task_set", "task"}:
        yield SetTask(
            item=item.id,
            task_set=cells.get("task_set", item.task_set),
            task=cells.get("task", item.task),
        )
    if "question" in changed:
        yield SetQuestion(item=item.id, text=cells["question"])
    if changed & set(LETTERS):
        yield from _option_edits(item, cells, row)
    # After task and options, by which its text is read.
    if "answer" in changed:
        yield SetAnswerKey(item=item.id, text=cells["answer"])
    if "issue_classes" in changed:
        yield SetIssueClasses(item=item.id, issue_classes=_classes(cells["issue_classes"]))


def _option_texts(cells: Mapping[str, str], row: TableRow) -> list[str]:
    """Return the texts of the options up to the last that is not empty.

    Raises:
        UserError: One between them is empty.
    """
    texts = [cells.get(letter, "") for letter in LETTERS]
    while texts and not texts[-1]:
        texts.pop()
    if "" in texts:
        empty = LETTERS[texts.index("")]
        raise UserError(
            f"{row.locator}: Option {empty} is empty, but a later option is not.", hint="Fill it, or move up."
        )
    return texts


def _option_edits(item: Item, cells: Mapping[str, str], row: TableRow) -> Iterator[ItemEdit]:
    letters = [option.letter for option in item.options]
    if letters != [*LETTERS[: len(letters)]]:
        raise UserError(
            f"{row.locator}: The letters of the options of {item.name} are not A, B, C and so on: "
            f"{', '.join(letters)}.",
            hint="Leave the cells of its options as they are, and edit the options in Refine.",
        )
    texts = _option_texts(cells, row)
    for index, text in enumerate(texts):
        if index >= len(item.options):
            yield AddOption(item=item.id, text=text)
        elif item.options[index].text != text:
            yield SetOptionText(item=item.id, letter=LETTERS[index], text=text)
    # From the end: the letters behind a removed option move up.
    for option in reversed(item.options[len(texts) :]):
        yield RemoveOption(item=item.id, letter=option.letter)


def _classes(text: str) -> tuple[IssueClass, ...]:
    names = [name.strip() for name in text.replace(",", ";").split(";") if name.strip()]
    # The command refuses unknown values and lists the valid classes.
    return tuple(cast("IssueClass", name) for name in names) if names else ()
