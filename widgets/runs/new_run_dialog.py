"""The dialog for a new run: its settings, and its estimated requests and cost before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.domain.eval_settings import PRESENT_INPUT, EvaluationSettings
from annotator.domain.profile import ModelProfile
from annotator.domain.query import ItemQuery
from annotator.domain.run_condition import KIND_TITLES
from annotator.domain.study import study_orders
from annotator.domain.work import Estimate, RunOrder
from annotator.errors import VantageError
from annotator.progress import Progress
from annotator.session import Session
from widgets import run_text
from widgets.amount_field import AmountField
from widgets.box_layout import column_layout, row_layout
from widgets.bridge import Bridge
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.form_layout import field_label, form_layout
from widgets.labels import caption, label
from widgets.message_text import error_text
from widgets.runs.estimate_text import estimate_text
from widgets.runs.evaluation_form import EvaluationForm
from widgets.runs.model_choice import ModelChoice
from widgets.runs.outcome import losses_of_design
from widgets.runs.policy_choice import PolicyChoice
from widgets.runs.sampling_form import SamplingForm
from widgets.runs.scope import ItemScope, ScopeChoices, item_settings, read_choices
from widgets.runs.scope_choice import ScopeChoice
from widgets.translation import tr

SETTLE_MS = 300
"""Pause in the input before an estimate is requested, ms."""
OPTIONS = 4
"""Number of options assumed for the loss to guessing before the items are known."""
ASKING = frozenset({"blind", "consensus", "evaluation"})


class NewRunDialog(FormDialog):
    """Form for kind, items, models, policy, option orders and cost limit.

    Signals:
        submitted: Emitted when the user starts the run; carries its ``RunOrder``.
        study_submitted: Emitted when the user starts an evaluation; carries the ``RunOrder`` of each run.
        models_requested: Emitted when the user opens the model profiles.
    """

    submitted = Signal(object)
    study_submitted = Signal(object)
    models_requested = Signal()

    def __init__(
        self,
        window: QWidget,
        *,
        session: Session,
        bridge: Bridge,
        profiles: Mapping[str, ModelProfile],
        query: ItemQuery,
        selected: Sequence[int],
        kind: str = "",
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            session: The open project.
            bridge: Delivers results of other threads to the GUI thread.
            profiles: The user's model profiles by name.
            query: The current filters of the Library.
            selected: Row numbers of the items that are selected in the Library.
            kind: Kind of run that is selected first, "" for the default.
        """
        super().__init__(window, width=1120, height=760, title=tr("New run"))
        self._session, self._bridge, self._query = session, bridge, query
        self._profiles = profiles
        self._progress = Progress()
        self._is_estimating = False
        self.order: RunOrder | None = None
        self._wanted: RunOrder | None = None
        self._study: list[RunOrder] = []
        self._add_name()
        self.scope = ScopeChoice(query=query, selected=selected)
        self.models = ModelChoice(profiles)
        self._add_policy()
        self.asking = SamplingForm()
        self.evaluation = EvaluationForm(session=session, bridge=bridge)
        self.limit = AmountField(tr("Cost limit"), amount_micro=None)
        self.estimate = label(role="dim", wrap=True)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SETTLE_MS)
        self._lay_out()
        self.main = self.add_buttons(tr("Start run"), left=self._models_button())
        self._connect()
        self.kind.setCurrentIndex(max(0, self.kind.findData(kind)))
        self._on_kind_changed(self.kind.currentIndex())
        question = partial(read_choices, query=query)
        bridge.query(session, question, done=self._on_choices, channel=(id(self), "choices"))

    def _add_name(self) -> None:
        self.kind = ComboBox()
        self.kind.setAccessibleName(tr("Kind"))
        for name in KIND_TITLES:
            self.kind.addItem(run_text.run_kind_title(name), name)
        self.title = QLineEdit()
        self.title.setPlaceholderText(tr("Name (optional)"))
        self.title.setAccessibleName(tr("Name"))

    def _add_policy(self) -> None:
        self.policy = PolicyChoice()
        self.author = QRadioButton(tr("Return to the author with a flag"))
        self.filtered = QRadioButton(tr("Filter out of the benchmark"))
        self.author.setChecked(True)

    def settings(self) -> dict[str, Any]:
        """Return the settings of the run, without the items given by a list of ids."""
        kind = self.kind.currentData()
        if kind == "draft":
            return self.scope.scenes.settings()
        if kind not in ASKING:
            return self.scope.media.settings()
        if kind == "consensus":
            return self.asking.settings(visual_input="sighted").to_json()
        if kind == "evaluation":
            return self._evaluation_settings().to_json()
        asked = self.asking.settings(visual_input="blind")
        outcome = "author" if self.author.isChecked() else "filtered"
        return msgspec.structs.replace(asked, policy=self.policy.policy().text, outcome=outcome).to_json()

    def _evaluation_settings(self) -> EvaluationSettings:
        asked = self.asking.settings(visual_input="sighted")
        release = self.evaluation.release
        return EvaluationSettings(
            rotations=asked.rotations,
            samples=asked.samples,
            seed=asked.seed,
            given=release.given if release is not None else PRESENT_INPUT,
        )

    def is_settled(self) -> bool:
        """Return whether the shown estimate matches the current settings."""
        return not (self._soon.isActive() or self._is_estimating or self.evaluation.is_reading)

    def _lay_out(self) -> None:
        left, right = QVBoxLayout(), QVBoxLayout()
        for column in (left, right):
            column.setSpacing(4)
        left.addWidget(caption(tr("Kind")))
        left.addWidget(self.kind)
        left.addWidget(self.title)
        left.addSpacing(12)
        left.addWidget(caption(tr("Scope")))
        left.addWidget(self.scope)
        left.addSpacing(12)
        left.addWidget(caption(tr("Models")))
        self.no_model = label(
            tr("No model supports this kind of run. Add a suitable model under Models."),
            role="warn",
            wrap=True,
        )
        left.addWidget(self.no_model)
        left.addWidget(self.models)
        left.addStretch()
        right.addWidget(self.evaluation)
        right.addWidget(self._blind_part())
        right.addWidget(self.asking)
        right.addWidget(caption(tr("Limit")))
        limit = form_layout()
        limit.addRow(field_label(tr("Cost limit")), self.limit)
        right.addLayout(limit)
        right.addStretch()
        inner = QWidget()
        columns = row_layout(inner, margins_px=(0, 0, 12, 0), spacing_px=32)
        columns.addLayout(left, 4)
        columns.addLayout(right, 5)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        self.body.addWidget(area, 1)
        # Outside the scroll area, so that the estimate is visible before a run can start.
        self.body.addWidget(self.estimate)

    def _blind_part(self) -> QWidget:
        self._blind = QWidget()
        column = column_layout(self._blind, margins_px=0, spacing_px=4)
        column.addWidget(caption(tr("Policy")))
        column.addWidget(self.policy)
        column.addWidget(label(tr("The policy can be changed later without new requests."), role="label"))
        column.addSpacing(8)
        column.addWidget(caption(tr("Action for guessed items")))
        column.addWidget(self.author)
        column.addWidget(self.filtered)
        column.addSpacing(8)
        return self._blind

    def _models_button(self) -> QPushButton:
        made = QPushButton(tr("Models…"))
        made.clicked.connect(self._on_models_clicked)
        return made

    def _connect(self) -> None:
        self._soon.timeout.connect(self._ask_estimate)
        self.main.clicked.connect(self._on_main_clicked)
        self.finished.connect(self._on_closed)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        for part in (self.scope, self.models, self.asking, self.evaluation):
            part.changed.connect(self._on_changed)
        self.policy.changed.connect(self._show_losses)
        self.limit.textChanged.connect(self._on_limit_text_changed)

    def _show_losses(self) -> None:
        tries = self.asking.tries(options=OPTIONS)
        models = len(self.models.chosen())
        # Without a model nobody guesses, so that there is no share to show.
        policies = self.policy.policies() if models else {}
        self.policy.show_losses(losses_of_design(policies, models=models, attempts=tries, options=OPTIONS))

    def _on_choices(self, choices: ScopeChoices) -> None:
        is_untouched = not self.has_entries()
        self.scope.show_choices(choices)
        if is_untouched:
            # Filled by the program: Escape must not ask whether to discard these values.
            self.note_entries()
        self._on_changed()

    def _on_kind_changed(self, _at: int) -> None:
        kind = self.kind.currentData()
        self._blind.setVisible(kind == "blind")
        self.asking.setVisible(kind in ASKING)
        self.evaluation.setVisible(kind == "evaluation")
        self.scope.show_kind(kind)
        self.models.show_kind(kind)
        self.no_model.setVisible(not self.models.has_any())
        self._on_changed()

    def _on_limit_text_changed(self, _text: str) -> None:
        self._on_changed()

    def _on_changed(self) -> None:
        """Discard the estimate, and request a new one after a pause in the input."""
        # The run cannot start without a current estimate: the user has to see the price first.
        self.order = None
        self._progress.cancel()
        # Its result may wait in the event queue already, and would enable the button for other settings.
        self._bridge.drop((id(self), "estimate"))
        self._is_estimating = False
        self.main.setEnabled(False)
        is_evaluation = self.kind.currentData() == "evaluation"
        self.scope.setEnabled(not (is_evaluation and self.evaluation.release is not None))
        is_sound = self.asking.is_sound and self.limit.is_sound
        if is_evaluation:
            is_sound = is_sound and self.evaluation.is_sound
        if is_sound:
            self._show_losses()
        if not is_sound or not self.models.chosen():
            self._soon.stop()
            self.estimate.setText(
                tr("Select at least one model.") if is_sound else tr("A number is missing or invalid.")
            )
            return
        self.estimate.setText(tr("Counting requests …"))
        self._soon.start()

    def _ask_estimate(self) -> None:
        self._is_estimating = True
        release = self.evaluation.release
        if self.kind.currentData() == "evaluation" and release is not None:
            self._on_scope({"items": release.items})
            return
        # Only runs about items have an item scope; for media and scenes it must not change the settings.
        scope = self.scope.items.scope() if self.kind.currentData() in ASKING else ItemScope()
        question = partial(item_settings, scope=scope)
        self._bridge.query(
            self._session,
            question,
            done=self._on_scope,
            failed=self._on_failed,
            channel=(id(self), "estimate"),
        )

    def _on_scope(self, items: dict[str, Any]) -> None:
        order = RunOrder(
            kind=self.kind.currentData(),
            title=self.title.text().strip(),
            models=self.models.chosen(),
            settings=self.settings() | items,
            limit_micro=self.limit.amount_micro,
        )
        self._progress = Progress()
        self._wanted = order
        runs = self._session.runs
        self._study = self._orders_of(order)
        self._bridge.wait_for(
            runs.estimate(*(self._study or [order]), progress=self._progress),
            done=self._on_estimate,
            failed=self._on_failed,
            channel=(id(self), "estimate"),
        )

    def _orders_of(self, order: RunOrder) -> list[RunOrder]:
        """Return the runs of an evaluation, none for other kinds, which are a single run."""
        if order.kind != "evaluation":
            return []
        settings = msgspec.convert(order.settings, EvaluationSettings)
        return study_orders(order, settings, self.evaluation.grid())

    def _on_estimate(self, found: Estimate) -> None:
        self._is_estimating = False
        self.order = self._wanted
        if self.order is not None:
            self.main.setEnabled(found.jobs > 0)
            unpriced = tuple(name for name in self.order.models if self._profiles[name].has_unknown_price)
            self.estimate.setText(
                estimate_text(found, order=self.order, unpriced=unpriced, runs=len(self._study) or 1)
            )

    def _on_failed(self, error: BaseException) -> None:
        self._is_estimating = False
        self.estimate.setText(error_text(error) if isinstance(error, VantageError) else str(error))

    def _on_closed(self, _result: int) -> None:
        self._progress.cancel()
        self.evaluation.cancel()

    def _on_models_clicked(self) -> None:
        self.leave(self.models_requested.emit)

    def _on_main_clicked(self) -> None:
        if self.order is not None:
            # The run starts with the settings of the estimate. Title, policy and ending are read again: they
            # do not change the requests.
            order = RunOrder(
                kind=self.order.kind,
                title=self.title.text().strip(),
                models=self.order.models,
                settings=self.order.settings | self._ending(),
                limit_micro=self.order.limit_micro,
            )
            study = [msgspec.structs.replace(one, title=order.title) for one in self._study]
            self.accept()
            if study:
                self.study_submitted.emit(study)
            else:
                self.submitted.emit(order)

    def _ending(self) -> dict[str, Any]:
        """Return the settings for the use of the predictions; they do not change the requests."""
        return (
            {name: self.settings()[name] for name in ("policy", "outcome")}
            if self.kind.currentData() == "blind"
            else {}
        )
