"""Sets of error classes: those of published error analyses, and a team's own beside its project."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

import resources
from annotator.domain.own_files import OwnFault, read_once, read_own
from annotator.domain.task_set import LocalizedText, TaskSetTable
from annotator.errors import EnvironmentFailure, UserError

ENDING = ".errorclasses"
"""Of the folder beside a project with a team's own sets."""
GENERAL = "general"
"""The set for tasks that no other set is for."""
MOST_CLASSES = 9
"""Each class has a digit."""
LARGEST_FILE_BYTES = 64 * 1024
_ID = re.compile(r"[a-z0-9_]{1,64}")


class ErrorClass(TaskSetTable, frozen=True, kw_only=True):
    """A reason why a model is wrong.

    Attributes:
        id: What error labels keep.
        title: What people read.
        meaning: When to choose it.
    """

    id: str
    title: LocalizedText
    meaning: LocalizedText = LocalizedText(en="")


class ErrorClassSet(TaskSetTable, frozen=True, kw_only=True):
    """The classes that one error analysis tells apart.

    Attributes:
        id: Name of its file.
        title: What people read.
        classes: The classes; the first has the digit 1.
        source: Where they are published, "" for a team's own.
        task_sets: Task sets whose errors are usually labelled with it.
    """

    id: str
    title: LocalizedText
    classes: tuple[ErrorClass, ...]
    source: str = ""
    task_sets: tuple[str, ...] = ()

    def find(self, name: str) -> ErrorClass | None:
        """Return the class of an id, None where there is none."""
        return next((one for one in self.classes if one.id == name), None)


class ErrorClassCatalogue:
    """The sets that a project can use.

    Attributes:
        sets: The sets, a team's own first.
        faults: Files beside the project that cannot be used.
    """

    def __init__(self, own: Iterable[ErrorClassSet] = (), *, faults: tuple[OwnFault, ...] = ()) -> None:
        self.sets = (*own, *builtin_sets())
        self.faults = faults

    @classmethod
    def of(cls, project: Path) -> ErrorClassCatalogue:
        """Return the sets of a project file."""
        found, faults = read_own(project, ending=ENDING, read=_read)
        return cls(found.values(), faults=faults)

    def get(self, name: str) -> ErrorClassSet | None:
        """Return a set by its id, None where there is none."""
        return next((one for one in self.sets if one.id == name), None)

    def for_task(self, task: str) -> ErrorClassSet:
        """Return the set for a task (``set/task``): the first for its task set, or the general one."""
        task_set = task.partition("/")[0]
        usual = next((one for one in self.sets if task_set in one.task_sets), None)
        return usual or next(one for one in self.sets if one.id == GENERAL)

    def find(self, name: str) -> ErrorClass | None:
        """Return the class of an id, in whichever set it is."""
        return next((found for one in self.sets if (found := one.find(name))), None)


@functools.cache
def builtin_sets() -> tuple[ErrorClassSet, ...]:
    """Return the sets of the product, the general one last."""
    files = resources.path("errorclasses").glob("*.toml")
    found = [load(file) for file in sorted(files)]
    return tuple(sorted(found, key=lambda one: (one.id == GENERAL, one.id)))


def load(path: Path) -> ErrorClassSet:
    """Read a set of error classes.

    Raises:
        UserError: The file is wrong; the message names file and field.
        EnvironmentFailure: The disk refused.
    """
    try:
        found = msgspec.convert(tomllib.loads(_text_of(path)), ErrorClassSet, strict=True)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path.name} is not valid TOML: {error}.") from error
    except (msgspec.ValidationError, RecursionError) as error:
        raise UserError(
            f"{path.name} is not a set of error classes: {error}.",
            hint="docs/scoring.md describes the fields.",
        ) from error
    if problem := next(_problems(found, file=path.stem), ""):
        raise UserError(f"{path.name}: {problem}", hint="docs/scoring.md describes the fields.")
    return found


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise UserError(f"{path.name} is larger than {LARGEST_FILE_BYTES // 1024} kB.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not UTF-8 text.", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error


def _problems(found: ErrorClassSet, *, file: str) -> Iterator[str]:
    if found.id != file:
        yield f"The id {found.id!r} differs from the file name."
    if not 1 <= len(found.classes) <= MOST_CLASSES:
        yield f"A set has 1 to {MOST_CLASSES} classes, not {len(found.classes)}."
    ids = [one.id for one in found.classes]
    for name in ids:
        if not _ID.fullmatch(name):
            yield f"The id {name[:80]!r} may only contain lower-case letters, digits and underscores."
        if ids.count(name) > 1:
            yield f"The id {name!r} occurs twice."


def _require_own(path: Path) -> ErrorClassSet:
    found = load(path)
    if any(found.id == one.id for one in builtin_sets()):
        raise UserError(f"{path.name}: {found.id!r} is the id of a built-in set.")
    return found


_read = read_once(_require_own)
