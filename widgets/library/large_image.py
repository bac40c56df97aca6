"""The dialog that shows one view of a scene or item at full window size, with a read-only stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from annotator.domain.region import Region
from annotator.domain.scene import Scene
from annotator.media.media_roots import MediaRoots
from annotator.media.render import Overlay
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.action_registry import ActionRegistry
from widgets.bridge import Bridge
from widgets.dialog import FormDialog
from widgets.labels import ElidedLabel, label
from widgets.medium_view import MediumView
from widgets.settings import Settings
from widgets.stage.scene import StageScene, read_scene
from widgets.stage.stage_media import StageMedia
from widgets.stage.tools.stage_keys import StageKeys
from widgets.stage.tools.tool_sets import LOOKING_TOOLS
from widgets.stage_page.stage_page import StagePage
from widgets.translation import tr

STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class LargeImageDialog(FormDialog):
    """Shows one medium as large as the window allows; the arrow keys switch to the others.

    Signals:
        commanded: Emitted when a gesture shifts a video in time; carries the command.
    """

    commanded = Signal(object)

    def __init__(
        self,
        window: QWidget,
        *,
        media: Sequence[MediumView],
        at: int,
        session: Session,
        bridge: Bridge,
        registry: ActionRegistry,
        settings: Settings,
        stage_media: StageMedia,
    ) -> None:
        """Create the dialog.

        Args:
            window: The parent window.
            media: The media to step through.
            at: Place of the medium that is shown first.
            session: The project.
            bridge: Delivers results of other threads to the GUI thread.
            registry: The actions.
            settings: Stores the state of the timeline.
            stage_media: Images and videos of the project.
        """
        super().__init__(window, width=window.width() - 96, height=window.height() - 128)
        self._media, self._at = tuple(media), at
        self._session, self._bridge = session, bridge
        self.name = ElidedLabel(role="mono", mode=Qt.TextElideMode.ElideMiddle)
        self._facts = label(role="label")
        self.views = StagePage(
            stage_media.pictures, registry=registry, bridge=bridge, settings=settings, tools=LOOKING_TOOLS
        )
        self.stage = self.views.stage
        # The original image is requested: the one of an item may have its annotations drawn in.
        self.stage.choose_rendering("clean")
        self.keys = StageKeys(
            self.stage, registry=registry, widget=self.views, owners={"scenes": self}, can_mark=False
        )
        self.stage.left.connect(self.reject)
        self.stage.player.changed.connect(self.keys.refresh)
        self.views.commanded.connect(self.commanded)
        self._lay_out()
        self.keys.take()
        self._show(at)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self._facts)
        head.setContentsMargins(12, 8, 12, 0)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.body.addWidget(self.views, 1)

    def step_scene(self, step: str) -> None:
        """Show the next view ("1") or the one before ("-1")."""
        self._show((self._at + int(step)) % len(self._media))

    def is_settled(self) -> bool:
        """Return whether the image is on the screen."""
        shown = [canvas.medium for canvas in self.stage.canvases]
        return shown == [self._media[self._at].medium.id] and self.views.is_settled()

    def done(self, result: int) -> None:
        """Release the image and close the dialog."""
        self._bridge.drop((id(self), "medium"))
        # Before the dialog closes: a video that is read keeps its file open, and shortcuts would reach a
        # deleted stage.
        self.views.leave()
        self.keys.release()
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the views with the arrow keys that the video does not use."""
        if event.key() in STEPS:
            self.step_scene(f"{STEPS[Qt.Key(event.key())]}")
        else:
            super().keyPressEvent(event)

    def _show(self, at: int) -> None:
        self._at = at
        shown = self._media[at]
        self.name.setText(f"{shown.view}  {shown.medium.name}".strip())
        self.setWindowTitle(self.name.text())
        size = f"{shown.medium.width_px} × {shown.medium.height_px} px" if shown.medium.width_px else ""
        has_others = len(self._media) > 1
        location = f"{at + 1} / {len(self._media)}" if has_others else ""
        keys = tr("← →: change view   Esc: close") if has_others else tr("Esc: close")
        self._facts.setText("   ".join(filter(None, (size, location, keys))))
        question = partial(read_view, shown=shown, roots=self._session.roots, person=self._session.actor.id)
        self._bridge.query(self._session, question, done=self._on_view_read, channel=(id(self), "medium"))

    def _on_view_read(self, shown: StageScene) -> None:
        self.views.show_scene(shown)
        self.keys.refresh()
        self.stage.focus_view()


def read_view(reader: Reader, *, shown: MediumView, roots: MediaRoots, person: str) -> StageScene:
    """Read the annotations of a medium, from the first scene that contains it."""
    medium = shown.medium
    scenes = reader.scenes.showing(medium.id)
    scene = read_scene(reader, scene=scenes[0], roots=roots, person=person) if scenes else None
    if scene is not None:
        view = scene.view_of(medium.id)
        return replace(scene, media=(replace(shown, view=shown.view or view),))
    regions = reader.find(Region, medium=medium.id)
    # No scene contains it, but the stage shows only scenes: a temporary scene contains this medium.
    alone = Scene(id=medium.id, name=medium.name)
    return StageScene(scene=alone, media=(shown,), marks=Overlay(regions=tuple(regions)))
