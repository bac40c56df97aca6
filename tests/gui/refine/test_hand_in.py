"""Handing items in from Refine: the assignment is done, with the active time of the item."""

from __future__ import annotations

from annotator.commands.assignments import AssignRecords
from annotator.domain.active_time import ActiveTime
from annotator.domain.assignment import Assignment
from annotator.domain.time_entry import TimeEntry
from tests.gui.refine.refine_person import RefinePerson


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_item_when_accepted_in_refine_then_is_done_with_the_active_time_of_the_person(
    person: RefinePerson,
) -> None:
    session = person.window.controller.session
    assert session is not None
    me = session.actor.id
    first, second = person.stored("item_00001"), person.stored("item_00002")
    pairs = tuple((item.id, me) for item in (first, second))
    session.execute(AssignRecords(entity="item", role="refine", pairs=pairs)).result()
    person.settle()
    clock, made = person.refine.clock, Clock()
    clock.active_time = ActiveTime(made)
    clock.active_time.resume()
    clock.active_time.show(first.id)
    made.now += 12
    clock.active_time.note_input()
    # An hour without input counts for a minute.
    made.now += 3600
    person.press("Return")
    assert person.shown.name == "item_00002"
    made.now += 5
    clock.active_time.note_input()
    person.press("Return")
    entries = {entry.target: entry for entry in session.reader.find(TimeEntry)}
    assert {target: entry.seconds for target, entry in entries.items()} == {first.id: 72.0, second.id: 5.0}
    assert {(entry.person, entry.role) for entry in entries.values()} == {(me, "refine")}
    assert [one.is_done for one in session.reader.find(Assignment)] == [True, True]
    person.press("Ctrl+Z")
    assert sum(one.is_done for one in session.reader.find(Assignment)) == 1


def test_item_when_it_cannot_be_accepted_then_its_time_goes_on(person: RefinePerson) -> None:
    session = person.window.controller.session
    assert session is not None
    clock, made = person.refine.clock, Clock()
    clock.active_time = ActiveTime(made)
    clock.active_time.resume()
    clock.active_time.show(person.shown.id)
    made.now += 9
    decisions = person.refine.decisions
    decisions._change_state("rejected", person.shown.id, "")
    person.settle()
    assert person.stored("item_00001").state == "drafted"
    assert clock.active_time.pending_s(person.shown.id) == 9.0
    assert not list(session.reader.find(TimeEntry))
