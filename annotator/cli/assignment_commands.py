"""The command ``assign``: who annotates which scenes, and who works on which items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument
from annotator.cli.shortages import print_shortages
from annotator.commands.assignments import AssignRecords, UnassignRecords
from annotator.domain.actor import Actor
from annotator.domain.assignment import AssignedEntity, AssignmentRole
from annotator.domain.query import ItemQuery, SceneQuery
from annotator.domain.workload import AssignedRow
from annotator.edits.people import find_people
from annotator.errors import UserError
from annotator.quality.assignment_order import (
    AssignmentOrder,
    AssignmentPlan,
    entity_of,
    item_groups,
    plan_order,
    scene_groups,
    with_people,
)
from annotator.quality.human_reference.sample import Shortage
from annotator.queries.reader import Reader
from annotator.session import Session

NUMBERS = ("share", "overlap", "overlap_share", "honeypots", "seed")


@click.command()
@project_argument
@click.option("--to", "names", multiple=True, metavar="NAME", help="Person; repeat it for several.")
@click.option("--new", "may_be_new", is_flag=True, help="Add persons that the project does not contain yet.")
@click.option(
    "--role",
    type=click.Choice(get_args(AssignmentRole)),
    default="annotate",
    show_default=True,
    help="annotate: scenes; refine, validate, review, reference: items.",
)
@click.option("--dataset", "datasets", multiple=True, help="Only scenes of this dataset.")
@click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set.")
@click.option("--task", "tasks", multiple=True, help="Only items of this task.")
@click.option("--state", "states", multiple=True, help="Only items in this state.")
@click.option("--text", default="", help="Only scenes or items with this text.")
@click.option("--share", type=float, default=1.0, show_default=True, help="Share of each task or dataset.")
@click.option("--overlap", type=int, default=1, show_default=True, help="Persons per record.")
@click.option(
    "--overlap-share",
    type=float,
    default=1.0,
    show_default=True,
    help="Share of the records that as many persons get; the others have one person each.",
)
@click.option(
    "--honeypots",
    type=float,
    default=0.0,
    show_default=True,
    help="Honeypots of each person, as a share of the new records; for the role validate.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the choice.")
@click.option("--preview", "is_preview", is_flag=True, help="Print who would get how many; assign nothing.")
@click.option("--remove", "is_removal", is_flag=True, help="End the assignments of the records instead.")
@json_option
def assign(
    project: Path,
    *,
    names: tuple[str, ...],
    may_be_new: bool,
    role: AssignmentRole,
    is_preview: bool,
    is_removal: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - filters and numbers
) -> None:
    """Assign scenes or items of PROJECT to persons, balanced and reproducible by the seed, as one step.

    Without --to, the present assignments are counted. Honeypots are accepted items, whose answer is known,
    among the items that a person answers without the answer key; 'progress --honeypots' prints their results.
    """
    entity = entity_of(role)
    with open_session(project) as session:
        numbers = {name: chosen.pop(name) for name in NUMBERS}
        shortages: tuple[Shortage, ...] = ()
        if is_removal or names:
            may_add = may_be_new and not is_removal
            people, new = find_people(names, session.reader, may_be_new=may_add, executing=session.actor)
            groups = _groups(session.reader, entity, **chosen)
            if is_removal:
                _remove(session, entity, role, groups, people=people, console=console)
            else:
                order = with_people(AssignmentOrder(role=role, people=(), **numbers), people)
                plan = plan_order(session.reader, order, groups=groups)
                if is_preview:
                    _print_plan(plan, people=people, console=console)
                    return
                execute(session, AssignRecords.of_plan(plan, new_people=new), console=console)
                shortages = plan.shortages
        _print_counts(session.reader, entity, role, shortages=shortages, console=console)


def _remove(
    session: Session,
    entity: AssignedEntity,
    role: AssignmentRole,
    groups: dict[str, list[str]],
    *,
    people: tuple[Actor, ...],
    console: Console,
) -> None:
    targets = tuple(target for group in groups.values() for target in group)
    persons = tuple(person.id for person in people)
    command = UnassignRecords(entity=entity, role=role, targets=targets, persons=persons)
    execute(session, command, console=console)


def _groups(
    reader: Reader,
    entity: AssignedEntity,
    *,
    datasets: tuple[str, ...],
    task_sets: tuple[str, ...],
    tasks: tuple[str, ...],
    states: tuple[str, ...],
    text: str,
) -> dict[str, list[str]]:
    """Return the ids of the selected scenes by dataset, or of the selected items by task."""
    wrong = {"scene": (*task_sets, *tasks, *states), "item": datasets}[entity]
    if wrong:
        raise UserError(
            f"The filter {wrong[0]!r} is not one of {entity}s.",
            hint="Scenes have --dataset; items have --task-set, --task and --state.",
        )
    if entity == "scene":
        scenes = SceneQuery(datasets=datasets, text=text)
        groups = scene_groups(reader, reader.scenes.numbers(scenes).tolist())
    else:
        items = ItemQuery(task_sets=task_sets, tasks=tasks, states=states, text=text)
        groups = item_groups(reader, reader.items.numbers(items).tolist())
    if not groups:
        raise UserError(f"No {entity} matches the filters.", hint="List what there is with: vantage stats.")
    return groups


def _print_plan(plan: AssignmentPlan, *, people: tuple[Actor, ...], console: Console) -> None:
    names = {person.id: person.name for person in people}
    persons = [
        {"name": names[one.person], "before": one.before, "new": one.new, "honeypots": one.honeypots}
        for one in plan.shares
    ]
    result = {
        "role": plan.order.role,
        "assigned": len({pair[0] for pair in plan.pairs}),
        "persons": persons,
        "shortages": msgspec.to_builtins(plan.shortages),
    }
    rows = [
        (names[one.person], f"{one.before:,}", f"{one.new:,}", f"{one.honeypots:,}") for one in plan.shares
    ]
    head = ("person", "assigned", "new", "honeypots")
    title = f"Preview: {plan.order.role}. Nothing was assigned."

    def print_text() -> None:
        console.table(title, head=head, rows=sorted(rows))
        print_shortages(plan.shortages, console=console)

    console.result(result, print_text=print_text)


def _print_counts(
    reader: Reader, entity: str, role: AssignmentRole, *, shortages: tuple[Shortage, ...], console: Console
) -> None:
    names = {actor.id: actor.name for actor in reader.records(Actor)}
    found = [row for row in reader.workload.assigned_rows() if row.role == role]
    persons = sorted(_person_counts(found, names))
    keys = ("name", "assigned", "done", "left")
    result = {
        "role": role,
        "entity": entity,
        "assigned": len({row.target for row in found}),
        "persons": [dict(zip(keys, one, strict=True)) for one in persons],
        "shortages": msgspec.to_builtins(shortages),
    }
    head = ("person", f"{entity}s", "done", "left")
    cells = [(name, *(f"{number:,}" for number in numbers)) for name, *numbers in persons]

    def print_text() -> None:
        console.table(f"Assigned: {role}", head=head, rows=cells)
        print_shortages(shortages, console=console)

    console.result(result, print_text=print_text)


def _person_counts(
    rows: Sequence[AssignedRow], names: Mapping[str, str]
) -> Iterator[tuple[str, int, int, int]]:
    """Yield the name of each person with the number of records that are assigned, done and left."""
    for person in {row.person for row in rows}:
        own = [row for row in rows if row.person == person]
        done, left = sum(row.is_done for row in own), sum(row.is_open for row in own)
        yield names.get(person, person), len(own), done, left


VERBS = (assign,)
