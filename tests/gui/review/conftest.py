"""A window at Review, with a project that has a few cases."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.review.material import ADA, make_review_project
from tests.gui.review.review_person import ReviewPerson
from tests.windows import NO_SIZE_HINTS
from widgets.settings import Settings
from widgets.window import MainWindow, build


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the project once."""
    return make_review_project(tmp_path_factory.mktemp("made"))


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """Copy the project, so that each test decides on its own."""
    shutil.copytree(made.parent, tmp_path / "own")
    return tmp_path / "own" / made.name


@pytest.fixture
def window(
    project: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[MainWindow]:
    guard_messages.allow(NO_SIZE_HINTS)
    shown = build(Session.open(project, actor=ADA), settings=settings)
    qtbot.addWidget(shown)
    shown.resize(1600, 1000)
    with qtbot.waitExposed(shown):
        shown.show()
    shown.activateWindow()
    yield shown
    shown.close()


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> ReviewPerson:
    return ReviewPerson(window, qtbot)
