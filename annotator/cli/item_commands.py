"""The command ``items``: list, edit and exchange the items of a project."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import click

from annotator.cli.console import Console
from annotator.cli.duplicate_report import find_pairs, print_pairs
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.commands.command import Command
from annotator.commands.item_batches import (
    EditItems,
    RebalanceLetters,
    ReplaceText,
    TextField,
    TextReplacement,
    preview_replacement,
)
from annotator.commands.item_edits import (
    ItemEdit,
    SetAnswerKey,
    SetIssueClasses,
    SetOptionText,
    SetQuestion,
    SetTask,
)
from annotator.commands.item_states import ChangeState
from annotator.domain.item import IssueClass, Item, ItemState
from annotator.domain.item_diff import diff_items
from annotator.domain.query import ItemQuery
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.spreadsheets.item_sheet import item_cells, read_sheet, write_sheet

SHOWN = 20
"""Rows of a list, and items of a preview, on a terminal; JSON contains all of them."""
_STATES = click.Choice(get_args(ItemState))
_SELECTION = (
    click.option("--name", "names", multiple=True, help="Only the item of this name; may be repeated."),
    click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set."),
    click.option("--task", "tasks", multiple=True, help="Only items of this task."),
    click.option("--state", "states", multiple=True, type=_STATES, help="Only this state."),
    click.option("--flag", "flags", multiple=True, help="Only items with this open flag; * for any."),
    click.option("--text", default="", help="Only items with these words."),
)
"""Filters that choose items, in the order of the help."""
F = TypeVar("F", bound=Callable[..., Any])


def selection_options(function: F) -> F:
    """Give a subcommand the filters that choose items, handed over as ``query`` and ``names``."""
    for option in reversed(_SELECTION):
        function = option(function)
    return function


def _chosen(reader: Reader, chosen: dict[str, Any]) -> Iterator[Item]:
    """Yield the items that the filters choose, in order of arrival."""
    names = set(chosen.pop("names"))
    query = ItemQuery(**chosen)
    numbers = reader.items.numbers(query).tolist()
    found = reader.records(Item, ids=[row.id for row in reader.items.rows(numbers)])
    yield from (item for item in found if not names or item.name in names)


def require_chosen(reader: Reader, chosen: dict[str, Any]) -> list[Item]:
    """Return the items that the filters choose, in order of arrival.

    Raises:
        UserError: There is none.
    """
    items = list(_chosen(reader, chosen))
    if not items:
        raise UserError("No item matches the filters.", hint="List the items with: vantage items PROJECT.")
    return items


@click.group(cls=ProjectGroup, name="items")
@project_argument
@click.pass_context
def items(context: click.Context, project: Path) -> None:
    """List and edit the items of PROJECT.

    Without a subcommand, the items are listed. Each edit is one step that undo reverts. Each subcommand
    accepts --json.
    """
    context.obj = project


@items.command(name="list")
@selection_options
@click.option("--csv", "sheet", type=click.Path(path_type=Path), help="Write the items as a table to edit.")
@json_option
@click.pass_obj
def list_items(project: Path, /, *, sheet: Path | None, console: Console, **chosen: Any) -> None:  # noqa: ANN401 - the filters
    """List items; with --csv, write them as a table that ``apply`` reads."""
    with read_session(project) as session, session.reader.snapshot():
        found = list(_chosen(session.reader, chosen))
        if sheet is not None:
            write_sheet(sheet, found)
    rows = [{**item_cells(item), "state": item.state, "id": item.id} for item in found]
    result = (
        {"count": len(rows), "file": str(sheet)} if sheet is not None else {"count": len(rows), "items": rows}
    )
    console.result(result, print_text=lambda: _print_list(found, sheet=sheet, console=console))


def _print_list(found: list[Item], *, sheet: Path | None, console: Console) -> None:
    if sheet is not None:
        console.print(f"{len(found):,} items in {sheet}")
        return
    rows = [
        (item.name, f"{item.task_set}/{item.task}", item.state, item.question, item.answer_key)
        for item in found[:SHOWN]
    ]
    title = f"Items (first {len(rows)} of {len(found):,})" if len(found) > len(rows) else "Items"
    console.table(title, head=("name", "task", "state", "question", "answer"), rows=rows)
    console.print(f"{len(found):,} items")


@items.command(name="set")
@selection_options
@click.option("--question", help="New question.")
@click.option("--option", "option_texts", multiple=True, metavar="LETTER=TEXT", help="New text of an option.")
@click.option("--answer", help="New answer key.")
@click.option("--to-task", metavar="TASK_SET/TASK", help="Move to this task.")
@click.option(
    "--issue-class", "classes", multiple=True, type=click.Choice(get_args(IssueClass)), help="What was wrong."
)
@click.option("--to-state", type=click.Choice(get_args(ItemState)), help="Move to this state.")
@click.option("--reason", default="", help="Why; required for a rejection and for a return to refinement.")
@json_option
@click.pass_obj
def set_items(
    project: Path,
    /,
    *,
    to_state: ItemState | None,
    reason: str,
    console: Console,
    **asked: Any,  # noqa: ANN401 - filters and new values
) -> None:
    """Give fields of items new values, or move items to another state; not both in one call."""
    with open_session(project) as session:
        found = require_chosen(session.reader, _pick(asked, _FILTERS))
        edits = [edit for item in found for edit in _asked_edits(item, asked)]
        if bool(edits) == (to_state is not None):
            raise click.UsageError("Give new values, or --to-state.")
        command: Command = (
            ChangeState(items=tuple(item.id for item in found), state=to_state, reason=reason)
            if to_state is not None
            else EditItems(edits=tuple(edits))
        )
        _tell_change(session, command, found, console=console)


_FILTERS = ("names", "task_sets", "tasks", "states", "flags", "text")


def _pick(asked: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: asked[name] for name in names}


def _asked_edits(item: Item, asked: dict[str, Any]) -> Iterator[ItemEdit]:
    if asked["to_task"]:
        task_set, slash, task = asked["to_task"].partition("/")
        if not slash:
            raise click.BadParameter("is not in the form TASK_SET/TASK.", param_hint="--to-task")
        yield SetTask(item=item.id, task_set=task_set, task=task)
    if asked["question"] is not None:
        yield SetQuestion(item=item.id, text=asked["question"])
    for pair in asked["option_texts"]:
        letter, equals, text = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"'{pair}' is not in the form LETTER=TEXT.", param_hint="--option")
        yield SetOptionText(item=item.id, letter=letter.strip().upper(), text=text)
    if asked["answer"] is not None:
        yield SetAnswerKey(item=item.id, text=asked["answer"])
    if asked["classes"]:
        yield SetIssueClasses(item=item.id, issue_classes=asked["classes"])


@items.command()
@selection_options
@click.argument("find")
@click.argument("replacement")
@click.option(
    "--field", "fields", multiple=True, type=click.Choice(get_args(TextField)), help="Only this text."
)
@click.option("--pattern", "is_pattern", is_flag=True, help="FIND is a regular expression.")
@click.option("--ignore-case", is_flag=True, help="Capital and small letters are the same.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what would change; change nothing.")
@json_option
@click.pass_obj
def replace(project: Path, /, *, is_dry: bool, console: Console, **asked: Any) -> None:  # noqa: ANN401 - filters and what to replace
    """Replace the text FIND in questions and options by REPLACEMENT."""
    wanted = TextReplacement(
        find=asked["find"],
        replace=asked["replacement"],
        fields=cast("tuple[TextField, ...]", asked["fields"]) or get_args(TextField),
        is_pattern=asked["is_pattern"],
        has_case=not asked["ignore_case"],
    )
    with open_session(project) as session:
        found = require_chosen(session.reader, _pick(asked, _FILTERS))
        changed = list(preview_replacement(found, wanted))
        if changed and not is_dry:
            targets = tuple(item.id for item, _ in changed)
            execute(session, ReplaceText(items=targets, replacement=wanted), console=console)
    _tell_diff(changed, is_dry=is_dry, console=console)


@items.command()
@click.argument("sheet", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what would change; change nothing.")
@json_option
@click.pass_obj
def apply(project: Path, sheet: Path, *, is_dry: bool, console: Console) -> None:
    """Apply the edits of a table, as written by ``list --csv``: all of them, or none if one is not valid."""
    with open_session(project) as session:
        rows = [row for row in read_sheet(sheet, session.reader) if row.edits]
        changed = [(row.item, _edited(row.item, row.edits, session.reader)) for row in rows]
        if rows and not is_dry:
            edits = tuple(edit for row in rows for edit in row.edits)
            execute(session, EditItems(edits=edits), console=console)
    _tell_diff(changed, is_dry=is_dry, console=console)


def _edited(item: Item, edits: Iterable[ItemEdit], reader: Reader) -> Item:
    for edit in edits:
        item = edit.edited(item, reader)
    return item


@items.command()
@selection_options
@click.option("--seed", default=0, show_default=True, help="Seed of the draw.")
@json_option
@click.pass_obj
def rebalance(project: Path, /, *, seed: int, console: Console, **chosen: Any) -> None:  # noqa: ANN401 - the filters
    """Exchange options so that each letter is the answer key equally often."""
    with open_session(project) as session:
        found = require_chosen(session.reader, chosen)
        command = RebalanceLetters(items=tuple(item.id for item in found), seed=seed)
        _tell_change(session, command, found, console=console)


def _tell_change(session: Session, command: Command, found: list[Item], *, console: Console) -> None:
    changes = execute(session, command, console=console)
    count = changes.counts.get("item", 0)
    result = {"items": len(found), "changed": count, "command": changes.command}
    console.result(result, print_text=lambda: console.print(f"{count:,} of {len(found):,} items changed"))


def _tell_diff(changed: list[tuple[Item, Item]], *, is_dry: bool, console: Console) -> None:
    diffs = [
        {"name": before.name, "changes": [diff._asdict() for diff in diff_items(before, after)]}
        for before, after in changed
    ]
    result = {"changed": len(changed), "dry_run": is_dry, "items": diffs}
    console.result(result, print_text=lambda: _print_diff(changed, is_dry=is_dry, console=console))


def _print_diff(changed: list[tuple[Item, Item]], *, is_dry: bool, console: Console) -> None:
    rows = [
        (before.name, diff.field, diff.before, diff.after)
        for before, after in changed[:SHOWN]
        for diff in diff_items(before, after)
    ]
    if rows:
        more = f" (first {SHOWN} of {len(changed):,} items)" if len(changed) > SHOWN else ""
        console.table(f"Changes{more}", head=("item", "field", "before", "after"), rows=rows)
    console.print(f"{len(changed):,} items {'would change' if is_dry else 'changed'}")


@items.command(name="duplicates")
@click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set.")
@json_option
@click.pass_obj
def list_duplicates(project: Path, /, *, task_sets: tuple[str, ...], console: Console) -> int:
    """List pairs of items that ask nearly the same; ends with 1 if there are any."""
    with read_session(project) as session, session.reader.snapshot(), console.progress() as progress:
        pairs = find_pairs(session.reader, task_sets=task_sets, progress=progress)
    told = {"count": len(pairs), "pairs": pairs}
    console.result(told, print_text=lambda: print_pairs(pairs, console=console))
    return FOUND_PROBLEMS if pairs else 0


VERBS = (items,)
