"""Annotation with and without help: a tracker, proposals of a detector, a segmenter."""

from __future__ import annotations

from collections.abc import Iterable

from annotator.domain.region import Box, Region
from annotator.errors import EnvironmentFailure
from tests.bench.hands.annotate_scripts import annotate_workspace
from tests.bench.hands.assist_material import FRAMES, OBJECTS, STAR, TURNING, object_box
from tests.bench.hands.counting_hands import CountingHands, Place, expect
from tests.bench.probes.eyes import wait_until

LEAST_OVERLAP = 0.6
"""Overlap (IoU) with the true box from which a box is right."""


def track_ten_by_interpolation(hands: CountingHands) -> None:
    """Mark ten objects on the first and the last frame, those that turn also between; interpolate."""
    _draw_ten(hands)
    hands.press("Ctrl+A")
    _go(hands, "End")
    hands.press("Ctrl+D")
    hands.press("V")
    _drag_boxes(hands, range(OBJECTS), before=0, after=FRAMES - 1)
    # Those that turn have to be right half-way: their copies there begin at the last frame's boxes.
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.press("Esc")
    for number in sorted(TURNING):
        hands.click(canvas, _middle(number, FRAMES - 1), is_adding=True)
    _go(hands, "<")
    hands.press("Ctrl+D")
    _drag_boxes(hands, sorted(TURNING), before=FRAMES - 1, after=(FRAMES - 1) // 2)
    _go(hands, "End")
    hands.press("Ctrl+A")
    hands.press("Shift+T")
    hands.press("Ctrl+Return")
    _expect_tracks(hands)


def track_ten_by_tracker(hands: CountingHands) -> None:
    """Mark ten objects on the first frame, track them, and confirm frame after frame."""
    _draw_ten(hands)
    hands.press("Ctrl+A")
    hands.press("Shift+M")
    # The first press goes to the first proposals.
    hands.press("Shift+C")
    for _ in range(FRAMES - 1):
        hands.think()
        hands.press("Shift+C")
    _expect_tracks(hands)


def track_ten_and_accept_all(hands: CountingHands) -> None:
    """Mark ten objects on the first frame, track them, watch the video, and accept all proposals."""
    _draw_ten(hands)
    hands.press("Ctrl+A")
    hands.press("Shift+M")
    _go(hands, "End")
    hands.think()
    hands.press("Ctrl+Shift+V")
    _expect_tracks(hands)


def draw_ten_boxes(hands: CountingHands) -> None:
    """Draw a box around each of ten objects."""
    _draw_ten(hands)
    _expect_right(hands, frames=(None,))


def accept_ten_proposals(hands: CountingHands) -> None:
    """Look at ten proposals of a detector, and accept each."""
    annotate_workspace(hands)
    hands.begin()
    hands.press("Alt+PgDown")
    for _ in range(OBJECTS):
        hands.think()
        hands.press("Shift+V")
    _expect_right(hands, frames=(None,))


def draw_a_polygon(hands: CountingHands) -> None:
    """Click the corners of an object, and close its outline."""
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.begin()
    hands.press("G")
    for corner in STAR:
        hands.click(canvas, corner)
    hands.press("Return")
    _expect_polygon(hands)


def segment_a_polygon(hands: CountingHands) -> None:
    """Click an object, and add the outline that the segmenter proposes."""
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.begin()
    hands.press("Shift+Z")
    hands.click(canvas, (320.0, 190.0))
    hands.think()
    hands.press("Return")
    _expect_polygon(hands)


def _draw_ten(hands: CountingHands) -> None:
    """Draw the boxes of the first frame; no category is chosen, which takes no action."""
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.begin()
    hands.press("B")
    for number in range(OBJECTS):
        hands.think()
        box = object_box(number, 0)
        hands.drag(canvas, (box.x1, box.y1), (box.x2, box.y2))
    # The list of categories of the last box is open, and would take the next key.
    hands.press("Esc")


def _go(hands: CountingHands, key: str) -> None:
    """Go to another frame of the video, and wait until it is on the screen."""
    hands.press(key)
    (video,) = annotate_workspace(hands).stage.player.videos
    wait_until(lambda: not video.is_late, what="the frame")
    hands.rest()


def _drag_boxes(hands: CountingHands, numbers: Iterable[int], *, before: int, after: int) -> None:
    canvas = annotate_workspace(hands).stage.canvases[0]
    hands.press("Esc")
    for number in numbers:
        hands.think()
        hands.drag(canvas, _middle(number, before), _middle(number, after))


def _middle(number: int, frame: int) -> Place:
    box = object_box(number, frame)
    return (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2


def _expect_tracks(hands: CountingHands) -> None:
    _expect_right(hands, frames=tuple(range(FRAMES)))


def _expect_right(hands: CountingHands, *, frames: tuple[int | None, ...]) -> None:
    """Raise an error unless each object has one box that is right on each frame."""
    found = {(one.number, one.frame): one.box for one in hands.reader.records(Region)}
    expect(len(found) == OBJECTS * len(frames), what=f"{OBJECTS} boxes on {len(frames)} frames")
    for frame in frames:
        for number in range(OBJECTS):
            overlap = _overlap(found[number, frame], object_box(number, frame or 0))
            if overlap < LEAST_OVERLAP:
                raise EnvironmentFailure(f"Box {number} on frame {frame} overlaps by {overlap:.2f} only.")


def _expect_polygon(hands: CountingHands) -> None:
    (region,) = hands.reader.records(Region)
    xs, ys = zip(*STAR, strict=True)
    around = Box(x1=min(xs), y1=min(ys), x2=max(xs), y2=max(ys))
    expect(len(region.polygon) >= len(STAR), what="a polygon of the object")
    expect(_overlap(region.box, around) > 0.9, what="the outline of the object")


def _overlap(one: Box, other: Box) -> float:
    width = min(one.x2, other.x2) - max(one.x1, other.x1)
    height = min(one.y2, other.y2) - max(one.y1, other.y1)
    inner = max(0.0, width) * max(0.0, height)
    areas = [(box.x2 - box.x1) * (box.y2 - box.y1) for box in (one, other)]
    return inner / (sum(areas) - inner)
