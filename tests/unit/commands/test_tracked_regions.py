from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.proposals import AcceptProposals
from annotator.commands.region_shapes import AddPolygon, RepeatRegions
from annotator.commands.regions import AddRegion
from annotator.commands.tracked_regions import TRACKER, ProposeTrackedRegions
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, visible_state, write

BOX = Box(x1=10, y1=10, x2=30, y2=20)
MEDIUM = Medium(id=new_id(), name="a.mp4", media_type="video", width_px=640, height_px=360)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, created("medium", MEDIUM))
        yield made


def drawn(session: Session, *, frame: int | None = 3) -> str:
    add = AddRegion(medium=MEDIUM.id, box=BOX, frame=frame, category="car")
    session.execute(add).result()
    return add.id


def moved(count: int, *, step: float = 5.0) -> tuple[tuple[Box, float], ...]:
    positions = (step * (number + 1) for number in range(count))
    return tuple((Box(x1=10 + dx, y1=10, x2=30 + dx, y2=20), 0.9) for dx in positions)


def proposals(session: Session) -> list[Region]:
    return list(session.reader.find(Region, is_proposed=1))


def test_track_when_stored_then_each_frame_has_a_proposal_of_the_same_object_and_undo_removes_them(
    session: Session,
) -> None:
    region = drawn(session)
    before = visible_state(session.path)
    session.execute(ProposeTrackedRegions(tracks={region: moved(3)})).result()
    after = visible_state(session.path)
    found = proposals(session)
    assert [(one.frame, one.number, one.box.x1) for one in found] == [(4, 0, 15), (5, 0, 20), (6, 0, 25)]
    assert {(one.made_by, one.score, one.category) for one in found} == {(TRACKER, 0.9, "car")}
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def test_track_when_a_frame_is_marked_then_its_region_stays_and_an_earlier_proposal_is_replaced(
    session: Session,
) -> None:
    region = drawn(session)
    session.execute(RepeatRegions(frames={region: 5})).result()
    session.execute(ProposeTrackedRegions(tracks={region: moved(3)})).result()
    session.execute(ProposeTrackedRegions(tracks={region: moved(3, step=2.0)})).result()
    everything = session.reader.find(Region, is_proposed=ANY)
    assert sorted((one.frame or 0, one.box.x1, one.is_proposed) for one in everything) == [
        (3, 10, False),
        (4, 12, True),
        (5, 10, False),
        (6, 16, True),
    ]


def test_track_when_an_object_leaves_the_image_then_only_the_frames_that_show_it_have_a_proposal(
    session: Session,
) -> None:
    leaving, staying = drawn(session), drawn(session)
    tracks = {leaving: moved(4, step=310.0), staying: moved(4)}
    session.execute(ProposeTrackedRegions(tracks={leaving: moved(4)})).result()
    session.execute(ProposeTrackedRegions(tracks=tracks)).result()
    numbers = {one.id: one.number for one in session.reader.find(Region)}
    found = [(one.number, one.frame, one.box.x2) for one in proposals(session)]
    assert [one for one in found if one[0] == numbers[leaving]] == [
        (numbers[leaving], 4, 340),
        (numbers[leaving], 5, 640),
    ]
    assert [frame for number, frame, _ in found if number == numbers[staying]] == [4, 5, 6, 7]


def test_track_when_accepted_then_is_tracked_on_from_there(session: Session) -> None:
    region = drawn(session)
    session.execute(ProposeTrackedRegions(tracks={region: moved(1)})).result()
    (proposal,) = proposals(session)
    session.execute(AcceptProposals(regions=(proposal.id,))).result()
    session.execute(ProposeTrackedRegions(tracks={proposal.id: moved(1)})).result()
    assert [one.frame for one in proposals(session)] == [5]


def test_track_when_the_region_is_a_polygon_then_its_corners_move_along(session: Session) -> None:
    add = AddPolygon(medium=MEDIUM.id, corners=((10, 10), (30, 10), (30, 20)), frame=0)
    session.execute(add).result()
    session.execute(ProposeTrackedRegions(tracks={add.id: moved(1)})).result()
    assert proposals(session)[0].polygon == ((15, 10), (35, 10), (35, 20))


def test_track_when_there_is_no_box_or_no_other_frame_then_says_so(session: Session) -> None:
    with pytest.raises(UserError, match="no box on this frame"):
        session.execute(ProposeTrackedRegions(tracks={})).result()
    still = drawn(session, frame=None)
    with pytest.raises(UserError, match="still image"):
        session.execute(ProposeTrackedRegions(tracks={still: moved(1)})).result()
