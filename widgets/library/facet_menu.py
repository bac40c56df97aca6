"""A menu of facets with their counts, for queues that have no room for a list of filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from widgets.library.record_types import FoundRecords, Query

SHOWN = 40
"""Maximum number of values of a facet in the menu."""


def make_facet_menu(
    parent: QWidget,
    *,
    answer: FoundRecords | None,
    query: Query,
    facets: Iterable[tuple[str, str, Callable[[str], str]]],
    toggle: Callable[[str, str], object],
) -> QMenu:
    """Return a menu in which each value of some facets can be toggled.

    Args:
        parent: Owner of the menu.
        answer: The result that the values are counted in, None for no values.
        query: Has the chosen values.
        facets: Id of each facet, the field of the query with its chosen values, and the title of a value.
        toggle: Gets field and value.
    """
    menu, found = QMenu(parent), answer.facets if answer is not None else {}
    for facet, field, title_of in facets:
        for one in found.get(facet, [])[:SHOWN]:
            action = menu.addAction(f"{title_of(one.value)}   {one.count:,}".replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(one.value in getattr(query, field))
            action.triggered.connect(partial(_on_triggered, toggle, field, one.value))
        menu.addSeparator()
    return menu


def _on_triggered(toggle: Callable[[str, str], object], field: str, value: str, _is_on: bool = False) -> None:
    toggle(field, value)


def task_of_facet(value: str) -> tuple[str, str]:
    """Return task and task set of the value of a task facet, ``set/task``."""
    task_set, _, task = value.rpartition("/")
    return task, task_set
