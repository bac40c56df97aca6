"""What a project leaves behind when it is closed, and an edit when it is done: nothing."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from annotator.commands.comments import WriteComment
from annotator.domain.item import Item
from tests.e2e.conftest import Open, Person
from tests.windows import make_project
from widgets.dialog import FormDialog

PROJECTS, WARM_UP = 10, 2
EDITS = 1_000
GROWTH_KIB = 16_384
"""Allowed growth of the resident memory over eight projects or 800 edits: what allocators keep, far below
the size of one project's window."""
OURS = ("widgets", "annotator", "models")


def count_objects() -> Counter[str]:
    """Count living objects of the product's classes and of Qt's, by class, after a collection."""
    for _turn in range(2):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
    found: Counter[str] = Counter()
    for thing in gc.get_objects():
        kind = type(thing)
        module = kind.__module__ if isinstance(kind.__module__, str) else ""
        if module.partition(".")[0] in OURS or issubclass(kind, QObject):
            found[f"{module}.{kind.__qualname__}"] += 1
    found["widgets alive in Qt"] = len(QApplication.allWidgets())
    found["threads"] = threading.active_count()
    if sys.platform == "linux":
        found["file handles"] = len(list(Path("/proc/self/fd").iterdir()))
    return found


def resident_kib() -> int:
    """Return the resident memory after everything free was given back."""
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def grown(before: Counter[str], after: Counter[str]) -> dict[str, tuple[int, int]]:
    """Return the classes of which there are more."""
    return {name: (before[name], count) for name, count in after.items() if count > before[name]}


def visit_everything(person: Person) -> None:
    """Show every workspace, a page in the place of the list, and a dialog."""
    for workspace in ("annotate", "refine", "second_look", "runs", "review", "release", "scores", "library"):
        person.window.show_workspace(workspace)
        person.settle()
    person.library.show_list("scene")
    person.settle()
    person.library.inspect()
    person.settle()
    person.window.show_palette()
    for dialog in person.window.findChildren(FormDialog):
        dialog.reject()
    person.settle()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_projects_when_opened_and_closed_ten_times_then_nothing_of_them_is_left(
    open_window: Open, tmp_path: Path
) -> None:
    paths = [make_project(tmp_path / f"{name}.vantage") for name in ("one", "two")]
    person = open_window()
    counts: list[Counter[str]] = []
    sizes: list[int] = []
    for number in range(PROJECTS):
        person.window.controller.open_at(str(paths[number % 2]))
        person.settle()
        visit_everything(person)
        # Every other project is replaced by the next one, without the first steps in between.
        if number % 2:
            person.window.controller.close_project()
            person.settle()
            counts.append(count_objects())
            sizes.append(resident_kib())
    require_nothing_grown(person, counts[WARM_UP - 1])
    assert sizes[-1] - sizes[WARM_UP - 1] < GROWTH_KIB


def require_nothing_grown(person: Person, before: Counter[str]) -> None:
    """Fail where objects stay; the answer to a last question to the project may still be on its way."""

    def compare() -> None:
        assert grown(before, count_objects()) == {}

    person.qtbot.waitUntil(compare)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_edits_when_a_thousand_are_done_then_no_object_stays_behind(
    open_window: Open, tmp_path: Path
) -> None:
    person = open_window(make_project(tmp_path / "pilot.vantage"))
    item = next(person.window.controller.session.reader.records(Item))  # type: ignore[union-attr]
    # What is made once, such as the service of the runs, is there before anything is counted.
    visit_everything(person)
    counts: list[Counter[str]] = []
    sizes: list[int] = []
    for number in range(EDITS):
        # The inspector lists comments: edits that nothing shows leave no widget behind on any account.
        command = WriteComment(entity="scene", target=item.id, text=f"Edit {number}")
        person.window.controller.execute(command, title="Edit")
        if number % 100 == 99:
            person.settle()
            counts.append(count_objects())
            sizes.append(resident_kib())
    # The most of three counts: one was taken between two questions to the project, when what the last one had
    # brought was gone.
    require_nothing_grown(person, counts[1] | counts[2] | counts[3])
    assert sizes[-1] - sizes[1] < GROWTH_KIB


def test_count_when_an_object_is_kept_then_tells_its_class(qapp: QApplication) -> None:
    before = count_objects()
    kept: Callable[[], object] | QObject = QObject()
    assert grown(before, count_objects()) == {
        "PySide6.QtCore.QObject": (before["PySide6.QtCore.QObject"], before["PySide6.QtCore.QObject"] + 1)
    }
    del kept
    assert grown(before, count_objects()) == {}
