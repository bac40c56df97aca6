"""Who works on this machine: an id of its own that stays, and a name that people see."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

import msgspec
import platformdirs

from annotator.domain.actor import Actor
from annotator.domain.record import new_id, to_json
from annotator.errors import UserError


def config_folder() -> Path:
    """Return the folder of the settings that belong to a person and not to a project."""
    return Path(os.environ.get("VANTAGE_CONFIG") or platformdirs.user_config_dir("vantage", appauthor=False))


def data_folder() -> Path:
    """Return the folder of what Vantage makes for a person, the demo project for instance."""
    return Path(os.environ.get("VANTAGE_HOME") or platformdirs.user_data_dir("vantage", appauthor=False))


def current_actor() -> Actor:
    """Return the person at this machine, made at the first call and remembered.

    The id is kept in ``identity.json`` of the settings folder. Where that cannot be written, the
    id lasts for this run only.

    Raises:
        UserError: The file is there and cannot be read.
    """
    file = config_folder() / "identity.json"
    if file.is_file():
        return _read(file)
    actor = Actor(id=new_id(), name=_person_name())
    # Written beside and moved, so that nobody finds half a file.
    partial = file.with_suffix(f".{actor.id}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(to_json(actor), encoding="utf-8")
        partial.replace(file)
    except OSError:
        return actor
    return actor


def _read(file: Path) -> Actor:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Actor)
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
