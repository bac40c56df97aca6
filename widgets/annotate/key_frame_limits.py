"""The motions after which a key frame is proposed: stored in the settings, entered in a dialog."""

from __future__ import annotations

from dataclasses import asdict, fields

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from annotator.domain.flight_segments import KeyFrameLimits
from widgets.dialog import FormDialog
from widgets.labels import label
from widgets.number_field import NumberField, number_text, parse_number
from widgets.settings import Settings
from widgets.translation import mark, tr

SETTING = "annotate/key_frames"
RANGES = {"turn_deg": (1.0, 360.0), "climb_m": (0.1, 1_000.0), "straight_m": (0.1, 10_000.0)}
TITLES = {
    "turn_deg": mark("Turn over, degrees"),
    "climb_m": mark("Climb or descent over, metres"),
    "straight_m": mark("Straight flight over, metres"),
}


def stored_limits(settings: Settings, *, usual: KeyFrameLimits) -> KeyFrameLimits:
    """Return the limits that the user has entered, those of the task set where there are none.

    Args:
        settings: Stores the entered ones.
        usual: The limits of the task set.
    """
    values = {}
    for name, value in asdict(usual).items():
        entered = parse_number(settings.text(f"{SETTING}/{name}"))
        least, most = RANGES[name]
        values[name] = entered if entered is not None and least <= entered <= most else value
    return KeyFrameLimits(**values)


def keep_limits(settings: Settings, limits: KeyFrameLimits, *, usual: KeyFrameLimits) -> None:
    """Store limits; those of the task set are not stored, so that another task set brings its own."""
    settings.forget(SETTING)
    for name, value in asdict(limits).items():
        if value != getattr(usual, name):
            settings.keep(f"{SETTING}/{name}", number_text(value))


class KeyFrameLimitsDialog(FormDialog):
    """Asks for the limits.

    Signals:
        accepted_limits: Carries the entered limits.
    """

    accepted_limits = Signal(object)

    def __init__(
        self, window: QWidget, *, limits: KeyFrameLimits, usual: KeyFrameLimits, task_set: str
    ) -> None:
        """Create the dialog.

        Args:
            window: Parent window.
            limits: The limits to show.
            usual: The limits of the task set.
            task_set: Title of the task set.
        """
        super().__init__(window, width=440, title=tr("Propose key frames"))
        self._usual = usual
        text = tr(
            "A key frame is proposed where one of these motions ends. The proposal replaces the key frames "
            "of the flight; captions of key frames that stay are kept. {task_set} sets {turn}°, {climb} m "
            "and {straight} m.",
            task_set=task_set,
            turn=number_text(usual.turn_deg),
            climb=number_text(usual.climb_m),
            straight=number_text(usual.straight_m),
        )
        self.body.addWidget(label(text, role="dim", wrap=True))
        self.fields = {name: NumberField(tr(title)) for name, title in TITLES.items()}
        self.problem = label(role="bad", wrap=True)
        grid = QGridLayout()
        for row, (name, field) in enumerate(self.fields.items()):
            grid.addWidget(label(field.accessibleName()), row, 0)
            grid.addWidget(field, row, 1)
            field.refused.connect(self.problem.setText)
            self._show(name, getattr(limits, name))
        self.body.addLayout(grid)
        self.body.addWidget(self.problem)
        self.reset = QPushButton(tr("Reset"))
        self.reset.clicked.connect(self._on_reset_clicked)
        self.main = self.add_buttons(tr("Propose key frames"), left=self.reset)
        self.main.clicked.connect(self._on_main_clicked)

    def _show(self, name: str, value: float) -> None:
        least, most = RANGES[name]
        self.fields[name].show_value(value, least=least, most=most)

    def _on_reset_clicked(self) -> None:
        for limit in fields(self._usual):
            self._show(limit.name, getattr(self._usual, limit.name))
            self.fields[limit.name].restore()
        self.problem.setText("")

    def _on_main_clicked(self) -> None:
        wrong = next((field for field in self.fields.values() if not field.apply()), None)
        if wrong is not None:
            wrong.setFocus()
            return
        values = {name: field.value or 0.0 for name, field in self.fields.items()}
        self.accept()
        self.accepted_limits.emit(KeyFrameLimits(**values))
