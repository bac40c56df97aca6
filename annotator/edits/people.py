"""People who are added to a project by name."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator

from annotator.domain.actor import Actor
from annotator.domain.event import CREATED, Edit
from annotator.domain.record import new_id
from annotator.errors import UserError
from annotator.queries.reader import Reader


def find_people(
    names: tuple[str, ...], reader: Reader, *, may_be_new: bool, executing: Actor | None = None
) -> tuple[tuple[Actor, ...], tuple[Actor, ...]]:
    """Return persons by name, in the order given, and those of them that the project does not contain yet.

    Args:
        names: Names; case and spaces around them do not matter.
        reader: The project.
        may_be_new: Whether an unknown name is a new person.
        executing: The person who executes the command, and is in the project by then.

    Raises:
        UserError: A name is empty or unknown, or several persons have it.
    """
    known = _known_people(reader, executing=executing)
    people: dict[str, Actor] = {}
    new: dict[str, Actor] = {}
    for name in dict.fromkeys(name.strip() for name in names):
        found = _find_person(name, known)
        if found is None and not may_be_new:
            raise UserError(
                f"The project has no person {name!r}.",
                hint=f"Persons: {', '.join(sorted(actor.name for actor in known)) or 'none'}.",
            )
        person = found or named_person(name, project=reader.project.id)
        people.setdefault(person.id, person)
        if found is None:
            new.setdefault(person.id, person)
    return tuple(people.values()), tuple(new.values())


def _known_people(reader: Reader, *, executing: Actor | None) -> list[Actor]:
    known = [actor for actor in reader.records(Actor) if actor.role == "person"]
    if executing is not None and all(actor.id != executing.id for actor in known):
        known.append(executing)
    return known


def _find_person(name: str, known: Iterable[Actor]) -> Actor | None:
    """Return the only person with a name, None for nobody."""
    if not name:
        raise UserError("The name of a person is empty.", hint="Enter a name.")
    found = [actor for actor in known if _compared(actor.name) == _compared(name)]
    if len(found) > 1:
        raise UserError(
            f"{len(found)} persons are named {name!r}.", hint="Rename one of them with 'User name'."
        )
    return found[0] if found else None


def named_person(name: str, *, project: str) -> Actor:
    """Return the person who is added to a project by name.

    The id follows from project and name, so that two workstations that add the same person add one person.

    Args:
        name: The name as entered.
        project: Id of the project's own record, which all its copies share.
    """
    # Half of a character pair has no UTF-8; the log refuses such a name in words.
    text = f"{project}\n{_compared(name)}".encode(errors="surrogatepass")
    return Actor(id=hashlib.sha256(text).hexdigest()[:32], name=name.strip())


def choose_person(name: str, *, known: Iterable[Actor], reader: Reader | None) -> Actor:
    """Return the person who begins to work at a machine under a name.

    The person is one of the project; then one who has worked at the machine; otherwise a new one.

    Args:
        name: The name as entered; its case does not matter.
        known: Persons of the machine.
        reader: The open project, None for none.

    Raises:
        UserError: The name is empty, or several persons of the project have it.
    """
    here = [person for person in known if _compared(person.name) == _compared(name)]
    if reader is not None:
        (person,), new = find_people((name,), reader, may_be_new=True)
        return here[0] if new and here else person
    if not name.strip():
        raise UserError("The name of a person is empty.", hint="Enter a name.")
    return here[0] if here else Actor(id=new_id(), name=name.strip())


def added_person(actor: Actor, reader: Reader) -> Actor | None:
    """Return who somebody is in a project that has the person only by name, None for nobody.

    Somebody who was added by name, such as with an assignment, is this person at the own machine as well.
    """
    if reader.get(Actor, actor.id) is not None:
        return None
    return reader.get(Actor, named_person(actor.name, project=reader.project.id).id)


def adding_edits(people: Iterable[Actor], reader: Reader) -> Iterator[Edit]:
    """Yield what adds persons to a project; one that it contains by now, such as after an undo, is left."""
    for person in people:
        if reader.get(Actor, person.id) is None:
            yield Edit(entity="actor", entity_id=person.id, field=CREATED, value=person)


def _compared(name: str) -> str:
    # An é is one character or two, which look the same.
    return unicodedata.normalize("NFC", name.strip()).casefold()
