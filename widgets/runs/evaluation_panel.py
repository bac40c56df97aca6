"""The outcome of an evaluation run: accuracy by model and input variant, over all runs started together."""

from __future__ import annotations

from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.accuracy import Accuracy
from annotator.quality.study_results import VariantResult, study_results
from annotator.session import Session
from widgets import run_text
from widgets.report_dialog import ReportSection
from widgets.runs.basis_text import interval_text
from widgets.runs.outcome_panel import OutcomePanel
from widgets.translation import tr, trn


class EvaluationPanel(OutcomePanel):
    """Table of accuracies; there is nothing to apply."""

    table_px = 1000

    def __init__(self, run: Run) -> None:
        super().__init__(run, heading=tr("Accuracy"))
        self.results: list[VariantResult] | None = None

    @staticmethod
    def read(session: Session, run: Run, progress: Progress) -> list[VariantResult]:
        """Return the results of the runs that were started together."""
        return study_results(session.reader, run, progress=progress)

    def show_read(self, found: list[VariantResult]) -> None:
        """Show the results."""
        self.results = found
        self.changed.emit()

    def summary(self) -> str:
        """Return what the table is computed over."""
        if self.results is None:
            return tr("Reading predictions")
        return " ".join(
            (
                trn("{n} run, started together.", "{n} runs, started together.", n=len(self.results)),
                tr("Unreadable and empty replies count as wrong; failed and open requests do not count."),
            )
        )

    def button_text(self) -> str:
        """Return no text: there is no button."""
        return ""

    def command(self) -> None:
        """Return no command: models' answers change nothing."""
        return

    def sections(self) -> list[ReportSection]:
        """Return the accuracy of each model and variant."""
        columns = (
            tr("Model"),
            tr("Image size"),
            tr("Frames"),
            tr("Frame order"),
            tr("Input"),
            tr("Items"),
            tr("Unreadable"),
            tr("Open"),
            tr("Right"),
            tr("95 % interval (Wilson)"),
        )
        rows = tuple(_row(result) for result in self.results or ())
        return [ReportSection(title=tr("By model and input variant"), columns=columns, rows=rows)]


def _row(result: VariantResult) -> tuple[str, ...]:
    return (
        result.model,
        tr("{n} px", n=result.longest_px) if result.longest_px else tr("full size"),
        f"{result.frames:,}",
        run_text.frame_order_word(result.frame_order),
        run_text.input_word(result.input),
        f"{result.items:,}",
        f"{result.unparsed:,}",
        f"{result.open:,}",
        _share(result.accuracy),
        interval_text(result.accuracy),
    )


def _share(accuracy: Accuracy | None) -> str:
    return run_text.share(accuracy.share) if accuracy is not None else "–"
