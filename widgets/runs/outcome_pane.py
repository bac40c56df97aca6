"""What comes of a run: the policy that decides, what it would do, and the button that does it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QRadioButton, QVBoxLayout

from annotator.commands.blind_outcome import ApplyBlind
from annotator.commands.consensus_flags import FlagDoubts
from annotator.commands.depths import KeepDepths
from annotator.commands.detections import KeepDetections
from annotator.commands.model_drafts import KeepModelDrafts
from annotator.domain.run import Run
from annotator.progress import Progress
from annotator.quality.hearing import Heard
from annotator.quality.policy import DEFAULT_POLICY, Policy, read_policy
from annotator.session import Session
from widgets import words
from widgets.bridge import Bridge
from widgets.desk import Desk
from widgets.labels import caption, label
from widgets.library.form import Form
from widgets.report import ReportTable, Section
from widgets.runs import wording
from widgets.runs.outcome import BlindOutcome, ConsensusOutcome, blind_outcome, consensus_outcome, listen_to
from widgets.runs.policy_choice import PolicyChoice
from widgets.translation import mark as _
from widgets.translation import tr, trn

DOUBTS = {
    "consensus_against_key": _("the same answer against the key"),
    "consensus_ambiguous": _("all wrong, each in its own way"),
    "consensus_unstable": _("changes its mind over rotations"),
}
"""English words of the reasons why models doubt an item."""
JUDGED = frozenset({"blind", "consensus"})
"""Kinds of runs that something is decided about."""
KEPT = {
    "draft": (
        _("What the models drafted and the checks let through becomes items, drafted, as one step to undo."),
        _("Apply: take the drafts in (Enter)"),
    ),
    "detect": (
        _("What was found becomes regions of the media, with neutral ids, as one step to undo."),
        _("Apply: make regions of it (Enter)"),
    ),
    "depth": (
        _("Depths become facts of the regions, as one step to undo."),
        _("Apply: note the depths (Enter)"),
    ),
}
"""English words of what becomes of the other kinds of runs, and of the button that does it."""
TABLE_PX = 760


class OutcomePane(Form):
    """Decides about a blind or a consensus run; Enter applies what is shown.

    Signals:
        commanded: The outcome is to be applied; carries the command.
        library_requested: What the run made is looked at in the Library.
    """

    commanded = Signal(object)
    library_requested = Signal()

    def __init__(self, *, session: Session, desk: Desk, bridge: Bridge) -> None:
        super().__init__()
        self.setAccessibleName(tr("Outcome"))
        self._session, self._desk, self._bridge = session, desk, bridge
        self.run: Run | None = None
        self.heard: list[Heard] | None = None
        self.outcome: BlindOutcome | ConsensusOutcome | None = None
        self._progress = Progress()
        self._is_listening = False
        self.policy: PolicyChoice | None = None
        self.main = QPushButton(self.widget())

    def show_run(self, run: Run) -> None:
        """Decide about another run from now on; nothing is read before ``listen``."""
        self.run, self.heard, self.outcome = run, None, None
        self._progress.cancel()
        self._lay_out(run)

    def listen(self) -> None:
        """Read what the models said."""
        run = self.run
        if run is None or run.kind not in JUDGED or self._is_listening:
            return
        self._is_listening = True
        work = self._desk.look(
            lambda session, progress: (run.id, listen_to(session, run, progress=progress)),
            title=tr("Reading answers"),
        )
        work.finished.connect(self._on_heard)
        work.failed.connect(self._on_listening_failed)

    def is_settled(self) -> bool:
        """Tell whether what is shown is decided."""
        is_judged = self.run is not None and self.run.kind in JUDGED
        return not self._is_listening and (not is_judged or self.heard is None or self.outcome is not None)

    def apply(self) -> None:
        """Do what is shown."""
        if self.main.isEnabled() and self.main.isVisibleTo(self):
            self._on_main_clicked()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Apply at Enter."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.apply()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, run: Run) -> None:
        self.clear()
        self.policy = None
        self.main = QPushButton(self.widget())
        self.main.setProperty("kind", "main")
        self.main.setEnabled(False)
        self.main.clicked.connect(self._on_main_clicked)
        self.main.hide()
        {"blind": self._lay_out_blind, "consensus": self._lay_out_consensus}.get(
            run.kind, self._lay_out_other
        )(run)
        self.end()

    def _lay_out_blind(self, run: Run) -> None:
        self.policy = PolicyChoice()
        self.policy.setMaximumWidth(TABLE_PX)
        self.policy.choose(_policy_of(run))
        self.policy.changed.connect(self._decide)
        self.author = QRadioButton(tr("Back to the author, with a flag"))
        self.filtered = QRadioButton(tr("Filtered: out of the benchmark"))
        (self.filtered if run.settings.get("outcome") == "filtered" else self.author).setChecked(True)
        self.author.toggled.connect(self._on_author_toggled)
        self.add_heading(tr("Policy"))
        self.add(self.policy)
        self.add_heading(tr("What becomes of guessed items"))
        self.add(self.author)
        self.add(self.filtered)
        self._add_result()

    def _lay_out_consensus(self, run: Run) -> None:
        self.agreeing = QLineEdit()
        self.agreeing.setPlaceholderText(tr("all"))
        self.agreeing.setFixedWidth(64)
        self.agreeing.setAccessibleName(tr("Models that have to agree against the key"))
        self.agreeing.textChanged.connect(self._on_agreeing_text_changed)
        row = QHBoxLayout()
        row.addWidget(label(tr("Models that have to agree against the key"), role="dim"))
        row.addWidget(self.agreeing)
        row.addWidget(label(trn("of {n} model", "of {n} models", n=len(run.models)), role="dim"))
        row.addStretch()
        self.add_heading(tr("Rule"))
        self.column.addLayout(row)
        self._add_result()

    def _lay_out_other(self, run: Run) -> None:
        explanation, button = KEPT[run.kind]
        self.add_heading(tr("What becomes of it"))
        self.add_text(tr(explanation), role="dim")
        row = QHBoxLayout()
        if run.kind == "detect":
            self.score = QLineEdit("0.25")
            self.score.setFixedWidth(64)
            self.score.setAccessibleName(tr("Least certainty, 0 to 1"))
            self.score.setValidator(QDoubleValidator(0.0, 1.0, 4, self.score))
            row.addWidget(label(tr("Least certainty, 0 to 1"), role="dim"))
            row.addWidget(self.score)
        self.main.setText(tr(button))
        self.main.setEnabled(True)
        row.addWidget(self.main)
        self.main.show()
        show = QPushButton(tr("Show the Library"))
        show.clicked.connect(self.library_requested)
        row.addWidget(show)
        row.addStretch()
        self.column.addSpacing(12)
        self.column.addLayout(row)

    def _add_result(self) -> None:
        self.words = label(tr("Reading answers"), role="dim", wrap=True)
        self.tables = QVBoxLayout()
        row = QHBoxLayout()
        row.addWidget(self.main)
        self.main.show()
        row.addStretch()
        self.column.addSpacing(12)
        self.add(self.words)
        self.column.addLayout(row)
        self.column.addLayout(self.tables)

    def _decide(self) -> None:
        run, heard = self.run, self.heard
        if run is None or heard is None:
            return
        self.outcome = None
        self.main.setEnabled(False)
        # A newer policy: nobody waits for the older one any more.
        self._progress.cancel()
        self._progress = Progress()
        if self.policy is not None:
            question = partial(
                blind_outcome,
                heard,
                self.policy.policy(),
                policies=self.policy.policies(),
                progress=self._progress,
            )
            self._bridge.wait_for(
                self._desk.work_out(question), done=self._on_blind_decided, channel=(id(self), "decide")
            )
        else:
            told = self.agreeing.text()
            agreeing = int(told) if told.isdigit() and int(told) else None
            self._bridge.wait_for(
                self._desk.work_out(partial(consensus_outcome, heard, agreeing=agreeing)),
                done=self._on_doubts_found,
                channel=(id(self), "decide"),
            )

    def _on_heard(self, told: tuple[str, list[Heard]]) -> None:
        self._is_listening = False
        run_id, heard = told
        if self.run is not None and self.run.id == run_id:
            self.heard = heard
            self._decide()
        else:
            self.listen()

    def _on_listening_failed(self, _error: BaseException) -> None:
        self._is_listening = False

    def _on_blind_decided(self, outcome: BlindOutcome) -> None:
        self.outcome = outcome
        report = outcome.report
        if self.policy is not None:
            self.policy.show_losses(outcome.losses)
            self.policy.show_effects(outcome.guessed, total=report.items)
        self.words.setText(
            tr(
                "Of {items} items {guessed} count as guessed, {kept} are kept, {undecided} are undecided. By "
                "pure guessing {loss} of the good items would be lost.",
                items=f"{report.items:,}",
                guessed=f"{report.guessed:,}",
                kept=f"{report.kept:,}",
                undecided=f"{report.undecided:,}",
                loss=wording.share(report.loss),
            )
        )
        self._show_main()
        self._show_tables([_tasks(outcome), _models(outcome)])

    def _on_doubts_found(self, outcome: ConsensusOutcome) -> None:
        self.outcome = outcome
        report = outcome.report
        self.words.setText(
            tr(
                "Of {items} items {judged} could be judged; on {confirmed} all agree with the key.",
                items=f"{report.items:,}",
                judged=f"{report.judged:,}",
                confirmed=f"{report.confirmed:,}",
            )
        )
        self._show_main()
        self._show_tables([_doubts(outcome)])

    def _show_main(self) -> None:
        outcome = self.outcome
        if isinstance(outcome, BlindOutcome):
            count = outcome.report.guessed
            texts = (
                trn(
                    "Apply: {n} item back to the author (Enter)",
                    "Apply: {n} items back to the author (Enter)",
                    n=count,
                ),
                trn("Apply: filter {n} item (Enter)", "Apply: filter {n} items (Enter)", n=count),
            )
            self.main.setText(texts[0 if self.author.isChecked() else 1])
            # With none guessed there may still be earlier flags to take back.
            self.main.setEnabled(bool(outcome.decided))
        elif outcome is not None:
            count = len({doubt.heard.item.id for doubt in outcome.doubts})
            self.main.setText(
                trn("Flag {n} item for review (Enter)", "Flag {n} items for review (Enter)", n=count)
            )
            self.main.setEnabled(bool(outcome.items))

    def _show_tables(self, sections: list[Section]) -> None:
        while self.tables.count():
            taken = self.tables.takeAt(0)
            gone = taken.widget() if taken is not None else None
            if gone is not None:
                gone.deleteLater()
        for section in sections:
            self.tables.addSpacing(12)
            self.tables.addWidget(caption(section.title))
            if section.rows:
                table = ReportTable(section)
                table.setMaximumWidth(TABLE_PX)
                self.tables.addWidget(table)

    def _on_author_toggled(self, _is_on: bool) -> None:
        self._show_main()

    def _on_agreeing_text_changed(self, _text: str) -> None:
        self._decide()

    def _on_main_clicked(self) -> None:
        run, outcome = self.run, self.outcome
        if run is None:
            return
        if isinstance(outcome, BlindOutcome):
            self.commanded.emit(
                ApplyBlind(
                    run=run.id,
                    decided=outcome.decided,
                    policy=outcome.policy,
                    outcome="author" if self.author.isChecked() else "filtered",
                )
            )
        elif outcome is not None:
            self.commanded.emit(FlagDoubts(run=run.id, items=outcome.items, doubts=outcome.doubts))
        elif run.kind == "detect":
            if self.score.hasAcceptableInput():
                score = float(self.score.text().replace(",", "."))
                self.commanded.emit(KeepDetections(run=run.id, min_score=score))
        elif run.kind == "depth":
            self.commanded.emit(KeepDepths(run=run.id))
        elif run.kind == "draft":
            self.commanded.emit(KeepModelDrafts(run=run.id))


def _policy_of(run: Run) -> Policy:
    told = str(run.settings.get("policy", ""))
    return read_policy(told) if told else DEFAULT_POLICY


def _tasks(outcome: BlindOutcome) -> Section:
    return Section(
        title=tr("By task"),
        columns=(
            tr("Task"),
            tr("Items"),
            tr("Guessed"),
            tr("Kept"),
            tr("Undecided"),
            tr("Right"),
            tr("By chance"),
        ),
        rows=tuple(
            (
                words.task_word(task.task, task.task_set),
                f"{task.items:,}",
                f"{task.guessed:,}",
                f"{task.kept:,}",
                f"{task.undecided:,}",
                _of(task.right, task.known),
                wording.share(task.by_chance / task.known) if task.known else "–",
            )
            for task in outcome.report.tasks
        ),
    )


def _models(outcome: BlindOutcome) -> Section:
    return Section(
        title=tr("By model"),
        columns=(tr("Model"), tr("Asked"), tr("Right"), tr("By chance"), tr("Chance of so many")),
        rows=tuple(
            (
                model.model,
                f"{model.asked:,}",
                _of(model.right, model.known),
                wording.share(model.by_chance / model.known) if model.known else "–",
                "–" if model.p is None else f"{model.p:.2g}",
            )
            for model in outcome.report.models
        ),
    )


def _doubts(outcome: ConsensusOutcome) -> Section:
    return Section(
        title=tr("Why items are doubted"),
        columns=(tr("Reason"), tr("Items")),
        rows=tuple((tr(words_of), f"{outcome.report.doubts[kind]:,}") for kind, words_of in DOUBTS.items()),
    )


def _of(right: int, known: int) -> str:
    return wording.share(right / known) if known else "–"
