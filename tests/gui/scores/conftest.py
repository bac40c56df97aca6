"""A project with a release and predictions of three models, open in the real window."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.session import Session
from tests.forked_calls import calls_forked
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.gui.scores.scored_models import made_project, scored_items, write_model
from tests.windows import NO_SIZE_HINTS
from widgets.scores.workspace import ScoresWorkspace
from widgets.settings import Settings
from widgets.window import build

EACH = 8


@dataclass(frozen=True, kw_only=True)
class Scored:
    """Files that the tests score.

    Attributes:
        project: The project file.
        release: The folder of its release.
        items: The items of the release.
        folder: Folder of the predictions of the models ``good``, ``fair`` and ``poor``.
    """

    project: Path
    release: Path
    items: Sequence[Item]
    folder: Path

    def file(self, name: str) -> str:
        """Return the path of the predictions of a model."""
        return str(self.folder / f"{name}.jsonl")


@pytest.fixture(scope="session")
def made_files(tmp_path_factory: pytest.TempPathFactory) -> Scored:
    """Make the files once; ``poor`` lacks two items and has unreadable texts."""
    path = tmp_path_factory.mktemp("scored")
    items = scored_items(EACH)
    project, release = made_project(path, items)
    folder = path / "predictions"
    write_model(folder / "good.jsonl", items, right=1.0, seed=1)
    write_model(folder / "fair.jsonl", items, right=0.6, seed=2)
    write_model(folder / "poor.jsonl", items[:-2], right=0.2, seed=3, unreadable=0.4)
    return Scored(project=project, release=release, items=items, folder=folder)


@pytest.fixture
def scored(made_files: Scored, tmp_path: Path) -> Scored:
    """Give copies that a test may change; the release is not copied."""
    project = Path(shutil.copy(made_files.project, tmp_path / "p.vantage"))
    folder = Path(shutil.copytree(made_files.folder, tmp_path / "predictions"))
    return Scored(project=project, release=made_files.release, items=made_files.items, folder=folder)


@pytest.fixture(scope="module", autouse=True)
def _quick_scoring() -> Iterator[None]:
    with calls_forked(["annotator.scoring.score_report"]):
        yield


Open = Callable[[], WindowPerson]


@pytest.fixture
def open_scores(
    scored: Scored, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[Open]:
    """Give what opens the Scores workspace in a new window, in the language of the settings."""
    guard_messages.allow(NO_SIZE_HINTS)
    windows = []

    def show() -> WindowPerson:
        window = build(Session.open(scored.project), settings=settings)
        windows.append(window)
        qtbot.addWidget(window)
        window.resize(1280, 720)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        return WindowPerson(window, qtbot, workspace="scores")

    yield show
    for window in windows:
        window.close()


def shown(person: WindowPerson) -> ScoresWorkspace:
    """Return the workspace."""
    pages = person.window.slots["scores"].workspace
    assert pages is not None
    return pages.scores


def score(person: WindowPerson, scored: Scored, *models: str) -> ScoresWorkspace:
    """Score models against the release, and wait for the scores."""
    workspace = shown(person)
    workspace.setup.take([str(scored.release), *(scored.file(name) for name in models)])
    person.settle()
    return workspace
