"""Takes pictures of Annotate in a real window: ``python -m tests.bench.probes.pictures PROJECT FOLDER``.

Behind the folder come names of scenes; without any the scenes with one, two, three and six views of the demo
project. Each is taken in both themes, at 1280x720 pixels of the window; ``QT_SCALE_FACTOR=2`` makes 2560x1440
of it, as on a screen at 200 %. The pictures come from the screen, not from the widgets.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtTest import QTest

from annotator.domain.actor import Actor
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.bench.probes.eyes import wait_until, work_for
from tests.bench.probes.stand import application
from widgets.annotate.slot import AnnotateSlot
from widgets.annotate.workspace import AnnotateWorkspace
from widgets.settings import Settings
from widgets.window import MainWindow, build

SCENES = ("flight-homes", "flight-market", "crossroads-1", "town-1")
THEMES = ("dark", "light")
WINDOW_PX = (1280, 720)
FRAME = 40
"""A frame of the demo's videos with regions."""
REST_S = 0.6
"""Thumbnails and buffered ranges come in after the stage is at rest."""


def take(project: Path, *, folder: Path, theme: str, scenes: Sequence[str] = SCENES) -> Iterator[Path]:
    """Open a project in the window and yield a picture file for each scene.

    Args:
        project: The project.
        folder: Where to put the pictures; made where it is not there.
        theme: ``dark`` or ``light``.
        scenes: Names of scenes.

    Raises:
        EnvironmentFailure: A picture cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as location:
        settings = Settings(Path(location) / "window.ini")
        settings.keep("theme", theme)
        settings.keep("language", "en")
        window = build(Session.open(project, actor=Actor(id=new_id(), name="Ada")), settings=settings)
        window.resize(*WINDOW_PX)
        window.show()
        window.activateWindow()
        QTest.qWaitForWindowActive(window)
        wait_until(window.is_settled, what="the window")
        window.show_workspace("annotate")
        for scene in scenes:
            show(window, scene=scene)
            file = folder / f"{scene}-{theme}-{window.devicePixelRatio() * 100:.0f}.png"
            if not window.screen().grabWindow(window.winId()).save(str(file)):
                raise EnvironmentFailure(f"The image {file} could not be written.")
            yield file
        window.close()
        window.deleteLater()


def show(window: MainWindow, *, scene: str) -> None:
    """Show a scene in Annotate, a video at a frame with regions, and wait until all of it is on the screen.

    Args:
        window: The window, at Annotate.
        scene: Name of the scene.

    Raises:
        EnvironmentFailure: There is no such scene.
    """
    annotate = window.slots.find(AnnotateSlot).workspace
    if annotate is None:
        raise EnvironmentFailure("The Annotate workspace did not open.")
    annotate.queue.search.setText(scene)
    annotate.queue.listing.find_text(scene)
    wait_until(window.is_settled, what=f"the scene {scene}")
    annotate.queue.grid.choose(_place(annotate, scene=scene))
    wait_until(window.is_settled, what=f"the pictures of {scene}")
    player = annotate.stage.player
    if player.has_videos:
        player.seek(player.videos[0].time_of(FRAME))
        wait_until(lambda: not any(video.is_late for video in player.videos), what="the frames")
    annotate.stage.focus_view()
    work_for(REST_S)


def _place(annotate: AnnotateWorkspace, *, scene: str) -> int:
    model = annotate.queue.listing.model
    rows = (model.row(index) for index in range(model.rowCount()))
    names = [row.name if row is not None else "" for row in rows]
    if scene not in names:
        raise EnvironmentFailure(f"The project has no scene {scene}.")
    return names.index(scene)


def main(project: Path, folder: Path, scenes: Sequence[str]) -> None:
    """Take the pictures and say where they are."""
    # Held until the end: without an application there is no window.
    held = application()
    for theme in THEMES:
        for file in take(project, folder=folder, theme=theme, scenes=scenes or SCENES):
            sys.stdout.write(f"{file}\n")
    held.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
