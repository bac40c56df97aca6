"""Items that name a region follow its number, and are flagged when it is removed; one undo for all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.region_mentions import RenumberRegion
from annotator.commands.region_values import LockRegions
from annotator.commands.regions import RemoveRegions
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.region import Box, Region
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, a_medium, a_scene, an_item, created, write

BOX = Box(x1=0, y1=0, x2=9, y2=9)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        media = [a_medium(id=name, name=f"{name}.jpg") for name in ("m1", "m2")]
        regions = [
            Region(id=f"{medium}-{number}", medium=medium, number=number, box=BOX)
            for medium, number in (("m1", 3), ("m1", 7), ("m2", 3), ("m2", 9))
        ]
        write(
            opened,
            *(created("medium", medium) for medium in media),
            created("scene", a_scene("m1", "m2", id="s")),
            *(created("region", region) for region in regions),
        )
        yield opened


def add(session: Session, **fields: object) -> Item:
    usual = {"task_set": "spatialuav", "scene": "s", "media": ("m1", "m2"), "state": "accepted"}
    item = an_item(**{**usual, **fields})
    write(session, created("item", item))
    return item


def stored(session: Session, item: Item) -> Item:
    return session.reader.require(Item, item.id)


def open_flags(session: Session) -> list[tuple[str, str, str]]:
    return [(f.kind, f.target, f.field) for f in session.reader.find(Flag, state="open")]


def test_renumber_region_when_items_name_it_then_they_follow_and_one_undo_takes_all_back(
    session: Session,
) -> None:
    options = (Option(letter="A", text="Region 7"), Option(letter="B", text="Region 9"))
    asked = add(session, question="Which is the same as Region 7 in UAV1?", options=options, answer_key="B")
    pairs = add(session, answer_format="pair_list", answer_key="7-9, 3-3")
    alone = add(session, scene="", media=("m1",), answer_format="region_set", answer_key="Region 3, 7")
    session.execute(RenumberRegion(region="m1-7", number=12)).result()
    assert session.reader.require(Region, "m1-7").number == 12
    now = stored(session, asked)
    assert now.question == "Which is the same as Region 12 in UAV1?"
    assert ([option.text for option in now.options], now.answer_key) == (["Region 12", "Region 9"], "B")
    # The meaning is the same: what was accepted stays accepted.
    assert now.state == "accepted"
    assert stored(session, pairs).answer_key == "12-9, 3-3"
    assert stored(session, alone).answer_key == "Region 3, 12"
    assert open_flags(session) == []
    session.undo().result()
    assert [stored(session, item) for item in (asked, pairs, alone)] == [asked, pairs, alone]
    assert session.reader.require(Region, "m1-7").number == 7


def test_renumber_region_when_a_name_can_be_of_two_views_then_it_stays_and_is_flagged(
    session: Session,
) -> None:
    doubtful = add(session, question="How far away is Region 3 from the drone?")
    qualified = add(session, question="Is Region 3 of UAV2 nearer than Region 3 of UAV1?")
    pairs = add(session, answer_format="pair_list", answer_key="3-3")
    session.execute(RenumberRegion(region="m1-3", number=4)).result()
    assert stored(session, doubtful).question == doubtful.question
    assert open_flags(session) == [("region_ambiguous", doubtful.id, "question")]
    assert stored(session, qualified).question == "Is Region 3 of UAV2 nearer than Region 4 of UAV1?"
    assert stored(session, pairs).answer_key == "4-3"


def test_renumber_region_when_it_has_boxes_on_several_frames_then_all_get_the_number(
    session: Session,
) -> None:
    later = Region(id="later", medium="m1", number=7, box=BOX, frame=5)
    write(session, created("region", later))
    session.execute(RenumberRegion(region="m1-7", number=0)).result()
    assert {session.reader.require(Region, each).number for each in ("m1-7", "later")} == {0}


@pytest.mark.parametrize(
    ("region", "number", "message"),
    [
        ("m1-7", 3, "Another region of this view has the number 3."),
        ("m1-7", -1, "-1 is not a valid region number."),
        ("nobody", 5, "There is no region nobody."),
    ],
)
def test_renumber_region_when_it_is_not_possible_then_nothing_changes(
    session: Session, region: str, number: int, message: str
) -> None:
    with pytest.raises(UserError) as error:
        session.execute(RenumberRegion(region=region, number=number)).result()
    assert error.value.message == message


def test_renumber_region_when_it_is_locked_then_it_is_refused(session: Session) -> None:
    session.execute(LockRegions(regions=("m1-7",), is_locked=True)).result()
    with pytest.raises(UserError, match="Region 7 is locked"):
        session.execute(RenumberRegion(region="m1-7", number=8)).result()


def test_remove_regions_when_items_name_them_then_each_is_flagged_until_the_removal_is_undone(
    session: Session,
) -> None:
    asked = add(session, question="What is beside Region 7?", answer_key="Region 9 of UAV2")
    add(session, question="What is beside Region 9 of UAV2?")
    add(session, question="What is beside Region 7?", state="rejected")
    session.execute(RemoveRegions(regions=("m1-7",))).result()
    assert open_flags(session) == [("region_removed", asked.id, "question")]
    (flag,) = session.reader.flags_of(asked.id)
    assert flag.message == "The item names a region that was removed: Region 7."
    session.undo().result()
    assert open_flags(session) == []


def test_remove_regions_when_another_box_has_the_number_then_no_item_is_flagged(session: Session) -> None:
    write(session, created("region", Region(id="later", medium="m1", number=7, box=BOX, frame=5)))
    add(session, question="What is beside Region 7?")
    session.execute(RemoveRegions(regions=("later",))).result()
    assert open_flags(session) == []
    session.execute(RemoveRegions(regions=("m1-7",))).result()
    assert [kind for kind, *_ in open_flags(session)] == ["region_removed"]
