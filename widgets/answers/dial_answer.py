"""Answers that are one of several numbered choices: an hour of the clock, or an arrow."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout

from annotator.domain import answers
from widgets.answers.answer_widget import AnswerWidget
from widgets.answers.choice_dial import ChoiceDial
from widgets.answers.clock_dial import ClockDial
from widgets.answers.direction_fan import DirectionFan
from widgets.answers.recorded_evidence import hour_evidence
from widgets.box_layout import row_layout
from widgets.labels import label
from widgets.translation import mark, tr


class DialAnswer(AnswerWidget):
    """A number that is chosen on a drawn scale."""

    hint: ClassVar[str]

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.dial = self.make_dial()
        self.canonical_line = label(role="strong", wrap=True)
        self.dial.turned.connect(self._on_dial_turned)
        beside = QVBoxLayout()
        beside.addStretch()
        beside.addWidget(self.canonical_line)
        beside.addWidget(label(tr(self.hint), role="label", wrap=True))
        beside.addStretch()
        row = row_layout(spacing_px=12)
        row.addWidget(self.dial)
        row.addLayout(beside, 1)
        self.body.addLayout(row)
        self.setFocusProxy(self.dial)

    @abstractmethod
    def make_dial(self) -> ChoiceDial:
        """Return the scale."""

    def show_answer(self, text: str) -> None:
        """Show the choice, and none for an unreadable answer."""
        value = self.value()
        self.dial.show_value(value if isinstance(value, int) else None)
        self.canonical_line.setText(text if value is not None else "–")

    def send_pending(self) -> None:
        """Commit a typed number."""
        self.dial.send_pending()

    def _on_dial_turned(self, choice: int | None) -> None:
        self.enter("" if choice is None else answers.get(self.answer_format).render(choice))


class ClockAnswer(DialAnswer):
    """A direction as an hour, on a clock face."""

    formats = ("clock",)
    hint = mark("Click or drag, or type 1 to 12")

    def make_dial(self) -> ChoiceDial:
        """Return the clock face."""
        return ClockDial()

    def evidence(self) -> str:
        """Return the direction of the region in question by the pose of the camera."""
        return hour_evidence(self.surroundings) if self.surroundings is not None else ""


class DirectionAnswer(DialAnswer):
    """One of the arrows that are drawn in the picture."""

    formats = ("direction_label",)
    hint = mark("Click an arrow, or type 1 to 6")

    def make_dial(self) -> ChoiceDial:
        """Return the arrows."""
        return DirectionFan()
