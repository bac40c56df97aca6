"""The dialog that asks which models read replies and grade free texts, and what that may cost."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.domain.profile import SIGHTED_ADAPTERS, ModelProfile
from annotator.scoring.judged_scores import JudgedScores, JudgeOptions, RequestFigures
from widgets import run_text
from widgets.amount_field import AmountField
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.form_layout import field_label, form_layout
from widgets.labels import label
from widgets.scores.request_text import worst_cost_text
from widgets.translation import join_clauses, sentence, tr, trn


class AskModelsDialog(FormDialog):
    """Form for the models that help to score.

    Signals:
        submitted: Emitted on acceptance; carries the ``JudgeOptions``.
        models_chosen: Other models are chosen; carries the ``JudgeOptions`` with which they are counted.
    """

    submitted = Signal(object)
    models_chosen = Signal(object)

    def __init__(
        self, window: QWidget, *, profiles: Mapping[str, ModelProfile], options: JudgeOptions
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            profiles: The person's model profiles by name.
            options: The models that are chosen now.
        """
        super().__init__(window, width=640, title=tr("Ask models"))
        self._profiles = {
            name: profile for name, profile in profiles.items() if profile.adapter in SIGHTED_ADAPTERS
        }
        self.reader = self._model_box(tr("Read replies that cannot be read"), options.reader)
        self.judge = self._model_box(tr("Grade free texts"), options.judge)
        self.limit = AmountField(tr("Cost limit"), amount_micro=None)
        self.estimate = label(role="body", wrap=True)
        self.price = label(role="warn", wrap=True)
        self._lay_out()
        self.main = self.add_buttons(tr("Ask models"))
        self.main.clicked.connect(self._on_main_clicked)
        for box in (self.reader, self.judge):
            box.currentIndexChanged.connect(self._on_model_changed)
        self.limit.textChanged.connect(self._on_limit_text_changed)
        self._show_choice()

    @property
    def options(self) -> JudgeOptions:
        """What is chosen; the limit must be sound."""
        return JudgeOptions(
            reader=str(self.reader.currentData()),
            judge=str(self.judge.currentData()),
            limit_micro=self.limit.amount_micro,
        )

    @property
    def counted_options(self) -> JudgeOptions:
        """The models that are chosen, to count requests without sending any."""
        return JudgeOptions(
            reader=str(self.reader.currentData()), judge=str(self.judge.currentData()), is_offline=True
        )

    def show_counts(self, judged: JudgedScores) -> None:
        """Show how many requests the models would get, and what they cost at most."""
        lines = []
        if judged.reader is not None:
            replies = trn(
                "{n} reply cannot be read by rules.", "{n} replies cannot be read by rules.",
                n=judged.reader.texts.texts,
            )  # fmt: skip
            lines.append(f"{replies} {_requests_text(judged.reader.requests)}")
        if judged.judge is not None:
            requests = judged.judge.requests
            texts = trn("{n} free text.", "{n} free texts.", n=requests.cached + requests.not_sent)
            lines.append(f"{texts} {_requests_text(requests)}")
        self.estimate.setText("\n".join(lines))

    def show_counting(self) -> None:
        """Show that the requests are being counted."""
        self.estimate.setText(tr("Counting requests…"))

    def show_failure(self) -> None:
        """Show that the requests could not be counted."""
        self.estimate.setText(tr("The requests could not be counted."))

    def _model_box(self, name: str, chosen: str) -> ComboBox:
        box = ComboBox()
        box.setAccessibleName(name)
        box.addItem(tr("No model"), "")
        for profile in self._profiles:
            box.addItem(profile, profile)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        box.fit_column()
        return box

    def _lay_out(self) -> None:
        text = tr(
            "A model can say which answer a reply gives that no rule can read and that nobody has settled. "
            "It sees the question, the options and the reply, not the answer key. A model can also grade "
            "free texts from 0 to 5 against the answer key; grades stand beside the scores and do not "
            "change them. Replies of the models are kept: the same request is not sent twice."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        form = form_layout()
        for name, field in (
            (self.reader.accessibleName(), self.reader),
            (self.judge.accessibleName(), self.judge),
            (self.limit.accessibleName(), self.limit),
        ):
            form.addRow(field_label(name), field)
        self.body.addLayout(form)
        self.body.addWidget(self.estimate)
        self.body.addWidget(self.price)

    def _show_choice(self) -> None:
        options = self.counted_options
        names = dict.fromkeys(filter(None, (options.reader, options.judge)))
        unpriced = [name for name in names if self._profiles[name].has_unknown_price]
        self.price.setText(run_text.price_warning(unpriced))
        self.price.setVisible(bool(unpriced))
        self.limit.setEnabled(bool(names))
        if not self._profiles:
            self.estimate.setText(
                tr("None of your models answers questions in text. Add a chat model in Runs, under Models.")
            )
        elif not names:
            self.estimate.setText(tr("Without a model, the rules and the decisions of people count."))
        self.name_main(self.main, tr("Ask models") if names else tr("Use no model"))
        self.main.setEnabled(self.limit.is_sound)

    def _on_model_changed(self, _at: int) -> None:
        self._show_choice()
        self.models_chosen.emit(self.counted_options)

    def _on_limit_text_changed(self, _text: str) -> None:
        self.main.setEnabled(self.limit.is_sound)

    def _on_main_clicked(self) -> None:
        options = self.options
        self.accept()
        self.submitted.emit(options)


def _requests_text(requests: RequestFigures) -> str:
    cached = trn("{n} is answered already", "{n} are answered already", n=requests.cached)
    left = trn("{n} request is left", "{n} requests are left", n=requests.not_sent)
    if not requests.not_sent:
        return sentence(cached)
    left = tr("{what}: {value}", what=left, value=worst_cost_text(requests))
    return sentence(join_clauses((cached, left)))
