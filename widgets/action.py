"""Specification of an action: text, shortcut, place, precondition and handler."""

from __future__ import annotations

from dataclasses import dataclass

ActionContext = str
"""Where a shortcut works: ``window`` for everywhere, or a context that a workspace lists."""

ActionNeed = str
"""Precondition of an action, "" for none; ``ActionRegistry.set_there`` sets whether it is met."""


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
        writes: Whether it changes the project; such an action is disabled in a project that is open for
            reading only.
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
    writes: bool = False
