"""What a command's plan sees, and what stays of one that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.event import Edit
from annotator.domain.item import Item
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    BEN,
    Write,
    an_item,
    changed,
    created,
    events,
    problems,
    undo_label,
    visible_state,
    write,
)


@dataclass
class Plan(Command):
    """A command with a given plan, which may keep what it saw."""

    edits: Callable[[Reader, Progress], Iterator[Edit]]
    summary = CommandSummary.of_text("Plan")
    saw: list[object] = field(default_factory=list)

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        yield from self.edits(reader, progress)


@pytest.fixture
def item(session: Session) -> str:
    item = an_item(question="first")
    write(session, created("item", item))
    return item.id


def test_plan_when_it_reads_after_its_own_edits_then_sees_the_state_before(
    session: Session, item: str, chunk: int
) -> None:
    seen = []

    def edits(reader: Reader, progress: Progress) -> Iterator[Edit]:
        # More than are written at a time, so that the first are in the file when the last are planned.
        for number in range(chunk + 1):
            yield from changed("item", item, question=f"{number}")
        seen.append((reader.get(Item, item).question, reader.log.event_total()))

    before = len(events(session.path))
    session.execute(Plan(edits)).result()
    assert seen == [("first", before)]
    assert session.reader.get(Item, item).question == f"{chunk}"


def test_plan_when_others_have_written_then_sees_all_that_was_committed_before_it(
    session: Session, item: str
) -> None:
    with Session.open(session.path, actor=BEN) as other:
        write(other, *changed("item", item, question="Ben's"))
    seen = []

    def edits(reader: Reader, progress: Progress) -> Iterator[Edit]:
        seen.append(reader.get(Item, item).question)
        yield from ()

    session.execute(Plan(edits)).result()
    assert seen == ["Ben's"]


def test_plan_when_it_runs_then_readers_see_what_was_committed_before(
    session: Session, item: str, chunk: int
) -> None:
    is_half_done, may_end = threading.Event(), threading.Event()

    def edits(reader: Reader, progress: Progress) -> Iterator[Edit]:
        for number in range(chunk + 1):
            yield from changed("item", item, question=f"{number}")
        is_half_done.set()
        assert may_end.wait(PATIENCE_S)

    before = visible_state(session.path)
    future = session.execute(Plan(edits))
    assert is_half_done.wait(PATIENCE_S)
    assert session.reader.get(Item, item).question == "first"
    assert visible_state(session.path) == before
    may_end.set()
    future.result()
    assert session.reader.get(Item, item).question == f"{chunk}"


@pytest.mark.parametrize("after", [0, 1, 200], ids=["at once", "after one", "after some chunks"])
@pytest.mark.parametrize("error", [UserError("No."), Cancelled(), RuntimeError("a bug")], ids=type)
def test_plan_when_it_fails_then_leaves_no_row_and_no_event(
    session: Session, item: str, chunk: int, error: Exception, after: int
) -> None:
    def edits(reader: Reader, progress: Progress) -> Iterator[Edit]:
        for number in range(after):
            yield from changed("item", item, question=f"{number}")
            yield created("item", an_item())
        raise error

    before = visible_state(session.path), events(session.path)
    told = []
    session.subscribe(told.append)
    with pytest.raises(type(error)):
        session.execute(Plan(edits)).result()
    assert (visible_state(session.path), events(session.path)) == before
    assert told == []
    write(session, *changed("item", item, question="goes on"))
    assert problems(session.path) == []


def test_plan_when_cancelled_in_the_middle_then_leaves_nothing(session: Session, chunk: int) -> None:
    before = visible_state(session.path), events(session.path)
    progress = Progress()

    def edits(reader: Reader, told: Progress) -> Iterator[Edit]:
        for number in range(chunk * 2):
            if number == chunk + 1:
                progress.cancel()
            told.step()
            yield created("item", an_item())

    with pytest.raises(Cancelled, match="the project is unchanged"):
        session.execute(Plan(edits), progress=progress).result()
    assert (visible_state(session.path), events(session.path)) == before


def test_plan_when_an_earlier_one_failed_half_read_then_sees_the_newest_state(
    session: Session, item: str
) -> None:
    write(session, *(created("item", an_item(name=f"{number}")) for number in range(1000)))

    def failing(reader: Reader, progress: Progress) -> Iterator[Edit]:
        records = reader.records(Item)
        next(records)
        raise UserError("No.")
        yield

    # Whoever keeps the error keeps, in its traceback, a question that was never read to its end.
    with pytest.raises(UserError) as kept:
        session.execute(Plan(failing)).result()
    write(session, *changed("item", item, question="second"))
    seen = []

    def looking(reader: Reader, progress: Progress) -> Iterator[Edit]:
        seen.append(reader.get(Item, item).question)
        yield from ()

    session.execute(Plan(looking)).result()
    assert seen == ["second"]
    assert kept.value.message == "No."


def test_do_when_a_plan_has_no_edits_then_nothing_is_written_or_told(session: Session) -> None:
    before = events(session.path)
    told = []
    session.subscribe(told.append)
    changes = session.execute(Write((), "Nothing")).result()
    assert (changes.command, changes.label, dict(changes.ids)) == ("", "Nothing", {})
    assert events(session.path) == before
    assert (told, undo_label(session)) == ([], "")


def test_do_when_done_then_tells_kinds_ids_and_numbers(session: Session) -> None:
    items = [an_item(name=f"{number}") for number in range(3)]
    initiator = object()
    edits = tuple(created("item", item) for item in items)
    changes = session.execute(Write(edits, "Make"), initiator=initiator).result()
    assert changes.ids["item"] == {item.id for item in items}
    assert changes.counts == {"command": 1, "item": 3}
    assert (changes.kind, changes.label) == ("do", "Make")
    assert changes.initiator is initiator
    assert changes.saved_at > 0


def test_do_when_done_then_tells_the_fields_that_were_changed(session: Session, item: str) -> None:
    changes = write(session, *changed("item", item, state="accepted", name="x"))
    assert changes.fields["item"] == {"state", "name"}
    assert changes.has_changed("item", {"state"})
    assert not changes.has_changed("item", {"question"})
    assert session.undo().result().fields["item"] == {"state", "name"}


def test_do_when_very_many_records_change_then_their_ids_are_not_listed(session: Session) -> None:
    changes = write(session, *(created("item", an_item(name=f"{number}")) for number in range(1001)))
    assert changes.ids["item"] is None
    assert changes.counts["item"] == 1001
    assert changes.concerns("item", "any")


def test_undo_when_done_then_tells_what_came_back(session: Session, item: str) -> None:
    write(session, *changed("item", item, question="second"), label="Edit")
    for ask, kind in ((session.undo, "undo"), (session.redo, "redo")):
        changes = ask(initiator="me").result()
        assert (changes.kind, changes.label, changes.initiator) == (kind, "Edit", "me")
        assert changes.ids["item"] == {item}
