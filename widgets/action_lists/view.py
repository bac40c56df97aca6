"""Actions on how the window looks."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

VIEW = (
    ActionSpec(
        id="view.grid",
        text=_("Grid of pictures or list"),
        key="Ctrl+G",
        icon="grid",
        menu="View",
        needs="project",
        handler="lists.toggle_grid",
    ),
    ActionSpec(
        id="view.larger",
        text=_("Larger pictures"),
        key="Ctrl++",
        icon="plus",
        menu="View",
        needs="project",
        handler="lists.make_larger",
    ),
    ActionSpec(
        id="view.smaller",
        text=_("Smaller pictures"),
        key="Ctrl+-",
        menu="View",
        needs="project",
        handler="lists.make_smaller",
    ),
    ActionSpec(
        id="view.filters",
        text=_("Show or hide the filters"),
        key="Ctrl+B",
        icon="panel-left",
        menu="View",
        needs="project",
        handler="panes.toggle_filters",
    ),
    ActionSpec(
        id="view.inspector",
        text=_("Show or hide the inspector"),
        key="Ctrl+Alt+B",
        icon="panel-right",
        menu="View",
        needs="project",
        handler="panes.toggle_inspector",
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
        text=_("Theme of the system"),
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
