from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.region_shapes import AddPolygon, ChangeRotatedBox
from annotator.commands.region_values import LockRegions
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox, rotated_box_of
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, visible_state, write

BOX = Box(x1=100.0, y1=100.0, x2=200.0, y2=160.0)
TURNED = RotatedBox(x=150, y=130, width=100, height=60, angle_deg=30)
MEDIUM = Medium(id=new_id(), name="a.png", width_px=640, height_px=360)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, created("medium", MEDIUM))
        yield made


def add(session: Session) -> str:
    command = AddRegion(medium=MEDIUM.id, box=BOX)
    session.execute(command).result()
    return command.id


def region_of(session: Session, region_id: str) -> Region:
    return session.reader.require(Region, region_id)


def shape_of(session: Session, region_id: str) -> tuple[float, ...]:
    found = rotated_box_of(region_of(session, region_id))
    assert found is not None
    return found.x, found.y, found.width, found.height, found.angle_deg


def test_box_when_turned_then_has_four_corners_and_undo_makes_it_plain(session: Session) -> None:
    region = add(session)
    before = visible_state(session.path)
    session.execute(ChangeRotatedBox(region=region, shape=TURNED)).result()
    assert shape_of(session, region) == pytest.approx((150, 130, 100, 60, 30))
    box = region_of(session, region).box
    assert (box.x1, box.y1) == pytest.approx((91.699, 79.019), abs=1e-3)
    session.undo().result()
    assert visible_state(session.path) == before


def test_box_when_turned_back_then_is_the_plain_box_that_it_was(session: Session) -> None:
    region = add(session)
    session.execute(ChangeRotatedBox(region=region, shape=TURNED)).result()
    back = RotatedBox(x=150, y=130, width=100, height=60)
    session.execute(ChangeRotatedBox(region=region, shape=back)).result()
    assert (region_of(session, region).polygon, region_of(session, region).box) == ((), BOX)


def test_box_when_moved_and_sized_then_keeps_its_angle_and_right_angles(session: Session) -> None:
    region = add(session)
    session.execute(ChangeRotatedBox(region=region, shape=TURNED)).result()
    box = region_of(session, region).box
    moved = Box(x1=box.x1 + 50, y1=box.y1 + 20, x2=box.x2 + 50, y2=box.y2 + 20)
    session.execute(MoveRegions(boxes={region: moved})).result()
    assert shape_of(session, region) == pytest.approx((200, 150, 100, 60, 30))
    wider = Box(x1=moved.x1, y1=moved.y1, x2=moved.x2 + 40, y2=moved.y2)
    session.execute(MoveRegions(boxes={region: wider})).result()
    assert shape_of(session, region)[4] == pytest.approx(30)
    corners = region_of(session, region).polygon
    assert region_of(session, region).box.x1 == pytest.approx(min(x for x, _ in corners))


def test_box_when_a_corner_leaves_the_image_then_is_kept_and_the_box_around_it_is_cut(
    session: Session,
) -> None:
    region = add(session)
    shape = RotatedBox(x=20, y=20, width=100, height=60, angle_deg=45)
    session.execute(ChangeRotatedBox(region=region, shape=shape)).result()
    assert min(x for x, _ in region_of(session, region).polygon) < 0
    assert region_of(session, region).box.x1 == 0
    box = region_of(session, region).box
    moved = Box(x1=box.x1 + 100, y1=box.y1 + 100, x2=box.x2 + 100, y2=box.y2 + 100)
    session.execute(MoveRegions(boxes={region: moved})).result()
    corners = region_of(session, region).polygon
    assert region_of(session, region).box.x1 == pytest.approx(min(x for x, _ in corners))


def test_box_when_it_cannot_be_so_then_says_why(session: Session) -> None:
    region = add(session)
    polygon = AddPolygon(medium=MEDIUM.id, corners=((1, 1), (50, 1), (60, 40)))
    session.execute(polygon).result()
    outside = RotatedBox(x=-5, y=20, width=100, height=60, angle_deg=45)
    flat = RotatedBox(x=5, y=20, width=0, height=60, angle_deg=45)
    for target, shape, message in (
        (region, outside, "middle of the box is outside"),
        (region, flat, "needs a width"),
        (polygon.id, TURNED, "is not a box"),
    ):
        with pytest.raises(UserError, match=message):
            session.execute(ChangeRotatedBox(region=target, shape=shape)).result()
    session.execute(LockRegions(regions=(region,), is_locked=True)).result()
    with pytest.raises(UserError, match="locked"):
        session.execute(ChangeRotatedBox(region=region, shape=TURNED)).result()
