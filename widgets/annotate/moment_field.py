"""A field for a moment of a video."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from annotator.domain.timecode import read_timecode
from annotator.errors import UserError
from annotator.media.video.moments import frame_at
from annotator.media.video.video import Video
from widgets.box_layout import row_layout
from widgets.focus import mark_wrong
from widgets.labels import label, set_role
from widgets.message_text import message_text
from widgets.timeline.ruler import clock_text
from widgets.translation import tr

TIME_PX = 120


class MomentField(QWidget):
    """A field for a moment of a video, with the number of its frame or what is wrong.

    Signals:
        changed: Emitted when the text is edited.
    """

    changed = Signal()

    def __init__(self, name: str, *, video: Video, number: int) -> None:
        """Create the field.

        Args:
            name: Accessible name.
            video: The video.
            number: The frame that is shown first.
        """
        super().__init__()
        self._video = video
        self.problem = self.advice = ""
        self.number: int | None = number
        self.field = QLineEdit(clock_text(float(video.times_s[number])))
        self.field.setAccessibleName(name)
        self.field.setFixedWidth(TIME_PX)
        self.message = label(role="mono_dim")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = row_layout(self, margins_px=0, spacing_px=12)
        row.addWidget(self.field)
        row.addWidget(self.message, 1)
        self.field.textEdited.connect(self._on_field_text_edited)
        self._say()

    def _on_field_text_edited(self, text: str) -> None:
        try:
            self.number, self.problem = frame_at(read_timecode(text), self._video), ""
        except UserError as error:
            self.number, self.problem = None, message_text(error.message)
            self.advice = message_text(error.hint)
        mark_wrong(self.field, is_wrong=bool(self.problem))
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        set_role(self.message, "mono_dim" if self.number is not None else "warn")
        frame = "" if self.number is None else tr("frame {n}", n=f"{self.number:,}")
        self.message.setText(frame or self.problem)
