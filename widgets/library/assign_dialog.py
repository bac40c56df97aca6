"""Asks who gets the records of a list, and shows who would get how many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from annotator.domain.actor import Actor
from annotator.domain.assignment import AssignmentRole
from annotator.errors import VantageError
from annotator.quality.assignment_order import ANSWERING, AssignmentOrder, AssignmentPlan
from widgets import display_text
from widgets.box_layout import row_layout
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.form_layout import field_label, form_layout
from widgets.labels import label
from widgets.message_text import message_text
from widgets.report_dialog import ReportSection, ReportTable
from widgets.shortage_text import shortage_text
from widgets.translation import mark, tr, trn

WIDTH_PX, PEOPLE_PX = 720, 132
LARGEST_SEED = 2**31 - 1
ROLES: dict[str, tuple[AssignmentRole, ...]] = {
    "scene": ("annotate",),
    "item": ("refine", "validate", "review", "reference"),
}
NUMBERS = {
    "share": (mark("Share to assign, %"), "100", 1, 100),
    "overlap": (mark("Persons per shared record"), "1", 1, 99),
    "overlap_share": (mark("Shared records, %"), "100", 0, 100),
    "honeypots": (mark("Honeypots, %"), "0", 0, 100),
    "seed": (mark("Seed"), "0", 0, LARGEST_SEED),
}
"""Title, initial text, smallest and largest number of each field."""
PERSON = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, kw_only=True)
class AssignRequest:
    """What is to be planned or assigned.

    Attributes:
        order: The order.
        new_people: Chosen persons that the project does not contain yet.
    """

    order: AssignmentOrder
    new_people: tuple[Actor, ...] = ()


class AssignDialog(FormDialog):
    """Form for an assignment, with a preview.

    Signals:
        changed: Another plan is wanted; carries the ``AssignRequest``.
        name_entered: A person is to be added by name; carries the name.
        submitted: The plan shown is to be carried out; carries it, and the new persons.
    """

    changed = Signal(object)
    name_entered = Signal(str)
    submitted = Signal(object, object)

    def __init__(
        self, window: QWidget, *, entity: str, count: int, is_selection: bool, people: Sequence[Actor]
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            entity: ``item`` or ``scene``.
            count: Number of records.
            is_selection: Whether they are selected; otherwise they are the whole list.
            people: Persons of the project.
        """
        title = tr("Assign items") if entity == "item" else tr("Assign scenes")
        super().__init__(window, width=WIDTH_PX, title=title)
        self._plan: AssignmentPlan | None = None
        self._request: AssignRequest | None = None
        self._new: dict[str, Actor] = {}
        self.roles = ComboBox()
        for role in ROLES[entity]:
            self.roles.addItem(display_text.role_title(role), role)
        self.people = QListWidget()
        self.people.setFixedHeight(PEOPLE_PX)
        self.people.setAccessibleName(tr("Persons"))
        self.name, self.add = QLineEdit(), QPushButton(tr("Add person"))
        self.name.setPlaceholderText(tr("Name"))
        self.name.setAccessibleName(tr("Name of a person to add"))
        self.add.setAutoDefault(False)
        self.fields = {name: _number_field(name) for name in NUMBERS}
        self.problem = label(role="bad", wrap=True)
        self.note = label(role="dim", wrap=True)
        self._preview = QVBoxLayout()
        self.table: ReportTable | None = None
        self._lay_out(_count_text(count, entity=entity, is_selection=is_selection))
        self.main = self.add_buttons(title)
        self.main.clicked.connect(self._on_main_clicked)
        for person in people:
            self._list_person(person, is_checked=False)
        self.people.itemChanged.connect(self._on_entry_changed)
        self.roles.currentIndexChanged.connect(self._on_entry_changed)
        for field in self.fields.values():
            field.textChanged.connect(self._on_entry_changed)
        self.add.clicked.connect(self._on_add_clicked)
        self._on_entry_changed()

    def take_person(self, found: tuple[Actor, bool]) -> None:
        """Add a person, or choose one that is listed already.

        Args:
            found: The person, and whether the project does not contain the person yet.
        """
        person, is_new = found
        self.name.clear()
        if is_new:
            self._new[person.id] = person
        listed = next((row for row in self._rows() if row.data(PERSON) == person.id), None)
        if listed is not None:
            listed.setCheckState(Qt.CheckState.Checked)
            self.people.scrollToItem(listed)
        else:
            self._list_person(person, is_checked=True)
        self._on_entry_changed()

    def show_plan(self, plan: AssignmentPlan) -> None:
        """Show who would get how many records."""
        self._plan = plan
        self.problem.setText("")
        names = {row.data(PERSON): row.text() for row in self._rows()}
        self._show_table(_section(plan, names))
        count = len({target for target, _ in plan.pairs})
        new = trn("{n} record to assign", "{n} records to assign", n=count)
        if not count and not plan.shortages:
            new = tr("All records have enough persons already.")
        self.note.setText("\n".join(filter(None, (new, shortage_text(plan.shortages)))))
        self.main.setEnabled(bool(plan.pairs or plan.honeypots))

    def show_error(self, error: BaseException) -> None:
        """Show why there is no plan, or no person."""
        if not isinstance(error, VantageError):
            raise error
        self.show_problem(" ".join(filter(None, (message_text(error.message), message_text(error.hint)))))

    def show_problem(self, text: str) -> None:
        """Show why there is no plan."""
        self._plan = None
        self.problem.setText(text)
        self.note.setText("")
        self._show_table(None)
        self.main.setEnabled(False)

    def _rows(self) -> list[QListWidgetItem]:
        return [self.people.item(at) for at in range(self.people.count())]

    def _list_person(self, person: Actor, *, is_checked: bool) -> None:
        row = QListWidgetItem(person.name)
        row.setData(PERSON, person.id)
        row.setFlags(row.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        row.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
        self.people.addItem(row)

    def _lay_out(self, count: str) -> None:
        left, right, add = form_layout(), QVBoxLayout(), QHBoxLayout()
        left.addRow(field_label(tr("Role")), self.roles)
        for name, field in self.fields.items():
            left.addRow(field_label(tr(NUMBERS[name][0])), field)
        add.setSpacing(8)
        add.addWidget(self.name, 1)
        add.addWidget(self.add)
        right.addWidget(self.people)
        right.addLayout(add)
        right.addStretch()
        columns = row_layout(spacing_px=24)
        columns.addLayout(left, 1)
        columns.addLayout(right, 1)
        self.body.addWidget(label(count, role="dim", wrap=True))
        self.body.addLayout(columns)
        self.body.addLayout(self._preview)
        self.body.addWidget(self.note)
        self.body.addWidget(self.problem)

    def _show_table(self, section: ReportSection | None) -> None:
        if self.table is not None:
            self._preview.removeWidget(self.table)
            self.table.deleteLater()
        self.table = ReportTable(section) if section is not None else None
        if self.table is not None:
            self._preview.addWidget(self.table)

    def _on_entry_changed(self, _value: object = None) -> None:
        is_answering = self.roles.currentData() in ANSWERING
        self.fields["honeypots"].setEnabled(is_answering)
        self.fields["overlap_share"].setEnabled(self.fields["overlap"].text() not in {"", "1"})
        self._request = self._read()
        self.main.setEnabled(False)
        if self._request is not None:
            self.changed.emit(self._request)

    def _read(self) -> AssignRequest | None:
        """Return the input, None while it is not complete."""
        chosen = tuple(row.data(PERSON) for row in self._rows() if row.checkState() == Qt.CheckState.Checked)
        wrong = next((field for field in self.fields.values() if not field.hasAcceptableInput()), None)
        if wrong is not None:
            self.show_problem(tr("{field}: enter a number in the range.", field=wrong.accessibleName()))
            return None
        if not chosen:
            self.show_problem("")
            self.note.setText(tr("Choose the persons, or add them by name."))
            return None
        order = AssignmentOrder(
            role=self.roles.currentData(),
            people=chosen,
            share=self._number("share") / 100,
            overlap=self._number("overlap"),
            overlap_share=self._number("overlap_share") / 100,
            honeypots=self._number("honeypots") / 100 if self.fields["honeypots"].isEnabled() else 0.0,
            seed=self._number("seed"),
        )
        return AssignRequest(
            order=order, new_people=tuple(self._new[one] for one in chosen if one in self._new)
        )

    def _number(self, name: str) -> int:
        return int(self.fields[name].text())

    def _on_add_clicked(self) -> None:
        if name := self.name.text().strip():
            self.name_entered.emit(name)

    def _on_main_clicked(self) -> None:
        if self.name.text().strip():
            # Enter in the field of the name: the person belongs to the plan first.
            self._on_add_clicked()
        elif self._plan is not None and self._request is not None:
            plan, people = self._plan, self._request.new_people
            self.accept()
            self.submitted.emit(plan, people)


def _number_field(name: str) -> QLineEdit:
    title, text, least, most = NUMBERS[name]
    field = QLineEdit(text)
    field.setValidator(QIntValidator(least, most, field))
    field.setAccessibleName(tr(title))
    return field


def _count_text(count: int, *, entity: str, is_selection: bool) -> str:
    if entity == "item":
        return (
            trn("{n} selected item", "{n} selected items", n=count)
            if is_selection
            else trn(
                "{n} item of the list, with its filters", "{n} items of the list, with its filters", n=count
            )
        )
    return (
        trn("{n} selected scene", "{n} selected scenes", n=count)
        if is_selection
        else trn(
            "{n} scene of the list, with its filters", "{n} scenes of the list, with its filters", n=count
        )
    )


def _section(plan: AssignmentPlan, names: Mapping[str, str]) -> ReportSection:
    has_honeypots = any(one.honeypots for one in plan.shares)
    rows = sorted(
        (
            (
                names.get(one.person, one.person),
                f"{one.before:,}",
                f"{one.new:,}",
                *((f"{one.honeypots:,}",) if has_honeypots else ()),
                f"{one.before + one.new + one.honeypots:,}",
            )
            for one in plan.shares
        ),
        key=lambda row: row[0].casefold(),
    )
    honeypots = (tr("Honeypots"),) if has_honeypots else ()
    columns = (tr("Person"), tr("Assigned before"), tr("New"), *honeypots, tr("Total"))
    return ReportSection(title=tr("Preview"), columns=columns, rows=tuple(rows))
