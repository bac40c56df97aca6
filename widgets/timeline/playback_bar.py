"""The bar above the lanes: playback buttons and numeric displays."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from widgets import icons
from widgets.action_registry import ActionRegistry
from widgets.box_layout import row_layout
from widgets.labels import ElidedLabel, label
from widgets.stage.player import Player
from widgets.stage.video_playback import VideoPlayback
from widgets.timeline.ruler import clock_text
from widgets.translation import tr, trn

HEIGHT_PX = 36
STEPS = ("video.first", "video.before", "video.play", "video.next", "video.last")
MARKS = ("video.mark_in", "video.mark_out", "video.loop")
LATE_FRAMES = 2
"""Number of frames from which a view is reported as late.

One frame is always pending when a video plays faster than it can be decoded.
"""


class PlaybackBar(QWidget):
    """Playback buttons and numeric displays for the videos of a stage."""

    def __init__(self, player: Player, *, registry: ActionRegistry) -> None:
        super().__init__()
        self._player, self._registry = player, registry
        self._is_playing = False
        self._told: object = None
        self.front: VideoPlayback | None = None
        self.setFixedHeight(HEIGHT_PX)
        self.buttons = {name: self._button(name) for name in (*STEPS, *MARKS)}
        self.buttons["video.loop"].setCheckable(True)
        self.frame, self.time = label(role="mono"), label(role="mono")
        self.speed = label(role="mono_dim")
        # Its text is long: it must not take the width of the panels beside the stage.
        self.marks, self.late = ElidedLabel(role="mono_dim"), ElidedLabel(role="label")
        self.frame.setAccessibleName(tr("Displayed frame"))
        row = row_layout(self, margins_px=(8, 0, 12, 0), spacing_px=2)
        for name in STEPS:
            row.addWidget(self.buttons[name])
        row.addSpacing(10)
        for part in (self.frame, self.time, self.speed):
            row.addWidget(part)
            row.addSpacing(12)
        row.addWidget(self.late, 1)
        row.addWidget(self.marks)
        row.addSpacing(6)
        for name in MARKS:
            row.addWidget(self.buttons[name])

    def refresh(self) -> None:
        """Update all displays."""
        self._told = None
        self.show_frame()
        player = self._player
        self.speed.setText(speed_text(player.speed))
        self.marks.setText(self._mark_text())
        self.buttons["video.loop"].setChecked(player.is_looping)
        if player.is_playing != self._is_playing:
            self._is_playing = player.is_playing
            icon = "pause" if self._is_playing else "play"
            self.buttons["video.play"].setIcon(icons.icon(icon, "text"))

    def show_frame(self) -> None:
        """Update the frame number of the front view, and the list of late views."""
        told = self.front, [(view.painted, view.behind, view.is_aside) for view in self._player.videos]
        # Compare ``behind``, not the requested number, which changes with each frame even if all views are on
        # time.
        if told == self._told:
            # Called at each tick of the clock; most ticks do not change the frame.
            return
        self._told = told
        view = self.front
        if view is None or view.video is None or view.painted < 0:
            self.frame.setText("")
            self.time.setText("")
            return
        count = f"{view.video.frame_count:,}"
        # Padded to the widest number of the video, so that the widgets beside it do not move.
        number = f"{view.painted:,}".rjust(len(count))
        self.frame.setText(tr("frame {n} / {total}", n=number, total=count))
        self.time.setText(clock_text(float(view.video.times_s[view.painted])))
        self.late.setText(self._late_text())

    def _button(self, name: str) -> QToolButton:
        made = self._registry.button(name, token="text" if name == "video.play" else "text_dim")
        # A click must not take the keyboard focus from the stage.
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.clicked.connect(self.refresh)
        return made

    def _mark_text(self) -> str:
        begin, end = self._player.in_s, self._player.out_s
        if begin is None and end is None:
            return ""
        first, last = (clock_text(one) if one is not None else "…" for one in (begin, end))
        return "  ·  ".join(filter(None, (f"{first} – {last}", self._range_text(begin, end))))

    def _range_text(self, begin: float | None, end: float | None) -> str:
        """Return the frames between the marks, both included, and how long they are shown."""
        view = self.front
        if view is None or view.video is None or begin is None or end is None:
            return ""
        first, last = view.number_at(begin), view.number_at(end)
        length_s = view.end_of(last) - view.time_of(first)
        return tr(
            "frames {first} – {last}  ·  {n} s", first=f"{first:,}", last=f"{last:,}", n=f"{length_s:.2f}"
        )

    def _late_text(self) -> str:
        late = []
        for view in self._player.videos:
            # Views hidden behind an enlarged one are not played.
            if view.behind >= LATE_FRAMES and not view.is_aside:
                text = trn("{n} frame behind", "{n} frames behind", n=view.behind)
                late.append(f"{view.view} {text}".strip())
        return "  ·  ".join(late)


def speed_text(speed: float) -> str:
    """Return the display text of a speed: ``1×``, ``−0.25×``."""
    return f"{'−' if speed < 0 else ''}{abs(speed):g}×"
