"""Reads the scene of a stage on the reading thread, and updates it after changes of the project."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from annotator.domain.changes import Changes
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.stage.scene import StageScene, read_scene
from widgets.stage.scene_update import is_concerned, read_changed_scene


class SceneLoader(QObject):
    """Loads one scene at a time.

    Attributes:
        wanted: Id of the requested scene, or "".

    Signals:
        loaded: The scene or a new state of it was read; carries the ``StageScene``, or None for no scene.
        unchanged: A change was examined and did not affect the scene.
    """

    loaded = Signal(object)
    unchanged = Signal()

    def __init__(self, *, session: Session, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bridge = session, bridge
        self.wanted = ""
        self._shown: StageScene | None = None
        self._pending: Changes | None = None

    def load(self, scene: str) -> None:
        """Load a whole scene or ""."""
        self.wanted = scene
        if scene:
            person = self._session.actor.id
            question = partial(read_scene, scene=scene, roots=self._session.roots, person=person)
            self._bridge.query(self._session, question, done=self._on_read, channel=(id(self), "scene"))
        else:
            self.drop()
            self.loaded.emit(None)

    def drop(self) -> None:
        """Cancel loading, and discard the scene."""
        self.wanted, self._shown, self._pending = "", None, None
        self._bridge.drop((id(self), "scene"))

    def update(self, changes: Changes) -> None:
        """Read the changed records of the scene."""
        shown = self._shown
        if shown is None or shown.scene.id != self.wanted:
            # The scene is being loaded and may have been read before the change.
            if self.wanted:
                self.load(self.wanted)
            return
        if not is_concerned(shown, changes) and self._pending is None:
            self.unchanged.emit()
            return
        # The new query replaces an unanswered one, so it must include the changes of that one.
        self._pending = changes if self._pending is None else self._pending.merged(changes)
        question = partial(read_changed_scene, shown=shown, changes=self._pending, roots=self._session.roots)
        self._bridge.query(self._session, question, done=self._on_read, channel=(id(self), "scene"))

    def _on_read(self, scene: StageScene | None) -> None:
        before, self._shown, self._pending = self._shown, scene, None
        if scene is before and scene is not None:
            self.unchanged.emit()
        else:
            self.loaded.emit(scene)
