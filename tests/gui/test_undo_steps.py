from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from annotator.commands.projects import ChooseTaskSet
from annotator.errors import UserError
from annotator.session import Session
from tests.patience import PATIENCE_S
from tests.windows import make_project
from widgets.action_registry import ActionRegistry
from widgets.banner import Banner
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.project_opener import _create
from widgets.undo_steps import UndoSteps


class _Projects(QObject):
    """What undo steps use of a controller."""

    session_changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.works: list[object] = []
        self.undone: list[str] = []

    def undo(self, command: str) -> None:
        self.undone.append(command)


def test_undo_when_the_project_is_changed_during_the_query_then_undo_works_in_the_new_one(
    session: Session, bridge: Bridge, registry: ActionRegistry, tmp_path: Path
) -> None:
    projects, gate = _Projects(session), threading.Event()
    steps = UndoSteps(
        controller=cast("ProjectController", projects),
        bridge=bridge,
        registry=registry,
        banner=cast("Banner", None),
        window=cast("QWidget", None),
        shown_record=str,
    )
    with Session.open(make_project(tmp_path / "other.vantage")) as other:
        try:
            session.query(lambda _reader: gate.wait(PATIENCE_S))
            steps.undo()
            bridge.connect_session(other)
            projects.session = other
            projects.session_changed.emit()
            # An edit that is being saved is undone without a query.
            projects.works = [SimpleNamespace(is_gesture=True)]
            steps.undo()
            assert projects.undone == [""]
        finally:
            gate.set()
            bridge.drop((id(steps), "next"))


def test_create_when_the_task_set_cannot_be_chosen_then_the_project_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise UserError("No.")

    monkeypatch.setattr(ChooseTaskSet, "plan", refuse)
    before = threading.enumerate()
    with pytest.raises(UserError):
        _create(tmp_path / "new.vantage", task_set="mmuav")
    assert set(threading.enumerate()) <= set(before)
