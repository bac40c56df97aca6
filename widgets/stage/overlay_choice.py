"""Which kinds of overlays a stage shows: chosen with keys, remembered, the same on all stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

from widgets.settings import Settings
from widgets.stage.overlay_kinds import KINDS, OverlayKind, OverlayKinds

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

SETTING = "stage/show"


class OverlayChoice(QObject):
    """Switches kinds of overlays on and off, in every view of a stage.

    Attributes:
        kinds: What is on.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self._settings: Settings | None = None
        self.kinds = OverlayKinds()
        stage.installEventFilter(self)

    def remember_in(self, settings: Settings) -> None:
        """Keep what is on with what the window remembers, and show what was on before."""
        self._settings = settings
        self.recall()

    def recall(self) -> None:
        """Show what is remembered: it may have been chosen on another stage of the window."""
        if self._settings is not None:
            usual = OverlayKinds()
            self._show(
                OverlayKinds(
                    **{kind: self._settings.switch(f"{SETTING}/{kind}", usual.has(kind)) for kind in KINDS}
                )
            )

    def toggle(self, kind: OverlayKind) -> None:
        """Paint a kind of overlay, or leave it out."""
        self._choose(self.kinds.toggled(kind))

    def show_usual(self) -> None:
        """Paint again what is painted as long as nobody chose anything."""
        self._choose(OverlayKinds())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Recall what was chosen elsewhere when the stage comes into sight."""
        if event.type() == QEvent.Type.Show:
            self.recall()
        return super().eventFilter(watched, event)

    def _choose(self, kinds: OverlayKinds) -> None:
        self._show(kinds)
        if self._settings is None:
            return
        usual = OverlayKinds()
        for kind in KINDS:
            # Only what differs is kept: where the usual changes, it changes for who never chose.
            if kinds.has(kind) == usual.has(kind):
                self._settings.forget(f"{SETTING}/{kind}")
            else:
                self._settings.keep(f"{SETTING}/{kind}", kinds.has(kind))

    def _show(self, kinds: OverlayKinds) -> None:
        if kinds == self.kinds:
            return
        self.kinds = kinds
        for canvas in self._stage.canvases:
            canvas.show_kinds(kinds)
        self._stage.looked.emit()
