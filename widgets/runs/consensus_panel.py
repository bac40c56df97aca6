"""The outcome of a consensus run: the items that models dispute, by the required number of models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from annotator.commands.consensus_flags import FlagDisagreements
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.consensus import FEWEST_MODELS
from annotator.quality.predictions import ItemPredictions
from widgets.bridge import Bridge
from widgets.labels import label
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportSection
from widgets.runs.basis_text import accuracy_section, basis_section, basis_sentences
from widgets.runs.decision_panel import DecisionPanel
from widgets.runs.outcome import ConsensusOutcome, consensus_outcome
from widgets.translation import mark as _
from widgets.translation import tr, trn

DOUBTS = {
    "consensus_against_key": _("models agree on a different answer"),
    "consensus_ambiguous": _("all models wrong, with different answers"),
    "consensus_unstable": _("answer changes with the option order"),
}
"""English texts of the kinds of disagreement."""
FIELD_PX = 64


class ConsensusPanel(DecisionPanel):
    """Form for the number of models that have to agree against the answer key."""

    outcome: ConsensusOutcome | None

    def __init__(self, run: Run, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(run, controller=controller, bridge=bridge)
        self.agreeing = QLineEdit()
        self.agreeing.setPlaceholderText(tr("all"))
        self.agreeing.setFixedWidth(FIELD_PX)
        self.agreeing.setAccessibleName(tr("Models that must agree on a different answer"))
        self.agreeing.setValidator(QIntValidator(1, len(run.models), self.agreeing))
        self.agreeing.textChanged.connect(self._on_agreeing_text_changed)
        row = QHBoxLayout()
        row.addWidget(label(tr("Models that must agree on a different answer"), role="dim"))
        row.addWidget(self.agreeing)
        row.addWidget(label(trn("of {n} model", "of {n} models", n=len(run.models)), role="dim"))
        row.addStretch()
        self.add_heading(tr("Rule"))
        self.column.addLayout(row)

    def summary(self) -> str:
        """Return the number of items with enough predictions."""
        if self.outcome is None:
            return tr("Reading predictions")
        report = self.outcome.report
        summary = tr(
            "{judged} of {items} items have enough predictions. All models agree with the answer key "
            "on {confirmed} of them.",
            items=f"{report.items:,}",
            judged=f"{report.judged:,}",
            confirmed=f"{report.confirmed:,}",
        )
        return " ".join([summary, *basis_sentences(report.accuracy, report.bases, fewest=FEWEST_MODELS)])

    def button_text(self) -> str:
        """Return the button text with the number of items to flag."""
        return self.counted_text(trn("Flag {n} item (Enter)", "Flag {n} items (Enter)", n=self.count()))

    def count(self) -> int:
        """Return the number of items to flag."""
        disagreements = self.outcome.disagreements if self.outcome is not None else ()
        return len({disagreement.item_predictions.item.id for disagreement in disagreements})

    def nothing_text(self) -> str:
        """Return why there is no item to flag."""
        if self.outcome is not None and not self.outcome.report.judged:
            return trn(
                "No item to flag: a consensus needs answers of at least {n} model.",
                "No item to flag: a consensus needs answers of at least {n} models.",
                n=FEWEST_MODELS,
            )
        return tr("No item to flag.")

    def command(self) -> FlagDisagreements | None:
        """Return the command that adds the flags."""
        outcome = self.outcome
        if outcome is None or not outcome.items:
            return None
        return FlagDisagreements(run=self.run.id, items=outcome.items, disagreements=outcome.disagreements)

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the items grouped by whether they are flagged."""
        if self.outcome is None:
            return []
        flagged = tuple(
            dict.fromkeys(
                disagreement.item_predictions.item.id for disagreement in self.outcome.disagreements
            )
        )
        kept, unjudged = self.outcome.kept, self.outcome.unjudged
        groups = [
            (trn("Show {n} doubtful item", "Show {n} doubtful items", n=len(flagged)), flagged),
            (trn("Show {n} kept item", "Show {n} kept items", n=len(kept)), kept),
            (trn("Show {n} item not judged", "Show {n} items not judged", n=len(unjudged)), unjudged),
        ]
        return [(text, ids) for text, ids in groups if ids]

    def sections(self) -> list[ReportSection]:
        """Return the table of flagged items by reason."""
        if self.outcome is None:
            return []
        counts = self.outcome.report.disagreements
        rows = tuple((tr(text), f"{counts[kind]:,}") for kind, text in DOUBTS.items())
        report = self.outcome.report
        return [
            ReportSection(
                title=tr("Doubtful items by reason"), columns=(tr("Reason"), tr("Items")), rows=rows
            ),
            accuracy_section(report.models),
            basis_section(report.bases),
        ]

    def question(self, found: list[ItemPredictions], *, progress: Progress) -> Callable[[], ConsensusOutcome]:
        """Return a function that computes the disagreements."""
        text = self.agreeing.text().strip()
        return partial(consensus_outcome, found, agreeing=int(text) if text.isdigit() else None)

    def _on_agreeing_text_changed(self, _text: str) -> None:
        self.judge()
