from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.commands.region_values import SetCategory, SetVisible
from annotator.commands.regions import AddRegion, RemoveRegions
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.queries.region_queries import LAST_REGION, NEXT_CATEGORY
from annotator.session import Session
from annotator.store.connection import connect
from tests.unit.store.making import created, write

BOX = Box(x1=1.0, y1=1.0, x2=9.0, y2=9.0)
MEDIUM = Medium(id=new_id(), name="a.png", width_px=640, height_px=360)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, created("medium", MEDIUM))
        yield made


def add(session: Session, category: str = "") -> str:
    command = AddRegion(medium=MEDIUM.id, box=BOX, category=category)
    session.execute(command).result()
    return command.id


def categories(session: Session) -> list[str]:
    return [one.category for one in session.reader.records(Region)]


def test_category_when_set_then_undo_and_redo_follow(session: Session) -> None:
    ids = (add(session, "car"), add(session))
    session.execute(SetCategory(regions=ids, category="  big  van ")).result()
    assert categories(session) == ["big van", "big van"]
    session.undo().result()
    assert categories(session) == ["car", ""]
    session.redo().result()
    assert categories(session) == ["big van", "big van"]


def test_category_when_it_is_the_same_then_nothing_is_changed(session: Session) -> None:
    ids = (add(session, "car"),)
    before = session.reader.log.position
    session.execute(SetCategory(regions=ids, category="car")).result()
    assert session.reader.log.event_total() == before


def test_category_when_the_region_is_gone_then_is_refused(session: Session) -> None:
    with pytest.raises(UserError, match="no region"):
        session.execute(SetCategory(regions=("0" * 32,), category="car")).result()


def test_categories_when_listed_then_that_of_the_newest_region_comes_first(session: Session) -> None:
    for category in ("car", "bus", "", "car", "tram"):
        add(session, category)
    assert session.reader.regions.categories() == ["tram", "car", "bus"]


def test_categories_when_their_regions_are_removed_then_are_not_listed(session: Session) -> None:
    first, _ = add(session, "car"), add(session, "bus")
    session.execute(RemoveRegions(regions=(first,))).result()
    assert session.reader.regions.categories() == ["bus"]


def test_categories_when_there_are_many_regions_then_are_read_off_the_index(session: Session) -> None:
    with closing(connect(session.path, read_only=True)) as connection:
        for select in (NEXT_CATEGORY, LAST_REGION):
            plan = connection.execute(f"EXPLAIN QUERY PLAN {select}", ("a",)).fetchall()
            (step,) = (row[3] for row in plan)
            assert step.startswith("SEARCH region USING COVERING INDEX")


def test_visible_part_when_set_then_undo_follows_and_a_wrong_one_is_refused(session: Session) -> None:
    region = add(session)
    session.execute(SetVisible(region=region, visible=0.25)).result()
    assert session.reader.require(Region, region).visible == 0.25
    session.undo().result()
    assert session.reader.require(Region, region).visible is None
    with pytest.raises(UserError, match="not between 0 and 100"):
        session.execute(SetVisible(region=region, visible=1.5)).result()
