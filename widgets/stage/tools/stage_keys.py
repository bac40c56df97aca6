"""Shortcuts of the stage: of several stages in the window, the visible one handles them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from widgets.action_registry import ActionRegistry
from widgets.stage.proposals import Proposals
from widgets.stage.region_navigator import RegionNavigator
from widgets.stage.tools.annotation_actions import AnnotationActions

if TYPE_CHECKING:
    from widgets.stage.stage import Stage


class StageKeys:
    """Registers a stage as the handler of stage actions while it is visible."""

    def __init__(
        self,
        stage: Stage,
        *,
        registry: ActionRegistry,
        widget: QWidget,
        owners: Mapping[str, object],
        can_mark: bool,
    ) -> None:
        """Add the shortcuts to a widget.

        Args:
            stage: The stage.
            registry: Registry of the actions.
            widget: Widget in which the shortcuts are active: the stage or one of its parents.
            owners: Other handlers of stage actions, by their names in the action table.
            can_mark: Whether annotations can be edited on the stage.
        """
        self._stage, self._registry, self._can_mark = stage, registry, can_mark
        gestures = AnnotationActions(stage)
        self._owners: dict[str, object] = {
            "stage": stage,
            "viewports": stage.viewports,
            "overlays": stage.overlays,
            "interpolation": stage.interpolation,
            "player": stage.player,
            "gestures": gestures,
            "regions": RegionNavigator(stage),
            "proposals": Proposals(stage),
        }
        self._owners |= owners
        registry.add_shortcuts("stage", widget)
        stage.selection_changed.connect(self._refresh_selection)

    @property
    def is_held(self) -> bool:
        """Whether this stage handles the stage actions."""
        return self._registry.owner("stage") is self._stage

    def take(self) -> None:
        """Make this stage the handler of the stage actions."""
        for name, owner in self._owners.items():
            self._registry.connect_owner(name, owner)
        self.refresh()

    def refresh(self) -> None:
        """Update the enabled state of the actions after a change of the scene."""
        if self.is_held:
            has_views = bool(self._stage.canvases)
            self._registry.set_there("stage", has_views)
            self._registry.set_there("video", self._stage.player.has_videos)
            self._registry.set_there("marking", has_views and self._can_mark)
            self._refresh_selection()

    def release(self) -> None:
        """Unregister this stage, unless another stage has registered in the meantime."""
        if self.is_held:
            for need in ("stage", "video", "marking", "selection"):
                self._registry.set_there(need, False)

    def _refresh_selection(self) -> None:
        if self.is_held:
            self._registry.set_there("selection", self._can_mark and bool(self._stage.selected))
