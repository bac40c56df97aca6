"""The dialog of the rules of the review: who accepts, and the reasons that digits choose."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from annotator.commands.projects import MAX_PHRASES
from annotator.domain.project import SeparateAcceptance
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.translation import mark, tr

RULES: dict[SeparateAcceptance, str] = {
    "auto": mark("From two persons on"),
    "on": mark("Always"),
    "off": mark("Never"),
}
LINES_PX = 168


@dataclass(frozen=True, kw_only=True)
class ReviewRules:
    """What the dialog asks for.

    Attributes:
        separate_acceptance: Whether nobody accepts an item that the same person wrote or edited last.
        phrases: The project's own reasons, () for the usual ones.
    """

    separate_acceptance: SeparateAcceptance
    phrases: tuple[str, ...]


class ReviewRulesDialog(FormDialog):
    """Asks for the rules.

    Signals:
        accepted_rules: Carries the entered ``ReviewRules``.
    """

    accepted_rules = Signal(object)

    def __init__(self, window: QWidget, *, rules: ReviewRules) -> None:
        super().__init__(window, width=520, title=tr("Review rules"))
        self.acceptance, self.phrases = ComboBox(), QPlainTextEdit("\n".join(rules.phrases))
        for rule, text in RULES.items():
            self.acceptance.addItem(tr(text), rule)
        self.acceptance.setCurrentIndex(self.acceptance.findData(rules.separate_acceptance))
        self.problem = label(role="bad", wrap=True)
        self._lay_out()
        self.main = self.add_buttons(tr("Save rules"))
        self.main.clicked.connect(self._on_main_clicked)

    def _lay_out(self) -> None:
        self.acceptance.setAccessibleName(tr("Items are accepted by another person than the last author"))
        self.body.addWidget(label(self.acceptance.accessibleName(), wrap=True))
        self.body.addWidget(self.acceptance)
        text = tr(
            "Imported and drafted items have no author until a person edits them. These rules hold for "
            "everybody who works on the project."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        title = tr(
            "Reasons that digits choose, one per line (at most {n}; empty: the usual ones)", n=MAX_PHRASES
        )
        self.phrases.setAccessibleName(title)
        self.phrases.setTabChangesFocus(True)
        self.phrases.setFixedHeight(LINES_PX)
        self.body.addWidget(label(title, wrap=True))
        self.body.addWidget(self.phrases)
        self.body.addWidget(self.problem)

    def _on_main_clicked(self) -> None:
        lines = (line.strip() for line in self.phrases.toPlainText().splitlines())
        phrases = tuple(line for line in lines if line)
        if len(phrases) > MAX_PHRASES:
            self.problem.setText(
                tr("There are {count} reasons; digits choose {n}.", count=len(phrases), n=MAX_PHRASES)
            )
            self.phrases.setFocus()
            return
        self.accept()
        rules = ReviewRules(separate_acceptance=self.acceptance.currentData(), phrases=phrases)
        self.accepted_rules.emit(rules)
