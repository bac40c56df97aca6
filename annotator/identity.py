"""Who works on this machine: an id of its own that stays, and a name that people see."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

import msgspec
import platformdirs

from annotator.domain.actor import Actor
from annotator.domain.record import new_id, to_json


def config_folder() -> Path:
    """Return the folder of the settings that belong to a person and not to a project."""
    return Path(os.environ.get("VANTAGE_CONFIG") or platformdirs.user_config_dir("vantage", appauthor=False))


def current_actor() -> Actor:
    """Return the person at this machine, made at the first call and remembered.

    The id is kept in ``identity.json`` of the settings folder. Where that cannot be written, the
    id lasts for this run only.
    """
    file = config_folder() / "identity.json"
    if file.is_file():
        return msgspec.json.decode(file.read_bytes(), type=Actor)
    actor = Actor(id=new_id(), name=_person_name())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(to_json(actor), encoding="utf-8")
    except OSError:
        return actor
    return actor


def _person_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # A container's user may have no name at all.
        return "annotator"
