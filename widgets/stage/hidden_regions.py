"""Regions hidden by the user on a stage, until they are shown again or the workspace is closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


class HiddenRegions(QObject):
    """Hides regions in the views of a stage; the project is not changed.

    Signals:
        changed: The set of hidden regions has changed.

    Attributes:
        ids: Ids of the hidden regions, including those of other scenes.
    """

    changed = Signal()

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        self.ids: frozenset[str] = frozenset()

    def hide(self, ids: Iterable[str]) -> None:
        """Hide regions."""
        self._set(self.ids | frozenset(ids))

    def show(self, ids: Iterable[str]) -> None:
        """Show regions again."""
        self._set(self.ids - frozenset(ids))

    def show_all(self) -> None:
        """Show all regions again, also those of other scenes."""
        self._set(frozenset())

    def _set(self, ids: frozenset[str]) -> None:
        if ids == self.ids:
            return
        self.ids = ids
        for canvas in self._stage.canvases:
            canvas.hidden_by_user = ids
            canvas.update()
        self.changed.emit()
        self._stage.view_state_changed.emit()
