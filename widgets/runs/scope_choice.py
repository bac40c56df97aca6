"""The scope of a new run: items, media or scenes, depending on its kind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import (
    QButtonGroup,
    QLineEdit,
    QRadioButton,
    QWidget,
)

from annotator.domain.query import ItemQuery
from annotator.domain.rows import FacetCount
from annotator.domain.run import RunKind
from annotator.domain.vision_settings import FRAMES_OF_A_VIDEO
from annotator.draft.llm.pipelines import PIPELINES
from widgets import display_text
from widgets.box_layout import column_layout
from widgets.combo_box import ComboBox
from widgets.form_layout import field_label, form_layout
from widgets.runs.scope import ItemScope, ScopeChoices, Which
from widgets.translation import tr, trn


class ItemChoice(QWidget):
    """Form for the items.

    Signals:
        changed: Emitted when the selection changes.
    """

    changed = Signal()

    def __init__(self, *, query: ItemQuery, selected: Sequence[int]) -> None:
        super().__init__()
        self._query, self._selected = query, tuple(selected)
        self.buttons: dict[Which, QRadioButton] = {
            name: QRadioButton() for name in ("all", "list", "selected", "some")
        }
        self.boxes = {name: ComboBox() for name in ("task_set", "task", "state")}
        self._group = QButtonGroup(self)
        column = column_layout(self, margins_px=0, spacing_px=0)
        for button in self.buttons.values():
            self._group.addButton(button)
            column.addWidget(button)
            button.toggled.connect(self._on_button_toggled)
        self._fields = QWidget()
        form = form_layout(self._fields, indent_px=24)
        titles = {"task_set": tr("Task set"), "task": tr("Task"), "state": tr("State")}
        for name, box in self.boxes.items():
            box.setAccessibleName(titles[name])
            box.fit_column()
            form.addRow(field_label(titles[name]), box)
            box.currentIndexChanged.connect(self._on_box_changed)
        column.addWidget(self._fields)
        column.addStretch()
        self.buttons["all"].setChecked(True)
        self.buttons["selected"].setEnabled(len(self._selected) > 0)
        self._fields.hide()

    def scope(self) -> ItemScope:
        """Return the selected scope."""
        return ItemScope(
            which=next(name for name, button in self.buttons.items() if button.isChecked()),
            query=self._query,
            numbers=self._selected,
            task_set=self.boxes["task_set"].currentData() or "",
            task=self.boxes["task"].currentData() or "",
            state=self.boxes["state"].currentData() or "",
        )

    def show_choices(self, choices: ScopeChoices) -> None:
        """Show the available choices with their counts."""
        self.buttons["all"].setText(
            trn("The whole project: {n} open item", "The whole project: {n} open items", n=choices.open_items)
        )
        self.buttons["list"].setText(
            trn(
                "Filtered Library list: {n} item",
                "Filtered Library list: {n} items",
                n=choices.listed,
            )
        )
        self.buttons["selected"].setText(
            trn(
                "Selected in the Library: {n} item",
                "Selected in the Library: {n} items",
                n=len(self._selected),
            )
        )
        self.buttons["some"].setText(tr("By task set, task and state"))
        anything = {"task_set": tr("All task sets"), "task": tr("All tasks"), "state": tr("All open states")}
        speak = {
            "task_set": display_text.task_set_title,
            "task": partial(display_text.task_label, shared=choices.shared_tasks),
            "state": display_text.item_state_title,
        }
        for name, box in self.boxes.items():
            box.blockSignals(True)
            _fill(box, choices.facets[name], anything=anything[name], speak=speak[name])
            box.blockSignals(False)

    def _on_button_toggled(self, is_on: bool) -> None:
        self._fields.setVisible(self.buttons["some"].isChecked())
        if is_on:
            self.changed.emit()

    def _on_box_changed(self, _at: int) -> None:
        self.changed.emit()


class MediaChoice(QWidget):
    """Form for the media, and for the sampled frames of videos.

    Signals:
        changed: Emitted when the selection changes.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.dataset, self.frames = ComboBox(), QLineEdit(str(FRAMES_OF_A_VIDEO))
        self.dataset.setAccessibleName(tr("Media"))
        self.dataset.fit_column()
        self.frames.setAccessibleName(tr("Maximum frames per video"))
        self.frames.setValidator(QIntValidator(1, 100_000, self.frames))
        form = form_layout(self)
        form.addRow(field_label(tr("Media")), self.dataset)
        form.addRow(field_label(tr("Maximum frames per video")), self.frames)
        self.dataset.currentIndexChanged.connect(self._on_field_changed)
        self.frames.textChanged.connect(self._on_field_changed)

    def settings(self) -> dict[str, object]:
        """Return the selection as settings of a run."""
        dataset = self.dataset.currentData()
        values: dict[str, object] = {"datasets": (dataset,)} if dataset else {}
        return values | ({"frames": int(self.frames.text())} if self.frames.hasAcceptableInput() else {})

    def show_choices(self, choices: ScopeChoices) -> None:
        """Show the available choices with their counts."""
        self.dataset.blockSignals(True)
        anything = trn("All {n} media file", "All {n} media files", n=choices.media)
        _fill(self.dataset, choices.datasets, anything=anything, speak=str)
        self.dataset.blockSignals(False)

    def _on_field_changed(self, _value: object) -> None:
        self.changed.emit()


class SceneChoice(QWidget):
    """Form for the task set and the number of scenes of a draft run.

    Signals:
        changed: Emitted when a setting changes.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.task_set, self.scenes = ComboBox(), QLineEdit()
        self.task_set.setAccessibleName(tr("Task set"))
        self.task_set.fit_column()
        self.scenes.setAccessibleName(tr("Maximum scenes"))
        self.scenes.setPlaceholderText(tr("all"))
        self.scenes.setValidator(QIntValidator(1, 1_000_000, self.scenes))
        # Titles have to be loaded before ``task_set_title`` can return them.
        display_text.load_task_set_titles(PIPELINES)
        for task_set in PIPELINES:
            self.task_set.addItem(display_text.task_set_title(task_set), task_set)
        form = form_layout(self)
        form.addRow(field_label(tr("Task set")), self.task_set)
        form.addRow(field_label(tr("Maximum scenes")), self.scenes)
        self.task_set.currentIndexChanged.connect(self._on_field_changed)
        self.scenes.textChanged.connect(self._on_field_changed)

    def settings(self) -> dict[str, object]:
        """Return the selection as settings of a run."""
        values: dict[str, object] = {"task_set": self.task_set.currentData()}
        return values | ({"most_scenes": int(self.scenes.text())} if self.scenes.hasAcceptableInput() else {})

    def show_choices(self, choices: ScopeChoices) -> None:
        """Show the available choices with their counts."""
        self.scenes.setPlaceholderText(trn("all {n} scene", "all {n} scenes", n=choices.scenes))

    def _on_field_changed(self, _value: object) -> None:
        self.changed.emit()


class ScopeChoice(QWidget):
    """Form for the scope of a run, with the fields of its kind.

    Signals:
        changed: Emitted when a setting changes.
    """

    changed = Signal()

    def __init__(self, *, query: ItemQuery, selected: Sequence[int]) -> None:
        super().__init__()
        self.items = ItemChoice(query=query, selected=selected)
        self.media, self.scenes = MediaChoice(), SceneChoice()
        column = column_layout(self, margins_px=0)
        for part in (self.items, self.media, self.scenes):
            part.changed.connect(self.changed)
            column.addWidget(part)

    def show_kind(self, kind: RunKind) -> None:
        """Show the fields of a kind of run."""
        asked = {"draft": self.scenes, "detect": self.media, "depth": self.media}.get(kind, self.items)
        # Not a QStackedWidget, which reserves the height of its tallest page.
        for part in (self.items, self.media, self.scenes):
            part.setVisible(part is asked)

    def show_choices(self, choices: ScopeChoices) -> None:
        """Show the available choices with their counts."""
        for part in (self.items, self.media, self.scenes):
            part.show_choices(choices)


def _fill(box: ComboBox, counts: Sequence[FacetCount], *, anything: str, speak: object) -> None:
    box.clear()
    box.addItem(anything, "")
    for count in counts:
        if count.value and callable(speak):
            box.addItem(f"{speak(count.value)}  ({count.count:,})", count.value)
