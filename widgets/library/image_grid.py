"""Views of a scene or item as a small grid."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from widgets.labels import label
from widgets.library.image_loader import ImageFrame
from widgets.media_loader import MediaLoader
from widgets.medium_view import MediumView
from widgets.translation import tr

COLUMNS = 2
SHOWN = 24
"""Maximum number of frames; further images of an item are counted."""


class ImageGrid(QWidget):
    """The media of a record; a single one takes the whole width.

    Signals:
        opened: Emitted when the user opens the large view of a medium; carries its place.
    """

    opened = Signal(int)

    def __init__(self, media: tuple[MediumView, ...], *, loader: MediaLoader) -> None:
        super().__init__()
        self.media = media
        self.loader = loader
        self.frames = [ImageFrame(shown, loader=loader) for shown in media[:SHOWN]]
        columns = min(COLUMNS, len(self.frames))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setSpacing(4)
        for at, frame in enumerate(self.frames):
            frame.opened.connect(partial(self.opened.emit, at))
            grid.addWidget(frame, at // columns, at % columns)
        if len(media) > SHOWN:
            text = tr("and {n} more", n=f"{len(media) - SHOWN:,}")
            grid.addWidget(label(text, role="dim"), SHOWN // columns, 0)
