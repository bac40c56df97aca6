from __future__ import annotations

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay
from annotator.queries.overlay_query import read_overlay
from annotator.session import Session
from tests.unit.store.making import created, removed, write


def region(medium: str, *, number: int, frame: int | None = None) -> Region:
    box = Box(x1=1.0, y1=2.0, x2=3.0, y2=4.0)
    return Region(id=new_id(), medium=medium, number=number, box=box, frame=frame)


def test_marks_when_read_then_are_those_of_the_medium_with_all_links_of_its_scenes(session: Session) -> None:
    here, there = "1" * 32, "2" * 32
    views = (SceneView(name="UAV1", medium=here), SceneView(name="UAV2", medium=there))
    scene, other = Scene(id=new_id(), name="a", views=views), Scene(id=new_id(), name="b")
    regions = [region(here, number=1), region(here, number=2, frame=7), region(there, number=3)]
    gone = region(here, number=4)
    path = Polyline(id=new_id(), medium=here, points=((0.0, 0.0), (1.0, 1.0)))
    links = [
        Link(id=new_id(), scene=scene.id, regions=(regions[2].id, new_id())),
        Link(id=new_id(), scene=other.id, regions=(regions[0].id, new_id())),
    ]
    write(
        session,
        created("scene", scene),
        created("scene", other),
        *(created("region", one) for one in (*regions, gone)),
        created("path", path),
        *(created("link", one) for one in links),
    )
    write(session, removed("region", gone.id))
    assert read_overlay(session.reader, medium=here) == Overlay(
        regions=(regions[0], regions[1]), links=(links[0],), paths=(path,)
    )
    assert read_overlay(session.reader, medium="3" * 32) == Overlay()
