"""Base class of answers that consist of numbers, with a field for each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QGridLayout

from annotator.domain import answers
from widgets.answers.answer_widget import AnswerWidget
from widgets.labels import label
from widgets.number_field import NumberField
from widgets.translation import join_texts, tr


@dataclass(frozen=True, kw_only=True)
class NumberSpec:
    """One number of an answer.

    Attributes:
        name: Its name in the answer.
        sign: Text before the field.
        title: Description, with the unit.
        least: Minimum.
        most: Maximum.
    """

    name: str
    sign: str
    title: str
    least: float
    most: float


class NumberAnswer(AnswerWidget):
    """Fields for the numbers of an answer, which is committed when all of them are known."""

    def __init__(self, answer_format: str, *, is_blind: bool = False, numbers: Sequence[NumberSpec]) -> None:
        super().__init__(answer_format, is_blind=is_blind)
        self.numbers = {number.name: number for number in numbers}
        self.fields = {
            number.name: NumberField(number.title, may_be_empty=True, leaves_enter=True) for number in numbers
        }
        self._refusal = ""
        for name, field in self.fields.items():
            field.setToolTip(self.numbers[name].title)
            field.entered.connect(self._on_field_entered)
            field.refused.connect(self._on_field_refused)
        self.setFocusProxy(next(iter(self.fields.values())))

    def make_grid(self, *, columns: int) -> QGridLayout:
        """Return a layout with all fields.

        Args:
            columns: Number of fields in a row.
        """
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for index, (name, field) in enumerate(self.fields.items()):
            row, column = divmod(index, columns)
            grid.addWidget(label(self.numbers[name].sign, role="dim"), row, 2 * column)
            grid.addWidget(field, row, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
        return grid

    @abstractmethod
    def numbers_of(self, value: object) -> Mapping[str, float]:
        """Return the numbers of a parsed answer by name."""

    @abstractmethod
    def value_of(self, numbers: Mapping[str, float]) -> object:
        """Return the answer of all numbers."""

    def limits(self, name: str) -> tuple[float, float]:
        """Return minimum and maximum of a number."""
        return self.numbers[name].least, self.numbers[name].most

    def enter_value(self, value: object) -> bool:
        """Commit an answer; return whether it is valid."""
        return self.enter(answers.get(self.answer_format).render(value))

    def show_answer(self, _text: str, /) -> None:
        """Show the numbers; none of an answer that is empty or unreadable."""
        value = self.value()
        numbers = {} if value is None else self.numbers_of(value)
        for name, field in self.fields.items():
            least, most = self.limits(name)
            field.show_value(numbers.get(name), least=least, most=most)

    def show_surroundings(self) -> None:
        """Set the limits, which depend on the image."""
        for name, field in self.fields.items():
            least, most = self.limits(name)
            field.show_value(field.value, least=least, most=most)

    def send_pending(self) -> None:
        """Commit typed numbers."""
        for field in self.fields.values():
            field.apply()

    def _on_field_entered(self, _value: float | None) -> None:
        values = {name: field.value for name, field in self.fields.items()}
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values):
            self.enter_value(self.value_of(known))
        elif known:
            missing = join_texts(self.numbers[name].title for name in values if name not in known)
            self.show_problem(tr("Missing: {names}.", names=missing))
        else:
            self.enter("")

    def _on_field_refused(self, reason: str) -> None:
        if reason:
            self.show_problem(reason)
        elif self._refusal:
            self.recheck()
        self._refusal = reason
