"""The commands ``reference``: people answer a sample of the items, as the measure for models."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from annotator.cli.agreement_commands import coefficient_text
from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.shortages import print_shortages
from annotator.cli.verb_group import VerbGroup
from annotator.commands.assignments import AssignRecords
from annotator.domain.item import ItemState
from annotator.edits.people import find_people
from annotator.errors import UserError
from annotator.quality.human_reference.report import (
    ALL_TASKS,
    ReferenceScore,
    TaskReference,
    measure_reference,
)
from annotator.quality.human_reference.sample import (
    PERSONS,
    ROLE,
    SHARE,
    STATES,
    ReferencePlan,
    plan_reference,
)


@click.group(cls=VerbGroup)
def reference() -> None:
    """Let people answer a sample of the items, and compare them with models and random answers."""


@reference.command()
@project_argument
@click.option("--to", "names", multiple=True, metavar="NAME", help="Person; repeat it for several.")
@click.option("--new", "may_be_new", is_flag=True, help="Add persons that the project does not contain yet.")
@click.option(
    "--share", type=float, default=SHARE, show_default=True, help="Share of the items of each task."
)
@click.option("--persons", type=int, default=PERSONS, show_default=True, help="Persons for each item.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the choice.")
@click.option("--task", "tasks", multiple=True, help="Only this task, as SET/TASK or TASK.")
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(get_args(ItemState)),
    help="Only items in this state; by default all that are not filtered or rejected.",
)
@click.option("--dry-run", is_flag=True, help="Draw the sample, but assign nothing.")
@json_option
def sample(
    project: Path,
    *,
    names: tuple[str, ...],
    may_be_new: bool,
    persons: int,
    states: tuple[str, ...],
    dry_run: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - share, seed and tasks
) -> None:
    """Draw a share of the items of each task of PROJECT, and assign them to persons as one step.

    Persons get no item that they wrote, edited, answered, commented or decided on, or are asked to. Items
    that too few persons may answer are listed. Ids, persons and seed alone decide the choice.
    """
    if not names:
        raise UserError("Nobody is to answer the sample.", hint="Name each person with --to NAME.")
    with open_session(project) as session:
        people, new = find_people(names, session.reader, may_be_new=may_be_new, executing=session.actor)
        plan = plan_reference(
            session.reader,
            [person.id for person in people],
            per_item=persons,
            states=states or STATES,
            **chosen,
        )
        if plan.pairs and not dry_run:
            command = AssignRecords(entity="item", role=ROLE, pairs=plan.pairs, people=new)
            execute(session, command, console=console)
    result = {
        "seed": chosen["seed"],
        "share": chosen["share"],
        **msgspec.to_builtins(plan),
        "pairs": len(plan.pairs),
    }
    console.result(result, print_text=lambda: _print_plan(plan, console=console))


@reference.command()
@project_argument
@click.option("--seed", default=0, show_default=True, help="Seed of the confidence intervals.")
@json_option
def report(project: Path, *, seed: int, console: Console) -> None:
    """Score the people, models and random answers of PROJECT on the sample, by task.

    Scores are those of the answer formats, with 95 % bootstrap intervals over the items.
    """
    with read_session(project) as session, session.reader.snapshot(), console.progress() as progress:
        found = measure_reference(session.reader, seed=seed, progress=progress)
    result = {"seed": seed, "tasks": msgspec.to_builtins(found)}
    console.result(result, print_text=lambda: _print_report(found, console=console))


def _print_plan(plan: ReferencePlan, *, console: Console) -> None:
    rows = [(task, f"{count:,}") for task, count in sorted(plan.tasks.items())]
    console.table("Sample", head=("task", "items"), rows=rows)
    persons = len({person for _, person in plan.pairs})
    console.print(f"{len(plan.pairs):,} new assignments to {persons:,} persons")
    print_shortages(plan.shortages, console=console)


def _print_report(found: list[TaskReference], *, console: Console) -> None:
    if not found:
        console.print("There is no sample yet. Draw one with: vantage reference sample PROJECT --to NAME.")
        return
    rows = [row for one in found for row in _rows(one)]
    head = ("task", "who", "items", "answers", "unparsed", "score", "right")
    console.table("Human reference (95 % interval)", head=head, rows=rows)
    for one in found:
        if one.task != ALL_TASKS and (one.outdated or one.not_independent):
            console.print(
                f"{one.task}: {one.outdated:,} answers about an earlier form of their item are not counted, "
                f"nor are {one.not_independent:,} of persons who had worked on it."
            )


def _rows(found: TaskReference) -> list[tuple[str, ...]]:
    task = found.task or "all tasks"
    people = _row(task, "people", found.people, items=f"{found.people.items:,} of {found.sampled:,}")
    models = [_row(task, name, score) for name, score in found.models.items()]
    return [people, *models, _row(task, "random", found.random)]


def _row(task: str, who: str, score: ReferenceScore, *, items: str = "") -> tuple[str, ...]:
    counts: tuple[Any, ...] = (items or f"{score.items:,}", f"{score.answers:,}", f"{score.unparsed:,}")
    return (task, who, *counts, coefficient_text(score.score), coefficient_text(score.exact))


VERBS = (reference,)
