"""The outcome of a blind run: applies another policy to the stored predictions and shows its effect."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton, QVBoxLayout

from annotator.commands.apply_blind import ApplyBlind
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.policy import Decision, Policy, stored_policy
from annotator.quality.predictions import ItemPredictions
from widgets import display_text, run_text
from widgets.bridge import Bridge
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection
from widgets.runs.basis_text import basis_section, basis_sentences, interval_text
from widgets.runs.calibration_tables import curve_section, guessed_section
from widgets.runs.calibration_text import calibration_text
from widgets.runs.decision_panel import DecisionPanel
from widgets.runs.outcome import BlindOutcome, GuessingLoss, blind_outcome
from widgets.runs.outcome_pane import WIDEST_PX
from widgets.runs.policy_choice import PolicyChoice, loss_text
from widgets.translation import tr, trn

if TYPE_CHECKING:
    from annotator.quality.blind import ItemDecision
    from widgets.runs.calibration_plot import CalibrationPlot


class BlindPanel(DecisionPanel):
    """Form for the policy and for what happens to guessed items."""

    # The reasons of an item are up to three sentences.
    table_px = 1000
    outcome: BlindOutcome | None

    def __init__(self, run: Run, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(run, controller=controller, bridge=bridge)
        self.policy = PolicyChoice()
        self.policy.setMaximumWidth(WIDEST_PX)
        self.policy.choose(stored_policy(str(run.settings.get("policy", ""))))
        self.unread = QCheckBox(tr("Count empty and unreadable replies as wrong"))
        self.unread.setToolTip(
            tr(
                "If this is on, an empty or unreadable reply is a failed guess. If this is off, its "
                "result is unknown, and an item whose result depends on it stays undecided. Errors are "
                "always unknown."
            )
        )
        self.author = QRadioButton(tr("Return to the author with a flag"))
        self.filtered = QRadioButton(tr("Filter out of the benchmark"))
        # A group of their own: the menu of a plot below the same panel has radio buttons as well.
        self._actions = QButtonGroup(self)
        self._actions.addButton(self.author)
        self._actions.addButton(self.filtered)
        (self.filtered if run.settings.get("outcome") == "filtered" else self.author).setChecked(True)
        self.add_heading(tr("Policy"))
        self.column.addWidget(self.policy)
        self.plot: CalibrationPlot | None = None
        self._plot_row = QVBoxLayout()
        self.column.addLayout(self._plot_row)
        self.column.addWidget(self.unread)
        self.add_heading(tr("Action for guessed items"))
        self.column.addWidget(self.author)
        self.column.addWidget(self.filtered)
        self.policy.changed.connect(self.judge)
        self.unread.toggled.connect(self._on_unread_toggled)
        self.author.toggled.connect(self._on_author_toggled)

    def summary(self) -> str:
        """Return the effect of the policy on the items."""
        if self.outcome is None:
            return tr("Reading predictions")
        report = self.outcome.report
        if report.calibration is not None:
            return " ".join([calibration_text(report), *basis_sentences(report.accuracy, report.bases)])
        summary = tr(
            "{items} items: {guessed} guessed, {kept} kept, {undecided} undecided. Random guessing "
            "would remove {loss} of the good items.",
            items=f"{report.items:,}",
            guessed=f"{report.guessed:,}",
            kept=f"{report.kept:,}",
            undecided=f"{report.undecided:,}",
            loss=loss_text(GuessingLoss(guessed_anew=report.loss, guessed_once=report.stuck_loss)),
        )
        return " ".join([summary, *basis_sentences(report.accuracy, report.bases)])

    def button_text(self) -> str:
        """Return the button text with the number of items in each group."""
        if self.filtered.isChecked():
            return self.counted_text(
                trn("Filter {n} item (Enter)", "Filter {n} items (Enter)", n=self.count())
            )
        return self.counted_text(trn("Return {n} item (Enter)", "Return {n} items (Enter)", n=self.count()))

    def count(self) -> int:
        """Return the number of guessed items."""
        return self.outcome.report.guessed if self.outcome is not None else 0

    def nothing_text(self) -> str:
        """Return why there is nothing to do."""
        return tr("No item is guessed.")

    def command(self) -> ApplyBlind | None:
        """Return the command that applies the policy."""
        # Also without guessed items: the command can remove flags of an earlier policy.
        if self.outcome is None or not self.outcome.decided:
            return None
        return ApplyBlind(
            run=self.run.id,
            decided=self.outcome.decided,
            policy=self.outcome.policy,
            outcome="filtered" if self.filtered.isChecked() else "author",
        )

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the items grouped by the policy's decision."""
        if self.outcome is None:
            return []
        ids: dict[Decision, list[str]] = {"guessed": [], "kept": [], "undecided": []}
        for one in self.outcome.decided:
            ids[one.decision].append(one.item_predictions.item.id)
        found = {
            "guessed": trn("Show {n} guessed item", "Show {n} guessed items", n=len(ids["guessed"])),
            "kept": trn("Show {n} kept item", "Show {n} kept items", n=len(ids["kept"])),
            "undecided": trn("Show {n} undecided item", "Show {n} undecided items", n=len(ids["undecided"])),
        }
        groups = [(found[decision], tuple(own)) for decision, own in ids.items() if own]
        leaks = tuple(one.item_predictions.item.id for one in self.outcome.decided if _is_leak(one))
        if leaks:
            groups.append((trn("Show {n} pool leak", "Show {n} pool leaks", n=len(leaks)), leaks))
        return groups

    def sections(self) -> list[ReportSection]:
        """Return tables by model and by task, and the basis of the decisions."""
        if self.outcome is None:
            return []
        report = self.outcome.report
        own = [_models(self.outcome), basis_section(report.bases), _tasks(self.outcome)]
        if report.calibration is None:
            return own
        guessed = guessed_section(self.outcome.decided, open_item=self.item_opened.emit)
        return [curve_section(report.calibration), *([guessed] if guessed else []), *own]

    def question(self, found: list[ItemPredictions], *, progress: Progress) -> Callable[[], BlindOutcome]:
        """Return a function that computes the outcome of the current policy and compares all policies."""
        policies = {
            kind: msgspec.structs.replace(policy, counts_unread=self.unread.isChecked())
            for kind, policy in self.policy.policies().items()
        }
        chosen = policies[self.policy.policy().kind]
        return partial(blind_outcome, found, chosen, policies=policies, progress=progress)

    def show_outcome(self, outcome: BlindOutcome) -> None:
        """Show the decisions, and the effect of each policy beside it."""
        self.policy.show_losses(outcome.losses)
        self.policy.show_effects(outcome.guessed, total=outcome.report.items)
        if outcome.distribution is not None:
            self.plot = self.plot or self._make_plot()
            self.plot.show_distribution(outcome.distribution, loss=outcome.policy.alpha)
        if self.plot is not None:
            self.plot.setVisible(outcome.distribution is not None)
        super().show_outcome(outcome)

    def _make_plot(self) -> CalibrationPlot:
        # Not with the panel: plot and library take the GUI thread 200 ms, and most policies have none.
        from widgets.runs.calibration_plot import CalibrationPlot

        plot = CalibrationPlot()
        plot.setMaximumWidth(WIDEST_PX)
        plot.loss_chosen.connect(self._on_plot_loss_chosen)
        self._plot_row.addWidget(plot)
        return plot

    def _on_unread_toggled(self, _is_on: bool) -> None:
        self.judge()

    def _on_plot_loss_chosen(self, loss: float) -> None:
        self.policy.choose(Policy(kind="calibrated", alpha=loss))

    def _on_author_toggled(self, _is_on: bool) -> None:
        self.changed.emit()


def _is_leak(one: ItemDecision) -> bool:
    return one.calibrated is not None and one.calibrated.is_pool_leak and one.decision != "undecided"


def _tasks(outcome: BlindOutcome) -> ReportSection:
    return ReportSection(
        title=tr("By task"),
        columns=(
            tr("Task"),
            tr("Items"),
            tr("Guessed"),
            tr("Kept"),
            tr("Undecided"),
            tr("Right"),
            tr("Chance level"),
        ),
        rows=tuple(
            (
                display_text.task_title(task.task, task.task_set),
                f"{task.items:,}",
                f"{task.guessed:,}",
                f"{task.kept:,}",
                f"{task.undecided:,}",
                _of(task.right, task.known),
                run_text.share(task.by_chance / task.known) if task.known else "–",
            )
            for task in outcome.report.tasks
        ),
    )


def _models(outcome: BlindOutcome) -> ReportSection:
    return ReportSection(
        title=tr("By model"),
        columns=(
            tr("Model"),
            tr("Asked"),
            tr("Right"),
            tr("95 % interval (Wilson)"),
            tr("Chance level"),
            tr("p-value"),
        ),
        rows=tuple(
            (
                model.model,
                f"{model.asked:,}",
                _of(model.right, model.known),
                interval_text(model.accuracy),
                run_text.share(model.by_chance / model.known) if model.known else "–",
                "–" if model.p is None else f"{model.p:.2g}",
            )
            for model in outcome.report.models
        ),
    )


def _of(right: int, known: int) -> str:
    return run_text.share(right / known) if known else "–"
