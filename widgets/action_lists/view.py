"""Actions that change the appearance of the window."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

VIEW = (
    ActionSpec(
        id="view.grid",
        text=_("Switch grid / list"),
        key="Ctrl+G",
        icon="grid",
        menu="View",
        workspaces=("library",),
        needs="project",
        handler="lists.toggle_grid",
    ),
    ActionSpec(
        id="view.larger",
        text=_("Larger images"),
        key="Ctrl++",
        icon="plus",
        menu="View",
        workspaces=("library",),
        needs="project",
        handler="lists.make_larger",
    ),
    ActionSpec(
        id="view.smaller",
        text=_("Smaller images"),
        key="Ctrl+-",
        menu="View",
        workspaces=("library",),
        needs="project",
        handler="lists.make_smaller",
    ),
    ActionSpec(
        id="view.filters",
        text=_("Show / hide left panel"),
        key="Ctrl+B",
        icon="panel-left",
        menu="View",
        workspaces=("library", "annotate"),
        needs="project",
        handler="place.toggle_left_panel",
    ),
    ActionSpec(
        id="view.inspector",
        text=_("Show / hide right panel"),
        key="Ctrl+Alt+B",
        icon="panel-right",
        menu="View",
        workspaces=("library", "annotate"),
        needs="project",
        handler="place.toggle_right_panel",
    ),
    ActionSpec(
        id="view.dark",
        text=_("Dark theme"),
        icon="theme",
        menu="View",
        handler="window.apply_theme",
        choice="dark",
    ),
    ActionSpec(
        id="view.light",
        text=_("Light theme"),
        icon="theme",
        menu="View",
        handler="window.apply_theme",
        choice="light",
    ),
    ActionSpec(
        id="view.system",
        text=_("System theme"),
        icon="theme",
        menu="View",
        handler="window.apply_theme",
        choice="",
    ),
    ActionSpec(
        id="view.english",
        text=_("English"),
        icon="language",
        menu="View",
        handler="window.set_language",
        choice="en",
    ),
    ActionSpec(
        id="view.chinese",
        text=_("Chinese"),
        icon="language",
        menu="View",
        handler="window.set_language",
        choice="zh",
    ),
)
