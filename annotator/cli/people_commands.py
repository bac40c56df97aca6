"""The command ``people``: who works at this computer."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option, read_session
from annotator.database_files import PROJECT_SUFFIX
from annotator.domain.actor import Actor
from annotator.edits.people import choose_person
from annotator.errors import UserError
from annotator.user_profile import people_here, use_person


@click.command()
@click.argument("name", default="")
@click.option(
    "--project",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Choose among the persons of this project as well.",
)
@click.option(
    "--rename", is_flag=True, help="Give the present person the name, instead of changing the person."
)
@json_option
def people(name: str, *, project: Path | None, rename: bool, console: Console) -> None:
    """Let the person NAME work at this computer from now on; without NAME, list the persons.

    Changes are recorded with the person who works. Undo, the queue and the active time are the person's
    own. Windows and commands that run already go on as the person they began with.
    """
    if rename and not name.strip():
        raise UserError("The name of a person is empty.", hint="Enter a name.")
    if Path(name).suffix == PROJECT_SUFFIX:
        # Every other command takes the project first.
        raise UserError(
            f"{name} is a project and no person.", hint="Name the person, and the project with --project."
        )
    if name:
        use_person(_renamed(name) if rename else _chosen(name, project=project))
    now, *others = people_here()
    result = {"person": now.name, "id": now.id, "others": sorted(one.name for one in others)}
    rows = [(now.name, "works now"), *((one.name, "") for one in others)]
    console.result(
        result, print_text=lambda: console.table("Persons at this computer", head=("person", ""), rows=rows)
    )


def _renamed(name: str) -> Actor:
    return msgspec.structs.replace(people_here()[0], name=" ".join(name.split()))


def _chosen(name: str, *, project: Path | None) -> Actor:
    tidied = " ".join(name.split())
    if project is None:
        return choose_person(tidied, known=people_here(), reader=None)
    with read_session(project, is_noting_offers=False) as session:
        return choose_person(tidied, known=people_here(), reader=session.reader)


VERBS = (people,)
