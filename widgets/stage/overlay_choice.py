"""The overlays that are shown: switched by shortcuts, saved in the settings, shared by all stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

from widgets.overlay_kinds import KINDS, OverlayKind, OverlayKinds
from widgets.settings import Settings

if TYPE_CHECKING:
    from widgets.stage.stage import Stage

SETTING = "stage/show"


class OverlayChoice(QObject):
    """Switches overlays on and off in all views of a stage.

    Attributes:
        kinds: The overlays that are on.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self._settings: Settings | None = None
        self.kinds = OverlayKinds()
        stage.installEventFilter(self)

    def remember_in(self, settings: Settings) -> None:
        """Load the saved selection, and save changes to these settings."""
        self._settings = settings
        self.recall()

    def recall(self) -> None:
        """Load the saved selection, which another stage of the window may have changed."""
        if self._settings is not None:
            usual = OverlayKinds()
            self._show(
                OverlayKinds(
                    **{kind: self._settings.switch(f"{SETTING}/{kind}", usual.has(kind)) for kind in KINDS}
                )
            )

    def toggle(self, kind: OverlayKind) -> None:
        """Switch a kind of overlay on or off."""
        self._choose(self.kinds.toggled(kind))

    def show_usual(self) -> None:
        """Restore the default overlays."""
        self._choose(OverlayKinds())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Load the saved selection when the stage becomes visible."""
        if event.type() == QEvent.Type.Show:
            self.recall()
        return super().eventFilter(watched, event)

    def _choose(self, kinds: OverlayKinds) -> None:
        self._show(kinds)
        if self._settings is None:
            return
        usual = OverlayKinds()
        for kind in KINDS:
            # Only differences from the defaults are saved, so that a new default takes effect for users who
            # never changed it.
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
        self._stage.view_state_changed.emit()
