"""A tour of the window in which nothing waits for a disk or a thread on the GUI thread."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Open, Person
from tests.e2e.test_lifetimes import visit_everything
from tests.gui_handlers import least_of_rounds, timed
from tests.gui_thread import KNOWN, WIDGETS, recorded
from tests.windows import make_project
from widgets.dialog import FormDialog

FRAME_MS = 16.0
"""CPU time of one handler at most: a frame of the screen."""
ROUNDS = 2
BUILDING = {"widgets.window.MainWindow._on_session_changed", "widgets.window.MainWindow.show_workspace"}
"""Handlers that build a workspace: 60 and 80 ms."""
DIALOGS = ("project.new", "project.import", "project.draft", "project.release", "item.reject", "help.keys")


def edit(person: Person) -> None:
    """Search, write a comment, and take it back."""
    person.window.show_workspace("library")
    person.library.search_for("item_00001")
    person.settle()
    person.library.search_for("")
    person.settle()
    person.press("Ctrl+M")
    person.write("Look again")
    person.press("Ctrl+Return")
    person.settle()
    person.press("Escape")
    person.window.registry.run("edit.undo")
    person.settle()


def open_dialogs(person: Person) -> None:
    """Open some dialogs and cancel them."""
    for action in DIALOGS:
        person.window.registry.run(action)
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


def use(person: Person) -> None:
    """Go everywhere, edit, and open dialogs."""
    visit_everything(person)
    edit(person)
    open_dialogs(person)


def slow_handlers(rounds: list[dict[str, float]]) -> dict[str, int]:
    """Return the handlers that took longer than a frame in each round."""
    return {name: round(ms) for name, ms in least_of_rounds(rounds).items() if ms > FRAME_MS}


@pytest.mark.slow
def test_handlers_when_the_window_is_used_then_each_computes_less_than_a_frame(
    open_window: Open, tmp_path: Path
) -> None:
    # Once, so that all modules are loaded when their handlers are to be measured.
    use(open_window(make_project(tmp_path / "pilot.vantage")))
    opening: list[dict[str, float]] = []
    using: list[dict[str, float]] = []
    for turn in range(ROUNDS):
        with timed() as times:
            person = open_window(make_project(tmp_path / f"{turn}.vantage"))
            use(person)
            opening.append(times.longest_ms)
        with timed() as times:
            use(person)
            using.append(times.longest_ms)
    assert len(using[0]) > 20
    assert slow_handlers(using) == {}
    # A workspace is built when it is first shown, in one piece: nothing of it could be used before.
    assert slow_handlers(opening).keys() <= BUILDING


@pytest.mark.slow
def test_handlers_when_one_computes_then_its_time_is_noted(open_window: Open, tmp_path: Path) -> None:
    person = open_window(make_project(tmp_path / "pilot.vantage"))
    with timed() as times:
        times.measure("planted", lambda: sum(range(3_000_000)))
        times.measure("outer", lambda: times.measure("inner", int))
        person.window.show_workspace("runs")
        person.settle()
    assert times.longest_ms["planted"] > FRAME_MS
    assert "inner" not in times.longest_ms
    assert any(name.endswith("show_workspace") for name in times.longest_ms)


def test_guard_when_code_of_the_window_waits_then_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = compile("def dawdle(wait):\n    wait(0)\n", f"{WIDGETS}/planted.py", "exec")
    names: dict[str, object] = {}
    exec(planted, names)
    with recorded(monkeypatch) as calls:
        time.sleep(0)
        assert calls == set()
        names["dawdle"](time.sleep)  # type: ignore[operator]
    assert calls == {"widgets/planted.py dawdle: time.sleep"}
