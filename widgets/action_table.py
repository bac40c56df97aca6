"""The table of actions, and where they work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from widgets.action import ActionContext, ActionNeed, ActionSpec


class ActionTable:
    """All actions of a window.

    Attributes:
        actions: All actions, in the order of the menus and of the command palette.
        menus: English titles of the menus, in display order.
        by_id: Every action by its id.
        needs: All preconditions.
    """

    def __init__(
        self,
        actions: Sequence[ActionSpec],
        *,
        menus: Iterable[str],
        homes: Mapping[ActionContext, tuple[str, ...]],
        stage_contexts: frozenset[ActionContext],
    ) -> None:
        """Create the table.

        Args:
            actions: All actions, in the order of the menus and of the command palette.
            menus: English titles of the menus, in display order.
            homes: Ids of the workspaces in which each context exists.
            stage_contexts: Contexts whose widgets contain a stage.
        """
        self.actions, self.menus = tuple(actions), tuple(menus)
        self.by_id = {action.id: action for action in actions}
        self.needs: frozenset[ActionNeed] = frozenset(action.needs for action in actions) - {""}
        self._homes, self._stage_contexts = homes, stage_contexts

    def scope(self, action: ActionSpec) -> tuple[str, ...]:
        """Return the workspaces in which an action works, () for all."""
        if action.workspaces or action.context == "window":
            return action.workspaces
        return self._homes[action.context]

    def overlap(self, one: ActionSpec, other: ActionSpec) -> bool:
        """Return whether two actions can be available at the same time; they cannot share a shortcut then."""
        contexts = {one.context, other.context}
        is_inside = "stage" in contexts and not self._stage_contexts.isdisjoint(contexts)
        if len(contexts) > 1 and "window" not in contexts and not is_inside:
            return False
        here, there = self.scope(one), self.scope(other)
        return not here or not there or not {*here}.isdisjoint(there)
