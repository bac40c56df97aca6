"""Shows in Annotate the scene of the current record of the Library."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.session import Session
from widgets.annotate.scene_list import LocatedScene, locate_scene
from widgets.annotate.scene_queue import SceneQueue
from widgets.bridge import Bridge
from widgets.library.record_types import Row
from widgets.library.scene_follower import FollowedRecord, SceneLocation
from widgets.stage.stage import Stage


class FollowedScene(QObject):
    """Synchronises the list of scenes with a record of the Library, and returns to its scene.

    Attributes:
        has_no_scene: Whether the opened record belongs to no scene.

    Signals:
        located: The scene of the record has been found.
    """

    located = Signal()

    def __init__(self, stage: Stage, *, queue: SceneQueue, session: Session, bridge: Bridge) -> None:
        """Set up without a record.

        Args:
            stage: Shows the scene.
            queue: List of scenes.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
        """
        super().__init__(stage)
        self._stage, self._queue = stage, queue
        self._session, self._bridge = session, bridge
        self._medium = ""
        self.has_no_scene = False
        queue.listing.chosen.connect(self._on_listing_chosen)

    def follow(self, record: FollowedRecord) -> None:
        """Show the scenes for a list of the Library, and select that of its record."""
        self._bridge.query(
            self._session,
            partial(locate_scene, followed=record),
            done=partial(self._on_scene_located, record),
            channel=(id(self), "scene"),
        )

    def scene_location(self) -> SceneLocation | None:
        """Return the displayed scene, or None."""
        row, stage = self._queue.listing.current_row(), self._stage
        if row is None or row.id != stage.scene:
            return None
        medium = stage.front.medium if stage.front is not None else ""
        return SceneLocation(scene=row.id, number=row.n, medium=medium, text=self._queue.query.text)

    def bring_medium(self) -> None:
        """Make the view of the record's medium the front one, as soon as it is available."""
        canvas = next((one for one in self._stage.canvases if one.medium == self._medium), None)
        if canvas is not None:
            had_keyboard = any(one.hasFocus() for one in self._stage.canvases)
            self._medium = ""
            self._stage.viewports.bring(canvas)
            if had_keyboard:
                self._stage.focus_view()

    def _on_scene_located(self, record: FollowedRecord, located: LocatedScene) -> None:
        self.has_no_scene = located.number == 0
        self._medium = located.medium
        self._queue.follow(record.query, number=located.number, is_chosen=record.is_chosen)
        self.bring_medium()
        self.located.emit()

    def _on_listing_chosen(self, row: Row | None) -> None:
        self.has_no_scene = self.has_no_scene and row is None
