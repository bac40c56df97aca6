"""Undo and redo, of oneself and beside others."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from annotator.domain.item import Item, Option, Provenance
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import packing
from tests.unit.store.making import (
    BEN,
    a_flag,
    an_item,
    changed,
    created,
    events,
    problems,
    redo_label,
    removed,
    undo_label,
    visible_state,
    write,
)


@pytest.fixture
def ben(session: Session) -> Iterator[Session]:
    with Session.open(session.path, actor=BEN) as other:
        yield other


@pytest.fixture
def item(session: Session) -> str:
    item = an_item(question="first", extras={"note": [1, 2]}, options=(Option(letter="A", text="red"),))
    write(session, created("item", item), label="Make")
    return item.id


def _question(session: Session, item: str) -> str:
    return session.reader.get(Item, item).question


def test_undo_when_a_field_was_changed_twice_then_goes_back_step_by_step(session: Session, item: str) -> None:
    write(session, *changed("item", item, question="second"))
    write(session, *changed("item", item, question="third"))
    session.undo().result()
    assert _question(session, item) == "second"
    session.undo().result()
    assert _question(session, item) == "first"
    session.redo().result()
    session.redo().result()
    assert _question(session, item) == "third"


def test_undo_when_one_command_changed_a_field_twice_then_goes_back_to_before_both(
    session: Session, item: str
) -> None:
    write(session, *changed("item", item, question="second"), *changed("item", item, question="third"))
    session.undo().result()
    assert _question(session, item) == "first"
    session.redo().result()
    assert _question(session, item) == "third"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", ""),
        ("options", (Option(letter="A", text="blue"), Option(letter="B", text="red"))),
        ("extras", {}),
        ("answer_key", "B"),
        ("answer_format", "free_text"),
        ("provenance", Provenance(made_by="rule", seed=7)),
        ("original", msgspec.Raw(b'{"a": 1}')),
        ("media", ("1" * 32,)),
    ],
)
def test_undo_when_a_field_had_a_default_or_a_value_then_it_is_as_it_came(
    session: Session, item: str, field: str, value: object
) -> None:
    before = visible_state(session.path)
    write(session, *changed("item", item, **{field: value}))
    after = visible_state(session.path)
    assert after != before
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after


def test_undo_when_a_record_was_made_then_it_is_hidden_and_redo_brings_it_back(
    session: Session, item: str
) -> None:
    before = session.reader.get(Item, item)
    session.undo().result()
    assert session.reader.get(Item, item) is None
    assert session.reader.counts()["item"] == 0
    session.redo().result()
    restored = session.reader.get(Item, item)
    assert (restored.question, restored.extras, restored.options) == (
        before.question,
        before.extras,
        before.options,
    )


def test_undo_when_a_record_was_taken_out_then_it_comes_back(session: Session, item: str) -> None:
    write(session, removed("item", item))
    session.undo().result()
    assert _question(session, item) == "first"
    session.redo().result()
    assert session.reader.get(Item, item) is None


def test_undo_when_done_then_the_log_has_grown_and_says_who_took_what_back(
    session: Session, item: str
) -> None:
    write(session, *changed("item", item, question="second"), label="Edit question")
    before = events(session.path)
    session.undo().result()
    assert events(session.path)[: len(before)] == before
    kinds = [(entry.kind, str(entry.summary), entry.value) for entry in session.reader.history.of(item)]
    assert kinds[:2] == [("undo", "Edit question", '"first"'), ("do", "Edit question", '"second"')]


def test_undo_when_the_project_was_closed_in_between_then_goes_on(session: Session, item: str) -> None:
    write(session, *changed("item", item, question="second"), label="Second")
    write(session, *changed("item", item, question="third"), label="Third")
    session.undo().result()
    session.close()
    with Session.open(session.path, actor=session.actor) as again:
        assert (undo_label(again), redo_label(again)) == ("Second", "Third")
        again.redo().result()
        assert _question(again, item) == "third"
        again.undo().result()
        again.undo().result()
    with Session.open(session.path, actor=session.actor) as again:
        assert (undo_label(again), redo_label(again)) == ("Make", "Second")
        again.undo().result()
        assert again.reader.get(Item, item) is None
        assert undo_label(again) == ""


def test_redo_when_something_else_was_done_since_then_is_gone(session: Session, item: str) -> None:
    write(session, *changed("item", item, question="second"))
    session.undo().result()
    write(session, *changed("item", item, answer_key="A"), label="Key")
    assert redo_label(session) == ""
    with pytest.raises(UserError, match="nothing to redo"):
        session.redo().result()
    assert (undo_label(session), _question(session, item)) == ("Key", "first")
    session.undo().result()
    session.undo().result()
    assert undo_label(session) == ""
    assert problems(session.path) == []


def test_undo_when_there_is_nothing_then_says_so(session: Session) -> None:
    for ask in (session.undo, session.redo):
        with pytest.raises(UserError, match="There is nothing to"):
            ask().result()
    assert len(events(session.path)) == 2


def test_undo_when_two_people_work_then_each_takes_back_what_is_their_own(
    session: Session, ben: Session, item: str
) -> None:
    write(session, *changed("item", item, question="Anna's"), label="Anna")
    write(ben, *changed("item", item, answer_key="Ben's"), label="Ben")
    assert (undo_label(session), undo_label(ben)) == ("Anna", "Ben")
    session.undo().result()
    found = session.reader.get(Item, item)
    assert (found.question, found.answer_key) == ("first", "Ben's")
    assert redo_label(ben) == ""
    ben.undo().result()
    session.redo().result()
    found = session.reader.get(Item, item)
    assert (found.question, found.answer_key) == ("Anna's", "")
    assert problems(session.path) == []


def test_undo_when_somebody_else_changed_the_field_since_then_refuses_and_keeps_both(
    session: Session, ben: Session, item: str
) -> None:
    write(session, *changed("item", item, question="Anna's", answer_key="A"))
    write(ben, *changed("item", item, question="Ben's"))
    before = visible_state(session.path), events(session.path)
    with pytest.raises(UserError, match=r"Ben has changed the question in the meantime.*manually"):
        session.undo().result()
    assert (visible_state(session.path), events(session.path)) == before
    ben.undo().result()
    assert _question(session, item) == "Anna's"


def test_undo_when_somebody_else_changed_a_record_that_was_made_then_refuses(
    session: Session, ben: Session, item: str
) -> None:
    write(ben, *changed("item", item, answer_key="B"))
    with pytest.raises(UserError, match="Ben has changed the item in the meantime"):
        session.undo().result()
    assert session.reader.get(Item, item).answer_key == "B"


def test_redo_when_somebody_else_changed_the_field_since_then_refuses(
    session: Session, ben: Session, item: str
) -> None:
    write(session, *changed("item", item, question="Anna's"))
    session.undo().result()
    write(ben, *changed("item", item, question="Ben's"))
    with pytest.raises(UserError, match="Ben has changed the question in the meantime"):
        session.redo().result()
    assert _question(session, item) == "Ben's"


def test_undo_when_cancelled_then_all_stays(session: Session) -> None:
    items = [an_item(name=f"{number}") for number in range(20)]
    write(session, *(created("item", item) for item in items), created("flag", a_flag(items[0].id)))
    before = visible_state(session.path), events(session.path)
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        session.undo(progress=progress).result()
    assert (visible_state(session.path), events(session.path)) == before
    session.undo().result()
    assert session.reader.counts()["item"] == 0


def test_undo_when_told_of_its_progress_then_counts_the_events(session: Session) -> None:
    write(session, *(created("item", an_item()) for _ in range(3)))
    told = []
    session.undo(progress=Progress(told.append)).result()
    # The command's own record is an event, too.
    assert (told[0].what, told[0].total) == ("Undoing", 4)


def test_undo_when_a_command_made_and_flagged_an_item_then_counts_are_as_before(session: Session) -> None:
    before = visible_state(session.path)
    item = an_item()
    write(session, created("item", item), created("flag", a_flag(item.id)))
    assert session.reader.open_flag_counts() == {"doubt": 1}
    session.undo().result()
    assert session.reader.open_flag_counts() == {}
    assert visible_state(session.path) == before
    session.redo().result()
    assert session.reader.open_flag_counts() == {"doubt": 1}
    assert problems(session.path) == []


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_undo_when_an_earlier_value_is_larger_than_any_that_is_packed_then_says_so_and_changes_nothing(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write(session, *changed("item", item, question="long" * 1000))
    if step == "undo":
        write(session, *changed("item", item, question="short"))
    else:
        session.undo().result()
    before = visible_state(session.path), events(session.path)
    with monkeypatch.context() as patch:
        patch.setattr(packing, "MOST_BYTES", 1000)
        with pytest.raises(EnvironmentFailure, match="An earlier value of the item cannot be read"):
            getattr(session, step)().result()
        assert {problem.kind for problem in problems(session.path)} >= {"hash"}
    assert (visible_state(session.path), events(session.path)) == before
    assert problems(session.path) == []
