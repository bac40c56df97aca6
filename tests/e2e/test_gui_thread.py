"""A tour of the window in which nothing waits for a disk or a thread on the GUI thread."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Open, Person
from tests.e2e.test_lifetimes import visit_everything
from tests.gui_thread import KNOWN, WIDGETS, recorded
from tests.windows import make_project
from widgets.dialog import FormDialog

DIALOGS = ("project.new", "project.import", "project.draft", "project.release", "record.comment", "help.keys")


def edit(person: Person) -> None:
    """Search, write a comment, and take it back."""
    person.window.show_workspace("library")
    person.library.search_for("item_00001")
    person.settle()
    person.library.search_for("")
    person.settle()
    person.window.board.run("record.comment")
    dialog = person.window.findChild(FormDialog)
    assert dialog is not None
    person.write("Look again")
    person.press("Return")
    person.settle()
    person.window.board.run("edit.undo")
    person.settle()


def open_dialogs(person: Person) -> None:
    """Open some dialogs and cancel them."""
    for action in DIALOGS:
        person.window.board.run(action)
        person.settle()
        for dialog in person.window.findChildren(FormDialog):
            dialog.reject()


def test_gui_thread_when_the_window_is_used_then_waits_for_nothing(
    open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_project(tmp_path / "pilot.vantage")
    person = open_window()
    with recorded(monkeypatch) as calls:
        person.window.controller.open_at(str(path))
        person.settle()
        visit_everything(person)
        edit(person)
        open_dialogs(person)
        person.window.controller.close_project()
        person.settle()
    assert [call for call in sorted(calls) if not KNOWN.search(call)] == []


def test_guard_when_code_of_the_window_waits_then_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = compile("def dawdle(wait):\n    wait(0)\n", f"{WIDGETS}/planted.py", "exec")
    names: dict[str, object] = {}
    exec(planted, names)
    with recorded(monkeypatch) as calls:
        time.sleep(0)
        assert calls == set()
        names["dawdle"](time.sleep)  # type: ignore[operator]
    assert calls == {"widgets/planted.py dawdle: time.sleep"}
