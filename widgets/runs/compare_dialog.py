"""The dialog that selects the runs to compare, and the report of the comparison."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from annotator.domain.run import Run
from widgets import display_text, run_text
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.report_dialog import ReportDialog, ReportFigure, ReportSection
from widgets.runs.run_comparison import Change, Comparison, ModelConsensus
from widgets.runs.run_status import RunStatuses
from widgets.translation import mark as _
from widgets.translation import tr

OUTCOMES = {"right": _("right"), "wrong": _("wrong"), "unknown": _("unknown")}
MOST_CHANGES = 5_000
"""Maximum number of rows in the table of changes; further changes are counted."""
ASKING = frozenset({"blind", "consensus", "evaluation"})
"""Kinds of runs whose answers can be compared."""


class CompareDialog(FormDialog):
    """Form for the run to compare with.

    Signals:
        submitted: Emitted when the user starts the comparison; carries the older and the newer run id.
    """

    submitted = Signal(str, str)

    def __init__(self, window: QWidget, *, run: Run, statuses: RunStatuses) -> None:
        super().__init__(window, width=640, title=tr("Compare with another run"))
        self._run = run
        self.other = ComboBox()
        self.other.setAccessibleName(tr("Other run"))
        others = [row.run for row in statuses.rows if row.run.id != run.id and row.run.kind in ASKING]
        for found in others:
            self.other.addItem(f"{name_of(found)} · {found.created_at[:16].replace('T', ' ')}", found.id)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.addRow(label(tr("This run"), role="dim"), label(name_of(run)))
        fields.addRow(label(tr("Other run"), role="dim"), self.other)
        self.body.addLayout(fields)
        explanation = tr(
            "For each item, the most frequent answer of the models of a run is compared. The table "
            "shows the results of both runs and the items whose answers differ."
        )
        if not others or run.kind not in ASKING:
            explanation = tr(
                "Only blind, consensus and evaluation runs can be compared, and the project needs at least "
                "two of them."
            )
        self.body.addWidget(label(explanation, role="dim", wrap=True))
        self.main = self.add_buttons(tr("Compare runs"))
        self.main.setEnabled(bool(others) and run.kind in ASKING)
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        # Ids are UUIDv7, so that their order is the order in which the runs were created.
        older, newer = sorted((self._run.id, str(self.other.currentData())))
        self.accept()
        self.submitted.emit(older, newer)


def report(window: QWidget, found: Comparison) -> ReportDialog:
    """Return a dialog that shows the result of a comparison."""
    changed = len(found.changes)
    return ReportDialog(
        window,
        title=tr("Run comparison"),
        subtitle=tr("{one} compared with {other}", one=name_of(found.one), other=name_of(found.other)),
        figures=[
            ReportFigure(number=found.both, title=tr("answered by both")),
            ReportFigure(number=found.both - changed, title=tr("same answer"), tone="good"),
            ReportFigure(number=changed, title=tr("different answer"), tone="warn"),
        ],
        sections=[_agreement(found), _changes(found)],
    )


def name_of(run: Run) -> str:
    """Return the title of a run, with its models."""
    return f"{run_text.title_of(run)} ({', '.join(run.models)})"


def _agreement(found: Comparison) -> ReportSection:
    return ReportSection(
        title=tr("Agreement"),
        columns=(tr("First run / second run"), *(tr(title) for title in OUTCOMES.values())),
        rows=tuple(
            (tr(OUTCOMES[before]), *(f"{found.table.get((before, after), 0):,}" for after in OUTCOMES))
            for before in OUTCOMES
        ),
        note=tr(
            "Items answered only in the first run: {one}. Items answered only in the second run: {other}.",
            one=f"{found.only_one:,}",
            other=f"{found.only_other:,}",
        ),
    )


def _change_texts(change: Change) -> tuple[str, ...]:
    return (change.name, change.key, _answer_text(change.before), _answer_text(change.after))


def _changes(found: Comparison) -> ReportSection:
    shared = display_text.tasks_of_same_title({change.task for change in found.changes})
    shown = found.changes[:MOST_CHANGES]
    tasks = [display_text.task_label(change.task, shared=shared) for change in shown]
    rows = tuple((*_change_texts(change), task) for change, task in zip(shown, tasks, strict=True))
    rest = len(found.changes) - len(rows)
    note = tr("{n} more items are not shown.", n=f"{rest:,}") if rest else ""
    return ReportSection(
        title=tr("Changed answers"),
        columns=(tr("Item"), tr("Answer key"), tr("First run"), tr("Second run"), tr("Task")),
        rows=rows,
        note=note if rows else tr("All compared answers are the same."),
    )


def _answer_text(consensus: ModelConsensus) -> str:
    sign = {True: "✓", False: "✗", None: "?"}[consensus.is_right]
    return f"{sign} {consensus.answer} ({consensus.same}/{consensus.asked})"
