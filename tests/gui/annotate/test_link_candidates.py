"""Candidates for links from the geometry of the views, in the window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from annotator.commands.regions import AddRegion
from annotator.demo.camera import Camera
from annotator.domain.flag import Flag
from annotator.domain.record import new_id
from annotator.domain.region import Box
from annotator.domain.trajectory import Pose, Trajectory
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.annotate.test_links import X_PX, marked, numbers, type_links  # noqa: F401 - a fixture
from tests.gui.stage.hands import HEIGHT, WIDTH
from tests.gui.stage.test_painting import pixels_of
from tests.unit.store.making import created, write
from widgets.stage.tools.link import LinkTool

pytestmark = pytest.mark.allow_messages("does not support raise", "does not support grabbing")


def hint(person: AnnotatePerson) -> str:
    return person.annotate.page.status_line.chosen.text()


def test_candidate_when_a_region_is_clicked_then_enter_takes_the_expected_one(
    marked: AnnotatePerson,  # noqa: F811
) -> None:
    marked.press("S")
    marked.hands.click(X_PX[1] + 30, 130)
    assert hint(marked).startswith("0 px off · Link UAV1 1 with UAV2 1")
    marked.press("Return")
    assert numbers(marked) == [(1, 1)]
    # The tool stays for the next object.
    marked.hands.click(X_PX[2] + 30, 130)
    marked.press("Return")
    assert numbers(marked) == [(1, 1), (2, 2)]
    assert list(marked.session.reader.records(Flag)) == []


def test_candidate_when_tab_is_pressed_then_is_the_next_one_and_the_flag_is_told_at_once(
    marked: AnnotatePerson,  # noqa: F811
) -> None:
    marked.hands.click(X_PX[0] + 30, 130)
    marked.press("S")
    marked.press("Tab")
    assert "140 px off, over the limit of 19 px" in hint(marked)
    assert "with UAV2 1" in hint(marked)
    marked.press("Shift+Tab")
    marked.press("Tab")
    marked.press("Return")
    assert numbers(marked) == [(0, 1)]
    assert hint(marked).startswith("Flagged: UAV1 0 and UAV2 1 are 140 px apart on the ground plane")
    (flag,) = marked.session.reader.records(Flag)
    assert (flag.entity, flag.severity, flag.state) == ("link", "warning", "open")
    marked.press("Ctrl+Z")
    assert list(marked.session.reader.records(Flag)) == []


def test_candidate_when_a_region_is_linked_with_another_of_the_view_then_is_not_proposed(
    marked: AnnotatePerson,  # noqa: F811
) -> None:
    type_links(marked, "0-1")
    marked.annotate.stage.focus_view()
    marked.hands.click(X_PX[1] + 30, 130)
    marked.press("S")
    marked.press("Tab")
    # Region 1 of the second view is taken; a typed number says why it is refused, and promises no flag.
    assert "with UAV2 0" in hint(marked) or "with UAV2 2" in hint(marked)
    marked.press("Esc")
    marked.press("S")
    marked.press("1")
    marked.press("Return")
    assert "both in UAV1" in marked.window.banner.headline.text()
    assert "Flagged" not in hint(marked)
    assert numbers(marked) == [(0, 1)]


def test_tab_when_no_region_is_chosen_then_moves_the_focus_as_usual(
    marked: AnnotatePerson,  # noqa: F811
) -> None:
    marked.annotate.stage.focus_view()
    before = marked.window.focusWidget()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert marked.window.focusWidget() is not before


def test_candidate_when_only_poses_are_known_then_the_epipolar_line_is_drawn_and_orders_them(
    person: AnnotatePerson,
) -> None:
    stage = person.annotate.stage
    cameras = [
        Camera.over(at=(0.0, 0.0), distance_m=60.0, heading_deg=heading, tilt_deg=40.0)
        for heading in (0.0, 90.0)
    ]
    point = np.array([[6.0, 4.0, 5.0]])
    for number, (camera, canvas) in enumerate(zip(cameras, stage.canvases, strict=True), start=1):
        flight = Trajectory(
            id=new_id(),
            scene=stage.scene,
            view=f"UAV{number}",
            axes="east-north-up",
            poses=(Pose(x_m=camera.x_m, y_m=-camera.y_m, z_m=camera.altitude_m, yaw_deg=0.0),),
            orientations=(camera.orientation,),
            intrinsics=camera.intrinsics((WIDTH, HEIGHT)),
        )
        write(person.session, created("trajectory", flight))
        ((x, y),) = camera.project(point, size_px=(WIDTH, HEIGHT)).tolist()
        positions = [(x, y)] if number == 1 else [(x + 40, y - 80), (x, y)]
        for left, top in positions:
            box = Box(x1=left - 10, y1=top - 10, x2=left + 10, y2=top + 10)
            person.session.execute(AddRegion(medium=canvas.medium, box=box)).result()
    person.settle()
    stage.focus_view()
    person.press("S")
    person.hands.move(5, 5)
    before = pixels_of(stage.canvases[1].grab().toImage())
    ((x, y),) = cameras[0].project(point, size_px=(WIDTH, HEIGHT)).tolist()
    person.hands.click(x, y)
    tool = stage.tool
    assert isinstance(tool, LinkTool)
    assert tool.other is not None
    assert tool.other.number == 1
    person.hands.move(5, 5)
    after = pixels_of(stage.canvases[1].grab().toImage())
    # A line across the view, and the frame of the candidate.
    assert np.any(before != after, axis=2).sum() > 300
    person.press("Return")
    assert numbers(person) == [(0, 1)]
