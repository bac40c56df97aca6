"""Proposed regions at the window: drawn apart, and decided on by one key each."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtGui import QColor

from annotator.commands.regions import AddRegion
from annotator.domain.event import Edit
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.media.ground_plane import IDENTITY
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.unit.store.making import created, write
from widgets.stage.canvas import StageCanvas

BOXES = ((100, 100, 180, 160), (300, 120, 380, 200), (420, 220, 500, 300))


@pytest.fixture
def proposed(person: AnnotatePerson) -> tuple[str, ...]:
    """Propose three regions in the first view, and return their ids."""
    (first, _) = person.annotate.stage.canvases
    regions = [
        Region(
            id=new_id(),
            medium=first.medium,
            number=number,
            box=Box(x1=x1, y1=y1, x2=x2, y2=y2),
            category="bus",
            score=0.8,
            made_by="finder 1",
            is_proposed=True,
        )
        for number, (x1, y1, x2, y2) in enumerate(BOXES)
    ]
    write(person.session, *(created("region", region) for region in regions))
    person.qtbot.waitUntil(lambda: len(person.annotate.stage.canvases[0].marks.ids) == len(BOXES))
    person.settle()
    return tuple(region.id for region in regions)


def states(person: AnnotatePerson) -> dict[int, bool]:
    """Return by number whether a region is proposed."""
    return {one.number: one.is_proposed for one in person.session.reader.find(Region, is_proposed=ANY)}


def count_of_colour(canvas: StageCanvas, region: str, *, is_lighter: bool) -> int:
    """Return how many pixels along the upper edge of a region have its colour, or that of its proposal."""
    known = canvas.marks.region(region)
    assert known is not None
    full = QColor.fromRgb(int(canvas.marks.colours("annotated")[canvas.marks.ids[region]]))
    wanted = QColor(*((one + 256) // 2 for one in full.getRgb()[:3])) if is_lighter else full
    rect, image = canvas.region_rect(known), canvas.ground()
    across = range(round(rect.left()), round(rect.right()))
    rows = range(round(rect.top()) - 2, round(rect.top()) + 3)
    near = [QColor(image.pixel(x, y)) for x in across for y in rows]
    return sum(
        max(abs(a - b) for a, b in zip(one.getRgb(), wanted.getRgb(), strict=True)) <= 1 for one in near
    )


@pytest.mark.usefixtures("proposed")
def test_proposals_when_accepted_and_refused_by_key_then_each_key_goes_on_to_the_next(
    person: AnnotatePerson,
) -> None:
    person.press("Alt+PgDown")
    assert "Shift+V: accept · Shift+X: refuse" in person.annotate.page.status_line.chosen.text()
    person.press("Shift+V")
    person.press("Shift+X")
    assert states(person) == {0: False, 2: True}
    person.press("Shift+V")
    assert states(person) == {0: False, 2: False}
    for expected in ({0: False, 2: True}, {0: False, 1: True, 2: True}, {0: True, 1: True, 2: True}):
        person.press("Ctrl+Z")
        assert states(person) == expected


def test_proposal_when_no_one_is_selected_then_accept_selects_the_first(
    person: AnnotatePerson, proposed: tuple[str, ...]
) -> None:
    person.press("Shift+V")
    assert person.annotate.stage.selected == proposed[:1]
    assert all(states(person).values())


@pytest.mark.usefixtures("proposed")
def test_proposals_when_all_in_view_are_accepted_then_it_is_one_undo_step(person: AnnotatePerson) -> None:
    person.press("Shift+C")
    assert states(person) == {0: False, 1: False, 2: False}
    person.press("Ctrl+Z")
    assert states(person) == {0: True, 1: True, 2: True}


def test_proposal_when_nudged_then_is_accepted_where_it_was_moved(
    person: AnnotatePerson, proposed: tuple[str, ...]
) -> None:
    person.press("Alt+PgDown")
    person.press("Right")
    person.settle()
    known = person.session.reader.require(Region, proposed[0])
    assert (known.is_proposed, known.box.x1) == (False, BOXES[0][0] + 1)


def test_proposal_when_dragged_then_is_accepted(person: AnnotatePerson, proposed: tuple[str, ...]) -> None:
    person.hands.drag((140, 130), (150, 140))
    person.settle()
    assert not person.session.reader.require(Region, proposed[0]).is_proposed


def test_proposal_when_drawn_then_is_dashed_and_lighter_until_it_is_accepted(
    person: AnnotatePerson, proposed: tuple[str, ...]
) -> None:
    canvas = person.annotate.stage.canvases[0]
    assert person.rows()[1] == "Region 0  bus · proposed"
    assert count_of_colour(canvas, proposed[0], is_lighter=False) == 0
    dashes = count_of_colour(canvas, proposed[0], is_lighter=True)
    person.press("Shift+C")
    person.qtbot.waitUntil(lambda: not canvas.marks.is_proposed.any())
    line = count_of_colour(canvas, proposed[0], is_lighter=False)
    assert 0.3 * line < dashes < 0.8 * line
    assert person.rows()[1] == "Region 0  bus"


def test_proposal_when_there_is_none_then_the_window_says_so(person: AnnotatePerson) -> None:
    person.press("Shift+C")
    assert "no proposals in view" in person.window.banner.headline.text()


def test_region_when_the_views_share_their_ground_then_one_key_proposes_it_in_the_other_view(
    person: AnnotatePerson,
) -> None:
    (first, second) = person.annotate.stage.canvases
    scene = person.session.reader.require(Scene, person.annotate.stage.scene)
    views = tuple(msgspec.structs.replace(view, to_ground=IDENTITY) for view in scene.views)
    write(person.session, Edit(entity="scene", entity_id=scene.id, field="views", value=views))
    person.settle()
    person.press("Shift+Y")
    assert "no region in this view" in person.window.banner.headline.text()
    region = AddRegion(medium=first.medium, box=Box(x1=100, y1=100, x2=180, y2=160))
    person.session.execute(region).result()
    person.qtbot.waitUntil(lambda: len(person.annotate.stage.canvases[0].marks.ids) == 1)
    person.press("Shift+Y")
    (proposal,) = person.session.reader.find(Region, is_proposed=1)
    assert (proposal.medium, proposal.box) == (second.medium, region.box)
    person.press("Ctrl+Z")
    assert list(person.session.reader.find(Region, is_proposed=1)) == []
