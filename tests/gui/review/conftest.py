"""A window at Review, with a project that has a few cases."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.review.material import ADA, make_review_project
from tests.gui.review.review_person import ReviewPerson
from widgets.window import MainWindow


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
def window(project: Path, show_window: Callable[[Session], MainWindow]) -> MainWindow:
    return show_window(Session.open(project, actor=ADA))


@pytest.fixture
def person(window: MainWindow, qtbot: PatientBot) -> ReviewPerson:
    return ReviewPerson(window, qtbot)
