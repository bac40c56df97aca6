"""Commands on the displayed scene: gestures of the stage, and actions on its selection."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.commands.command import Command
from annotator.commands.links import UnlinkRegions
from annotator.commands.regions import RemoveRegions
from annotator.commands.views import AlignViews
from annotator.domain.changes import Changes
from widgets import display_text
from widgets.project_controller import ProjectController
from widgets.stage.scene_loader import SceneLoader
from widgets.stage_page.stage_page import StagePage


class StageCommands(QObject):
    """Executes what is done on the stage, and displays its result."""

    def __init__(
        self, page: StagePage, *, controller: ProjectController, scenes: SceneLoader, screen: QObject
    ) -> None:
        """Set up.

        Args:
            page: Has the stage; its gestures are executed.
            controller: Executes commands.
            scenes: Displays the changes of a command without a new query of the scene.
            screen: The workspace, which is the initiator of the commands.
        """
        super().__init__(page)
        self._page, self._stage = page, page.stage
        self._controller, self._scenes, self._screen = controller, scenes, screen
        page.commanded.connect(self.execute)
        controller.about_to_change.connect(self._on_controller_about_to_change)

    def execute(self, command: Command) -> None:
        """Execute a command of a gesture."""
        work = self._controller.execute(
            command,
            title=display_text.command_summary_text(command.summary),
            initiator=self._screen,
            is_gesture=True,
        )
        # The tool paints its draft until the annotations are displayed or have failed.
        work.finished.connect(self._on_work_finished)
        work.failed.connect(self._on_work_failed)

    def remove_selected(self) -> None:
        """Remove the selected regions and paths; a display of model inputs is only left, to show them."""
        shown = self._stage.shown
        if shown is None or self._stage.leave_model():
            return
        known = {path.id for path in shown.marks.paths}
        regions = tuple(one for one in self._stage.selected if one not in known)
        paths = tuple(one for one in self._stage.selected if one in known)
        if regions or paths:
            self.execute(RemoveRegions(regions=regions, paths=paths))

    def unlink_selected(self) -> None:
        """Unlink the selected regions; a display of model inputs is only left, to show them."""
        shown = self._stage.shown
        if shown is None or self._stage.leave_model():
            return
        linked = {region for link in shown.marks.links for region in link.regions}
        if regions := tuple(one for one in self._stage.selected if one in linked):
            self.execute(UnlinkRegions(scene=shown.scene.id, regions=regions))

    def match_ground(self) -> None:
        """Compute the ground-plane alignment of the views, so that they can be moved together."""
        if self._stage.scene:
            self.execute(AlignViews(scene=self._stage.scene))

    def _on_controller_about_to_change(self) -> None:
        self._stage.tool.send_pending()

    def _on_work_finished(self, changes: Changes) -> None:
        self._scenes.update(changes)

    def _on_work_failed(self, _error: BaseException) -> None:
        self._stage.refuse()
