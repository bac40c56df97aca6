"""Refuses paths at which there is no project, or can be none, before SQLite is asked."""

from __future__ import annotations

import os
from pathlib import Path

from annotator.errors import EnvironmentFailure, UserError

LONGEST_NAME_BYTES = 255 - len("-journal")
"""SQLite keeps files beside a project, whose names are longer; file systems take 255 bytes."""
SHOWN = 40


def require_project_file(path: Path) -> None:
    """Refuse a path at which there is no file.

    Raises:
        UserError: There is none, or the name is too long or no text.
    """
    _require_text(path)
    _require_short_name(path)
    if not path.is_file():
        raise UserError(
            f"The project {path} does not exist.", hint="Check the path, or create a new project."
        )


def require_new_file(path: Path) -> None:
    """Refuse a path at which no project can be created.

    Raises:
        UserError: There is a file, the name is too long or no text, or the folder does not exist.
        EnvironmentFailure: The folder is not writable.
    """
    _require_text(path)
    _require_short_name(path)
    if path.exists():
        raise UserError(f"{path} already exists.", hint="Choose another name, or open the existing project.")
    if path.is_symlink():
        raise UserError(
            f"{path} is a link that leads to no file.", hint="Choose another name, or delete the link."
        )
    if not path.parent.is_dir():
        raise UserError(
            f"The folder {path.parent} does not exist.", hint="Create the folder, or choose another one."
        )
    if not os.access(path.parent, os.W_OK):
        raise EnvironmentFailure(
            f"{path} cannot be created: its folder is not writable.",
            hint="Choose another folder, or change the folder's permissions.",
        )


def _require_text(path: Path) -> None:
    """Refuse a path that no setting, log or message can hold."""
    whole = path.absolute()
    for name in whole.parts:
        try:
            name.encode()
        except UnicodeEncodeError:
            shown = name.encode(errors="surrogateescape").decode(errors="replace")
            raise UserError(
                f"The name {shown[:SHOWN]!r} cannot be used: some of its bytes are no UTF-8 text.",
                hint="Rename the file or folder, for example in a file manager.",
            ) from None


def _require_short_name(path: Path) -> None:
    if os.name == "nt":
        # Windows counts other units, and limits the whole path by its settings.
        return
    for name in path.parts:
        limit = LONGEST_NAME_BYTES if name == path.name else 255
        if len(os.fsencode(name)) > limit:
            raise UserError(
                f"The name {name[:SHOWN]!r}… is too long: it has {len(os.fsencode(name))} bytes, "
                f"and at most {limit} are possible.",
                hint="Use a shorter name. A Chinese character has 3 bytes.",
            )
