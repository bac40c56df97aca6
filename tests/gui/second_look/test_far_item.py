"""Items of a long queue that are shown by their name or id, as after an undo."""

from __future__ import annotations

import pytest

from annotator.domain.item import Item
from tests.gui.second_look.conftest import refined
from tests.gui.second_look.second_look_person import SecondLookPerson
from widgets.record_reference import RecordReference

COUNT = 600


@pytest.fixture
def items() -> list[Item]:
    return [refined(number, media=()) for number in range(1, COUNT + 1)]


@pytest.mark.parametrize("by", ["name", "id"])
def test_item_when_its_row_was_never_loaded_then_it_is_shown(
    person: SecondLookPerson, items: list[Item], by: str
) -> None:
    last = items[-1]
    queue = person.second_look.queue
    # This alone begins to load it.
    assert queue.model.row(COUNT - 1) is None
    given = {"name": last.name, "id": last.id if by == "id" else ""}
    person.window.slots["second_look"].show_record(RecordReference(entity="item", **given))
    person.settle()
    assert person.shown.item.id == last.id


def test_item_when_it_is_not_in_the_queue_then_the_current_one_stays(person: SecondLookPerson) -> None:
    before = person.shown.item.id
    person.window.slots["second_look"].show_record(RecordReference(entity="item", name="unknown"))
    person.settle()
    assert person.shown.item.id == before
