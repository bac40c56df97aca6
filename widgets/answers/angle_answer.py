"""The answers about camera motion: an angle, or an angle and a distance, with the drawn headings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QVBoxLayout

from annotator.domain.answers.angle_distance import CameraMove
from widgets.answers.angle_dial import AngleDial
from widgets.answers.number_answer import NumberAnswer, NumberSpec
from widgets.answers.recorded_evidence import motion_evidence
from widgets.box_layout import row_layout
from widgets.labels import label
from widgets.translation import tr

WHOLE_TURN_DEG = 360.0
FARTHEST_M = 100_000.0
"""Largest distance between two cameras that can be entered."""


class AngleAnswer(NumberAnswer):
    """An angle, turned on a dial or entered as a number."""

    formats = ("angle",)

    def __init__(
        self, answer_format: str, *, is_blind: bool = False, more_numbers: Sequence[NumberSpec] = ()
    ) -> None:
        """Create an empty widget.

        Args:
            answer_format: Id of the answer format.
            is_blind: Whether the answer key is hidden.
            more_numbers: Numbers after the angle.
        """
        angle = NumberSpec(
            name="angle_deg",
            sign="∠",
            title=tr("Angle, degrees clockwise"),
            least=-WHOLE_TURN_DEG,
            most=WHOLE_TURN_DEG,
        )
        super().__init__(answer_format, is_blind=is_blind, numbers=(angle, *more_numbers))
        self.dial = AngleDial()
        self.dial.turning.connect(self._on_dial_turning)
        self.dial.turned.connect(self._on_dial_turned)
        self.fields["angle_deg"].entered.connect(self.dial.show_value)
        beside = QVBoxLayout()
        beside.addStretch()
        beside.addLayout(self.make_grid(columns=1))
        beside.addWidget(label(tr("Drag the dial; Shift: steps of 15°"), role="label", wrap=True))
        beside.addStretch()
        row = row_layout(spacing_px=12)
        row.addWidget(self.dial)
        row.addLayout(beside, 1)
        self.body.addLayout(row)

    def numbers_of(self, value: object) -> Mapping[str, float]:
        """Return the angle."""
        assert isinstance(value, float | int)  # noqa: S101 - the format has no other values
        return {"angle_deg": float(value)}

    def value_of(self, numbers: Mapping[str, float]) -> object:
        """Return the angle."""
        return numbers["angle_deg"]

    def show_answer(self, text: str, /) -> None:
        """Show the numbers, and the angle on the dial."""
        super().show_answer(text)
        self.dial.show_value(self.fields["angle_deg"].value)

    def evidence(self) -> str:
        """Return the motion by the poses of both cameras."""
        if self.surroundings is None:
            return ""
        return motion_evidence(self.surroundings, answer_format=self.answer_format)

    def send_pending(self) -> None:
        """Commit typed numbers, and an angle that arrow keys have set."""
        super().send_pending()
        self.dial.send_pending()

    def _on_dial_turning(self, angle_deg: float) -> None:
        least, most = self.limits("angle_deg")
        self.fields["angle_deg"].show_value(angle_deg, least=least, most=most)

    def _on_dial_turned(self, angle_deg: float) -> None:
        self._on_dial_turning(angle_deg)
        self._on_field_entered(angle_deg)


class AngleDistanceAnswer(AngleAnswer):
    """An angle, and a distance in metres."""

    formats = ("angle_distance",)

    def __init__(self, answer_format: str, *, is_blind: bool = False) -> None:
        distance = NumberSpec(
            name="distance_m",
            sign=tr("m"),
            title=tr("Relative translation, metres"),
            least=-FARTHEST_M,
            most=FARTHEST_M,
        )
        super().__init__(answer_format, is_blind=is_blind, more_numbers=(distance,))

    def numbers_of(self, value: object) -> Mapping[str, float]:
        """Return angle and distance."""
        assert isinstance(value, CameraMove)  # noqa: S101 - the format has no other values
        return {"angle_deg": value.angle_deg, "distance_m": value.distance_m}

    def value_of(self, numbers: Mapping[str, float]) -> CameraMove:
        """Return the turn and the move."""
        return CameraMove(**numbers)
