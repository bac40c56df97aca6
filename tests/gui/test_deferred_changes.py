from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.domain.changes import Changes
from widgets.bridge import Bridge
from widgets.deferred_changes import DeferredChanges


class Screen:
    """A widget with the changes that reach it."""

    def __init__(self, bridge: Bridge, qtbot: QtBot) -> None:
        self.parent = QWidget()
        self.widget = QWidget(self.parent)
        qtbot.addWidget(self.parent)
        self.bridge = bridge
        self.changes = DeferredChanges(self.widget, bridge=bridge)
        self.arrived: list[Changes] = []
        self.changes.arrived.connect(self.arrived.append)

    def tell(self, *ids: str, initiator: object = None) -> Changes:
        changes = Changes(
            initiator=initiator, ids={"item": frozenset(ids)}, fields={"item": frozenset({"state"})}
        )
        self.bridge.changed.emit(changes)
        return changes


@pytest.fixture
def screen(bridge: Bridge, qtbot: QtBot) -> Screen:
    return Screen(bridge, qtbot)


def test_changes_when_the_screen_is_shown_then_arrive_at_once(screen: Screen) -> None:
    screen.parent.show()
    changes = screen.tell("1")
    assert screen.arrived == [changes]
    assert not screen.changes.is_stale


def test_changes_when_the_screen_is_hidden_then_arrive_once_and_as_one_when_it_is_shown(
    screen: Screen,
) -> None:
    screen.tell("1")
    screen.tell("2")
    assert screen.changes.is_stale
    assert screen.arrived == []
    # Shown as a part of its window, which is how a workspace comes to the front.
    screen.parent.show()
    (changes,) = screen.arrived
    assert changes.ids == {"item": frozenset({"1", "2"})}
    screen.widget.hide()
    screen.widget.show()
    assert len(screen.arrived) == 1


def test_changes_when_the_screen_made_them_then_do_not_arrive(screen: Screen) -> None:
    screen.tell("1", initiator=screen.widget)
    screen.parent.show()
    screen.tell("2", initiator=screen.widget)
    assert screen.arrived == []
    screen.tell("3", initiator=screen.parent)
    assert len(screen.arrived) == 1
