"""The models of a new run; unsupported models are disabled and show the reason."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from annotator.domain.profile import ModelProfile
from annotator.domain.run import RunKind
from widgets import run_text
from widgets.labels import ElidedLabel
from widgets.runs.adapter_support import why_not


class ModelChoice(QWidget):
    """One check box per model.

    Signals:
        changed: Emitted when the selection changes.
    """

    changed = Signal()

    def __init__(self, profiles: Mapping[str, ModelProfile]) -> None:
        super().__init__()
        self._profiles = dict(profiles)
        self._wanted: set[str] = set()
        self.boxes = {name: QCheckBox(name.replace("&", "&&")) for name in profiles}
        self._notes = {name: ElidedLabel(role="label") for name in profiles}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for index, (name, box) in enumerate(self.boxes.items()):
            box.setAccessibleName(name)
            box.toggled.connect(self._on_box_toggled)
            grid.addWidget(box, index, 0)
            grid.addWidget(self._notes[name], index, 1)

    def show_kind(self, kind: RunKind) -> None:
        """Update the models for a kind of run; a single supported model is selected."""
        for name, profile in self._profiles.items():
            reason, box = why_not(profile, kind), self.boxes[name]
            box.setEnabled(not reason)
            # Unchecked while unsupported; the check mark returns with a kind of run that is supported.
            box.blockSignals(True)
            box.setChecked(not reason and name in self._wanted)
            box.blockSignals(False)
            self._notes[name].setText(reason or _note(profile))
        able = [name for name in self._profiles if self.boxes[name].isEnabled()]
        if len(able) == 1:
            self.boxes[able[0]].setChecked(True)

    def chosen(self) -> tuple[str, ...]:
        """Return the names of the selected models that support the kind of run."""
        return tuple(name for name, box in self.boxes.items() if box.isEnabled() and box.isChecked())

    def has_any(self) -> bool:
        """Return whether any model supports the kind of run."""
        return any(box.isEnabled() for box in self.boxes.values())

    def _on_box_toggled(self, _is_on: bool) -> None:
        able = {name for name, box in self.boxes.items() if box.isEnabled()}
        self._wanted = (self._wanted - able) | set(self.chosen())
        self.changed.emit()


def _note(profile: ModelProfile) -> str:
    return f"{run_text.price_text(profile)} · {run_text.adapter_title(profile.adapter)}"
