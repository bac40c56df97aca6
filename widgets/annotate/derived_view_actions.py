"""Makes derived images of the scene on the stage."""

from __future__ import annotations

from PySide6.QtCore import QObject

from widgets.bridge import Bridge
from widgets.library.derived_images import DerivedImages
from widgets.project_controller import ProjectController
from widgets.stage.stage import Stage


class DerivedViewActions(QObject):
    """Opens the dialog for derived images with the view in front."""

    def __init__(self, stage: Stage, *, controller: ProjectController, bridge: Bridge) -> None:
        super().__init__(stage)
        self._stage, self._controller, self._bridge = stage, controller, bridge
        self._images: DerivedImages | None = None

    def ask_derived(self) -> None:
        """Ask for the recipe of a degraded view of the scene."""
        shown, front = self._stage.shown, self._stage.front
        if shown is None:
            return
        if self._images is None:
            # The window is known only once the stage is in it.
            self._images = DerivedImages(
                controller=self._controller, bridge=self._bridge, window=self._stage.window(), parent=self
            )
        view = shown.view_of(front.medium) if front is not None else ""
        self._images.ask(scenes=(shown.scene.id,), view=view)
