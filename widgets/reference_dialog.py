"""The dialog for the sample of the human reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from annotator.domain.actor import Actor
from annotator.errors import VantageError
from annotator.quality.human_reference.sample import PERSONS, SHARE, ReferencePlan
from widgets.box_layout import row_layout
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.message_text import error_text
from widgets.shortage_text import shortage_text
from widgets.translation import tr, trn

CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
ROWS, ROW_PX = 6, 28
MOST_PERSONS = 9
LONGEST_NAME = 80


@dataclass(frozen=True, kw_only=True)
class SampleRequest:
    """What the sample is drawn by.

    Attributes:
        names: Names of the persons who answer it.
        share: Share of the items of each task, above 0 and up to 1.
        per_item: Number of persons for each item.
        seed: Seed of the choice.
    """

    names: tuple[str, ...]
    share: float
    per_item: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class DrawnSample:
    """A sample, and the persons whom the project does not contain yet."""

    plan: ReferencePlan
    new: tuple[Actor, ...]


class ReferenceDialog(FormDialog):
    """Form for persons, share, persons for each item and seed; shows what would be assigned.

    Signals:
        draw_requested: Emitted when an input changes; carries the ``SampleRequest``.
        submitted: Emitted on acceptance; carries the ``DrawnSample``.
    """

    draw_requested = Signal(object)
    submitted = Signal(object)

    def __init__(self, window: QWidget, *, names: Sequence[str]) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            names: Names of the persons of the project.
        """
        super().__init__(window, width=560, title=tr("Assign reference sample"))
        self.drawn: DrawnSample | None = None
        self.people = QListWidget()
        self.people.setAccessibleName(tr("Persons"))
        self.people.setFixedHeight(ROWS * ROW_PX + 8)
        for name in names:
            self._add_person(name, UNCHECKED)
        self.new_person = QLineEdit()
        self.new_person.setMaxLength(LONGEST_NAME)
        self.new_person.setPlaceholderText(tr("Name of another person"))
        self.new_person.setAccessibleName(tr("Name of another person"))
        self.add_person = QPushButton(tr("Add person"))
        self.add_person.setAutoDefault(False)
        self.share = _number_field(round(100 * SHARE), most=100)
        self.per_item = _number_field(PERSONS, most=MOST_PERSONS)
        self.seed = _number_field(0, least=0, most=2**31 - 1)
        self.result_text = label(role="dim", wrap=True)
        self._add_fields()
        self.main = self.add_buttons(tr("Assign items"))
        self.main.clicked.connect(self._on_main_clicked)
        self.main.setEnabled(False)
        self._connect()

    def names(self) -> tuple[str, ...]:
        """Return the names of the checked persons."""
        entries = (self.people.item(at) for at in range(self.people.count()))
        return tuple(entry.text() for entry in entries if entry.checkState() == CHECKED)

    def request(self) -> None:
        """Ask for a sample by the present inputs; the button waits for it."""
        self.drawn = None
        self.main.setEnabled(False)
        request = self._request()
        if request is None:
            self.result_text.setText(
                tr("Enter a share from 1 to 100 %, 1 to 9 persons for each item, and a seed.")
            )
        elif not request.names:
            self.result_text.setText(tr("Check the persons who answer the sample."))
        else:
            self.result_text.setText(tr("Drawing the sample…"))
            self.draw_requested.emit(request)

    def show_sample(self, request: SampleRequest, drawn: DrawnSample) -> None:
        """Show a sample, unless the inputs have changed since it was requested."""
        if request != self._request():
            return
        self.drawn = drawn
        self.main.setEnabled(bool(drawn.plan.pairs))
        self.result_text.setText(sample_text(drawn.plan))

    def show_failure(self, error: BaseException) -> None:
        """Show why no sample can be drawn."""
        known = error_text(error) if isinstance(error, VantageError) else tr("The sample was not drawn.")
        self.result_text.setText(known)

    def _request(self) -> SampleRequest | None:
        fields = (self.share, self.per_item, self.seed)
        if not all(field.hasAcceptableInput() for field in fields):
            return None
        share, per_item, seed = (int(field.text()) for field in fields)
        return SampleRequest(names=self.names(), share=share / 100, per_item=per_item, seed=seed)

    def _add_fields(self) -> None:
        explanation = tr(
            "They answer a share of the items without ever seeing the answer key. Nobody gets an item that "
            "he or she has worked on."
        )
        self.body.addWidget(label(explanation, role="dim", wrap=True))
        self.body.addWidget(self.people)
        row = row_layout(spacing_px=8)
        row.addWidget(self.new_person, 1)
        row.addWidget(self.add_person)
        self.body.addLayout(row)
        fields = QFormLayout()
        fields.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        fields.setHorizontalSpacing(16)
        fields.setVerticalSpacing(8)
        for name, field in (
            (tr("Share of each task, %"), self.share),
            (tr("Persons for each item"), self.per_item),
            (tr("Random seed"), self.seed),
        ):
            field.setAccessibleName(name)
            fields.addRow(label(name, role="dim"), field)
        self.body.addLayout(fields)
        self.body.addWidget(self.result_text)

    def _connect(self) -> None:
        self.people.itemChanged.connect(self._on_entry_changed)
        self.add_person.clicked.connect(self._on_add_clicked)
        self.new_person.returnPressed.connect(self._on_add_clicked)
        self.new_person.textChanged.connect(self._on_new_person_changed)
        self._on_new_person_changed("")
        for field in (self.share, self.per_item, self.seed):
            field.textChanged.connect(self._on_number_changed)

    def _add_person(self, name: str, state: Qt.CheckState) -> None:
        entry = QListWidgetItem(name)
        entry.setFlags(entry.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        entry.setCheckState(state)
        entry.setSizeHint(QSize(0, ROW_PX))
        self.people.addItem(entry)

    def _on_new_person_changed(self, text: str) -> None:
        self.add_person.setEnabled(bool(text.strip()))

    def _on_add_clicked(self) -> None:
        name = " ".join(self.new_person.text().split())
        if not name:
            return
        known = self.people.findItems(name, Qt.MatchFlag.MatchFixedString)
        if known:
            known[0].setCheckState(CHECKED)
        else:
            self._add_person(name, CHECKED)
        self.new_person.clear()
        self.new_person.setFocus()
        self.request()

    def _on_entry_changed(self, _entry: QListWidgetItem) -> None:
        self.request()

    def _on_number_changed(self, _text: str) -> None:
        self.request()

    def _on_main_clicked(self) -> None:
        if self.drawn is not None:
            self.accept()
            self.submitted.emit(self.drawn)


def sample_text(plan: ReferencePlan) -> str:
    """Return what a sample consists of, and which items too few persons may answer."""
    items = trn("{n} item", "{n} items", n=sum(plan.tasks.values()))
    tasks = trn("{n} task", "{n} tasks", n=len(plan.tasks))
    new = trn("{n} new assignment", "{n} new assignments", n=len(plan.pairs))
    lines = [
        tr("The sample has {items} of {tasks}: {assignments}.", items=items, tasks=tasks, assignments=new)
    ]
    return "\n".join(filter(None, (*lines, shortage_text(plan.shortages))))


def _number_field(value: int, *, least: int = 1, most: int) -> QLineEdit:
    field = QLineEdit(str(value))
    field.setValidator(QIntValidator(least, most, field))
    return field
