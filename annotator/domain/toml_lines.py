"""The line of a TOML file that a message about a field of it speaks of."""

from __future__ import annotations

import re

_SYNTAX = re.compile(r"\(at line (\d+),")
_TASK = re.compile(r"(?:^|, )task (?:number (?P<number>\d+)|(?P<id>[a-z][a-z0-9_]*))")
_LIST = re.compile(r"(?:\bvalue list |\bfield value_lists\.)(?P<id>[a-z][a-z0-9_]*)")
_FIELD = re.compile(r"\bfield (?P<field>[\w.]+)")
_TASK_HEAD = re.compile(r"^\s*\[\[\s*tasks\s*\]\]", re.MULTILINE)
_HEAD = re.compile(r"^\s*\[", re.MULTILINE)


def line_of_message(message: str, *, text: str) -> int:
    """Return the line, from 1, of the task and field that a message names; 0 where it names none.

    A field that is not in its task stands under ``[defaults]`` or is missing: then it is the task's line. A
    message about a list of values names its first entry.

    Args:
        message: A message about the file; of several lines, each about another place, the first counts.
        text: The file.
    """
    message = message.partition("\n")[0]
    if syntax := _SYNTAX.search(message):
        return int(syntax[1])
    if "(at end of document)" in message:
        return text.count("\n") + 1
    field = _FIELD.search(message)
    name = field["field"].partition(".")[0] if field else ""
    if task := _TASK.search(message):
        return _line_in_task(text, task, name)
    if value_list := _LIST.search(message):
        return _line_of(text, _list_head(value_list["id"]).search(text))
    return _line_of(text, _key(name).search(text)) if name else 0


def _line_in_task(text: str, task: re.Match[str], field: str) -> int:
    starts = [head.start() for head in _TASK_HEAD.finditer(text)]
    named = rf"^\s*id\s*=\s*[\"']{task['id']}[\"']"
    for number, start in enumerate(starts, start=1):
        after = _HEAD.search(text, _line_end(text, start))
        end = after.start() if after else len(text)
        is_named = task["id"] and re.search(named, text[start:end], re.MULTILINE)
        if is_named or number == int(task["number"] or 0):
            found = _key(field).search(text, start, end) if field else None
            return _line_of(text, found or _TASK_HEAD.match(text, start))
    return 0


def _line_end(text: str, start: int) -> int:
    head = _TASK_HEAD.match(text, start)
    return head.end() if head else start


def _key(name: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*(?:\[+\s*)?{re.escape(name)}\b", re.MULTILINE)


def _list_head(name: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*(?:\[+\s*value_lists\s*\.\s*{name}\b|{name}\s*=)", re.MULTILINE)


def _line_of(text: str, found: re.Match[str] | None) -> int:
    # A match may begin with the line ends before it.
    return text.count("\n", 0, found.end()) + 1 if found else 0
