"""Somebody who presses keys at random, over all workspaces and dialogs, and looks at what they do."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from tests.e2e.conftest import Person
from widgets.action_registry import ActionRegistry
from widgets.actions import ACTIONS, BY_ID
from widgets.stage.tools.annotation_actions import AnnotationActions

LEFT_OUT = frozenset({"app.quit", "runs.work"})
"""Actions that end the window, or begin another process."""
OF_A_PAGE = frozenset(
    {"annotate", "decisions", "gestures", "library", "lists", "overlays", "pages", "place", "player", "stage"}
)
OF_A_PAGE |= {"item_decisions", "item_editor", "item_form", "queue", "run_page", "scenes", "viewports"}
"""Owners of actions that act on a part of the window."""
EDITORS = (QLineEdit, QPlainTextEdit, QAbstractSpinBox, QKeySequenceEdit, QComboBox)
EDITING = frozenset({"Ctrl+A", "Ctrl+C", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Left", "Ctrl+Right"})
"""Keys that a field for text takes for itself."""
MOVES = ("Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDown", "Tab", "Shift+Tab", "F6")
OTHERS = ("Return", "Escape", "Space", "Backspace", "Del")
LEAVING = 0.2
"""Share of Escape among the keys in dialogs and menus: few keys of the window work there."""
LETTERS = "abcdeghiklmnoprstuvwxyz0123456789+-,."


class RandomKeys:
    """Presses keys, and checks after each one that its action acted on what is seen.

    Args:
        person: At the window.
        path: Project to open again after it was closed.
        seed: Of the choices; the same one presses the same keys.
    """

    def __init__(self, person: Person, *, path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.person, self._path = person, path
        self.diary: list[str] = []
        self.ran: Counter[str] = Counter()
        self.problems: list[str] = []
        self._now: list[str] = []
        self._random = random.Random(seed)
        self._keys = sorted({action.key for action in ACTIONS if action.key and action.id not in LEFT_OUT})
        monkeypatch.setattr(QFileDialog, "open", lambda _dialog: None)
        original = ActionRegistry.run

        def run(registry: ActionRegistry, action_id: str) -> None:
            if action_id not in LEFT_OUT:
                could, location = registry.can_run(action_id), self._hidden_part(registry, action_id)
                original(registry, action_id)
                # An action that opens a workspace or a panel acts on it once it is shown.
                location = location and self._hidden_part(registry, action_id)
                self._note(action_id, could=could, hidden=location)

        monkeypatch.setattr(ActionRegistry, "run", run)

    def press_many(self, count: int, *, settle_each: int) -> None:
        """Press keys; wait until all is quiet after every few of them."""
        for number in range(count):
            self.press(self._choose())
            if number % settle_each == 0:
                self.settle()
            assert not self.problems, (self.problems, self.diary[-20:])

    def press(self, key: str) -> None:
        """Press a key where the keyboard is."""
        QApplication.processEvents()
        target = self._target()
        wanted = self._wanted(key, target)
        location = type(target.window()).__name__
        self.diary.append(f"{key} @ {location} {type(target).__name__} {target.accessibleName()}".strip())
        self._now.clear()
        pressed = QKeySequence(key)[0]  # type: ignore[index]
        QTest.keyClick(target, pressed.key(), pressed.keyboardModifiers())
        QApplication.processEvents()
        if wanted and wanted not in self._now:
            self.problems.append(f"{key} did not run {wanted}")

    def settle(self) -> None:
        """Wait until all is quiet; the keyboard is at something that is seen then."""
        self.person.settle()
        if QApplication.activeWindow() is None:
            # A window system does this where a menu closes; the one of the tests forgets it at times.
            self.person.window.activateWindow()
            QApplication.processEvents()
        if self.person.window.library is None:
            self.person.window.controller.open_at(str(self._path))
            self.person.qtbot.waitUntil(lambda: self.person.window.library is not None)
            self.person.settle()
        if QApplication.activePopupWidget() is None:
            # The platform of the tests forgets the keyboard where a menu closes; the window itself does not.
            focus = QApplication.focusWidget() or self.person.window.focusWidget()
            if focus is None or not focus.isVisible():
                self.problems.append(f"the keyboard is at {focus}")
            else:
                focus.setFocus()

    def _choose(self) -> str:
        window = QApplication.activeWindow()
        if window is not None and window.parentWidget() not in {None, self.person.window}:
            # A question over a dialog: other keys do nothing there.
            return self._random.choice(("Tab", "Return", "Escape"))
        is_over = QApplication.activePopupWidget() is not None or window is not self.person.window
        if is_over and self._random.random() < LEAVING:
            return "Escape"
        weights = (1, 5, 4, 4) if is_over else (14, 5, 4, 4)
        kind = self._random.choices(("action", "move", "other", "letter"), weights)[0]
        pools = {"action": self._keys, "move": MOVES, "other": OTHERS, "letter": LETTERS}
        return self._random.choice(pools[kind])

    def _target(self) -> QWidget:
        popup = QApplication.activePopupWidget()
        return popup or QApplication.focusWidget() or QApplication.activeWindow() or self.person.window

    def _wanted(self, key: str, target: QWidget) -> str:
        """Return the action of the window that a key must run now, "" for none."""
        registry = self.person.window.registry
        if target.window() is not self.person.window or (isinstance(target, EDITORS) and key in EDITING):
            return ""
        found = [
            action.id
            for action in ACTIONS
            if action.context == "window"
            and action.id not in LEFT_OUT
            and key in {"F1", "F10"} | {action.key}
            and action.key == key
            and registry.can_run(action.id)
        ]
        return found[0] if found else ""

    def _hidden_part(self, registry: ActionRegistry, action_id: str) -> str:
        """Return the part of the window that an action would act on unseen, "" where it is seen."""
        owner = BY_ID[action_id].handler.partition(".")[0]
        if owner not in OF_A_PAGE:
            return ""
        part = _part(registry.owner(owner))
        return "" if part is not None and part.isVisible() else repr(part)

    def _note(self, action_id: str, *, could: bool, hidden: str) -> None:
        self._now.append(action_id)
        if not could:
            self.problems.append(f"{action_id} was run although it cannot be")
            return
        self.ran[action_id] += 1
        if hidden:
            self.problems.append(f"{action_id} acted on {hidden}, which is not seen")


def _part(owner: object) -> QWidget | None:
    """Return the part of the window that an owner of actions belongs to."""
    if isinstance(owner, AnnotationActions):
        owner = owner._stage
    while isinstance(owner, QObject) and not isinstance(owner, QWidget):
        owner = owner.parent()
    return owner if isinstance(owner, QWidget) else None
