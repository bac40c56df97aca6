from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command, PreparedCommand, StalePreparationError
from annotator.domain.actor import Actor
from annotator.domain.changes import Changes
from annotator.domain.event import Edit
from annotator.domain.item import Item
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.backups import list_backups
from annotator.user_profile import current_actor
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    ANNA,
    BEN,
    Write,
    an_item,
    changed,
    created,
    events,
    problems,
    reading,
    redo_label,
    undo_label,
    write,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "p.vantage"


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with Session.create(path, actor=ANNA) as session:
        yield session


class Waiting(Command):
    """A command whose plan waits until the test lets it go on."""

    summary = CommandSummary.of_text("Wait")

    def __init__(self, *edits: Edit) -> None:
        self.edits = edits
        self.is_running, self.may_end = threading.Event(), threading.Event()

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        self.is_running.set()
        assert self.may_end.wait(PATIENCE_S)
        yield from self.edits


class Prepared(PreparedCommand):
    """A command that notes its steps, and is outdated as often as it is told."""

    summary = CommandSummary.of_text("Prepare")

    def __init__(self, *edits: Edit, outdated: int = 0, fails: bool = False) -> None:
        self.edits, self._outdated, self._fails = edits, outdated, fails
        self.steps: list[str] = []
        self.threads: set[int] = set()

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        self.steps.append(f"prepare {reader.counts()['item']}")
        self.threads.add(threading.get_ident())
        if self._fails:
            raise UserError("It cannot be prepared.")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        self.steps.append("plan")
        assert threading.get_ident() not in self.threads
        if self._outdated:
            self._outdated -= 1
            raise StalePreparationError("It was changed.")
        yield from self.edits

    def discard(self) -> None:
        self.steps.append("drop")


class SlowPrepared(Prepared):
    """A prepared command whose long part waits until the test lets it go on."""

    def __init__(self, *edits: Edit) -> None:
        super().__init__(*edits)
        self.is_running, self.may_end = threading.Event(), threading.Event()

    def prepare(self, reader: Reader, *, progress: Progress) -> None:
        super().prepare(reader, progress=progress)
        self.is_running.set()
        assert self.may_end.wait(PATIENCE_S)


def test_session_when_nobody_is_named_then_works_for_the_person_at_this_machine(path: Path) -> None:
    with Session.create(path) as session:
        assert session.actor == current_actor()
        write(session, created("item", an_item()))
    assert {row[0] for row in events(path, "actor")} == {current_actor().id}
    with Session.open(path) as session:
        assert undo_label(session) == "Write"


def authors(path: Path) -> list[str]:
    """Return who has created the items, oldest event first."""
    return [row[0] for row in events(path, "actor", where="entity='item'")]


def test_person_when_changed_then_what_was_asked_before_is_still_the_former_persons(session: Session) -> None:
    former, waiting = session.actor, Waiting(created("item", an_item()))
    session.execute(waiting)
    prepared = session.execute(Prepared(created("item", an_item())))
    session.use_actor(BEN)
    assert session.actor == BEN
    waiting.may_end.set()
    prepared.result(PATIENCE_S)
    write(session, created("item", an_item()))
    assert authors(session.path) == [former.id, former.id, BEN.id]
    session.undo().result(PATIENCE_S)
    with pytest.raises(UserError, match="nothing to undo"):
        session.undo().result(PATIENCE_S)


def test_person_when_changed_during_a_long_command_then_what_is_asked_meanwhile_is_the_new_persons(
    session: Session,
) -> None:
    former, slow = session.actor, SlowPrepared(created("item", an_item()))
    long = session.execute(slow)
    assert slow.is_running.wait(PATIENCE_S)
    session.use_actor(BEN)
    # Written before the long command of the former person.
    write(session, created("item", an_item()))
    slow.may_end.set()
    long.result(PATIENCE_S)
    assert authors(session.path) == [BEN.id, former.id]


def test_person_when_changed_during_an_edit_then_undo_is_of_the_person_who_asks_for_it(
    session: Session,
) -> None:
    write(session, created("item", an_item()))
    waiting = Waiting(created("item", an_item()))
    session.execute(waiting)
    undo_of_the_former = session.undo()
    session.use_actor(BEN)
    undo_of_the_new = session.undo()
    waiting.may_end.set()
    assert undo_of_the_former.result(PATIENCE_S).label == "Wait"
    with pytest.raises(UserError, match="nothing to undo"):
        undo_of_the_new.result(PATIENCE_S)


def test_person_when_the_name_changes_during_a_long_command_then_the_former_name_does_not_come_back(
    session: Session,
) -> None:
    slow = SlowPrepared(created("item", an_item()))
    long = session.execute(slow)
    assert slow.is_running.wait(PATIENCE_S)
    renamed = Actor(id=session.actor.id, name="Anna Maria")
    session.use_actor(renamed)
    session.use_actor(BEN)
    slow.may_end.set()
    long.result(PATIENCE_S)
    assert session.reader.get(Actor, renamed.id) == renamed


def test_do_when_asked_then_returns_at_once_and_settles_after_the_commit(session: Session) -> None:
    item = an_item()
    command = Waiting(created("item", item))
    future = session.execute(command)
    assert command.is_running.wait(PATIENCE_S)
    assert not future.done()
    command.may_end.set()
    assert future.result(PATIENCE_S).label == "Wait"
    with reading(session.path) as connection:
        assert connection.execute("SELECT id FROM item").fetchall() == [(item.id,)]


def test_do_when_several_are_asked_then_they_are_done_in_order(session: Session) -> None:
    item = an_item()
    futures = [session.execute(Write((created("item", item),)))]
    futures += [
        session.execute(Write(changed("item", item.id, question=f"{number}"))) for number in range(20)
    ]
    for future in futures:
        future.result(PATIENCE_S)
    assert [entry.value for entry in session.reader.history.of(item.id)][:2] == ['"19"', '"18"']


def test_do_when_a_command_is_prepared_then_it_sees_what_was_asked_before_and_enters_on_the_lane(
    session: Session,
) -> None:
    waiting, item = Waiting(created("item", an_item())), an_item()
    session.execute(waiting)
    command = Prepared(created("item", item))
    future = session.execute(command)
    waiting.may_end.set()
    assert future.result(PATIENCE_S).ids["item"] == {item.id}
    assert command.steps == ["prepare 1", "plan", "drop"]


def test_do_when_what_was_prepared_is_outdated_then_it_is_prepared_once_more(session: Session) -> None:
    command = Prepared(created("item", an_item()), outdated=1)
    session.execute(command).result(PATIENCE_S)
    assert command.steps == ["prepare 0", "plan", "prepare 0", "plan", "drop"]
    assert session.reader.counts()["item"] == 1


@pytest.mark.parametrize(
    ("how", "steps"),
    [({"outdated": 2}, ["prepare 0", "plan", "prepare 0", "plan"]), ({"fails": True}, ["prepare 0"])],
)
def test_do_when_a_prepared_command_cannot_be_done_then_what_it_prepared_is_dropped(
    session: Session, how: dict[str, Any], steps: list[str]
) -> None:
    command = Prepared(created("item", an_item()), **how)
    with pytest.raises(UserError):
        session.execute(command).result(PATIENCE_S)
    assert command.steps == [*steps, "drop"]
    assert session.reader.counts()["item"] == 0


def test_close_when_a_command_is_still_being_prepared_then_it_is_entered_first(
    session: Session, path: Path
) -> None:
    session.execute(Prepared(created("item", an_item())))
    session.close()
    with Session.open(path) as again:
        assert again.reader.counts()["item"] == 1


def test_do_when_the_command_refuses_then_the_error_comes_through_the_future(session: Session) -> None:
    with pytest.raises(UserError, match="The item nobody does not exist"):
        session.execute(Write(changed("item", "nobody", answer_key="A"))).result(PATIENCE_S)
    write(session, created("item", an_item()))
    assert session.reader.counts()["item"] == 1


def test_listen_when_something_is_saved_then_the_listener_finds_it_in_the_file(session: Session) -> None:
    seen: list[tuple[str, int, object]] = []

    def look(changes: Changes) -> None:
        with reading(session.path) as connection:
            count = connection.execute("SELECT count(*) FROM item WHERE removed=0").fetchone()[0]
        seen.append((changes.kind, count, changes.initiator))

    session.subscribe(look)
    session.execute(Write((created("item", an_item()),)), initiator="list").result()
    session.undo(initiator="menu").result()
    session.redo().result()
    assert seen == [("do", 1, "list"), ("undo", 0, "menu"), ("redo", 1, None)]


def test_listen_when_stopped_then_hears_no_more_and_others_still_do(session: Session) -> None:
    first: list[Changes] = []
    second: list[Changes] = []
    stop = session.subscribe(first.append)
    session.subscribe(second.append)
    write(session, created("item", an_item()))
    stop()
    write(session, created("item", an_item()))
    assert (len(first), len(second)) == (1, 2)
    assert second[0] == first[0]


def test_listen_when_the_command_fails_then_hears_nothing(session: Session) -> None:
    heard: list[Changes] = []
    session.subscribe(heard.append)
    with pytest.raises(UserError):
        session.undo().result()
    with pytest.raises(UserError):
        write(session, created("item", an_item()), *changed("item", "nobody", answer_key="A"))
    assert heard == []


@pytest.mark.allow_messages("a listener failed after 'Write' was saved")
def test_listen_when_a_listener_fails_then_the_change_is_saved_and_told_all_the_same(
    session: Session,
) -> None:
    heard: list[Changes] = []

    def fail(changes: Changes) -> None:
        raise RuntimeError("a bug of a screen")

    session.subscribe(fail)
    session.subscribe(heard.append)
    changes = write(session, created("item", an_item()))
    assert changes.command
    assert heard == [changes]
    assert session.reader.counts()["item"] == 1


def test_listen_when_a_listener_does_a_command_then_it_follows(session: Session) -> None:
    item = an_item()
    futures = []

    def answer(changes: Changes) -> None:
        if changes.label == "Write":
            futures.append(session.execute(Write(changed("item", item.id, answer_key="A"), "Answer")))

    session.subscribe(answer)
    write(session, created("item", item))
    futures[0].result(PATIENCE_S)
    assert undo_label(session) == "Answer"


def test_ask_when_asked_then_answers_on_one_other_thread(session: Session) -> None:
    write(session, created("item", an_item()))
    futures = [
        session.query(lambda reader: (reader.counts()["item"], threading.get_ident())) for _ in range(3)
    ]
    answers = {future.result(PATIENCE_S) for future in futures}
    assert len(answers) == 1
    ((count, thread),) = answers
    assert (count, thread != threading.get_ident()) == (1, True)


def test_ask_when_a_command_is_under_way_then_need_not_wait_for_it(session: Session) -> None:
    command = Waiting(created("item", an_item()))
    future = session.execute(command)
    assert command.is_running.wait(PATIENCE_S)
    assert session.query(lambda reader: reader.counts()["item"]).result(PATIENCE_S) == 0
    command.may_end.set()
    future.result(PATIENCE_S)
    assert session.query(lambda reader: reader.counts()["item"]).result(PATIENCE_S) == 1


def test_ask_when_the_question_fails_then_the_error_comes_through_the_future(session: Session) -> None:
    with pytest.raises(KeyError):
        session.query(lambda reader: next(reader.find(Item, colour="red"))).result(PATIENCE_S)
    assert session.query(lambda reader: reader.project.title).result(PATIENCE_S) == "p"


def test_ask_when_the_file_is_damaged_then_says_so_in_words(session: Session) -> None:
    write(session, *(created("item", an_item(question="long " * 200)) for _ in range(100)))
    session.close()
    content = bytearray(session.path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle:] = bytes(len(content) - middle)
    session.path.write_bytes(content)
    # Found at opening or when records are read: it depends on what lies on the damaged pages.
    with (
        pytest.raises(EnvironmentFailure, match=r"The project file is damaged.*newest backup"),
        Session.open(session.path, actor=ANNA) as again,
    ):
        again.query(lambda reader: len(list(reader.records(Item)))).result(PATIENCE_S)


def test_reader_when_asked_on_several_threads_then_each_has_its_own(session: Session) -> None:
    readers = [session.reader, session.reader]
    thread = threading.Thread(target=lambda: readers.append(session.reader))
    thread.start()
    thread.join(PATIENCE_S)
    assert readers[0] is readers[1]
    assert readers[2] is not readers[0]


def test_close_when_commands_wait_then_they_are_still_written(session: Session) -> None:
    command = Waiting(created("item", an_item(name="first")))
    futures = [session.execute(command)]
    assert command.is_running.wait(PATIENCE_S)
    futures += [session.execute(Write((created("item", an_item(name=f"{n}")),))) for n in range(5)]
    closing = threading.Thread(target=session.close)
    closing.start()
    command.may_end.set()
    closing.join(PATIENCE_S)
    assert all(future.result(0).command for future in futures)
    assert len(events(session.path, "n", "entity='item'")) == 6


def test_close_when_done_then_one_file_is_left_and_nothing_more_is_taken(session: Session) -> None:
    write(session, created("item", an_item()))
    assert session.query(lambda reader: reader.project.title).result(PATIENCE_S) == "p"
    session.close()
    assert [path.name for path in session.path.parent.iterdir()] == ["p.vantage"]
    for ask in (
        lambda: session.execute(Write(())),
        session.undo,
        lambda: session.query(lambda reader: None),
        lambda: session.reader,
    ):
        with pytest.raises(RuntimeError, match="the project is closed"):
            ask()
    session.close()


def test_media_root_when_the_project_is_moved_then_moves_along(session: Session, tmp_path: Path) -> None:
    assert session.media_root == tmp_path / "p.media"
    session.close()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    session.path.rename(folder / "q.vantage")
    with Session.open(folder / "q.vantage", actor=ANNA) as moved:
        assert moved.media_root == folder / "p.media"


def test_labels_when_commands_are_done_and_undone_then_say_what_comes_next(session: Session) -> None:
    assert (undo_label(session), redo_label(session)) == ("", "")
    write(session, created("item", an_item()), label="Make an item")
    assert (undo_label(session), redo_label(session)) == ("Make an item", "")
    session.undo().result()
    assert (undo_label(session), redo_label(session)) == ("", "Make an item")


def test_backup_when_asked_then_lies_beside_the_project(session: Session) -> None:
    backup = session.backup(reason="by hand")
    assert list_backups(session.path) == [backup]
    assert problems(backup.path) == []


def test_undo_and_redo_when_many_records_are_at_stake_then_backed_up_first(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.command_runner.LARGE_UNDO_EVENTS", 3)
    write(session, *(created("item", an_item(name=f"i{n}")) for n in range(4)))
    session.undo().result()
    session.redo().result()
    redo, undo = list_backups(session.path)
    assert (undo.reason, redo.reason) == ("before undo", "before redo")
    with Session.open(undo.path) as before:
        assert before.reader.counts()["item"] == 4
    with Session.open(redo.path) as before:
        assert before.reader.counts()["item"] == 0


def test_undo_when_few_records_are_at_stake_then_costs_no_backup(session: Session) -> None:
    write(session, created("item", an_item()))
    session.undo().result()
    assert list_backups(session.path) == []
