"""Where the keyboard is can be seen everywhere, and Home and End work in every list."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from tests.e2e.conftest import Open, Person
from tests.e2e.two_scenes import make_two_scenes

MOST_STOPS = 60
AROUND_PX = 3
"""A frame of a focus may stand around what has it."""


def look_at(person: Person, widget: QWidget) -> QImage:
    window = person.window
    rect = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    rect = rect.adjusted(-AROUND_PX, -AROUND_PX, AROUND_PX, AROUND_PX)
    return window.grab(rect.intersected(window.rect())).toImage()


def unseen_stops(person: Person) -> list[str]:
    """Tab once around the window, and return the stops at which nothing tells that they have the keyboard."""
    unseen, known = [], set()
    for _number in range(MOST_STOPS):
        focus = QApplication.focusWidget()
        if focus is None or focus in known:
            break
        known.add(focus)
        with_keyboard = look_at(person, focus)
        person.press("Tab")
        person.settle()
        if look_at(person, focus) == with_keyboard:
            unseen.append(f"{type(focus).__name__} {focus.accessibleName()}".strip())
    assert len(known) > 5
    return unseen


@pytest.mark.parametrize(
    "keys", [("Alt+I",), ("Alt+S",), ("Alt+P",), ("Alt+F",), ("Ctrl+2",), ("Ctrl+3",), ("Ctrl+5",)]
)
def test_keyboard_when_tab_leads_around_then_is_seen_at_every_stop(
    tmp_path: Path, open_window: Open, keys: tuple[str, ...]
) -> None:
    person = open_window(make_two_scenes(tmp_path))
    for key in keys:
        person.press(key)
        person.settle()
    assert unseen_stops(person) == []


@pytest.mark.parametrize("keys", [("Alt+S", "Ctrl+G"), ("Alt+M", "Ctrl+G"), ("Ctrl+2",)])
def test_list_when_home_and_end_are_pressed_then_leads_to_the_first_and_last_row(
    tmp_path: Path, open_window: Open, keys: tuple[str, ...]
) -> None:
    person = open_window(make_two_scenes(tmp_path))
    for key in keys:
        person.press(key)
        person.settle()
    tested = 0
    for view in person.window.findChildren(QAbstractItemView):
        rows = view.model().rowCount() if view.isVisible() and view.model() is not None else 0
        if rows > 1 and view.focusPolicy() and view.objectName() != "label_table":
            view.setFocus()
            tested += 1
            for pressed, index in (("End", rows - 1), ("Home", 0)):
                person.press(pressed)
                assert view.currentIndex().row() == index, (type(view).__name__, pressed)
            person.settle()
    assert tested
