"""Base of outcome panels that decide about items: answers are read once and evaluated per setting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from annotator.commands.command import Command
from annotator.domain.run import Run
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.runs.outcome import collect_run_predictions
from widgets.runs.outcome_panel import OutcomePanel
from widgets.translation import tr


class DecisionPanel(OutcomePanel):
    """Evaluates predictions off the GUI thread. Subclasses implement ``question`` and show ``outcome``.

    Attributes:
        outcome: The current decisions, None while they are computed.
    """

    def __init__(self, run: Run, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(run)
        self._controller, self._bridge = controller, bridge
        self._progress = Progress()
        self._has_effect: bool | None = True
        self._found: Any = None
        self.outcome: Any = None

    @staticmethod
    def read(session: Session, run: Run, progress: Progress) -> Any:  # noqa: ANN401 - what ``question`` takes
        """Return the predictions of the models for each item; subclasses may read something else."""
        return collect_run_predictions(session, run, progress=progress)

    def show_read(self, found: Any) -> None:  # noqa: ANN401 - what its own ``read`` returned
        """Store what was read and evaluate it."""
        self._found = found
        self.judge()

    def is_settled(self) -> bool:
        """Return whether the shown outcome is up to date."""
        return self._found is None or (self.outcome is not None and self._has_effect is not None)

    def question(self, found: Any, *, progress: Progress) -> Callable[[], object]:  # noqa: ANN401 - its own
        """Return a function that computes the outcome of what was read for the current settings."""
        raise NotImplementedError

    def judge(self) -> None:
        """Evaluate with the current settings; an older evaluation that still runs is cancelled."""
        if self._found is None:
            return
        # Nothing can be applied while the evaluation runs: the shown figures belong to the previous settings.
        self.outcome = None
        self.changed.emit()
        self._progress.cancel()
        self._progress = Progress()
        future = self._controller.run_quietly(self.question(self._found, progress=self._progress))
        self._bridge.wait_for(future, done=self.show_outcome, channel=(id(self), "judge"))

    def show_outcome(self, outcome: Any) -> None:  # noqa: ANN401 - what its own ``question`` works out
        """Show the decisions; subclasses extend this method."""
        self.outcome = outcome
        # The command of an outcome without items may close flags of an earlier run or setting, or do nothing.
        self._has_effect = None if self.command() is not None and not self.count() else True
        self.changed.emit()
        self.refresh()

    def refresh(self) -> None:
        """Find out whether the outcome changes anything, if it has no items; not on the GUI thread."""
        command, session = self.command(), self._controller.session
        if command is None or session is None or self.count():
            return
        future = self._controller.run_quietly(partial(_changes_something, session, command))
        self._bridge.wait_for(future, done=self._on_effect_read, channel=(id(self), "effect"))

    def count(self) -> int:
        """Return the number of items that the outcome is about: those that are flagged, or guessed."""
        raise NotImplementedError

    def nothing_text(self) -> str:
        """Return why there is nothing to apply."""
        raise NotImplementedError

    def obstacle(self) -> str:
        """Return why applying the outcome would change nothing, "" if it would change something."""
        return self.nothing_text() if self._has_effect is False and not self.count() else ""

    def counted_text(self, text: str) -> str:
        """Return the text of the button: without items, what is left to be done is with earlier flags."""
        return text if self.count() or not self._has_effect else tr("Update earlier flags (Enter)")

    def _on_effect_read(self, has_effect: bool) -> None:
        self._has_effect = has_effect
        self.changed.emit()


def _changes_something(session: Session, command: Command) -> bool:
    try:
        with session.reader.snapshot():
            return any(True for _ in command.plan(session.reader, progress=Progress()))
    except UserError:
        # Who applies the outcome is told why that is refused.
        return True
