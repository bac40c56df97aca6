"""Accepting an item that has an open flag: what the person who presses Enter is told."""

from __future__ import annotations

from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from tests.gui.refine.refine_person import RefinePerson


def shown_message(person: RefinePerson) -> str:
    banner = person.window.banner
    return f"{banner.headline.text()} {banner.advice.text()}" if banner.isVisible() else ""


def test_flagged_item_when_accepted_then_the_reason_is_shown_and_the_item_stays(person: RefinePerson) -> None:
    item = person.stored("item_00002")
    person.session.execute(ChangeState(items=(item.id,), state="refined")).result()
    person.press("PgDown")
    assert person.shown.name == "item_00002"
    person.press("Return")
    assert person.shown.name == "item_00002"
    assert person.stored("item_00002").state == "refined"
    assert "item_00002 cannot be accepted: open flags: 1 (duplicate_question)." in shown_message(person)
    assert "Decide the flags in Review" in shown_message(person)
    (flag,) = person.session.reader.flags_of(item.id)
    person.session.execute(DecideFlags(flags=(flag.id,), state="dismissed", resolution="Both stay.")).result()
    person.press("Return")
    assert person.stored("item_00002").state == "accepted"
