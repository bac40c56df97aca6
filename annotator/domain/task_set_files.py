"""The task sets that come with the product, and the reading of a team's own: TOML in, ``TaskSet`` out."""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

import resources
from annotator.domain.conversion_fault import split_fault
from annotator.domain.task_set import (
    IssueClass,
    ListValue,
    LocalizedText,
    OptionCount,
    QuestionTemplate,
    Task,
    TaskGroup,
    TaskMetric,
    TaskSet,
)
from annotator.domain.task_set_rules import find_problems
from annotator.errors import EnvironmentFailure, UserError

__all__ = [
    "IssueClass",
    "ListValue",
    "LocalizedText",
    "OptionCount",
    "QuestionTemplate",
    "Task",
    "TaskGroup",
    "TaskMetric",
    "TaskSet",
    "builtin",
    "builtin_ids",
    "load",
]

# Ours have under 20 kB.
LARGEST_FILE_BYTES = 256 * 1024
# tomllib's memory grows with the square of the parts of a dotted key: 120,000 (240 kB) filled a machine.
MOST_DOTS_IN_A_LINE = 100
_HINT = "docs/tasksets.md describes every field."

_ENTRY = re.compile(r"\[(\d+)\]\.?")
_TABLE_KINDS: dict[str, Any] = {
    "value_lists": tuple[ListValue, ...],
    "slots": str,
    "check_settings": dict[str, float],
    "drafting_settings": float,
}


def load(path: Path) -> TaskSet:
    """Read a task set, one of ours or a team's own.

    Args:
        path: A TOML file.

    Raises:
        UserError: There is no such file, or it is wrong; the message names file, place and field.
        EnvironmentFailure: The disk refused.
    """
    task_set = _read(path)
    if problems := find_problems(task_set):
        raise UserError("\n".join(f"{path.name}, {problem}" for problem in problems), hint=_HINT)
    return task_set


def _read(path: Path) -> TaskSet:
    tables = _parsed(_text_of(path), file=path.name)
    try:
        return msgspec.convert(_with_defaults(tables, file=path.name), TaskSet, strict=True)
    except msgspec.ValidationError as error:
        raise UserError(f"{path.name}, {_message_text(str(error), tables=tables)}", hint=_HINT) from error


@functools.cache
def builtin_ids() -> tuple[str, ...]:
    """Return the ids of the task sets that come with the product, sorted."""
    return tuple(sorted(file.stem for file in resources.path("tasksets").glob("*.toml")))


@functools.cache
def builtin(task_set_id: str) -> TaskSet:
    """Return a task set that comes with the product; its file is read once.

    Raises:
        UserError: There is none with this id; the hint names those that come near.
    """
    known = builtin_ids()
    if task_set_id not in known:
        near = difflib.get_close_matches(task_set_id.casefold(), known, cutoff=0.5) or known
        raise UserError(f"Unknown task set {task_set_id!r}.", hint=f"Available: {', '.join(near)}.")
    # Not searched for contradictions, for which all answer formats would have to be loaded: tests do that.
    return _read(resources.path(f"tasksets/{task_set_id}.toml"))


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise UserError(
                f"{path.name} is too large for a task set (limit: {LARGEST_FILE_BYTES // 1024} kB)."
            )
        # Windows editors put a byte order mark in front, which TOML does not know.
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise UserError(f"The task set file {path} does not exist.", hint="Check the file name.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not UTF-8 text.", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error


def _parsed(text: str, *, file: str) -> dict[str, Any]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") > MOST_DOTS_IN_A_LINE:
            raise UserError(f"{file}, line {number} has more than {MOST_DOTS_IN_A_LINE} dots.")
    try:
        return tomllib.loads(text)
    # Besides its own error, tomllib lets through those of dates and of numbers with thousands of digits.
    except ValueError as error:
        raise UserError(f"{file} is not valid TOML: {error}.") from error
    except RecursionError as error:
        raise UserError(f"{file} is nested too deeply.") from error


def _with_defaults(tables: Mapping[str, Any], *, file: str) -> dict[str, Any]:
    """Lay each task over ``[defaults]``; what has a wrong type stays for the conversion to name."""
    merged = dict(tables)
    defaults = merged.pop("defaults", {})
    if not isinstance(defaults, dict):
        raise UserError(f"{file}, field defaults: the value must be a table.", hint=_HINT)
    for name in defaults:
        if name not in Task.__struct_fields__:
            raise UserError(f"{file}, field defaults: {name!r} is not a field of a task.", hint=_HINT)
    tasks = merged.get("tasks")
    if isinstance(tasks, list):
        merged["tasks"] = [
            _with_task_defaults(defaults | task) if isinstance(task, dict) else task for task in tasks
        ]
    return merged


def _with_task_defaults(task: dict[str, Any]) -> dict[str, Any]:
    count = task.get("option_count")
    if isinstance(count, int):
        task["option_count"] = {"min": count, "max": count}
    checks, left_out = task.get("checks"), task.get("checks_left_out")
    if isinstance(checks, list) and isinstance(left_out, list):
        task["checks"] = [check for check in checks if check not in left_out]
    return task


def _message_text(message: str, *, tables: Mapping[str, Any]) -> str:
    """Turn a message of the conversion into place, field and what is wrong."""
    path, what = split_fault(message)
    where = _location_text(path, tables=tables) if path else "top level"
    return f"{where}: {what}."


def _location_text(location: str, *, tables: Mapping[str, Any]) -> str:
    """Turn ``tasks[2].title.en`` into ``task duration, field title.en``, other lists into entries."""
    head, *rest = _ENTRY.split(_with_table_key(location, tables=tables))
    parts = [f"field {head}"]
    if head == "tasks" and rest:
        parts = [f"task {_task_name(tables['tasks'][int(rest[0])], index=int(rest[0]))}"]
        parts += [f"field {rest[1]}"] if rest[1] else []
        rest = rest[2:]
    for number, field in zip(rest[::2], rest[1::2], strict=True):
        parts += [f"entry {int(number) + 1}", *([f"field {field}"] if field else [])]
    return ", ".join(parts)


def _with_table_key(location: str, *, tables: Mapping[str, Any]) -> str:
    """Name the table that an error fell into, for which the conversion says only ``[...]``."""
    name, dots, rest = location.partition("[...]")
    if not dots or name not in _TABLE_KINDS:
        return location
    for key, value in tables[name].items():
        try:
            msgspec.convert(value, _TABLE_KINDS[name])
        except msgspec.ValidationError:
            return f"{name}.{key}{rest}"
    return location


def _task_name(task: object, *, index: int) -> str:
    return str(task["id"]) if isinstance(task, dict) and "id" in task else f"number {index + 1}"
