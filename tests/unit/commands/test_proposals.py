from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from annotator.commands.command import Command
from annotator.commands.links import LinkRegions
from annotator.commands.proposals import AcceptProposals, RefuseProposals
from annotator.commands.region_shapes import AddPolygon, ChangeRotatedBox, ReshapeRegion
from annotator.commands.region_values import MarkAbnormal, SetCategory, SetRegionState, SetVisible
from annotator.commands.regions import AddRegion, MoveRegions
from annotator.domain.medium import Medium
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.domain.rotated_box import RotatedBox
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.media.render import Overlay, render
from annotator.queries.overlay_query import read_overlay
from annotator.session import Session
from tests.unit.store.making import created, visible_state, write

BOX = Box(x1=10.0, y1=10.0, x2=30.0, y2=20.0)
MEDIA = [Medium(id=new_id(), name=name, width_px=640, height_px=360) for name in ("a.png", "b.png")]
SCENE = Scene(
    id=new_id(),
    name="s",
    views=tuple(SceneView(name=f"UAV{n}", medium=one.id) for n, one in enumerate(MEDIA, start=1)),
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as made:
        write(made, *(created("medium", one) for one in MEDIA), created("scene", SCENE))
        yield made


def propose(session: Session, *, number: int = 4, medium: int = 0, category: str = "") -> Region:
    region = Region(
        id=new_id(), medium=MEDIA[medium].id, number=number, box=BOX, category=category, is_proposed=True
    )
    write(session, created("region", region))
    return region


def test_proposal_when_nobody_has_confirmed_it_then_no_search_count_release_or_renderer_has_it(
    session: Session,
) -> None:
    region = propose(session, category="bus")
    reader = session.reader
    assert list(reader.find(Region, medium=region.medium)) == []
    assert list(reader.records(Region)) == []
    assert list(reader.find(Region, is_proposed=ANY)) == [region]
    assert reader.counts()["region"] == 0
    assert list(reader.stream_json(Region)) == []
    assert reader.regions.categories() == []
    assert reader.regions.categories_of(region.medium) == []
    assert reader.regions.numbers(region.medium) == frozenset()
    assert read_overlay(reader, medium=region.medium).regions == ()
    picture = np.zeros((60, 80, 3), np.uint8)
    assert not render(picture, marks=Overlay(regions=(region,)), rendering="detected").any()


def test_proposal_when_accepted_then_is_a_region_with_its_number_and_undo_proposes_it_again(
    session: Session,
) -> None:
    region = propose(session)
    before = visible_state(session.path)
    session.execute(AcceptProposals(regions=(region.id,))).result()
    assert list(session.reader.records(Region)) == [msgspec.structs.replace(region, is_proposed=False)]
    after = visible_state(session.path)
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def test_proposal_when_refused_then_is_gone_until_undo(session: Session) -> None:
    region = propose(session)
    session.execute(RefuseProposals(regions=(region.id,))).result()
    assert list(session.reader.find(Region, is_proposed=ANY)) == []
    session.undo().result()
    assert list(session.reader.find(Region, is_proposed=ANY)) == [region]


CHANGES: dict[str, Callable[[str], Command]] = {
    "move": lambda one: MoveRegions(boxes={one: Box(x1=11, y1=10, x2=31, y2=20)}),
    "reshape": lambda one: ReshapeRegion(region=one, corners=((0, 0), (9, 0), (9, 9))),
    "rotate": lambda one: ChangeRotatedBox(
        region=one, shape=RotatedBox(x=40, y=40, width=20, height=10, angle_deg=30)
    ),
    "category": lambda one: SetCategory(regions=(one,), category="van"),
    "abnormal": lambda one: MarkAbnormal(regions=(one,), is_abnormal=True),
    "state": lambda one: SetRegionState(regions=(one,), state="occluded"),
    "visible": lambda one: SetVisible(region=one, visible=0.5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_proposal_when_a_person_changes_it_then_is_accepted_by_the_same_command(
    session: Session, change: str
) -> None:
    region = propose(session)
    session.execute(CHANGES[change](region.id)).result()
    (known,) = session.reader.records(Region)
    assert not known.is_proposed
    session.undo().result()
    assert list(session.reader.find(Region, is_proposed=1)) == [region]


def test_proposal_when_linked_then_is_accepted(session: Session) -> None:
    one, other = propose(session), propose(session, medium=1)
    session.execute(LinkRegions(scene=SCENE.id, regions=(one.id, other.id))).result()
    assert [known.is_proposed for known in session.reader.find(Region, is_proposed=ANY)] == [False, False]


def test_region_when_drawn_beside_a_proposal_then_gets_a_number_of_its_own(session: Session) -> None:
    propose(session, number=4)
    add = AddRegion(medium=MEDIA[0].id, box=BOX)
    session.execute(add).result()
    assert session.reader.require(Region, add.id).number == 5


def test_decision_when_nothing_is_proposed_then_says_so(session: Session) -> None:
    add = AddPolygon(medium=MEDIA[0].id, corners=((0, 0), (9, 0), (9, 9)))
    session.execute(add).result()
    for command in (AcceptProposals(regions=(add.id,)), RefuseProposals(regions=(add.id,))):
        with pytest.raises(UserError, match="None of these regions is a proposal"):
            session.execute(command).result()
    with pytest.raises(UserError, match="no proposals in view"):
        session.execute(AcceptProposals(regions=())).result()


def test_proposal_when_its_object_is_marked_on_the_frame_then_stays_a_proposal(session: Session) -> None:
    marked, other = propose(session), propose(session, number=5)
    session.execute(AcceptProposals(regions=(marked.id,))).result()
    twice = propose(session)
    with pytest.raises(UserError, match="Region 4 is marked on this frame already"):
        session.execute(AcceptProposals(regions=(twice.id,))).result()
    session.execute(AcceptProposals(regions=(twice.id, other.id))).result()
    assert [one.id for one in session.reader.find(Region, is_proposed=1)] == [twice.id]
