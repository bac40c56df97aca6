"""The layout of views that the user chose for each scene."""

from __future__ import annotations

from dataclasses import dataclass

from widgets.settings import Settings
from widgets.stage.arrangement import LAYOUTS, Layout, layouts_for

SCENES = "stage/scene_layouts"
MAX_SCENES = 500
"""Maximum number of remembered scenes, the latest ones; each takes about 50 bytes of the settings."""


@dataclass(frozen=True, kw_only=True)
class _SceneLayout:
    layout: Layout
    main: str
    count: int


class ViewLayouts:
    """The layout of each scene.

    A scene without a layout uses that of the last scene with the same number of views.
    """

    def __init__(self) -> None:
        self._scenes: dict[str, _SceneLayout] = {}
        self._counts: dict[int, Layout] = {}
        self._main = ""
        self._settings: Settings | None = None

    def remember_in(self, settings: Settings) -> None:
        """Load the saved layouts, and save changes to these settings."""
        self._settings = settings
        # Stored with the newest first; the dictionary is in order of use, with the newest last.
        for line in reversed(settings.texts(SCENES)):
            scene, count, layout, *main = (*line.split("\t"), "", "")
            if layout in LAYOUTS and count.isdigit():
                self._scenes[scene] = _SceneLayout(layout=layout, main=main[0], count=int(count))

    def layout_of(self, scene: str, *, count: int) -> Layout:
        """Return the layout of a scene.

        Args:
            scene: Id of the scene, or "".
            count: Number of its views.
        """
        kept = self._settings.text(_name(count)) if self._settings is not None else ""
        own = self._scenes.get(scene)
        # A scene that has received another view since is treated as new.
        wanted = own.layout if own is not None and own.count == count else self._counts.get(count, kept)
        return next((layout for layout in layouts_for(count) if layout == wanted), "best")

    def main_of(self, scene: str) -> str:
        """Return the name of a scene's large view, "" for the first; a new scene uses the last choice."""
        own = self._scenes.get(scene)
        return own.main if own is not None else self._main

    def keep(self, scene: str, *, layout: Layout, main: str, count: int) -> None:
        """Save the layout of a scene.

        Args:
            scene: Id of the scene.
            layout: The layout.
            main: Name of the large view, "" if all are equal.
            count: Number of its views.
        """
        self._counts[count], self._main = layout, main
        self._scenes.pop(scene, None)
        self._scenes[scene] = _SceneLayout(layout=layout, main=main, count=count)
        if self._settings is not None:
            self._settings.keep(_name(count), layout)
            newest = list(self._scenes.items())[: -MAX_SCENES - 1 : -1]
            lines = [f"{scene}\t{kept.count}\t{kept.layout}\t{kept.main}" for scene, kept in newest]
            self._settings.keep(SCENES, lines)


def _name(count: int) -> str:
    return f"stage/layout_{count}"
