"""A flagged item of the demo project, from the queue of Review to acceptance, by the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.demo.project import make_demo
from annotator.domain.actor import Actor
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.progress import Progress
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.review.review_person import ReviewPerson
from tests.windows import NO_SIZE_HINTS
from widgets.settings import Settings
from widgets.window import build

KEYS_OF_A_CLEAR_CASE = 3


@pytest.mark.slow  # The pictures of the demo are rendered first.
def test_demo_item_when_people_are_against_its_key_then_is_decided_and_accepted_by_few_keys(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> None:
    guard_messages.allow(NO_SIZE_HINTS)
    session = Session.open(
        make_demo(tmp_path / "demo", progress=Progress()), actor=Actor(id=new_id(), name="Rita")
    )
    item = next(one for one in session.reader.records(Item) if one.state == "refined" and one.options)
    other = next(one.letter for one in item.options if one.letter != item.answer_key)
    people = tuple(Actor(id=new_id(), name=name) for name in ("Ben", "Chen"))
    answers = tuple(GivenAnswer(item=item.id, person=one.id, answer=other, duration_s=20) for one in people)
    session.execute(AddResponses(answers=answers, people=people)).result()
    window = build(session, settings=settings)
    qtbot.addWidget(window)
    window.resize(1360, 850)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    person = ReviewPerson(window, qtbot)
    person.go_to(item.id)
    before = len(person.targets())
    person.keys = 0
    person.press("K")
    person.press("1")
    assert person.keys <= KEYS_OF_A_CLEAR_CASE
    assert person.item(item.id).state == "accepted"
    assert person.open_flags(item.id) == []
    assert len(person.targets()) == before - 1
    person.press("Ctrl+1")
    assert window.library is not None
    answer = window.library.listings["item"].answer
    assert answer is not None
    flagged = {one.value: one.count for one in answer.facets["flag"]}
    assert "person_against_key" not in flagged
    window.close()
