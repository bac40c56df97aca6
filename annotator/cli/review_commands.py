"""The command ``review``: the queue of what waits for a decision, and the decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.project_group import ProjectGroup
from annotator.commands.label_decisions import DecideLabels, FieldChoice, label_of
from annotator.commands.projects import SetReviewRules
from annotator.commands.review import (
    CorrectRecord,
    ForkChoice,
    KeepRecord,
    MergeForks,
    RejectItem,
    ReviewDecision,
    SendBack,
    change_key,
)
from annotator.domain.flag import Severity
from annotator.domain.item import Item, ItemState
from annotator.domain.project import SeparateAcceptance
from annotator.domain.record_types import record_type
from annotator.domain.review import ANY, PHRASES, ReviewCase, ReviewQuery, ReviewReason
from annotator.edits.people import find_people
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.session import Session

SHOWN = 20
"""Cases of a list without ``--limit``."""
Verb = TypeVar("Verb", bound=Callable[..., Any])


@click.group(cls=ProjectGroup, name="review")
@project_argument
@click.pass_context
def review(context: click.Context, project: Path) -> None:
    """List what waits for a decision in PROJECT, and decide.

    Without a subcommand, the queue is listed. Each decision needs a reason and is one step that undo reverts.
    Each subcommand accepts --json.
    """
    context.obj = project


@review.command(name="list")
@click.option(
    "--because",
    "reasons",
    multiple=True,
    type=click.Choice(get_args(ReviewReason)),
    help="Only for this reason.",
)
@click.option("--kind", "kinds", multiple=True, help="Only with an open flag of this kind.")
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(get_args(Severity)),
    help="Only of this severity.",
)
@click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set.")
@click.option("--task", "tasks", multiple=True, help="Only items of this task.")
@click.option("--source", "sources", multiple=True, help="Only items of the source with this id.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice((*get_args(ItemState), ANY)),
    help="Only items in this state; * for any.",
)
@click.option(
    "--person", "persons", multiple=True, metavar="NAME", help="Only items that this person answered."
)
@click.option(
    "--limit", type=click.IntRange(min=0), default=SHOWN, show_default=True, help="Cases at most; 0 for all."
)
@json_option
@click.pass_obj
def list_cases(
    project: Path,
    /,
    *,
    persons: tuple[str, ...],
    limit: int,
    console: Console,
    **filters: Any,  # noqa: ANN401
) -> None:
    """List the cases that wait for a decision, the most worth first.

    Items in refinement wait for their author, and rejected ones for nobody: --state lists them.
    """
    with read_session(project) as session, session.reader.snapshot():
        reader = session.reader
        people = tuple(person.id for person in find_people(persons, reader, may_be_new=False)[0])
        query = ReviewQuery(persons=people, **filters)
        numbers = reader.reviews.numbers(query)
        cases = reader.reviews.rows(numbers[:limit] if limit else numbers)
        facets = reader.reviews.facets(query)
    result = {
        "count": len(numbers),
        "cases": msgspec.to_builtins(cases),
        "facets": {name: {one.value: one.count for one in counts} for name, counts in facets.items()},
    }
    console.result(result, print_text=lambda: _print_cases(cases, count=len(numbers), console=console))


def _case_row(case: ReviewCase) -> tuple[str, ...]:
    reasons, kinds = ", ".join(case.reasons), (*case.kinds, *(f"fork: {fork.field}" for fork in case.forks))
    record = (case.name, case.entity, case.state)
    return (f"{case.worth:.2f}", *record, reasons, ", ".join(kinds), f"{case.touched:,}", case.target)


def _print_cases(cases: list[ReviewCase], *, count: int, console: Console) -> None:
    rows = list(map(_case_row, cases))
    title = (
        f"Waiting for a decision (first {len(rows)} of {count:,})"
        if count > len(rows)
        else "Waiting for a decision"
    )
    head = ("worth", "name", "record", "state", "because", "flags", "items", "id")
    console.table(title, head=head, rows=rows)
    console.print(f"{count:,} cases")


def _decision(function: Verb) -> Verb:
    """Give a subcommand the record, the reason and ``--json``."""
    options = (
        click.argument("record"),
        click.option("--reason", required=True, help="Why; a number takes that phrase of the project."),
        json_option,
        click.pass_obj,
    )
    for option in reversed(options):
        function = option(function)
    return function


def _closing(function: Verb) -> Verb:
    """Give a subcommand the flags that it answers, and whether the item is accepted."""
    flags = click.option(
        "--flag",
        "flags",
        multiple=True,
        metavar="ID",
        help="Flag that this answers; default: see docs/review.md.",
    )
    accept = click.option("--accept", is_flag=True, help="Accept the item with the decision.")
    return flags(accept(function))


@review.command()
@_closing
@_decision
def keep(project: Path, /, *, record: str, reason: str, console: Console, **chosen: Any) -> None:  # noqa: ANN401
    """Keep RECORD as it is, for an item its answer key; this dismisses the flags that it answers."""
    _decide(project, record, KeepRecord, reason=reason, console=console, **chosen)


@review.command(name="set-key")
@_closing
@_decision
@click.argument("answer")
def set_key(
    project: Path,
    /,
    *,
    record: str,
    answer: str,
    reason: str,
    console: Console,
    **chosen: Any,  # noqa: ANN401
) -> None:
    """Give the item RECORD the answer key ANSWER; this resolves the flags about it."""

    def command(*, entity: str, target: str, **fields: Any) -> CorrectRecord:  # noqa: ANN401 - the decision's
        return change_key(target=target, text=answer, entity=entity, **fields)

    _decide(project, record, command, reason=reason, console=console, **chosen)


@review.command()
@_closing
@_decision
def resolve(project: Path, /, *, record: str, reason: str, console: Console, **chosen: Any) -> None:  # noqa: ANN401
    """State that RECORD was corrected; this resolves its open flags."""
    _decide(project, record, CorrectRecord, reason=reason, console=console, **chosen)


@review.command(name="send-back")
@_decision
def send_back(project: Path, /, *, record: str, reason: str, console: Console) -> None:
    """Send RECORD back to the person who works on it, with the reason as a comment."""
    _decide(project, record, SendBack, reason=reason, console=console)


@review.command()
@_decision
def reject(project: Path, /, *, record: str, reason: str, console: Console) -> None:
    """Reject the item RECORD, with the reason as a comment."""
    _decide(project, record, RejectItem, reason=reason, console=console)


@review.command(name="merge-forks")
@click.option(
    "--keep", "events", multiple=True, required=True, metavar="EVENT", help="Keep the value of this event."
)
@_decision
def merge_forks(
    project: Path, /, *, record: str, events: tuple[str, ...], reason: str, console: Console
) -> None:
    """Choose a value for each forked field of RECORD; ``vantage forks`` lists the values."""
    with open_session(project) as session:
        case = _case(session.reader, record)
        choices = tuple(
            ForkChoice(entity_id=fork.entity_id, field=fork.field, event=event)
            for event in events
            for fork in session.reader.forks.all()
            if any(value.event == event for value in fork.values)
        )
        if len(choices) < len(events):
            raise UserError(
                "A fork has no value of that event.", hint="List the forks with: vantage forks PROJECT."
            )
        command = MergeForks(
            entity=case[0], target=case[1], choices=choices, reason=_reason(reason, session.reader)
        )
        _execute(session, command, console=console)


@review.command(name="decide-labels")
@click.option("--keep", required=True, metavar="PERSON", help="Keep the event label of this person.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="FIELD=PERSON",
    help="Take the answer of this field from another person's label; may be repeated.",
)
@_decision
def decide_labels(
    project: Path, /, *, record: str, keep: str, fields: tuple[str, ...], reason: str, console: Console
) -> None:
    """Decide between the event labels that persons gave the view of RECORD independently."""
    with open_session(project) as session:
        reader = session.reader
        target = _case(reader, record)[1]
        choices = tuple(
            FieldChoice(field=field, label=label_of(reader, target, person=person))
            for field, _, person in (one.rpartition("=") for one in fields)
        )
        kept, why, actor = label_of(reader, target, person=keep), _reason(reason, reader), session.actor.id
        command = DecideLabels(target=target, keep=kept, choices=choices, reason=why, person=actor)
        _execute(session, command, console=console)


@review.command()
@click.option(
    "--separate-acceptance",
    type=click.Choice(get_args(SeparateAcceptance)),
    help="Whether nobody accepts what the same person wrote last; auto: from two persons on.",
)
@click.option("--phrase", "phrases", multiple=True, help="Reason to choose by number; may be repeated.")
@click.option("--usual-phrases", is_flag=True, help="Use the usual reasons again.")
@json_option
@click.pass_obj
def rules(
    project: Path,
    /,
    *,
    separate_acceptance: SeparateAcceptance | None,
    phrases: tuple[str, ...],
    usual_phrases: bool,
    console: Console,
) -> None:
    """Print or set who may accept items, and the reasons that are chosen by number."""
    if separate_acceptance or phrases or usual_phrases:
        with open_session(project) as session:
            wanted = phrases if phrases or usual_phrases else None
            command = SetReviewRules(separate_acceptance=separate_acceptance, phrases=wanted)
            execute(session, command, console=console)
    with read_session(project) as session:
        found = session.reader.project
    shown = found.review_phrases or PHRASES
    result = {"separate_acceptance": found.separate_acceptance, "phrases": list(shown)}

    def print_text() -> None:
        console.print(f"Separate acceptance: {found.separate_acceptance}")
        rows = [(str(number), phrase) for number, phrase in enumerate(shown, start=1)]
        console.table("Reasons", head=("number", "reason"), rows=rows)

    console.result(result, print_text=print_text)


@review.command()
@json_option
@click.pass_obj
def outcomes(project: Path, /, *, console: Console) -> None:
    """Print how many items each person accepted, sent back and rejected, per task."""
    with read_session(project) as session:
        found = msgspec.to_builtins(session.reader.reviews.outcomes())
    console.result({"outcomes": found}, print_text=lambda: print_outcomes(found, console=console))


def print_outcomes(found: Sequence[Mapping[str, Any]], *, console: Console) -> None:
    """Print the numbers of ``ReviewOutcome`` objects as a table."""
    rows = [
        (
            f"{one['task_set']}/{one['task']}",
            one["name"],
            *(f"{one[column]:,}" for column in ("accepted", "sent_back", "rejected")),
        )
        for one in found
    ]
    head = ("task", "person", "accepted", "sent back", "rejected")
    console.table("Decisions on items", head=head, rows=rows)


def _decide(
    project: Path,
    record: str,
    decision: Callable[..., ReviewDecision],
    *,
    reason: str,
    console: Console,
    **fields: Any,  # noqa: ANN401
) -> None:
    with open_session(project) as session:
        entity, target = _case(session.reader, record)
        why = _reason(reason, session.reader)
        person = session.actor.id
        command = decision(entity=entity, target=target, reason=why, person=person, **fields)
        _execute(session, command, console=console)


def _execute(session: Session, command: ReviewDecision, *, console: Console) -> None:
    execute(session, command, console=console)
    reader = session.reader
    item = reader.get(Item, command.target) if command.entity == "item" else None
    left = reader.reviews.case(record_type(command.entity), command.target)
    result = {
        "entity": command.entity,
        "id": command.target,
        "state": item.state if item else "",
        "open_flags": left.flags if left else 0,
        "forks": len(left.forks) if left else 0,
    }

    def print_text() -> None:
        state = f" The item is {item.state.replace('_', ' ')}." if item else ""
        console.print(f"Decided. Open flags left: {result['open_flags']}, forks: {result['forks']}.{state}")

    console.result(result, print_text=print_text)


def _reason(text: str, reader: Reader) -> str:
    """Return the reason, or the project's phrase of that number."""
    phrases = reader.project.review_phrases or PHRASES
    if text.isdecimal() and 1 <= int(text) <= len(phrases):
        return phrases[int(text) - 1]
    return text


def _case(reader: Reader, record: str) -> tuple[str, str]:
    """Return type and id of a record by its id or name: one that waits for a decision, or an item.

    Raises:
        UserError: There is none, or several have that name.
    """
    found = next(filter(None, _matches(reader, record)), set())
    hint = "List the queue with their ids: vantage review PROJECT."
    if not found:
        raise UserError(f"Nothing waits for a decision named {record!r}.", hint=hint)
    if len(found) > 1:
        raise UserError(f"{len(found)} records are named {record!r}.", hint=hint)
    return found.pop()


def _matches(reader: Reader, record: str) -> Iterator[set[tuple[str, str]]]:
    """Yield the records of an id or name: cases by id, cases by name, items by name, items by id."""
    cases = reader.reviews.rows(reader.reviews.numbers(ReviewQuery(states=(ANY,))))
    yield {(case.entity, case.target) for case in cases if record == case.target}
    yield {(case.entity, case.target) for case in cases if record == case.name}
    yield {("item", item.id) for item in reader.find(Item, name=record)}
    if reader.get(Item, record) is not None:
        yield {("item", record)}


VERBS = (review,)
