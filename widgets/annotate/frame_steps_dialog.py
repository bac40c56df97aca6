"""The dialog of the annotation step, the difference of frames, and the idle limit."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.number_field import NumberField
from widgets.translation import mark, tr


@dataclass(frozen=True, kw_only=True)
class FrameSteps:
    """What the dialog asks for.

    Attributes:
        step: Every n-th frame of a sequence is annotated.
        difference: Percent from which on a frame differs from another one.
        idle_limit_s: Seconds without input after which the active time stands still.
    """

    step: int
    difference: float
    idle_limit_s: int


RANGES = {"step": (1.0, 10_000.0), "difference": (0.1, 100.0), "idle_limit_s": (5.0, 3600.0)}
TITLES = {
    "step": mark("Annotate every n-th frame"),
    "difference": mark("A frame differs from, percent"),
    "idle_limit_s": mark("Active time stops after, seconds"),
}


class FrameStepsDialog(FormDialog):
    """Asks for the numbers.

    Signals:
        accepted_steps: Carries the entered ``FrameSteps``.
    """

    accepted_steps = Signal(object)

    def __init__(self, window: QWidget, *, steps: FrameSteps) -> None:
        super().__init__(window, width=460, title=tr("Annotation step"))
        text = tr(
            "Of each sequence of scenes, the first and then every n-th frame is annotated; 1 stands for "
            "every frame. When such a frame is finished, its event labels are carried to the frames in "
            "between, where they count only after they are confirmed. Step and difference are stored in "
            "the project, the time on this computer."
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        self.fields = {name: NumberField(tr(title)) for name, title in TITLES.items()}
        self.problem = label(role="bad", wrap=True)
        grid = QGridLayout()
        for row, (name, field) in enumerate(self.fields.items()):
            grid.addWidget(label(field.accessibleName()), row, 0)
            grid.addWidget(field, row, 1)
            field.refused.connect(self.problem.setText)
            least, most = RANGES[name]
            field.show_value(getattr(steps, name), least=least, most=most)
        self.body.addLayout(grid)
        self.body.addWidget(self.problem)
        self.main = self.add_buttons(tr("Save settings"))
        self.main.clicked.connect(self._on_main_clicked)

    def _on_main_clicked(self) -> None:
        wrong = next((field for field in self.fields.values() if not field.apply()), None)
        if wrong is not None:
            wrong.setFocus()
            return
        values = {name: field.value or 0.0 for name, field in self.fields.items()}
        self.accept()
        self.accepted_steps.emit(
            FrameSteps(
                step=round(values["step"]),
                difference=values["difference"],
                idle_limit_s=round(values["idle_limit_s"]),
            )
        )
