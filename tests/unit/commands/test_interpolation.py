from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.interpolation import MOST_BOXES, InterpolateTracks
from annotator.commands.region_shapes import RepeatRegions
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.commands.tracked_regions import ProposeTrackedRegions
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


def track(session: Session, *frames: int) -> str:
    """Mark an object on frames, each ten pixels per frame further right; return the first region."""
    add = AddRegion(medium=MEDIUM.id, box=BOX, frame=frames[0])
    session.execute(add).result()
    for frame in frames[1:]:
        repeat = RepeatRegions(frames={add.id: frame})
        session.execute(repeat).result()
        right = 10 * (frame - frames[0])
        box = Box(x1=10 + right, y1=10, x2=30 + right, y2=20)
        session.execute(MoveRegions(boxes={repeat.ids[add.id]: box})).result()
    return add.id


def test_tracks_when_interpolated_then_every_frame_between_has_a_box_and_undo_removes_them(
    session: Session,
) -> None:
    first, second = track(session, 0, 3, 4, 8), track(session, 2, 5)
    before = visible_state(session.path)
    session.execute(InterpolateTracks(regions=(first, second))).result()
    after = visible_state(session.path)
    boxes = {(r.number, r.frame): r.box.x1 for r in session.reader.records(Region)}
    assert boxes == {(0, n): 10 + 10 * n for n in range(9)} | {(1, n): 10 + 10 * (n - 2) for n in range(2, 6)}
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def test_track_when_two_of_its_regions_are_given_then_is_interpolated_once(session: Session) -> None:
    first = track(session, 0, 4)
    last = next(r.id for r in session.reader.records(Region) if r.frame == 4)
    session.execute(InterpolateTracks(regions=(first, last))).result()
    assert sorted(r.frame or 0 for r in session.reader.records(Region)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("frames", "message"), [((0, 1), "No frame lies between"), ((0, MOST_BOXES + 2), "20,001 frames lie")]
)
def test_track_when_there_is_nothing_or_too_much_between_then_says_so(
    session: Session, frames: tuple[int, ...], message: str
) -> None:
    first = track(session, frames[0])
    session.execute(RepeatRegions(frames={first: frames[1]})).result()
    with pytest.raises(UserError, match=message):
        session.execute(InterpolateTracks(regions=(first,))).result()


def test_track_when_a_frame_between_has_its_proposal_then_the_box_replaces_it_until_undo(
    session: Session,
) -> None:
    first = track(session, 0, 4)
    after = ((BOX, 0.9),) * 6
    session.execute(ProposeTrackedRegions(tracks={first: after})).result()
    before = visible_state(session.path)
    session.execute(InterpolateTracks(regions=(first,))).result()
    known = sorted((one.frame or 0, one.is_proposed) for one in session.reader.find(Region, is_proposed=ANY))
    assert known == [*((frame, False) for frame in range(5)), (5, True), (6, True)]
    session.undo().result()
    assert visible_state(session.path) == before
