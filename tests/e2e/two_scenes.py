"""A project of two scenes of two pictures each, and its Annotate workspace."""

from __future__ import annotations

from pathlib import Path

from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.e2e.conftest import Person
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.unit.store.making import created, write
from tests.windows import make_item, make_project
from widgets.annotate.workspace import AnnotateWorkspace

BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)


def make_two_scenes(folder: Path) -> Path:
    """Write the project, with a region and an item in the first scene, and return its path."""
    media, scenes = [], []
    for scene in ("0001", "0002"):
        names = [f"{scene}-{number}.png" for number in (1, 2)]
        shown = [Medium(id=name, name=name, path=name, width_px=WIDTH, height_px=HEIGHT) for name in names]
        views = tuple(SceneView(name=f"UAV{n}", medium=medium.id) for n, medium in enumerate(shown, start=1))
        media += shown
        scenes.append(Scene(id=f"s-{scene}", name=scene, views=views))
    item = make_item(1, scene=scenes[0].id, media=(media[0].id, media[1].id))
    path = make_project(folder / "pilot.vantage", [*media, *scenes, item])
    with Session.open(path) as session:
        write(session, created("region", Region(id="r1", medium=media[0].id, number=3, box=BOX)))
        pictures = session.media_root
    pictures.mkdir(exist_ok=True)
    for seed, medium in enumerate(media):
        write_picture(pictures / medium.name, seed=seed)
    return path


def annotate(person: Person) -> AnnotateWorkspace:
    """Show Annotate and return it."""
    person.press("Ctrl+2")
    person.settle()
    made = person.window.slots["annotate"].workspace
    assert made is not None
    return made
