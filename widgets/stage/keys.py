"""The keys of the stage: there may be several stages in the window, and the one that is seen has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from widgets.action_registry import ActionRegistry
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.tools.annotation_actions import AnnotationActions

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


class StageKeys:
    """Lets actions of the stage go to one stage while it is seen."""

    def __init__(
        self,
        stage: Stage,
        *,
        board: ActionRegistry,
        place: QWidget,
        owners: Mapping[str, object],
        can_mark: bool,
    ) -> None:
        """Add the keys to a place.

        Args:
            stage: The stage.
            board: The actions.
            place: Where the keys work: the stage, or what it stands in.
            owners: Who else does actions of the stage, by the names of the table.
            can_mark: Whether things may be marked on it.
        """
        self._stage, self._board, self._can_mark = stage, board, can_mark
        gestures = AnnotationActions(stage)
        self._owners: dict[str, object] = {
            "stage": stage,
            "looks": stage.looks,
            "overlays": stage.overlays,
            "interpolation": stage.interpolation,
            "player": stage.player,
            "gestures": gestures,
            "regions": RegionNavigator(stage),
        }
        self._owners |= owners
        board.place("stage", place)
        stage.selection_changed.connect(self._refresh_selection)

    @property
    def is_held(self) -> bool:
        """Whether actions of the stage go to this one."""
        return self._board.owner("stage") is self._stage

    def take(self) -> None:
        """Let actions of the stage go to this one from now on."""
        for name, owner in self._owners.items():
            self._board.connect_owner(name, owner)
        self.refresh()

    def refresh(self) -> None:
        """Say anew what is there: the scene has changed."""
        if self.is_held:
            has_views = bool(self._stage.canvases)
            self._board.set_there("stage", has_views)
            self._board.set_there("film", self._stage.player.has_films)
            self._board.set_there("marking", has_views and self._can_mark)
            self._refresh_selection()

    def release(self) -> None:
        """Let no action go to this stage, unless another one has taken them by now."""
        if self.is_held:
            for need in ("stage", "film", "marking", "selection"):
                self._board.set_there(need, False)

    def _refresh_selection(self) -> None:
        if self.is_held:
            self._board.set_there("selection", self._can_mark and bool(self._stage.selected))
