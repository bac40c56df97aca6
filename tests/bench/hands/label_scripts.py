"""Work on a record of AirCopBench in the event-level form."""

from __future__ import annotations

from collections import Counter

from annotator.domain.event_label import EventLabel, ObjectCount
from tests.bench.hands.annotate_scripts import annotate_workspace
from tests.bench.hands.counting_hands import CountingHands, expect
from tests.bench.hands.project import OCCLUDED, SEEN, SMALL
from widgets.stage.canvas import StageCanvas

COUNT = 17
"""Objects that a person counts; the detector has found fewer."""


def label_with_proposals(hands: CountingHands) -> None:
    """Complete the record from proposals: mark two objects as occluded, drop a box, correct the count."""
    canvas = _open_form(hands)
    hands.begin()
    hands.press("R")
    hands.think()
    hands.press("I")
    hands.click(canvas, OCCLUDED[0][:2])
    hands.click(canvas, OCCLUDED[1][:2], is_adding=True)
    hands.press("1")
    hands.think()
    hands.click(canvas, SEEN[:2])
    hands.press("2")
    hands.think()
    hands.press("C")
    hands.press_each(str(COUNT))
    hands.press("K")
    hands.press("Ctrl+Return")
    _expect_record(hands)


def label_by_hand(hands: CountingHands) -> None:
    """Complete the record without proposals: draw five boxes and answer each field."""
    canvas = _open_form(hands)
    hands.press("Esc")
    hands.begin()
    hands.press("B")
    hands.press("Shift+F")
    # Quality and usability lead to the next field by themselves.
    hands.think()
    hands.press_each("41123")
    hands.press("C")
    hands.press_each(str(COUNT))
    hands.press("D")
    hands.press_each("12")
    hands.press("I")
    for x, y, side in SMALL:
        _draw(hands, canvas, x, y, side, digit="2")
    for x, y, side in OCCLUDED:
        _draw(hands, canvas, x, y, side, digit="1")
    hands.think()
    hands.press("N")
    # The last box is still selected, and what is needed is the next field.
    hands.press_each("11")
    hands.press("H")
    hands.press("1")
    hands.press("Y")
    hands.press_each("12")
    hands.press("Ctrl+Return")
    _expect_record(hands)


def _draw(hands: CountingHands, canvas: StageCanvas, x: float, y: float, side: float, *, digit: str) -> None:
    hands.think()
    hands.drag(canvas, (x - side / 2, y - side / 2), (x + side / 2, y + side / 2))
    hands.press(digit)


def _expect_record(hands: CountingHands) -> None:
    label = next(one for one in hands.reader.records(EventLabel) if one.id != "before")
    issues = Counter(name for box in label.issue_boxes or () for name in box.labels)
    expect(issues == {"too_small": len(SMALL), "occluded": len(OCCLUDED)}, what="the five boxes")
    expect(label.degradations == label.why == ("occlusion", "small_target"), what="degradations and reasons")
    expect((label.count, label.who) == (ObjectCount(value=COUNT), ("UAV2",)), what="the count and the view")
    expect(bool(label.what_boxes) and label.state == "finished", what="the finished label")


def _open_form(hands: CountingHands) -> StageCanvas:
    workspace = annotate_workspace(hands)
    hands.press("PgDown")
    hands.press("Shift+F")
    return workspace.stage.canvases[0]
