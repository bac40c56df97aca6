"""Copies, pastes, locks and hides regions, and provides the context menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt

from annotator.commands.map_parts import MarkRooms
from annotator.commands.region_copies import PasteRegions
from annotator.commands.region_values import LockRegions, MarkAbnormal, SetRegionState
from annotator.domain.region import Region, RegionState
from widgets.action_registry import ActionRegistry
from widgets.stage.canvas import StageCanvas
from widgets.stage.selection import selected_regions
from widgets.stage.stage import Stage

OFFSET_PX = 12.0
"""Offset of a copy in the same image, so that it is visible, image pixels."""
ON_SELECTION = (
    "stage.accept",
    "stage.refuse",
    "",
    "stage.set_category",
    "stage.edit_place",
    "stage.room",
    "",
    "stage.copy",
    "stage.paste",
    "stage.duplicate",
    "stage.repeat",
    "stage.interpolate",
    "stage.confirm_interpolation",
    "",
    "stage.abnormal",
    "stage.visible",
    "stage.occluded",
    "stage.out_of_view",
    "stage.lock",
    "stage.hide",
    "stage.show_hidden",
    "",
    "stage.region",
    "stage.hidden_place",
    "stage.link_selected",
    "stage.split_link",
    "stage.unlink",
    "stage.remove",
)
"""Actions of the context menu for a selection, "" as separator."""
ON_NOTHING = ("stage.paste", "stage.select_all", "stage.show_hidden", "", "stage.fit", "stage.large")
"""Actions of the context menu without a selection."""


class RegionActions(QObject):
    """Executes region actions from shortcuts and menus.

    Attributes:
        copied: The regions that were copied last.
    """

    def __init__(self, stage: Stage, *, registry: ActionRegistry) -> None:
        super().__init__(stage)
        self._stage, self._registry = stage, registry
        self.copied: tuple[Region, ...] = ()
        self._pasted: tuple[str, int | None, int] | None = None
        stage.menu_requested.connect(self._on_stage_menu_requested)

    def copy(self) -> None:
        """Copy the selected regions for pasting, also into other scenes."""
        regions = tuple(selected_regions(self._stage))
        if regions:
            self.copied, self._pasted = regions, None

    def paste(self) -> None:
        """Paste the copied regions into the front view, and select them."""
        front = self._stage.front
        if front is None or not self.copied or self._stage.leave_model():
            return
        location = front.medium, front.frame
        # On their own image, copies would cover the originals; elsewhere, the same position is useful.
        is_in_place = any((one.medium, one.frame) == location for one in self.copied)
        times = int(is_in_place)
        if self._pasted is not None and self._pasted[:2] == location:
            times = self._pasted[2] + 1
        self._pasted = (*location, times)
        self._send_copies(self.copied, front, offset_px=times * OFFSET_PX)

    def duplicate(self) -> None:
        """Duplicate the selected regions with an offset, and select the copies."""
        regions = selected_regions(self._stage)
        views = {(one.medium, one.frame): one for one in self._stage.canvases}
        front = views.get((regions[0].medium, regions[0].frame)) if regions else None
        if front is not None and not self._stage.leave_model():
            own = tuple(one for one in regions if one.medium == front.medium and one.frame == front.frame)
            self._send_copies(own, front, offset_px=OFFSET_PX, is_duplicate=True)

    def toggle_lock(self) -> None:
        """Lock the selected regions, or unlock them where all are locked."""
        regions = selected_regions(self._stage)
        if regions:
            ids = tuple(region.id for region in regions)
            is_locked = not all(region.is_locked for region in regions)
            self._stage.send(LockRegions(regions=ids, is_locked=is_locked))

    def toggle_abnormal(self) -> None:
        """Mark the selected regions as abnormal, or remove the mark where all have it."""
        regions = selected_regions(self._stage)
        if regions:
            ids = tuple(region.id for region in regions)
            is_abnormal = not all(region.is_abnormal for region in regions)
            self._stage.send(MarkAbnormal(regions=ids, is_abnormal=is_abnormal))

    def set_state(self, state: RegionState) -> None:
        """Set whether the views show the objects of the selected regions."""
        regions = selected_regions(self._stage)
        if any(region.state != state for region in regions):
            self._stage.send(SetRegionState(regions=tuple(region.id for region in regions), state=state))

    def toggle_rooms(self) -> None:
        """Mark the selected regions as rooms of a map, or as objects where all are rooms."""
        regions = selected_regions(self._stage)
        if regions:
            is_room = not all(region.is_room for region in regions)
            self._stage.send(MarkRooms(regions=tuple(region.id for region in regions), is_room=is_room))

    def toggle_hidden(self) -> None:
        """Hide the selected regions, or show them again where all are hidden."""
        hidden = self._stage.hidden_regions
        ids = {region.id for region in selected_regions(self._stage)}
        if not ids:
            return
        if ids <= hidden.ids:
            hidden.show(ids)
            return
        hidden.hide(ids)
        # Hidden regions are deselected, so that keys cannot move or remove them unnoticed.
        self._stage.select([one for one in self._stage.selected if one not in ids])

    def show_hidden(self) -> None:
        """Show all hidden regions again."""
        self._stage.hidden_regions.show_all()

    def open_menu(self, at: QPoint) -> None:
        """Open the context menu.

        Args:
            at: Screen position.
        """
        names = self._menu()
        menu = self._registry.pick(self._stage, names)
        # A menu is created for each request and would otherwise live as long as the window.
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def _menu(self) -> list[str]:
        """Return the currently applicable actions, "" as separator."""
        left_out = {
            name
            for name, is_possible in (
                ("stage.accept", self._has_proposals()),
                ("stage.refuse", self._has_proposals()),
                ("stage.paste", bool(self.copied)),
                ("stage.room", self._is_on_map()),
                ("stage.show_hidden", bool(self._stage.hidden_regions.ids)),
                ("stage.repeat", self._stage.player.has_videos),
                ("stage.interpolate", self._stage.player.has_videos),
                ("stage.confirm_interpolation", self._stage.player.has_videos),
            )
            if not is_possible
        }
        names = [one for one in (ON_SELECTION if self._stage.selected else ON_NOTHING) if one not in left_out]
        # Omit separators at the beginning, at the end, and after another separator.
        return [one for at, one in enumerate(names) if one or (at and names[at - 1] and any(names[at:]))]

    def _has_proposals(self) -> bool:
        return any(region.is_proposed for region in selected_regions(self._stage))

    def _is_on_map(self) -> bool:
        shown = self._stage.shown
        regions = selected_regions(self._stage)
        return shown is not None and any(one.is_room or one.medium in shown.maps for one in regions)

    def _send_copies(
        self, regions: Sequence[Region], view: StageCanvas, *, offset_px: float, is_duplicate: bool = False
    ) -> None:
        command = PasteRegions(
            regions=tuple(regions),
            medium=view.medium,
            frame=view.frame,
            offset_px=offset_px,
            is_duplicate=is_duplicate,
        )
        # The ids are known before the command is executed, so the copies are selected when they appear.
        self._stage.select(command.ids)
        self._stage.send(command)

    def _on_stage_menu_requested(self, canvas: StageCanvas, at: QPoint) -> None:
        if self._stage.is_model:
            return
        self._stage.bring_forward(canvas)
        region = canvas.hovered
        if region is not None and region.id not in self._stage.selected:
            self._stage.select([region.id])
        self.open_menu(at)
