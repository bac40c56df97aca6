"""Buttons of actions, with the shortcut, or the reason why the action is not possible, in their tool tips."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton
from shiboken6 import isValid


class ActionButtons:
    """The buttons and tool tips of actions.

    Args:
        actions: The Qt actions by their ids.
        key: Returns the shortcut of an action.
        refusal: Returns why an action is refused, "" where it is not.
    """

    def __init__(
        self,
        actions: Mapping[str, QAction],
        *,
        key: Callable[[str], str],
        refusal: Callable[[str], str],
    ) -> None:
        self._actions, self._key, self._refusal = actions, key, refusal
        self._buttons: list[tuple[QToolButton, str]] = []

    def add(self, button: QToolButton, action_id: str) -> None:
        """Show the tool tip of an action on a button, as long as it exists."""
        self._forget_deleted()
        self._buttons.append((button, action_id))
        self._show(button, action_id)

    def refresh(self) -> None:
        """Show shortcuts and texts as they are now."""
        self._forget_deleted()
        for button, action_id in self._buttons:
            self._show(button, action_id)

    def show_refusals(self) -> None:
        """Show why actions are refused now, in menus and on buttons."""
        for action_id, action in self._actions.items():
            # "" stands for the text of the action.
            action.setToolTip(self._refusal(action_id))
        self.refresh()

    def _forget_deleted(self) -> None:
        # Widgets of a closed project are deleted together with their buttons.
        self._buttons = [known for known in self._buttons if isValid(known[0])]

    def _show(self, button: QToolButton, action_id: str) -> None:
        text = self._actions[action_id].text().rstrip("…")
        reason = self._refusal(action_id)
        button.setToolTip("\n".join(filter(None, (f"{text}  {self._key(action_id)}".strip(), reason))))
        button.setEnabled(not reason)
