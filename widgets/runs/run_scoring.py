"""Hands the answers of a run over to the Scores workspace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.session import Session
from widgets import run_text
from widgets.action_registry import ActionRegistry
from widgets.project_controller import ProjectController
from widgets.runs.run_controller import SCORED_KINDS, RunController
from widgets.settings import Settings
from widgets.task import while_exists
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class _Written:
    """The predictions of a run.

    Attributes:
        path: Their file.
        release: The release folder whose items were asked, "" for none.
        project: Id of the project.
    """

    path: Path
    release: str
    project: str


class RunScoring(QObject):
    """Writes the answers of the current run as predictions, and adds them to what is scored."""

    def __init__(
        self,
        *,
        session: Session,
        controller: ProjectController,
        registry: ActionRegistry,
        settings: Settings,
        run_controller: RunController,
    ) -> None:
        super().__init__(run_controller)
        self._session, self._controller, self._registry = session, controller, registry
        self._settings, self._run_controller = settings, run_controller

    def score(self) -> None:
        """Write the answers of the current run, and open them in Scores."""
        row = self._run_controller.row()
        if row is None or row.run.kind not in SCORED_KINDS:
            return
        work = self._controller.run_query(
            partial(_write, row.run), title=tr("Writing the predictions of the run")
        )
        work.finished.connect(while_exists(self, partial(self._on_written, row.run)))

    def _on_written(self, run: Run, written: _Written) -> None:
        # Imported on demand, to keep the start of the window short.
        from widgets.scores.score_choice import ChosenFile, keep_choice, read_choice
        from widgets.scores.setup_pane import ScoreSetup

        # In the settings, where the workspace finds it, whether it was opened before or not.
        owner = {"project": written.project, "person": self._session.actor.id}
        choice = read_choice(self._settings, **owner)
        name = f"{run.models[0]} · {run_text.title_of(run)}" if len(run.models) == 1 else ""
        file = ChosenFile(path=str(written.path), name=name)
        keep_choice(self._settings, choice.with_file(file, release=written.release), **owner)
        self._registry.run("go.scores")
        setup = self._registry.owner("score_setup")
        if isinstance(setup, ScoreSetup):
            changed = setup.choice.with_file(file, release=written.release)
            setup.change(release=changed.release, files=changed.files)


def _write(run: Run, session: Session, progress: Progress) -> _Written:
    return _Written(
        path=session.runs.write_answers(run, progress=progress),
        release=session.runs.known_release_folder(run),
        project=session.reader.project.id,
    )
