"""Checks of texts that are defined by files beside a project; they contain no code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec

from annotator.domain.conversion_fault import field_fault
from annotator.domain.item import Item
from annotator.domain.own_files import OwnFault, fault_of, read_once, read_own
from annotator.domain.task_set_catalogue import ENDING as TASK_SETS
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.domain.task_set_rules import find_check_problems
from annotator.errors import EnvironmentFailure, UserError
from annotator.quality.check import Check, CheckHit, ItemCheck
from annotator.quality.checks import CHECKS
from annotator.quality.context import CheckContext
from annotator.quality.texts import texts_of

ENDING = ".checks"
LARGEST_FILE_BYTES = 64 * 1024
_ID = re.compile(r"[a-z][a-z0-9_]*")


class CheckFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a check file.

    Attributes:
        id: Name of the check, that of the file.
        title: Displayed name.
        finds: Description of what it finds.
        advice: What to do about a finding.
        severity: ``error`` or ``warning``.
        tasks: Tasks that it applies to, as ``<task set>/<task>``.
        task_sets: Task sets that it applies to; all items if this and ``tasks`` are empty.
        fields: The texts that it checks.
        forbidden: Words that must not occur in them, case-insensitive.
        required: Words of which each text must contain at least one.
        shortest: Minimum number of characters of each text.
        longest: Maximum number of characters of each text, 0 for no limit.
    """

    id: str
    title: str
    finds: str
    advice: str
    severity: Literal["error", "warning"] = "warning"
    tasks: tuple[str, ...] = ()
    task_sets: tuple[str, ...] = ()
    fields: tuple[Literal["question", "options", "answer_key"], ...] = ("question",)
    forbidden: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    shortest: int = 0
    longest: int = 0


class TextCheck(ItemCheck):
    """A check that is defined by a file; each file creates a class."""

    rule: ClassVar[CheckFile]

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:
        """Return whether the file or the task applies the check to items of the task."""
        if not self.tasks and not self.task_sets:
            return True
        return item.task_set in self.task_sets or super().applies_to(item, context=context)

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Return the problem of the first text with one."""
        for field, text, index in texts_of(item):
            if field in self.rule.fields and (message := self._problem(text)):
                return CheckHit(message=message, field=field, option_index=index)
        return None

    def _problem(self, text: str) -> str:
        rule, folded = self.rule, text.casefold()
        if found := next((word for word in rule.forbidden if _holds(folded, word)), ""):
            return f"The text contains {found!r}."
        if rule.required and not any(_holds(folded, word) for word in rule.required):
            return f"The text contains none of: {', '.join(rule.required)}."
        if len(text) < rule.shortest:
            return f"The text has {len(text):,} characters, fewer than {rule.shortest:,}."
        if 0 < rule.longest < len(text):
            return f"The text has {len(text):,} characters, more than {rule.longest:,}."
        return ""


class ProjectChecks:
    """The checks of a project: those of the product, and those defined beside its file.

    Attributes:
        own: Those beside the project by their ids.
        all: Every check by its id.
        faults: Invalid files beside the project, including task sets with unknown checks.
    """

    def __init__(self, project: Path | None) -> None:
        self.own, faults = _own_checks(project) if project else ({}, ())
        self.all: Mapping[str, Check] = {**CHECKS, **self.own}
        self.faults = (*faults, *self._task_set_faults(project)) if project else ()

    def _task_set_faults(self, project: Path) -> Iterator[OwnFault]:
        catalogue = TaskSetCatalogue.of(project)
        yield from self._unknown_tasks(project, catalogue)
        yield from catalogue.faults
        known = {check.id: check.settings for check in self.all.values()}
        folder = project.with_suffix(TASK_SETS)
        for task_set in catalogue.own.values():
            for problem in find_check_problems(task_set, known):
                yield fault_of(folder / f"{task_set.id}.toml", message=problem)

    def _unknown_tasks(self, project: Path, catalogue: TaskSetCatalogue) -> Iterator[OwnFault]:
        """Yield the files that name tasks which do not exist: their check would silently find nothing."""
        folder = project.with_suffix(ENDING)
        for check in self.own.values():
            for field, name in _named_tasks(check.rule):
                task_set, _, task = name.partition("/")
                known = catalogue.find(task_set)
                if known is None or (task and known.find(task) is None):
                    message = f"{check.id}.toml, field {field}: {name!r} does not exist."
                    yield fault_of(folder / f"{check.id}.toml", message=message)


def _named_tasks(rule: CheckFile) -> Iterator[tuple[str, str]]:
    yield from (("task_sets", task_set) for task_set in rule.task_sets)
    yield from (("tasks", task) for task in rule.tasks)


def _own_checks(project: Path) -> tuple[dict[str, TextCheck], tuple[OwnFault, ...]]:
    return read_own(project, ending=ENDING, read=_read)


def _holds(folded: str, word: str) -> bool:
    """Return whether a text contains words as whole words: 'car' is not in 'scar'."""
    start = folded.find(sought := word.casefold())
    while start >= 0:
        end = start + len(sought)
        before, after = folded[start - 1 : start], folded[end : end + 1]
        if not (_joins(before, sought[0]) or _joins(sought[-1], after)):
            return True
        start = folded.find(sought, start + 1)
    return False


def _joins(one: str, other: str) -> bool:
    # Chinese has no spaces between words; letters of an alphabet and digits form words.
    return one.isalnum() and other.isalnum() and one.isascii() and other.isascii()


def _load(path: Path) -> TextCheck:
    rule = _file(path)
    for field, wrong in _problems(rule, path):
        raise UserError(f"{path.name}, field {field}: {wrong}")
    values = {
        "__doc__": rule.finds,
        "rule": rule,
        "id": rule.id,
        "severity": rule.severity,
        "title": rule.title,
        "finds": rule.finds,
        "advice": rule.advice,
        "tasks": rule.tasks,
        "task_sets": rule.task_sets,
    }
    # A class each, because checks declare all of this on the class.
    made: TextCheck = type("OwnTextCheck", (TextCheck,), values)()
    return made


def _file(path: Path) -> CheckFile:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            most = LARGEST_FILE_BYTES // 1024
            raise UserError(f"{path.name} is too large for a check file (limit: {most} kB).")
        return msgspec.convert(
            _with_field_names(tomllib.loads(path.read_text(encoding="utf-8-sig"))), CheckFile
        )
    except OSError as error:
        raise EnvironmentFailure(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.ValidationError as error:
        raise UserError(f"{path.name}, {field_fault(str(error))}") from error
    # tomllib reports line and column; other encodings and deep nesting raise other errors.
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path.name} is not valid TOML: {error}.") from error


def _with_field_names(content: dict[str, Any]) -> dict[str, Any]:
    """Return a file's content with today's name of the answer key, which older files call ``key``."""
    fields = content.get("fields")
    if not isinstance(fields, list):
        return content
    return {**content, "fields": ["answer_key" if field == "key" else field for field in fields]}


def _problems(rule: CheckFile, path: Path) -> Iterator[tuple[str, str]]:
    if rule.id != path.stem or not _ID.fullmatch(rule.id):
        yield (
            "id",
            f"{rule.id!r} must equal the file name: lowercase letters, digits and underscores only.",
        )
    if rule.id in CHECKS:
        yield "id", f"{rule.id!r} is the id of a built-in check."
    yield from _text_problems(rule)
    if not any((rule.forbidden, rule.required, rule.shortest, rule.longest)):
        yield "forbidden", "set at least one of forbidden, required, shortest or longest."
    if rule.longest and rule.longest < rule.shortest:
        yield "longest", f"{rule.longest} is less than the value of shortest."


def _text_problems(rule: CheckFile) -> Iterator[tuple[str, str]]:
    for field in ("title", "finds", "advice"):
        if not getattr(rule, field).strip():
            yield field, "the value is empty."
    yield from _rule_problems(rule)
    yield from (
        ("tasks", f"{task!r} does not have the form SET/TASK.") for task in rule.tasks if "/" not in task
    )


def _rule_problems(rule: CheckFile) -> Iterator[tuple[str, str]]:
    for field in ("forbidden", "required"):
        if not all(word.strip() for word in getattr(rule, field)):
            yield field, "a word is empty."


_read = read_once(_load)
