"""The form for a new item: task, wording, values of the question, and the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from annotator.commands.new_item import BOX_SLOT, REGION_SLOT, answer_format_of, distractors_needed
from annotator.domain import answers
from annotator.domain.region import Region
from annotator.domain.task_set import QuestionTemplate, Task, TaskSet
from widgets import display_text
from widgets.annotate.candidate_field import CandidateField
from widgets.box_layout import column_layout, row_layout
from widgets.combo_box import ComboBox
from widgets.focus import ENTER
from widgets.labels import caption, label
from widgets.translation import tr

PICKED_ANSWERS = frozenset({"region_label", "region_set", "pair_list", "bbox"})
"""Answer formats that can be picked on the stage."""
ANSWER = "answer"
"""Name of the answer's field, beside the names of the slots."""


@dataclass(frozen=True, kw_only=True)
class PickedRegions:
    """Regions that were selected on the stage.

    Attributes:
        regions: The regions in order of selection.
        views: Names of their views.
    """

    regions: tuple[Region, ...]
    views: tuple[str, ...]


class NewItemForm(QWidget):
    """Asks for what a new item needs; fields that name regions are filled by selecting them on the stage.

    Signals:
        accepted: Emitted when the item is to be created.
        closed: Emitted when the form is to be closed.
    """

    accepted = Signal()
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._sets: Sequence[TaskSet] = ()
        self._target, self._problem = "", ""
        self._names: tuple[str, ...] = ()
        self._needed = 1
        self._evidence: dict[str, str] = {}
        self.task_set, self.task, self.template = ComboBox(), ComboBox(), ComboBox()
        self.first, self.second = ComboBox(), ComboBox()
        self.fields: dict[str, QLineEdit] = {}
        self.candidates = CandidateField()
        self.preview, self.note = label(wrap=True), label(role="dim", wrap=True)
        for text in (self.preview, self.note):
            # A layout asks a text for its lines only if its policy says that they depend on the width.
            policy = text.sizePolicy()
            policy.setHeightForWidth(True)
            text.setSizePolicy(policy)
        self.create_button, self.close_button = QPushButton(tr("Create item")), QPushButton(tr("Close"))
        self.create_button.setProperty("kind", "main")
        self._slots = QWidget()
        self._lay_out()
        self.task_set.currentIndexChanged.connect(self._on_task_set_changed)
        self.task.currentIndexChanged.connect(self._on_task_changed)
        self.template.currentIndexChanged.connect(self._on_template_changed)
        self.candidates.changed.connect(self._on_field_text_changed)
        self.create_button.clicked.connect(self.accepted)
        self.close_button.clicked.connect(self.closed)

    @property
    def chosen_set(self) -> TaskSet:
        """The chosen task set."""
        return self._sets[max(0, self.task_set.currentIndex())]

    @property
    def chosen_task(self) -> Task:
        """The chosen task."""
        return self.chosen_set.task(str(self.task.currentData()))

    @property
    def chosen_template(self) -> QuestionTemplate:
        """The chosen template."""
        return next(one for one in self.chosen_task.templates if one.id == self.template.currentData())

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the chosen views, in order."""
        boxes = (self.first, self.second)[: self._needed]
        return self._names if self._needed > len(boxes) else tuple(box.currentText() for box in boxes)

    @property
    def evidence(self) -> tuple[str, ...]:
        """Ids of the regions that were picked for the fields."""
        return tuple(dict.fromkeys(filter(None, self._evidence.values())))

    @property
    def slots(self) -> Mapping[str, str]:
        """Values of the template's slots."""
        return {name: field.text().strip() for name, field in self.fields.items() if name != ANSWER}

    @property
    def answer(self) -> str:
        """The text of the answer, "" where the picked images decide it."""
        return self.fields[ANSWER].text().strip() if ANSWER in self.fields else ""

    def show_sets(self, sets: Sequence[TaskSet], *, chosen: str) -> None:
        """Offer task sets, one of them chosen by its id."""
        self._sets = sets
        self.task_set.clear()
        for task_set in sets:
            self.task_set.addItem(display_text.task_set_title(task_set.id), task_set.id)
        self.task_set.setCurrentIndex(max(0, self.task_set.findData(chosen)))

    def show_views(self, names: Sequence[str], *, front: str) -> None:
        """Offer the views of a scene, the one in front first."""
        self._names = tuple(names)
        for box in (self.first, self.second):
            box.clear()
            box.addItems(list(names))
        self.first.setCurrentText(front)
        others = [name for name in names if name != front]
        self.second.setCurrentText(others[0] if others else front)

    def show_needed(self, count: int, *, problem: str = "") -> None:
        """Show the fields of the views that the question is about.

        Args:
            count: Number of views.
            problem: Why there can be no such item in this scene, "" if there can.
        """
        self._needed, self._problem = count, problem
        self.first.setVisible(count <= 2 and not problem)
        self.second.setVisible(count == 2 and not problem)
        distractors = distractors_needed(self.chosen_task)
        self.candidates.show_needed(0 if problem else distractors)
        title = tr("Right candidate") if distractors else tr("Image 2")
        self.second.setAccessibleName(title)
        self.second.setToolTip(title)
        self.note.setText(problem)
        self._refresh()

    def start(self) -> None:
        """Empty the fields, and let the first one take the keyboard or the next selected region."""
        self._evidence.clear()
        self.candidates.show_chosen(())
        for field in self.fields.values():
            field.clear()
        self._target = next(iter(self.fields), "")

    def take(self, picked: PickedRegions) -> None:
        """Fill the current field with the regions selected on the stage."""
        if not picked.regions or self._target not in self.fields:
            return
        text = self._picked_text(picked)
        if not text:
            return
        field, name = self.fields[self._target], self._target
        field.setText(text)
        self._evidence[name] = picked.regions[-1].id
        if name in (REGION_SLOT, BOX_SLOT):
            self._bring_first(picked.views[-1])
            # One region fills it: the next selection belongs to the next field.
            self._aim_behind(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Create the item with Enter, close with Escape."""
        if event.key() in ENTER:
            self.create_button.click()
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(6)
        for box in (self.task_set, self.task, self.template, self.first, self.second):
            box.fit_column()
        for box, name in (
            (self.task_set, tr("Task set")),
            (self.task, tr("Task")),
            (self.template, tr("Wording")),
            (self.first, tr("Image 1")),
            (self.second, tr("Image 2")),
        ):
            box.setAccessibleName(name)
            box.setToolTip(name)
        views = row_layout(spacing_px=6)
        views.addWidget(self.first)
        views.addWidget(self.second)
        buttons = QHBoxLayout()
        buttons.addWidget(self.close_button)
        buttons.addStretch()
        buttons.addWidget(self.create_button)
        column.addWidget(label(tr("New item"), role="strong"))
        for part in (self.task_set, self.task, self.template):
            column.addWidget(part)
        column.addLayout(views)
        column.addWidget(self._slots)
        column.addWidget(self.candidates)
        column.addWidget(self.preview)
        column.addWidget(self.note)
        column.addLayout(buttons)

    def _on_task_set_changed(self, _at: int) -> None:
        if self.task_set.currentIndex() < 0:
            return
        self.task.clear()
        for task in self.chosen_set.tasks:
            if task.templates:
                self.task.addItem(display_text.task_title(task.id, self.chosen_set.id), task.id)

    def _on_task_changed(self, _at: int) -> None:
        if self.task.currentIndex() < 0:
            return
        self.template.clear()
        for template in self.chosen_task.templates:
            self.template.addItem(template.text, template.id)
        self.template.setVisible(self.template.count() > 1)

    def _on_template_changed(self, _at: int) -> None:
        if self.template.currentIndex() < 0:
            return
        self._make_fields()
        self.start()
        self._refresh()

    def _make_fields(self) -> None:
        """Make a field for each slot and for the answer."""
        slots = QWidget()
        # Never lower than its fields: the list of annotations above gives way.
        slots.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = column_layout(slots, margins_px=0, spacing_px=4)
        self.fields = {}
        answer_format = answer_format_of(self.chosen_task, self.chosen_template)
        # Of candidates the right one is chosen, and its letter follows.
        rest = () if distractors_needed(self.chosen_task) else (ANSWER,)
        for name in (*self.chosen_template.slots, *rest):
            field = self.fields[name] = _Field(name)
            field.focused.connect(self._on_field_focused)
            field.textChanged.connect(self._on_field_text_changed)
            title = tr("Answer") if name == ANSWER else name.replace("_", " ")
            field.setAccessibleName(title)
            field.setPlaceholderText(self._placeholder(name, answer_format=answer_format))
            column.addWidget(caption(title))
            column.addWidget(field)
        self._column.replaceWidget(self._slots, slots)
        # Deleted later, and hidden now: otherwise the fields of two templates are painted over each other.
        self._slots.hide()
        self._slots.deleteLater()
        self._slots = slots

    def _placeholder(self, name: str, *, answer_format: str) -> str:
        is_answer = name == ANSWER
        if name in (REGION_SLOT, BOX_SLOT) or (is_answer and answer_format in PICKED_ANSWERS):
            return tr("Select a region on the stage")
        if is_answer:
            return answers.get(answer_format).docs.example.strip("`")
        return self.chosen_set.slots.get(name, "")

    def _on_field_focused(self, name: str) -> None:
        self._target = name

    def _on_field_text_changed(self, _text: str) -> None:
        self._refresh()

    def _refresh(self) -> None:
        slots = self.slots
        shown = {name: slots[name] or f"{{{name}}}" for name in self.chosen_template.slots}
        self.preview.setText(self.chosen_template.fill(shown))
        is_complete = all(slots.values()) and self.candidates.is_complete
        self.create_button.setEnabled(is_complete and not self._problem)
        self._fit()

    def _fit(self) -> None:
        # The panel divides its height by size hints, which do not know how many lines a question has.
        height = self._column.totalHeightForWidth(self.width()) if self._column.hasHeightForWidth() else 0
        self.setMinimumHeight(max(height, self._column.totalMinimumSize().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height that the question needs at the new width."""
        super().resizeEvent(event)
        self._fit()

    def _picked_text(self, picked: PickedRegions) -> str:
        last = picked.regions[-1]
        if self._target == REGION_SLOT:
            return f"Region {last.number}"
        if self._target == BOX_SLOT:
            return answers.get("bbox").render(last.box)
        if self._target != ANSWER:
            return ""
        answer_format = answer_format_of(self.chosen_task, self.chosen_template)
        if answer_format == "pair_list":
            return self._with_pair(picked)
        return _picked_answer(picked, answer_format=answer_format)

    def _with_pair(self, picked: PickedRegions) -> str:
        """Return the pairs with one more: of a region of image 1 and one of image 2, both selected."""
        by_view = dict(zip(picked.views, picked.regions, strict=True))
        numbers = [by_view[view].number for view in self.views if view in by_view]
        if len(numbers) < 2:
            return ""
        pairs = [*filter(None, self.answer.split(", ")), f"{numbers[0]}-{numbers[1]}"]
        return ", ".join(dict.fromkeys(pairs))

    def _bring_first(self, view: str) -> None:
        """Make the view of a picked region image 1: its regions are the ones that questions name."""
        before = self.first.currentText()
        if view and view != before:
            self.first.setCurrentText(view)
            if self.second.currentText() == view:
                self.second.setCurrentText(before)

    def _aim_behind(self, name: str) -> None:
        names = list(self.fields)
        behind = names[names.index(name) + 1 :]
        self._target = behind[0] if behind else name


def _picked_answer(picked: PickedRegions, *, answer_format: str) -> str:
    """Return the answer that names the picked regions, "" where the format names none."""
    last = picked.regions[-1]
    if answer_format == "region_label":
        return f"Region {last.number}"
    if answer_format == "region_set":
        return answers.get("region_set").render(frozenset(region.number for region in picked.regions))
    return answers.get("bbox").render(last.box) if answer_format == "bbox" else ""


class _Field(QLineEdit):
    """A line that says when it gets the keyboard.

    Signals:
        focused: Emitted with the name of the field.
    """

    focused = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def event(self, event: QEvent) -> bool:
        """Keep Enter and Escape from the shortcuts of the stage: the form uses them."""
        is_override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if is_override and cast("QKeyEvent", event).key() in (*ENTER, Qt.Key.Key_Escape):
            event.accept()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the focus: the next region selected on the stage fills this field."""
        super().focusInEvent(event)
        self.focused.emit(self._name)
