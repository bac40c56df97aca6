"""Actions of the Help menu."""

from __future__ import annotations

from widgets.action import ActionSpec
from widgets.translation import mark as _

HELP = (
    ActionSpec(
        id="help.palette",
        text=_("Search or run a command"),
        key="Ctrl+K",
        icon="search",
        menu="Help",
        handler="window.show_palette",
    ),
    ActionSpec(
        id="help.keys",
        text=_("Keyboard shortcuts"),
        key="F1",
        icon="keyboard",
        menu="Help",
        handler="window.show_keys",
    ),
    ActionSpec(
        id="help.edit_keys",
        text=_("Change shortcuts…"),
        icon="keyboard",
        menu="Help",
        handler="window.show_key_editor",
    ),
    ActionSpec(
        id="help.guide",
        text=_("User guide"),
        icon="library",
        menu="Help",
        handler="dialogs.show_guide",
    ),
    ActionSpec(
        id="help.about",
        text=_("About Vantage"),
        icon="item",
        menu="Help",
        handler="dialogs.show_about",
    ),
    ActionSpec(id="help.menu", text=_("Menu"), key="F10", icon="menu", handler="window.show_menu"),
)
