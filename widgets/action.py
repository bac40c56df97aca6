"""Specification of an action: text, shortcut, place, precondition and handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionContext = Literal[
    "window", "list", "stage", "refine", "second_look", "review", "runs", "release", "scores", "errors"
]
"""Where a shortcut works: everywhere, or with the keyboard focus in a list, a stage, or a workspace."""

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
    "unread",
    "demo",
    "stage",
    "video",
    "marking",
    "selection",
    "item_shown",
    "case_shown",
    "answering",
    "key_shown",
    "run",
    "run_going",
    "run_halted",
    "run_failed",
    "run_open",
    "run_page",
    "run_scored",
    "gate",
    "gate_fails",
    "gate_waived",
    "gate_rule",
    "release_page",
    "scores_page",
    "scores_release",
    "scores_ready",
    "scores_file",
    "scores_shown",
    "scores_text",
    "scores_settled",
    "errors_page",
    "error_shown",
    "error_flight",
]
"""Precondition of an action."""


HOMES: dict[ActionContext, tuple[str, ...]] = {
    "window": (),
    "list": ("library",),
    # The scene page of the Library has a stage, too. Which stage is visible decides on ``needs``.
    "stage": ("library", "annotate", "refine", "second_look", "review", "scores"),
    "refine": ("refine",),
    "second_look": ("second_look",),
    "review": ("review",),
    "runs": ("runs",),
    "release": ("release",),
    "scores": ("scores",),
    # The error browser is a page of the workspace; which page is visible decides on ``needs``.
    "errors": ("scores",),
}
"""Workspaces in which the actions of a place work, () for all."""


@dataclass(frozen=True, kw_only=True)
class ActionSpec:
    """Specification of one action.

    Attributes:
        id: Name in the settings and in tests; never shown.
        text: English text, as in a menu; it ends with an ellipsis if the action opens a dialog first.
        key: Default key as Qt writes it, "" for none.
        icon: Name of an icon, "" for none.
        menu: English title of its menu, "" for none.
        context: Where its shortcut works.
        workspaces: Workspaces in which it works, () for those of its context.
        opens: Workspace that is shown before it is executed, "" for none.
        needs: Its precondition.
        handler: ``owner.method`` that executes it; ``navigation`` is that of the workspace that is shown.
        choice: Argument of the method, None for none.
        repeats: Whether it is executed again while its key is held down.
    """

    id: str
    text: str
    key: str = ""
    icon: str = ""
    menu: str = ""
    context: ActionContext = "window"
    workspaces: tuple[str, ...] = ()
    opens: str = ""
    needs: ActionNeed = ""
    handler: str
    choice: str | None = None
    repeats: bool = True

    @property
    def scope(self) -> tuple[str, ...]:
        """Workspaces in which it works, () for all."""
        return self.workspaces or HOMES[self.context]


def overlap(one: ActionSpec, other: ActionSpec) -> bool:
    """Return whether two actions can be available at the same time, so that they cannot share a shortcut."""
    contexts = {one.context, other.context}
    # The stages of these workspaces are inside the contexts of the same names.
    is_inside = contexts in tuple({"stage", name} for name in ("refine", "second_look", "review", "errors"))
    is_same_context = len(contexts) == 1 or "window" in contexts or is_inside
    return is_same_context and (not one.scope or not other.scope or not {*one.scope}.isdisjoint(other.scope))
