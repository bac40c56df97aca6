from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.ground_proposals import GROUND, ProposeInOtherViews
from annotator.commands.links import LinkRegions
from annotator.commands.proposals import AcceptProposals
from annotator.commands.regions import AddRegion, RemoveRegions
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.media.ground_plane import IDENTITY
from annotator.session import Session
from tests.unit.store.making import created, visible_state, write

MEDIA = [Medium(id=new_id(), name=f"{n}.png", width_px=640, height_px=360) for n in range(4)]
TWICE = (0.5, 0.0, 50.0, 0.0, 0.5, 20.0, 0.0, 0.0, 1.0)
"""A view at twice the size: its pixel (x, y) is (x / 2 + 50, y / 2 + 20) of the first view."""
SCENE = Scene(
    id=new_id(),
    name="s",
    views=tuple(
        SceneView(name=f"UAV{n}", medium=one.id, to_ground=to_ground)
        for n, (one, to_ground) in enumerate(zip(MEDIA, (IDENTITY, TWICE, IDENTITY, ()), strict=True), 1)
    ),
)
BOX = Box(x1=100.0, y1=60.0, x2=140.0, y2=90.0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, *(created("medium", one) for one in MEDIA), created("scene", SCENE))
        yield made


def drawn(session: Session, *, medium: int = 0, box: Box = BOX) -> str:
    add = AddRegion(medium=MEDIA[medium].id, box=box, category="car")
    session.execute(add).result()
    return add.id


def propose(session: Session, *regions: str) -> None:
    session.execute(ProposeInOtherViews(scene=SCENE.id, regions=regions, frames={})).result()


def proposals(session: Session) -> dict[str, Region]:
    return {one.medium: one for one in session.reader.find(Region, is_proposed=1)}


def test_region_when_views_share_the_ground_then_is_proposed_at_its_place_and_undo_removes_it(
    session: Session,
) -> None:
    region = drawn(session)
    before = visible_state(session.path)
    propose(session, region)
    after = visible_state(session.path)
    found = proposals(session)
    assert set(found) == {MEDIA[1].id, MEDIA[2].id}
    box = found[MEDIA[1].id].box
    assert (box.x1, box.y1, box.x2, box.y2) == pytest.approx((100.0, 80.0, 180.0, 140.0))
    assert {(one.made_by, one.category) for one in found.values()} == {(GROUND, "car")}
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def links(session: Session) -> list[set[str]]:
    return [set(link.regions) for link in session.reader.find(Link, scene=SCENE.id)]


def test_proposals_when_they_are_accepted_in_their_scene_then_are_linked_with_their_region_in_one_step(
    session: Session,
) -> None:
    region, other = drawn(session), drawn(session, box=Box(x1=200.0, y1=60.0, x2=240.0, y2=90.0))
    propose(session, region, other)
    before = visible_state(session.path)
    ids = {one.id: one.mapped_from for one in session.reader.find(Region, is_proposed=1)}
    session.execute(AcceptProposals(regions=tuple(ids), scene=SCENE.id)).result()
    assert proposals(session) == {}
    wanted = [{source, *(one for one, of in ids.items() if of == source)} for source in (region, other)]
    assert sorted(map(sorted, links(session))) == sorted(map(sorted, wanted))
    assert [len(link) for link in links(session)] == [3, 3]
    session.undo().result()
    assert visible_state(session.path) == before


def test_proposal_when_its_region_is_linked_then_joins_that_link_unless_the_view_has_its_region(
    session: Session,
) -> None:
    region = drawn(session)
    propose(session, region)
    own = {medium: one.id for medium, one in proposals(session).items()}
    elsewhere = drawn(session, medium=1, box=Box(x1=400.0, y1=200.0, x2=440.0, y2=240.0))
    session.execute(LinkRegions(scene=SCENE.id, regions=(region, elsewhere))).result()
    session.execute(AcceptProposals(regions=tuple(own.values()), scene=SCENE.id)).result()
    assert links(session) == [{region, elsewhere, own[MEDIA[2].id]}]
    # The other one is a region of its own.
    assert proposals(session) == {}


def test_proposal_when_its_region_is_gone_or_no_scene_is_given_then_is_accepted_without_a_link(
    session: Session,
) -> None:
    region = drawn(session)
    propose(session, region)
    first, second = (one.id for one in proposals(session).values())
    session.execute(AcceptProposals(regions=(first,))).result()
    session.execute(RemoveRegions(regions=(region,))).result()
    session.execute(AcceptProposals(regions=(second,), scene=SCENE.id)).result()
    assert (links(session), proposals(session)) == ([], {})


def test_region_when_it_is_linked_or_its_place_is_marked_then_that_view_is_left_out(session: Session) -> None:
    region = drawn(session)
    elsewhere = drawn(session, medium=1, box=Box(x1=400.0, y1=200.0, x2=440.0, y2=240.0))
    session.execute(LinkRegions(scene=SCENE.id, regions=(region, elsewhere))).result()
    drawn(session, medium=2, box=Box(x1=102.0, y1=62.0, x2=142.0, y2=92.0))
    with pytest.raises(UserError, match="No other view has a free place"):
        propose(session, region)


def test_regions_when_proposed_again_then_nothing_is_proposed_twice(session: Session) -> None:
    region = drawn(session)
    propose(session, region)
    with pytest.raises(UserError, match="No other view has a free place"):
        propose(session, region)


def test_region_when_another_view_does_not_see_its_place_then_is_not_proposed_there(session: Session) -> None:
    region = drawn(session, box=Box(x1=2.0, y1=2.0, x2=40.0, y2=16.0))
    propose(session, region)
    assert set(proposals(session)) == {MEDIA[2].id}


def test_region_when_no_ground_is_shared_or_nothing_is_marked_then_says_so(session: Session) -> None:
    region = drawn(session, medium=3)
    with pytest.raises(UserError, match="is not known"):
        propose(session, region)
    with pytest.raises(UserError, match="no region in this view"):
        propose(session)
