"""Work in the Annotate workspace."""

from __future__ import annotations

from annotator.domain.link import Link
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.errors import EnvironmentFailure
from tests.bench.hands.counting_hands import CountingHands, expect
from tests.bench.hands.project import OBJECTS, region_position
from widgets.annotate.slot import AnnotateSlot
from widgets.annotate.workspace import AnnotateWorkspace

CORNERS = ((60.0, 300.0), (200.0, 260.0), (340.0, 320.0), (560.0, 280.0))
"""The points of a path."""
HIDDEN = ((300.0, 200.0), (360.0, 240.0))
"""Corners of a hidden place."""


def link_six_objects(hands: CountingHands) -> None:
    """Link six objects of a pair of pictures; each has to be recognised in the other one."""
    first, second = annotate_workspace(hands).stage.canvases
    hands.begin()
    hands.press("S")
    for number in range(OBJECTS):
        hands.think()
        hands.click(first, region_position(number))
        hands.click(second, region_position(number))
    expect(len(list(hands.reader.records(Link))) == OBJECTS, what="six links")


def mark_an_occlusion(hands: CountingHands) -> None:
    """Mark that an object of the second view is hidden in the first one."""
    first, second = annotate_workspace(hands).stage.canvases
    hands.begin()
    hands.think()
    hands.click(second, region_position(0))
    hands.press("Shift+S")
    hands.think()
    hands.drag(first, *HIDDEN)
    (link,) = hands.reader.records(Link)
    region = next(one for one in hands.reader.records(Region) if one.state == "occluded")
    expect(region.medium == first.medium and region.id in link.regions, what="the hidden place")


def draw_a_path(hands: CountingHands) -> None:
    """Draw a path of four points."""
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.begin()
    hands.press("P")
    hands.think()
    for corner in CORNERS:
        hands.click(canvas, corner)
    hands.press("Return")
    paths = list(hands.reader.records(Polyline))
    expect(len(paths) == 1 and len(paths[0].points) == len(CORNERS), what="one path of four points")


def annotate_workspace(hands: CountingHands) -> AnnotateWorkspace:
    """Return the workspace, with the keyboard at its stage."""
    found = hands.window.slots.find(AnnotateSlot).workspace
    if found is None:
        raise EnvironmentFailure("The Annotate workspace did not open.")
    found.focus_stage()
    return found
