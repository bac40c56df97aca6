"""A team's own files beside a project: ``city.tasksets/`` and ``city.checks/`` for ``city.vantage``.

A file that cannot be used is told as a fault, and all others are used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from annotator.domain.record import ValueObject
from annotator.domain.toml_lines import line_of_message
from annotator.errors import EnvironmentFailure, UserError

MOST_FILES = 200
LARGEST_READ_BYTES = 256 * 1024
T = TypeVar("T")


class OwnFault(ValueObject, frozen=True, kw_only=True):
    """Why a file beside a project is not used.

    Attributes:
        file: Folder and name, as people find it beside the project.
        message: What is wrong, with place and field.
        line: The line of it, from 1; 0 where it is no line.
    """

    file: str
    message: str
    line: int = 0

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}, line {self.line}" if self.line else self.file


def read_own(
    project: Path, *, ending: str, read: Callable[[Path], T]
) -> tuple[dict[str, T], tuple[OwnFault, ...]]:
    """Return what the files of one folder beside a project hold, by the names of the files, and the faults.

    Args:
        project: The project file.
        ending: Of the folder's name: ``.tasksets``.
        read: Reads one file; raises UserError or EnvironmentFailure for one that cannot be used.
    """
    folder = project.with_suffix(ending)
    # Links could lead to any file of the person, whose lines would be shown among the faults.
    files = sorted(file for file in folder.glob("*.toml") if is_beside(file, project))
    found: dict[str, T] = {}
    faults = []
    for file in files[:MOST_FILES]:
        try:
            found[file.stem] = read(file)
        except (UserError, EnvironmentFailure) as error:
            faults.append(fault_of(file, message=error.message))
    if len(files) > MOST_FILES:
        message = f"The folder contains more than {MOST_FILES} files; the remaining files are not read."
        faults.append(OwnFault(file=folder.name, message=message))
    return found, tuple(faults)


def is_beside(file: Path, project: Path) -> bool:
    """Return whether a file lies in the folder of a project, with all links followed."""
    return file.resolve().is_relative_to(project.parent.resolve())


def fault_of(file: Path, *, message: str) -> OwnFault:
    """Return a fault of a file, with the line that the message speaks of."""
    try:
        text = file.read_text(encoding="utf-8-sig") if file.stat().st_size <= LARGEST_READ_BYTES else ""
    # A file that cannot be read as text has no lines; the message says so.
    except (OSError, UnicodeDecodeError):
        text = ""
    line = line_of_message(message, text=text)
    return OwnFault(file=f"{file.parent.name}/{file.name}", message=message, line=line)


def read_once(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Return a reader that reads a file again only where its size or time changed."""

    @lru_cache(MOST_FILES)
    def read_state(path: Path, _size: int, _time: int) -> T:
        return read(path)

    def read_file(path: Path) -> T:
        try:
            state = path.stat()
        except OSError as error:
            raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error
        return read_state(path, state.st_size, state.st_mtime_ns)

    return read_file
