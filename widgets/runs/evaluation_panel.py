"""The outcome of evaluation runs that were started together: accuracies, and what inputs items need."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.commands.necessity_flags import FlagUnneededInput
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.accuracy import Accuracy
from annotator.quality.necessity.decision import MOST_FALSE
from annotator.quality.study_results import VariantResult
from annotator.session import Session
from widgets import display_text, run_text
from widgets.box_layout import row_layout
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection
from widgets.runs.basis_text import interval_text
from widgets.runs.decision_panel import DecisionPanel
from widgets.runs.necessity_tables import decision_section, gain_section
from widgets.runs.outcome import EvaluationOutcome, StudyAnswers, collect_study_answers, evaluation_outcome
from widgets.translation import tr, trn

FIELD_PX = 64


class EvaluationPanel(DecisionPanel):
    """Tables of accuracies and gains, and the bound on the share of false flags if inputs lack a part."""

    table_px = 1000
    outcome: EvaluationOutcome | None

    def __init__(self, run: Run, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(run, controller=controller, bridge=bridge)
        self.most_false = QLineEdit(f"{100 * MOST_FALSE:g}")
        self.most_false.setFixedWidth(FIELD_PX)
        self.most_false.setAccessibleName(tr("Expected share of false flags, at most"))
        self.most_false.setToolTip(
            tr("A lower share gives fewer flags: an item is flagged only if more of its answers are right.")
        )
        self.most_false.setValidator(QDoubleValidator(0.01, 100.0, 2, self.most_false))
        self.most_false.textChanged.connect(self._on_most_false_changed)
        # Hidden until the runs are read: one without ablations has nothing to decide.
        self._bound = QWidget()
        row = row_layout(self._bound, margins_px=0)
        row.addWidget(label(tr("Expected share of false flags, at most"), role="dim"))
        row.addWidget(self.most_false)
        row.addWidget(label("%", role="dim"))
        row.addStretch()
        self._bound.hide()
        self.column.addWidget(self._bound)

    @staticmethod
    def read(session: Session, run: Run, progress: Progress) -> StudyAnswers:
        """Return the answers of the runs that were started together."""
        return collect_study_answers(session, run, progress=progress)

    def question(self, found: StudyAnswers, *, progress: Progress) -> Callable[[], EvaluationOutcome]:
        """Return a function that computes which items do not need a part of their input."""
        return partial(evaluation_outcome, found, most_false=self._share())

    def summary(self) -> str:
        """Return what the tables are computed over."""
        if self.outcome is None:
            return tr("Reading predictions")
        results = self.outcome.results
        sentences = [
            trn("{n} run, started together.", "{n} runs, started together.", n=len(results)),
            tr("Unreadable and empty replies count as wrong; failed and open requests do not count."),
        ]
        if self.outcome.report is not None and not self.most_false.hasAcceptableInput():
            sentences.append(
                tr(
                    "“{typed}” is not a share from 0.01 to 100 %: {share} % is used.",
                    typed=self.most_false.text(),
                    share=f"{100 * self._share():g}",
                )
            )
        if self.outcome.lacks_pairs:
            sentences.append(
                tr("No item has answers of one model with the whole input and without a part of it yet.")
            )
        return " ".join(sentences)

    def button_text(self) -> str:
        """Return the button text with the number of items to flag, "" if the runs take no part away."""
        if self.outcome is None or self.outcome.report is None:
            return ""
        return self.counted_text(trn("Flag {n} item (Enter)", "Flag {n} items (Enter)", n=self.count()))

    def count(self) -> int:
        """Return the number of items to flag."""
        report = self.outcome.report if self.outcome is not None else None
        decisions = report.decisions if report is not None else ()
        return len({one.item.id for decision in decisions for one in decision.findings})

    def nothing_text(self) -> str:
        """Return why there is no item to flag."""
        return tr("No item to flag.")

    def command(self) -> FlagUnneededInput | None:
        """Return the command that flags the items, None if the runs take no part away."""
        # Also without a finding: the command closes flags that the runs no longer find.
        if self.outcome is None or self.outcome.report is None:
            return None
        return FlagUnneededInput(report=self.outcome.report)

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the items that do not need a part of their input, by part."""
        report = self.outcome.report if self.outcome is not None else None
        return [
            (
                trn(
                    "Show {n} item: {kind}",
                    "Show {n} items: {kind}",
                    n=len(decision.findings),
                    kind=display_text.flag_kind_title(decision.kind),
                ),
                tuple(finding.item.id for finding in decision.findings),
            )
            for decision in (report.decisions if report is not None else ())
            if decision.findings
        ]

    def sections(self) -> list[ReportSection]:
        """Return the decisions and gains by part of the input, and the accuracy of each model and variant."""
        if self.outcome is None:
            return []
        report = self.outcome.report
        needed = [decision_section(report), gain_section(report)] if report is not None else []
        return [*needed, _accuracy_section(self.outcome.results)]

    def show_outcome(self, outcome: EvaluationOutcome) -> None:
        """Show the tables, and the bound if there is something to decide."""
        self._bound.setVisible(outcome.report is not None)
        super().show_outcome(outcome)

    def _share(self) -> float:
        text = self.most_false.text().replace(",", ".")
        return float(text) / 100 if self.most_false.hasAcceptableInput() else MOST_FALSE

    def _on_most_false_changed(self, _text: str) -> None:
        self.judge()


def _accuracy_section(results: tuple[VariantResult, ...]) -> ReportSection:
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
    rows = tuple(_row(result) for result in results)
    return ReportSection(title=tr("By model and input variant"), columns=columns, rows=rows)


def _row(result: VariantResult) -> tuple[str, ...]:
    return (
        result.model,
        tr("{n} px", n=result.longest_px) if result.longest_px else tr("full size"),
        f"{result.frames:,}",
        run_text.frame_order_title(result.frame_order),
        run_text.input_part_title(result.input),
        f"{result.items:,}",
        f"{result.unparsed:,}",
        f"{result.open:,}",
        _share(result.accuracy),
        interval_text(result.accuracy),
    )


def _share(accuracy: Accuracy | None) -> str:
    return run_text.share(accuracy.share) if accuracy is not None else "–"
