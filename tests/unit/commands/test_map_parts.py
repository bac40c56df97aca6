from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.map_parts import MarkRooms, SetHeight
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import created, write

REGION = Region(id="r", medium="m", number=0, box=Box(x1=0, y1=0, x2=9, y2=9), height_m=0.5)
OTHER = Region(id="s", medium="m", number=1, box=Box(x1=0, y1=0, x2=9, y2=9), is_room=True)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        write(opened, created("region", REGION), created("region", OTHER))
        yield opened


def _regions(session: Session) -> dict[str, Region]:
    return {region.id: region for region in session.reader.records(Region)}


def test_rooms_when_marked_then_all_are_and_heights_are_gone_until_undone(session: Session) -> None:
    session.execute(MarkRooms(regions=("r", "s"), is_room=True)).result()
    assert [(one.is_room, one.height_m) for one in _regions(session).values()] == [(True, None)] * 2
    session.undo().result()
    assert (_regions(session)["r"].is_room, _regions(session)["r"].height_m) == (False, 0.5)
    session.redo().result()
    assert _regions(session)["r"].is_room
    session.execute(MarkRooms(regions=("r", "s"), is_room=False)).result()
    assert not any(one.is_room for one in _regions(session).values())


def test_height_when_set_then_it_is_kept_and_undone(session: Session) -> None:
    session.execute(SetHeight(region="r", height_m=1.25)).result()
    assert _regions(session)["r"].height_m == 1.25
    session.execute(SetHeight(region="r", height_m=None)).result()
    assert _regions(session)["r"].height_m is None
    session.undo().result()
    session.undo().result()
    assert _regions(session)["r"].height_m == 0.5


@pytest.mark.parametrize("height_m", [-0.1, 1000.1, math.nan, math.inf])
def test_height_when_impossible_then_it_is_refused(session: Session, height_m: float) -> None:
    with pytest.raises(UserError, match="between 0 and 1,000 metres"):
        session.execute(SetHeight(region="r", height_m=height_m)).result()


def test_height_when_the_region_is_a_room_then_it_is_refused(session: Session) -> None:
    with pytest.raises(UserError, match="A room has no height"):
        session.execute(SetHeight(region="s", height_m=1.0)).result()
    session.execute(SetHeight(region="s", height_m=None)).result()
    assert SetHeight(region="r", height_m=None).summary.code == "set_height"
