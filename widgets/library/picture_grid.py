"""Views of a scene or item as a small grid, and one of them large over the window."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from widgets.labels import ElidedLabel, label
from widgets.library.details import ShownMedium
from widgets.library.pictures import PictureFrame, PictureLoader
from widgets.sheet import Sheet
from widgets.translation import tr

COLUMNS = 2
LARGE_PX = QSize(1920, 1200)
SHOWN = 24
"""Frames made at once; an item of more pictures says how many are left out."""


class PictureGrid(QWidget):
    """The media of a record; a single one takes the whole width.

    Signals:
        opened: One is wanted large; carries its place.
    """

    opened = Signal(int)

    def __init__(self, media: tuple[ShownMedium, ...], *, loader: PictureLoader) -> None:
        super().__init__()
        self.media = media
        self.loader = loader
        self.frames = [PictureFrame(shown, loader=loader) for shown in media[:SHOWN]]
        columns = min(COLUMNS, len(self.frames))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setSpacing(4)
        for at, frame in enumerate(self.frames):
            frame.opened.connect(partial(self.opened.emit, at))
            grid.addWidget(frame, at // columns, at % columns)
        if len(media) > SHOWN:
            words = tr("and {n} more", n=f"{len(media) - SHOWN:,}")
            grid.addWidget(label(words, role="dim"), SHOWN // columns, 0)


class LargePicture(Sheet):
    """One view as large as the window allows; the arrow keys lead to the others."""

    def __init__(
        self, window: QWidget, *, media: tuple[ShownMedium, ...], loader: PictureLoader, at: int
    ) -> None:
        super().__init__(window, width=window.width() - 96, height=window.height() - 128, is_light=True)
        self._media, self._loader, self._at = media, loader, at
        self._name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self._facts = label(role="label")
        head = QHBoxLayout()
        head.addWidget(self._name, 1)
        head.addWidget(self._facts)
        self.body.setContentsMargins(12, 8, 12, 12)
        self.body.addLayout(head)
        self._frame: PictureFrame | None = None
        self._show(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the views with the arrow keys; any other way out closes."""
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        if event.key() in steps:
            self._show((self._at + steps[Qt.Key(event.key())]) % len(self._media))
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Space}:
            self.close_sheet()
        else:
            super().keyPressEvent(event)

    def _show(self, at: int) -> None:
        self._at = at
        shown = self._media[at]
        if self._frame is not None:
            self.body.removeWidget(self._frame)
            self._frame.deleteLater()
        self._frame = PictureFrame(shown, loader=self._loader, within=LARGE_PX)
        self._frame.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.body.addWidget(self._frame, 1)
        self._name.setText(f"{shown.view}  {shown.medium.name}".strip())
        size = f"{shown.medium.width_px} × {shown.medium.height_px} px" if shown.medium.width_px else ""
        place = f"{at + 1} / {len(self._media)}"
        self._facts.setText("   ".join(filter(None, (size, place, tr("← → other views   Esc close")))))
