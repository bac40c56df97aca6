"""An action: one thing that a person can do, and what it takes to say so."""

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
"""What must be there for an action to make sense."""


@dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """One thing that a person can do.

    Attributes:
        id: Name in the settings and in tests; never shown.
        text: English text, as in a menu; three dots where more is asked before anything happens.
        key: Default key as Qt writes it, "" for none.
        icon: Name of a drawing, "" for none.
        menu: English title of the menu it stands in, "" for none.
        place: Where its key works.
        needs: What must be there.
        handler: ``owner.method`` that does it.
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
    """Tell whether two places can have the keyboard at once, so that one key may not serve both."""
    return one == other or "window" in {one, other}
