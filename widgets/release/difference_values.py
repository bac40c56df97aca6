"""Display texts of the values that differ between two releases; an exported table has the values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from widgets import display_text
from widgets.translation import join_clauses, join_texts, tr
from widgets.translation import mark as _

SELECTION_TITLES = {
    "task_sets": _("Task set"),
    "tasks": _("Task"),
    "states": _("State"),
    "flags": _("Flags"),
    "sources": _("Source"),
    "assignees": _("Assigned"),
    "scene": _("Scene"),
    "text": _("Text"),
    "ids": _("Items"),
    "mentions": _("Mentioned"),
}
"""Titles of the conditions of a selection of items."""


def _task(value: str) -> str:
    return display_text.task_label(value, shared=frozenset())


SELECTION_VALUE_TITLES: Mapping[str, Callable[[str], str]] = {
    "task_sets": display_text.task_set_title,
    "tasks": _task,
    "states": display_text.item_state_title,
    "flags": display_text.flag_kind_title,
}


def _selection(value: str) -> str:
    conditions = json.loads(value)
    return join_clauses(_condition(name, found) for name, found in conditions.items()) or tr("All items")


def _condition(name: str, found: object) -> str:
    values = found if isinstance(found, list) else [found]
    title_of = SELECTION_VALUE_TITLES.get(name, str)
    title = tr(SELECTION_TITLES.get(name, display_text.plain(name)))
    return tr("{what}: {value}", what=title, value=join_texts(title_of(str(one)) for one in values))


def _shares(value: str) -> str:
    return join_texts(f"{name} {share:g}" for name, share in json.loads(value).items())


def _waived(value: str) -> str:
    return join_texts(map(display_text.gate_title, value.split(", ")))


def _classes(value: str) -> str:
    return "\n".join(map(display_text.issue_class_title, value.split("\n")))


def _truth(value: str) -> str:
    return tr("yes") if value == "true" else tr("no")


def _rendering(value: str) -> str:
    return tr(display_text.plain(value))


VALUE_TITLES: Mapping[str, Callable[[str], str]] = {
    "answer_format": display_text.format_title,
    "export_format": display_text.export_title,
    "include_flagged": _truth,
    "issue_classes": _classes,
    "pictures": _rendering,
    "selection": _selection,
    "shares": _shares,
    "state": display_text.item_state_title,
    "task": _task,
    "waived": _waived,
}
"""Texts of the values of closed lists and of settings, by field."""


def value_text(field: str, value: str) -> str:
    """Return the old or new value of a field as the window says it, "" for none."""
    title_of = VALUE_TITLES.get(field)
    return title_of(value) if title_of is not None and value else value
