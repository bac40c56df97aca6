"""A read of the project that fails is reported, and no screen waits for it afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from annotator.commands.item_states import ChangeState
from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import make_project
from widgets.workspaces import WORKSPACES

MESSAGE = "The disk could not be read."
Question = Callable[[Reader], object]


@contextmanager
def failing_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Question]]:
    """Let every query fail inside the block; give the list of those that did."""
    failed: list[Question] = []

    def fail(_session: Session, question: Question) -> Future[object]:
        failed.append(question)
        future: Future[object] = Future()
        future.set_exception(EnvironmentFailure(MESSAGE))
        return future

    with monkeypatch.context() as patch:
        patch.setattr(Session, "query", fail)
        yield failed


def reject(person: Person, item: Item) -> None:
    command = ChangeState(items=(item.id,), state="rejected", reason="Seen twice")
    person.window.controller.execute(command, title="Reject")


@pytest.mark.parametrize("workspace", [one.id for one in WORKSPACES])
def test_workspace_when_its_reads_fail_then_says_so_and_goes_on_with_the_next_change(
    workspace: str, open_window: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_window(make_project(tmp_path / "pilot.vantage"))
    session = person.window.controller.session
    assert session is not None
    first, second = list(session.reader.records(Item))[:2]
    person.window.show_workspace(workspace)
    person.settle()
    with failing_reads(monkeypatch) as failed:
        reject(person, first)
        person.window.slots[workspace].show()
        person.settle()
    assert failed
    assert person.window.banner.isVisible()
    assert MESSAGE in " ".join(each.text() for each in person.window.banner.findChildren(QLabel))
    reject(person, second)
    person.settle()
    person.window.show_workspace("library")
    person.library.show_list("item")
    person.settle()
    rows = [person.library.listing().model.row(at) for at in range(2)]
    assert {row.state for row in rows if row is not None and row.id in {first.id, second.id}} == {"rejected"}
