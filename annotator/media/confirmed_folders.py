"""What a person decided about the media folders of a project, and the folders that a project offers.

The choices are in the person's settings, where no project can write.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from pathlib import Path
from typing import TypeVar

import msgspec

from annotator.domain.record import ValueObject, new_id
from annotator.errors import EnvironmentFailure, UserError

FOLDER = "media_folders"
"""Folder of the settings with one file for each project file."""
NAME = re.compile(r"[^\W_][\w.-]{0,63}")
"""What a further folder may be called."""
MOST_OFFERED_BYTES = 1 << 20
R = TypeVar("R", bound=ValueObject)


class OfferedFolders(ValueObject, frozen=True, kw_only=True):
    """What the file beside a project holds: folders by name. It may come from anybody."""

    roots: dict[str, str] = {}  # noqa: RUF012 - msgspec copies an empty default for each record


class FolderChoices(ValueObject, frozen=True, kw_only=True):
    """What a person decided about the folders of one project.

    Attributes:
        roots: The further folders by name.
        own: Where the project's own folder really lies, "" where it is the usual one.
        declined: Folders that were offered and are not used, by name.
        exchange: Folder in which bundles are exchanged with other workstations, "" for none.
        exchange_copy: Id of this copy of the project among the bundles there.
    """

    roots: dict[str, str] = {}  # noqa: RUF012 - as above
    own: str = ""
    declined: dict[str, str] = {}  # noqa: RUF012 - as above
    exchange: str = ""
    exchange_copy: str = ""


class ConfirmedFolders:
    """The choices about one project, read again where another window or verb wrote them.

    Args:
        file: Where they are kept, None to keep them in memory only.
        family: Pattern of the names of all files about projects with the same id, "" for none.
    """

    def __init__(self, file: Path | None, *, family: str = "") -> None:
        self._file = file
        self._family = family
        # Never equal to a time of a file, so that the first look reads.
        self._read_at = -1
        self._choices = FolderChoices()

    @classmethod
    def of_project(cls, project_id: str, *, project: Path, settings: Path) -> ConfirmedFolders:
        """Return the choices about a project file: a file with the same id at another path has its own.

        Args:
            project_id: Id of the project.
            project: The project file.
            settings: Folder of the person's settings.
        """
        # Digests: the id is the project's word, and must not become a path. The path is no word of the
        # project: a file from somebody else that has the same id must not inherit what was confirmed.
        name = _short_digest(project_id)
        location = _short_digest(os.path.normcase(os.path.realpath(project)))
        return cls(settings / FOLDER / f"{name}-{location}.json", family=f"{name}*.json")

    def read(self) -> FolderChoices:
        """Return the choices.

        Raises:
            UserError: Their file is damaged.
        """
        if self._file is None:
            return self._choices
        try:
            written_at = self._file.stat().st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            self._choices, self._read_at = FolderChoices(), -1
            return self._choices
        # By the time of writing, not by a lock: verbs and windows are programs of their own.
        if written_at != self._read_at:
            self._choices, self._read_at = _decoded(self._file, FolderChoices), written_at
        return self._choices

    def of_other_paths(self) -> dict[str, Path]:
        """Return the folders by name that were confirmed for the same project at other paths.

        To offer them where the project was moved. A damaged file is left out.
        """
        if self._file is None:
            return {}
        found: dict[str, str] = {}
        for file in sorted(self._file.parent.glob(self._family)):
            if file != self._file:
                with contextlib.suppress(UserError):
                    found |= _decoded(file, FolderChoices).roots
        return {name: Path(folder) for name, folder in sorted(found.items())}

    def write(self, choices: FolderChoices) -> None:
        """Keep the choices.

        Raises:
            EnvironmentFailure: Their file cannot be written.
        """
        self._choices = choices
        if self._file is None:
            return
        # Written beside and moved, so that nobody finds half a file.
        partial = self._file.with_name(f"{self._file.name}.{new_id()}")
        try:
            partial.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(msgspec.json.format(msgspec.json.encode(choices)))
            partial.replace(self._file)
            self._read_at = self._file.stat().st_mtime_ns
        except OSError as error:
            partial.unlink(missing_ok=True)
            self._read_at = -1
            raise EnvironmentFailure(f"{self._file} cannot be written: {error.strerror}.") from error


def read_offered(file: Path | None) -> dict[str, Path]:
    """Return the folders by name that a file beside a project lists; none where there is no file.

    Raises:
        UserError: The list is damaged or too large.
    """
    if file is None or not file.is_file():
        return {}
    if file.stat().st_size > MOST_OFFERED_BYTES:
        raise UserError(f"{file} is too large for a list of media folders.")
    folders = {name: Path(folder) for name, folder in sorted(_decoded(file, OfferedFolders).roots.items())}
    return {name: path for name, path in folders.items() if NAME.fullmatch(name) and path.is_absolute()}


def is_within(path: Path, folder: Path) -> bool:
    """Return whether a path leads into a folder, or to the folder itself, with all links followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]


def _decoded(file: Path, kind: type[R]) -> R:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{file} is not a valid list of media folders: {error}.",
            hint="Restore the file from a backup, or delete it and add the folders again.",
        ) from error
