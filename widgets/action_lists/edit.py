"""Actions for undo, search and copy."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

EDIT = (
    ActionSpec(
        id="edit.undo",
        writes=True,
        text=_("Undo"),
        key="Ctrl+Z",
        icon="undo",
        menu="Edit",
        needs="undo",
        handler="undo.undo",
    ),
    ActionSpec(
        id="edit.redo",
        writes=True,
        text=_("Redo"),
        key="Ctrl+Shift+Z",
        icon="redo",
        menu="Edit",
        needs="redo",
        handler="undo.redo",
    ),
    ActionSpec(
        id="edit.search",
        text=_("Search the list"),
        key="Ctrl+F",
        icon="search",
        menu="Edit",
        workspaces=("library", "annotate", "refine"),
        needs="project",
        handler="navigation.focus_search",
    ),
    ActionSpec(
        id="edit.clear_filters",
        text=_("Clear all filters"),
        key="Ctrl+Shift+F",
        icon="filter",
        menu="Edit",
        workspaces=("library",),
        needs="project",
        handler="library.clear_filters",
    ),
    ActionSpec(
        id="edit.saved_filters",
        text=_("Saved filters"),
        key="Ctrl+Shift+S",
        icon="tag",
        menu="Edit",
        workspaces=("library",),
        needs="project",
        handler="saved_filters.open_menu",
    ),
    ActionSpec(
        id="edit.select_all",
        text=_("Select all in the list"),
        key="Ctrl+A",
        menu="Edit",
        context="list",
        needs="project",
        handler="library.select_all",
    ),
    ActionSpec(
        id="edit.copy_names",
        text=_("Copy names"),
        key="Ctrl+C",
        icon="copy",
        menu="Edit",
        context="list",
        needs="rows",
        handler="library.copy_names",
    ),
)
