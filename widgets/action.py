"""Specification of an action: text, shortcut, place, precondition and handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionContext = Literal["window", "list", "stage", "runs"]
"""Where an action's key works: everywhere, or only while the keyboard is in a list, at the stage, or among
runs."""

ActionNeed = Literal[
    "",
    "project",
    "rows",
    "items",
    "scenes",
    "media",
    "flag",
    "undo",
    "redo",
    "demo",
    "stage",
    "film",
    "marking",
    "run",
    "run_going",
    "run_halted",
    "run_failed",
    "run_open",
    "run_page",
]
"""Precondition for an action."""


@dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """Specification of one action.

    Attributes:
        id: Name in the settings and in tests; never shown.
        text: English text, as in a menu; it ends with an ellipsis if the action opens a dialog first.
        key: Default key as Qt writes it, "" for none.
        icon: Name of an icon, "" for none.
        menu: English title of its menu, "" for none.
        place: Where its shortcut works.
        needs: Its precondition.
        handler: ``owner.method`` that executes it.
        choice: Argument of the method, None for none.
    """

    id: str
    text: str
    key: str = ""
    icon: str = ""
    menu: str = ""
    place: ActionContext = "window"
    needs: ActionNeed = ""
    handler: str
    choice: str | None = None


def overlap(one: ActionContext, other: ActionContext) -> bool:
    """Return whether two places can have the keyboard focus at once, so that they cannot share a shortcut."""
    return one == other or "window" in {one, other}
