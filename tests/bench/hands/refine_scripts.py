"""Work in the Refine workspace."""

from __future__ import annotations

from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure
from tests.bench.hands.counting_hands import CountingHands, expect
from tests.bench.hands.project import region_position
from widgets.refine.slot import RefineSlot
from widgets.refine.workspace import RefineWorkspace

RIGHT = 3
"""Number of the region that is the right answer."""


def refine_an_item(hands: CountingHands) -> None:
    """Correct an option and the answer, say what was wrong, and go to the next item."""
    workspace = _workspace(hands, "item_1")
    hands.begin()
    hands.think()
    hands.press("Shift+C")
    hands.press("Ctrl+A")
    hands.type("Region 12")
    hands.press("Return")
    hands.think()
    hands.press("B")
    hands.press("4")
    hands.press("Return")
    done = _item(hands, "i1")
    has_texts = (done.options[2].text, done.answer_key) == ("Region 12", "B")
    expect(has_texts and done.issue_classes == ("options",), what="the corrected item")
    expect(done.state == "refined", what="the refined item")
    expect(workspace.editor.name.text() == "item_2", what="the next item on the screen")


def keep_an_item(hands: CountingHands) -> None:
    """Keep an item as it is, and go to the next."""
    workspace = _workspace(hands, "item_1")
    hands.begin()
    hands.think()
    hands.press("Return")
    expect(_item(hands, "i1").state == "refined", what="the kept item")
    expect(workspace.editor.name.text() == "item_2", what="the next item on the screen")


def pick_a_region(hands: CountingHands) -> None:
    """Pick the region that is the answer on the stage."""
    workspace = _workspace(hands, "item_3")
    hands.begin()
    hands.think()
    hands.click(workspace.stage.canvases[1], region_position(RIGHT))
    expect(_item(hands, "i3").answer_key == f"Region {RIGHT}", what="the picked region as the answer")


def _item(hands: CountingHands, item: str) -> Item:
    return hands.reader.require(Item, item)


def _workspace(hands: CountingHands, name: str) -> RefineWorkspace:
    found = hands.window.slots.find(RefineSlot).workspace
    if found is None:
        raise EnvironmentFailure("The Refine workspace did not open.")
    while found.editor.name.text() != name and found.queue.step("1"):
        hands.rest()
    found.editor.take_keyboard()
    return found
