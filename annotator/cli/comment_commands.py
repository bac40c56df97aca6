"""The command ``comments``: list and write the comments of a project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.commands.comments import WriteComment
from annotator.comment_read_state import CommentReadState
from annotator.domain.comment import Comment
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.record_types import record_type
from annotator.domain.rows import CommentRow
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session

F = TypeVar("F", bound=Callable[..., Any])
KINDS: dict[str, type[Record]] = {"item": Item, "scene": Scene, "medium": Medium}
"""Kinds of records that are named on the command line."""
_PLURALS = {"item": "items", "scene": "scenes", "medium": "media files"}
_LISTS = {
    "item": "List them with: vantage items PROJECT",
    "scene": "The Library lists the scenes.",
    "medium": "The Library lists the media files.",
}
"""Where the names of each kind are found."""


def record_options(function: F) -> F:
    """Give a subcommand the name of a record, handed over as ``item``, ``scene`` and ``medium``."""
    for kind in reversed(KINDS):
        function = click.option(f"--{kind}", default="", metavar="NAME", help=f"The {kind} of this name.")(
            function
        )
    return function


@click.group(cls=ProjectGroup, name="comments")
@project_argument
@click.pass_context
def comments(context: click.Context, project: Path) -> None:
    """List or write the comments of PROJECT.

    Without a subcommand, all comments are listed. Each subcommand accepts --json.
    """
    context.obj = project


@comments.command(name="list")
@record_options
@click.option("--unread", "is_unread", is_flag=True, help="Only comments that you have not read.")
@click.option("--mentions-me", "mentions_me", is_flag=True, help="Only comments that mention you.")
@click.option("--open", "is_open", is_flag=True, help="Only questions that are not answered.")
@json_option
@click.pass_obj
def list_comments(
    project: Path,
    /,
    *,
    is_unread: bool,
    mentions_me: bool,
    is_open: bool,
    console: Console,
    **names: str,
) -> None:
    """List comments, oldest first; the list does not mark them as read."""
    with read_session(project) as session, session.reader.snapshot():
        person = session.actor.id
        rows = _comments_of(session.reader, names)
        unread = _unread_ids(session.reader, person=person)
    found = [
        row
        for row in rows
        if (not is_unread or row.comment.id in unread)
        and (not mentions_me or any(one.person == person for one in row.comment.mentions))
        and (not is_open or row.question == "open")
    ]
    result = {
        "count": len(found),
        "comments": [_entry(row, is_unread=row.comment.id in unread) for row in found],
    }
    console.result(result, print_text=lambda: _print_list(found, unread=unread, console=console))


@comments.command()
@click.argument("text")
@record_options
@click.option("--reply-to", "parent", default="", metavar="ID", help="Answer the comment of this id.")
@click.option("--question", "is_question", is_flag=True, help="Ask for an answer: the record is flagged.")
@json_option
@click.pass_obj
def add(
    project: Path, /, *, text: str, parent: str, is_question: bool, console: Console, **names: str
) -> None:
    """Add the comment TEXT to a record, or to a thread; @NAME mentions a person."""
    with open_session(project) as session:
        entity, target = _subject(session, names, parent=parent)
        command = WriteComment(
            entity=entity,
            target=target,
            text=text,
            person=session.actor.id,
            parent=parent,
            is_question=is_question,
        )
        execute(session, command, console=console)
        row = session.reader.comments.of(record_type(entity), target)[-1]
    console.result(_entry(row, is_unread=False), print_text=lambda: console.print(_line(row)))


def _subject(session: Session, names: dict[str, str], *, parent: str) -> tuple[str, str]:
    record = _named(session.reader, names)
    if parent:
        answered = session.reader.require(Comment, parent)
        return answered.entity, answered.target
    if record is None:
        raise UserError("No record is given.", hint="Add --item, --scene or --medium with its name.")
    return record


def _comments_of(reader: Reader, names: dict[str, str]) -> list[CommentRow]:
    record = _named(reader, names)
    if record is None:
        return reader.comments.all()
    entity, target = record
    return reader.comments.of(record_type(entity), target)


def _unread_ids(reader: Reader, *, person: str) -> set[str]:
    read_state = CommentReadState(project=reader.project.id, person=person)
    return {one.id for one in read_state.unread(reader)}


def _named(reader: Reader, names: dict[str, str]) -> tuple[str, str] | None:
    """Return kind and id of the record of a name, None without one."""
    given = [(kind, name) for kind, name in names.items() if name]
    if not given:
        return None
    if len(given) > 1:
        raise UserError("Several records are given.", hint="Give one of --item, --scene and --medium.")
    kind, name = given[0]
    found = list(reader.find(KINDS[kind], name=name))
    if len(found) != 1:
        raise UserError(f"The project has {len(found):,} {_PLURALS[kind]} named {name!r}.", hint=_LISTS[kind])
    return kind, found[0].id


def _entry(row: CommentRow, *, is_unread: bool) -> dict[str, Any]:
    comment = row.comment
    return {
        "id": comment.id,
        "entity": comment.entity,
        "target": comment.target,
        "subject": row.subject,
        "text": row.text,
        "person": row.name,
        "written_at": row.written_at,
        "thread": row.thread,
        "mentions": [row.names.get(one.person, one.name) for one in comment.mentions],
        "pin": msgspec.to_builtins(comment.pin),
        "question": row.question,
        "is_edited": row.is_edited,
        "is_unread": is_unread,
    }


def _line(row: CommentRow) -> str:
    question = f" [{row.question} question]" if row.question else ""
    reply = "  ↳ " if row.comment.parent else ""
    return f"{reply}{row.written_at[:16]} {row.name}{question}: {row.text}"


def _print_list(rows: list[CommentRow], *, unread: set[str], console: Console) -> None:
    for row in rows:
        mark = "* " if row.comment.id in unread else "  "
        subject = f"{row.comment.entity} {row.subject}: " if row.subject else ""
        console.print(f"{mark}{subject}{_line(row)}")
    console.print(f"{len(rows):,} comments, {sum(row.comment.id in unread for row in rows):,} not read")


VERBS = (comments,)
