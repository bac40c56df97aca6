"""The command ``assign``: who annotates which scenes, and who works on which items."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, get_args

import click

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument
from annotator.commands.assignments import AssignedEntity, AssignRecords, UnassignRecords
from annotator.commands.people import find_people
from annotator.domain.actor import Actor
from annotator.domain.assignment import Assignment, AssignmentRole
from annotator.domain.assignment_plan import plan_assignments
from annotator.domain.query import ItemQuery, SceneQuery, qualified_task
from annotator.errors import UserError
from annotator.session import Session
from annotator.store.reader import Reader


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
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the choice.")
@click.option("--remove", "is_removal", is_flag=True, help="End the assignments of the records instead.")
@json_option
def assign(
    project: Path,
    *,
    names: tuple[str, ...],
    may_be_new: bool,
    role: AssignmentRole,
    is_removal: bool,
    console: Console,
    **chosen: Any,  # noqa: ANN401 - filters and numbers
) -> None:
    """Assign scenes or items of PROJECT to persons, balanced and reproducible by the seed, as one step.

    Without --to, the present assignments are counted.
    """
    entity: AssignedEntity = "scene" if role == "annotate" else "item"
    with open_session(project) as session:
        numbers = {name: chosen.pop(name) for name in ("share", "overlap", "seed")}
        if is_removal or names:
            people, new = find_people(names, session.reader, may_be_new=may_be_new and not is_removal)
            groups = _groups(session.reader, entity, **chosen)
            if is_removal:
                _remove(session, entity, role, groups, people=people, console=console)
            else:
                ids = [person.id for person in people]
                taken = _taken(session.reader, role)
                pairs = plan_assignments(groups, ids, taken=taken, **numbers)
                command = AssignRecords(entity=entity, role=role, pairs=tuple(pairs), people=new)
                execute(session, command, console=console)
        _print_counts(session.reader, entity, role, console=console)


def _remove(
    session: Session,
    entity: AssignedEntity,
    role: AssignmentRole,
    groups: list[list[str]],
    *,
    people: tuple[Actor, ...],
    console: Console,
) -> None:
    targets = tuple(target for group in groups for target in group)
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
) -> list[list[str]]:
    """Return the ids of the selected scenes by dataset, or of the selected items by task."""
    wrong = {"scene": (*task_sets, *tasks, *states), "item": datasets}[entity]
    if wrong:
        raise UserError(
            f"The filter {wrong[0]!r} is not one of {entity}s.",
            hint="Scenes have --dataset; items have --task-set, --task and --state.",
        )
    groups: dict[str, list[str]] = defaultdict(list)
    if entity == "scene":
        numbers = reader.scene_numbers(SceneQuery(datasets=datasets, text=text))
        for scene in reader.scene_rows(numbers.tolist()):
            groups[scene.dataset].append(scene.id)
    else:
        query = ItemQuery(task_sets=task_sets, tasks=tasks, states=states, text=text)
        for item in reader.item_rows(reader.item_numbers(query).tolist()):
            groups[qualified_task(item.task_set, item.task)].append(item.id)
    if not groups:
        raise UserError(f"No {entity} matches the filters.", hint="List what there is with: vantage stats.")
    return list(groups.values())


def _taken(reader: Reader, role: AssignmentRole) -> dict[str, list[str]]:
    """Return the persons who have a record in a role, by the id of the record."""
    taken: dict[str, list[str]] = defaultdict(list)
    for found in reader.find(Assignment, role=role):
        taken[found.target].append(found.person)
    return dict(taken)


def _print_counts(reader: Reader, entity: str, role: AssignmentRole, *, console: Console) -> None:
    names = {actor.id: actor.name for actor in reader.records(Actor)}
    taken = _taken(reader, role)
    counts = Counter(person for having in taken.values() for person in having)
    rows = sorted((names.get(person, person), number) for person, number in counts.items())
    result = {
        "role": role,
        "entity": entity,
        "assigned": len(taken),
        "persons": [{"name": name, "assigned": number} for name, number in rows],
    }
    head = ("person", f"{entity}s")
    cells = [(name, f"{number:,}") for name, number in rows]
    console.result(result, print_text=lambda: console.table(f"Assigned: {role}", head=head, rows=cells))


VERBS = (assign,)
