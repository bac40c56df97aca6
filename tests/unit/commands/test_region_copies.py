from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.region_copies import PasteRegions
from annotator.commands.region_shapes import AddPolygon, RepeatRegions, ReshapeRegion
from annotator.commands.region_values import LockRegions
from annotator.commands.regions import AddRegion, MoveRegions, RemoveRegions
from annotator.commands.tracked_regions import ProposeTrackedRegions
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, visible_state, write

BOX = Box(x1=10.0, y1=20.0, x2=30.0, y2=50.0)
STILL = Medium(id=new_id(), name="a.png", width_px=640, height_px=360)
LARGE = Medium(id=new_id(), name="b.png", width_px=1280, height_px=1080)
VIDEO = Medium(id=new_id(), name="c.mp4", media_type="video", width_px=640, height_px=360)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, *(created("medium", medium) for medium in (STILL, LARGE, VIDEO)))
        yield made


def add(session: Session, medium: Medium = STILL, *, frame: int | None = None, box: Box = BOX) -> Region:
    command = AddRegion(medium=medium.id, box=box, frame=frame, category="van")
    session.execute(command).result()
    return region_of(session, command.id)


def region_of(session: Session, region_id: str) -> Region:
    found = session.reader.get(Region, region_id)
    assert isinstance(found, Region)
    return found


def paste(session: Session, command: PasteRegions) -> list[Region]:
    """Paste, and require that undo and redo lead back and forth."""
    before = visible_state(session.path)
    session.execute(command).result()
    after = visible_state(session.path)
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after
    return [region_of(session, one) for one in command.ids]


def test_copy_when_pasted_in_its_image_then_is_a_new_region_beside_it(session: Session) -> None:
    region = add(session)
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=STILL.id, offset_px=12))
    assert copy.box == Box(x1=22.0, y1=32.0, x2=42.0, y2=62.0)
    assert (copy.number, copy.category, copy.made_by) == (1, "van", "hand")


def test_copy_when_it_would_leave_the_image_then_ends_at_its_edge(session: Session) -> None:
    region = add(session, box=Box(x1=620, y1=340, x2=640, y2=355))
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=STILL.id, offset_px=12))
    assert copy.box == Box(x1=620, y1=345, x2=640, y2=360)


def test_copy_when_the_image_has_another_size_then_has_its_place_in_proportion(session: Session) -> None:
    command = AddPolygon(medium=STILL.id, corners=((10, 20), (30, 20), (30, 50)))
    session.execute(command).result()
    region = region_of(session, command.id)
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=LARGE.id))
    assert copy.polygon == ((20, 60), (60, 60), (60, 150))
    assert copy.box == Box(x1=20, y1=60, x2=60, y2=150)


def test_copy_when_pasted_on_another_frame_then_keeps_its_number_once(session: Session) -> None:
    region = add(session, VIDEO, frame=3)
    add(session, VIDEO, frame=3)
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=VIDEO.id, frame=7))
    (again,) = paste(session, PasteRegions(regions=(region,), medium=VIDEO.id, frame=7))
    (same_frame,) = paste(session, PasteRegions(regions=(region,), medium=VIDEO.id, frame=3))
    assert [copy.number, again.number, same_frame.number] == [0, 2, 3]
    assert (copy.frame, copy.box) == (7, BOX)


def test_copy_when_the_region_was_removed_since_then_is_made_all_the_same(session: Session) -> None:
    region = add(session)
    session.execute(RemoveRegions(regions=(region.id,))).result()
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=STILL.id))
    assert copy.box == BOX


def test_paste_when_nothing_was_copied_then_is_refused(session: Session) -> None:
    with pytest.raises(UserError, match="no copied regions"):
        session.execute(PasteRegions(regions=(), medium=STILL.id)).result()


def test_region_when_locked_then_is_neither_moved_nor_reshaped_nor_removed(session: Session) -> None:
    region = add(session)
    session.execute(LockRegions(regions=(region.id,), is_locked=True)).result()
    assert region_of(session, region.id).is_locked
    corners = ((1.0, 1.0), (9.0, 1.0), (9.0, 9.0))
    for command in (
        MoveRegions(boxes={region.id: Box(x1=1, y1=1, x2=9, y2=9)}),
        ReshapeRegion(region=region.id, corners=corners),
        RemoveRegions(regions=(region.id,)),
    ):
        with pytest.raises(UserError, match=r"Region 0 is locked\."):
            session.execute(command).result()
    session.undo().result()
    session.execute(MoveRegions(boxes={region.id: Box(x1=1, y1=1, x2=9, y2=9)})).result()
    assert region_of(session, region.id).box.x2 == 9


def test_copy_of_a_locked_region_then_can_be_moved(session: Session) -> None:
    region = add(session)
    session.execute(LockRegions(regions=(region.id,), is_locked=True)).result()
    locked = region_of(session, region.id)
    (copy,) = paste(session, PasteRegions(regions=(locked,), medium=STILL.id))
    assert not copy.is_locked


def test_copy_when_the_frame_has_a_proposal_of_its_object_then_keeps_the_number_and_replaces_it(
    session: Session,
) -> None:
    region = add(session, VIDEO, frame=3)
    session.execute(ProposeTrackedRegions(tracks={region.id: ((BOX, 0.9),) * 2})).result()
    (copy,) = paste(session, PasteRegions(regions=(region,), medium=VIDEO.id, frame=4))
    assert copy.number == region.number
    session.execute(RepeatRegions(frames={region.id: 5})).result()
    known = session.reader.find(Region, is_proposed=ANY)
    assert [(one.frame, one.number, one.is_proposed) for one in known] == [
        (3, 0, False),
        (4, 0, False),
        (5, 0, False),
    ]
