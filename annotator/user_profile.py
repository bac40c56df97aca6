"""The persons at this machine, of whom one works now: a permanent id and a displayed name."""

from __future__ import annotations

import getpass
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
import platformdirs

from annotator.domain.actor import Actor
from annotator.domain.record import new_id, to_json
from annotator.errors import EnvironmentFailure, UserError

T = TypeVar("T")


def config_folder() -> Path:
    """Return the folder of the settings that belong to a person and not to a project."""
    return Path(os.environ.get("VANTAGE_CONFIG") or platformdirs.user_config_dir("vantage", appauthor=False))


def data_folder() -> Path:
    """Return the folder of what Vantage makes for a person, the demo project for instance."""
    return Path(os.environ.get("VANTAGE_HOME") or platformdirs.user_data_dir("vantage", appauthor=False))


def current_actor() -> Actor:
    """Return the person at this machine; created at the first call and stored.

    The id is stored in ``identity.json`` of the settings folder. If the file cannot be written, the id is
    valid for this process only.

    Raises:
        UserError: The file exists and cannot be read.
    """
    file = _file()
    if file.is_file():
        return _decoded(file, Actor)
    actor = Actor(id=new_id(), name=_person_name())
    # A settings folder that cannot be written must not keep anybody from working.
    with suppress(OSError):
        _write(file, actor)
    return actor


def machine_digits() -> str:
    """Return eight hex digits that name this machine, made at the first call and stored.

    They tell apart the machines of one person. Returns "" if they can be neither read nor stored.
    """
    file = config_folder() / "machine"
    with suppress(OSError, UnicodeDecodeError):
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            # Exclusive: two windows that start at once agree on the first.
            with suppress(FileExistsError), file.open("x", encoding="ascii") as made:
                made.write(new_id()[-8:])
        digits = file.read_text(encoding="ascii").strip()
        if re.fullmatch("[0-9a-f]{8}", digits):
            return digits
    return ""


def people_here() -> tuple[Actor, ...]:
    """Return the persons who work at this machine, the present one first.

    Raises:
        UserError: A profile exists and cannot be read.
    """
    now = current_actor()
    file = _others_file()
    others = _decoded(file, tuple[Actor, ...]) if file.is_file() else ()
    return (now, *(person for person in others if person.id != now.id))


def use_person(person: Actor) -> None:
    """Make a person the one at this machine, under the name given; the others stay known here.

    Raises:
        UserError: A profile cannot be read.
        EnvironmentFailure: The profile cannot be written; the person is the one before.
    """
    known = people_here() if _file().is_file() else ()
    others = tuple(one for one in known if one.id != person.id)
    try:
        if others:
            _write(_others_file(), others)
        _write(_file(), person)
    except OSError as error:
        raise EnvironmentFailure(
            f"The user name could not be saved in {_file()}: {error.strerror}.",
            hint="Check that you have permission to change this file.",
        ) from error


def _file() -> Path:
    return config_folder() / "identity.json"


def _others_file() -> Path:
    return config_folder() / "people.json"


def _write(file: Path, profile: Actor | tuple[Actor, ...]) -> None:
    # Written to a temporary file and renamed, so that a reader never finds a partial file.
    partial = file.with_suffix(f".{new_id()}")
    file.parent.mkdir(parents=True, exist_ok=True)
    partial.write_text(to_json(profile), encoding="utf-8")
    partial.replace(file)


def _decoded(file: Path, profile: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=profile)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{file} does not contain a valid user profile: {error}.",
            hint="Restore the file from a backup, or delete it to continue as a new user.",
        ) from error


def _person_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # A container's user may have no name at all.
        return "annotator"
