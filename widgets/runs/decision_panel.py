"""The outcome of a run that something is decided about: what models said is heard once, and judged anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.predictions import ItemPredictions
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.runs.outcome import collect_run_predictions
from widgets.runs.outcome_panel import OutcomePanel


class DecisionPanel(OutcomePanel):
    """Judges what was heard, off the GUI thread; what derives from it says how, and shows the ``outcome``.

    Attributes:
        outcome: What was decided, None while it is being worked out.
    """

    def __init__(self, run: Run, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(run)
        self._controller, self._bridge = controller, bridge
        self._progress = Progress()
        self._heard: list[ItemPredictions] | None = None
        self.outcome: Any = None

    @staticmethod
    def read(session: Session, run: Run, progress: Progress) -> list[ItemPredictions]:
        """Return what the models said about each item."""
        return collect_run_predictions(session, run, progress=progress)

    def show_read(self, found: list[ItemPredictions]) -> None:
        """Judge what was heard."""
        self._heard = found
        self.judge()

    def is_settled(self) -> bool:
        """Tell whether what is shown is decided."""
        return self._heard is None or self.outcome is not None

    def question(self, heard: list[ItemPredictions], *, progress: Progress) -> Callable[[], object]:
        """Return what works the outcome out, for what is chosen now."""
        raise NotImplementedError

    def judge(self) -> None:
        """Judge anew by what is chosen now; nobody waits for the answer to an older choice."""
        if self._heard is None:
            return
        # Until the new one is there nothing can be applied: the numbers on the screen are those of another
        # choice.
        self.outcome = None
        self.changed.emit()
        self._progress.cancel()
        self._progress = Progress()
        future = self._controller.run_quietly(self.question(self._heard, progress=self._progress))
        self._bridge.wait_for(future, done=self.show_outcome, channel=(id(self), "judge"))

    def show_outcome(self, outcome: Any) -> None:  # noqa: ANN401 - what its own ``question`` works out
        """Show what was decided."""
        self.outcome = outcome
        self.changed.emit()
