"""Reference cycles with Qt objects are freed on the GUI thread, whatever other threads allocate."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import ClassVar

import pytest
from PySide6.QtCore import QObject

from tests.guards_qt import PatientBot
from widgets import cycle_collector
from widgets.cycle_collector import CycleCollector


class Node(QObject):
    """A Qt object that refers to itself and notes which thread frees it."""

    freed_on: ClassVar[list[str]] = []

    def __init__(self) -> None:
        super().__init__()
        self.myself = self

    def __del__(self) -> None:
        self.freed_on.append(threading.current_thread().name)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[CycleCollector]:
    monkeypatch.setattr(cycle_collector, "INTERVAL_MS", 5)
    gc.collect()
    Node.freed_on.clear()
    owner = QObject()
    yield CycleCollector(owner)
    owner.deleteLater()


def allocate() -> list[list[int]]:
    """Allocate far more containers than the thresholds of a collection."""
    return [[number] for number in range(50_000)]


def run_elsewhere(work: object) -> None:
    thread = threading.Thread(target=work, name="elsewhere")  # type: ignore[arg-type]
    thread.start()
    thread.join()


def test_cycles_when_another_thread_allocates_then_it_frees_none(collector: CycleCollector) -> None:
    for _ in range(100):
        Node()
    run_elsewhere(allocate)
    assert "elsewhere" not in Node.freed_on


def test_cycles_when_the_thresholds_are_exceeded_then_the_gui_thread_frees_them(
    collector: CycleCollector, qtbot: PatientBot
) -> None:
    for _ in range(100):
        Node()
    kept = allocate()
    qtbot.waitUntil(lambda: len(Node.freed_on) == 100)
    assert set(Node.freed_on) == {threading.main_thread().name}
    assert kept


def test_full_collection_when_the_last_is_long_ago_then_frees_old_cycles(
    collector: CycleCollector, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Node()
    gc.collect()  # what it leaves is in the oldest generation
    del kept
    monkeypatch.setattr(cycle_collector, "FULL_INTERVAL_S", 0.0)
    for _ in range(gc.get_threshold()[2] + 1):
        gc.collect(1)
    qtbot.waitUntil(lambda: len(Node.freed_on) == 1)
