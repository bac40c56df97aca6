"""What others do while a large undo or redo is written, or removes its rows: nothing of it is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator import command_runner
from annotator.domain.changes import Changes
from annotator.domain.item import Item, Option
from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled, ReplacedFileError, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import connection as connections
from annotator.store import hidden_rows, staging
from annotator.store.connection import connect
from annotator.store.staged_rows import LAST_NUMBER
from annotator.store.staged_undo import StagedUndo
from annotator.writing.writer import Writer
from tests.patience import PATIENCE_S, wait_until
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import (
    ANNA,
    BEN,
    an_item,
    changed,
    created,
    problems,
    reading,
    removed,
    write,
)
from tests.unit.store.test_staged_undo import answer, look_while_removed, look_while_written, open_kinds

ITEMS = 20


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every undo staged, in transactions of a few records."""
    monkeypatch.setattr(command_runner, "LARGE_UNDO_EVENTS", 3)
    for module, name in (
        (staging, "WRITTEN_AT_ONCE"),
        (hidden_rows, "REMOVED_AT_ONCE"),
        (hidden_rows, "RANGE_AT_ONCE"),
        (hidden_rows, "TEXTS_AT_ONCE"),
    ):
        monkeypatch.setattr(module, name, 7)
    monkeypatch.setattr(connections, "LONGEST_TRANSACTION_S", 0)


@pytest.fixture
def items(session: Session) -> list[str]:
    """Give the ids of items that one command has made."""
    made = [an_item(name=f"large {n}") for n in range(ITEMS)]
    write(session, *(created("item", item) for item in made), label="Large")
    return [item.id for item in made]


def once(act: Callable[[], None]) -> Callable[[], None]:
    """Return a function of which only the first call acts."""
    calls = iter([act])

    def act_once() -> None:
        for one in calls:
            one()

    return act_once


def stray_parents(path: Path) -> list[str]:
    """Return parents that events of the log name, and that are not in it."""
    with reading(path) as connection:
        known = {event for (event,) in connection.execute("SELECT id FROM event")}
        rows = connection.execute("SELECT parents FROM event WHERE parents<>''")
        return [parent for (parents,) in rows for parent in parents.split(",") if parent not in known]


def visible(path: Path) -> int:
    with Session.open_for_reading(path) as session:
        return len(session.reader.items.numbers(ItemQuery()))


def a_bundle_of_ben(path: Path, *edits: Any) -> Path:
    """Return a bundle with what Ben has done in a copy of a project."""
    copy, bundle = path.with_name("copy.vantage"), path.with_name("ben.bundle")
    shutil.copy(path, copy)
    with Session.open(copy, actor=BEN) as other:
        write(other, *edits)
        other.export_bundle(bundle)
    return bundle


@pytest.mark.parametrize("end", ["refused", "cancelled"])
@pytest.mark.parametrize("before", ["", "undo redo"])
def test_undo_when_it_ends_after_others_removed_its_records_then_their_event_names_parents_of_the_log(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch, end: str, before: str
) -> None:
    for step in before.split():
        getattr(session, step)().result()
    progress = Progress()

    def remove() -> None:
        # The last item is the first that an undo removes.
        with Session.open(session.path, actor=BEN) as other:
            write(other, removed("item", items[-1]))
        if end == "cancelled":
            progress.cancel()

    look_while_written(monkeypatch, once(remove))
    with pytest.raises(Cancelled if end == "cancelled" else UserError):
        session.undo(progress=progress).result()
    assert stray_parents(session.path) == []
    assert problems(session.path) == []
    assert visible(session.path) == ITEMS - 1


def test_undo_when_a_removal_is_merged_meanwhile_then_it_is_refused_and_leaves_no_fork(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.undo().result()
    session.redo().result()
    session.close()
    bundle = a_bundle_of_ben(session.path, removed("item", items[-1]))

    def merge() -> None:
        with Session.open(session.path, actor=BEN) as other:
            other.merge(bundle).result()

    look_while_written(monkeypatch, once(merge))
    with Session.open(session.path, actor=ANNA) as again:
        with pytest.raises(UserError, match="Ben has changed the item"):
            again.undo().result()
        assert again.reader.forks.all() == []
    assert stray_parents(session.path) == []
    assert problems(session.path) == []
    assert visible(session.path) == ITEMS - 1


def test_removal_when_another_process_took_it_over_and_redid_then_what_was_redone_stays(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del items

    def take_over_and_redo() -> None:
        with closing(connect(session.path, read_only=False)) as connection:
            connection.execute("UPDATE staging SET active_at=0")
        with Session.open(session.path, actor=ANNA) as other:
            other.redo().result()

    look_while_removed(monkeypatch, once(take_over_and_redo))
    session.undo().result()
    assert visible(session.path) == ITEMS
    assert problems(session.path) == []


def test_removal_when_another_process_has_claimed_the_entry_then_it_removes_no_more_rows(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim() -> None:
        with closing(connect(session.path, read_only=False)) as connection:
            connection.execute("UPDATE staging SET id='deleted ' || id")

    del items
    look_while_removed(monkeypatch, once(claim))
    session.undo().result()
    with reading(session.path) as connection:
        assert connection.execute("SELECT sum(removed) FROM item").fetchone()[0] < ITEMS
    Session.open(session.path, actor=BEN).close()
    with reading(session.path) as connection:
        assert connection.execute("SELECT sum(removed) FROM item").fetchone()[0] == ITEMS
    assert problems(session.path) == []


def act_beside_removal(
    session: Session, monkeypatch: pytest.MonkeyPatch, act: Callable[[Session], Future[Any]]
) -> Any:
    """Undo, and have another window do something while rows are removed; returns what that results in."""
    waits: list[bool] = []
    wait = command_runner.wait_for_hidden_rows

    def note_and_wait(*arguments: Any, **named: Any) -> None:
        waits.append(True)
        wait(*arguments, **named)

    with Session.open(session.path, actor=ANNA) as other:
        begun: list[Future[Any]] = []

        def begin() -> None:
            waits.clear()
            begun.append(act(other))
            wait_until(lambda: bool(waits) or begun[0].done())

        monkeypatch.setattr(command_runner, "wait_for_hidden_rows", note_and_wait)
        look_while_removed(monkeypatch, once(begin))
        session.undo().result()
        return begun[0].result(PATIENCE_S)


def test_redo_when_another_window_still_removes_rows_then_it_waits_and_brings_all_back(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del items
    act_beside_removal(session, monkeypatch, lambda other: other.redo())
    assert visible(session.path) == ITEMS
    assert problems(session.path) == []


def test_merge_when_another_window_still_removes_rows_then_it_waits_and_counts_are_right(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.close()
    bundle = a_bundle_of_ben(session.path, *changed("item", items[0], name="benword", task="other"))
    with Session.open(session.path, actor=ANNA) as again:
        (report,) = act_beside_removal(again, monkeypatch, lambda other: other.merge(bundle))
        assert list(again.reader.items.numbers(ItemQuery(text="benword"))) == []
    assert report.added > 0
    assert visible(session.path) == 0
    assert problems(session.path) == []


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_edit_when_its_record_is_being_removed_or_restored_then_it_is_refused(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    if step == "redo":
        session.undo().result()
    refused = []

    def edit() -> None:
        with Session.open(session.path, actor=BEN) as other:
            for edits in (changed("item", items[0], name="benword"), [removed("item", items[-1])]):
                with pytest.raises(UserError, match="removing or restoring these records"):
                    write(other, *edits)
                refused.append(edits)
            write(other, created("item", an_item(name="another")))

    (look_while_removed if step == "undo" else look_while_written)(monkeypatch, edit)
    getattr(session, step)().result()
    assert len(refused) > 4
    assert visible(session.path) == len(refused) // 2 + (ITEMS if step == "redo" else 0)
    assert problems(session.path) == []


def test_redo_when_a_record_was_restored_just_before_it_hides_them_then_it_stays_restored(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.undo().result()
    alike = StagedUndo._require_alike

    def restore() -> None:
        with Session.open(session.path, actor=BEN) as other:
            write(other, removed("item", items[-1], value=False))

    act = once(restore)

    def alike_and_restore(stage: StagedUndo, *, is_removed: bool) -> None:
        alike(stage, is_removed=is_removed)
        act()

    while_written: list[int] = []
    monkeypatch.setattr(StagedUndo, "_require_alike", alike_and_restore)
    look_while_written(monkeypatch, lambda: while_written.append(visible(session.path)))
    with pytest.raises(UserError, match="Ben has changed the item"):
        session.redo().result()
    assert set(while_written) <= {1}
    assert visible(session.path) == 1
    assert problems(session.path) == []


def test_removal_when_the_log_has_not_removed_the_rows_then_they_stay(
    session: Session, items: list[str], tamper: Tamper
) -> None:
    write(session, removed("item", items[0]))
    session.close()
    hide = (
        "INSERT INTO staging (slot, id, first_n, hidden_from, hidden_to, host, process, active_at) "
        "VALUES (1, 'x', ?, 1, ?, 'elsewhere', 1, 0)"
    )
    tamper(hide, LAST_NUMBER, ITEMS + 10)
    assert visible(session.path) == 0
    with closing(connect(session.path, read_only=False)) as connection:
        hidden_rows.remove_hidden_rows(connection, "x")
        connection.execute("DELETE FROM staging")
    assert visible(session.path) == ITEMS - 1
    assert problems(session.path) == []


def act_before_publishing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do something between the last short transaction of an undo and the one that publishes it."""
    publish, act_once = Writer.publish, once(act)

    def act_and_publish(writer: Writer, *arguments: Any, **named: Any) -> Changes:
        act_once()
        return publish(writer, *arguments, **named)

    monkeypatch.setattr(Writer, "publish", act_and_publish)


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_undo_of_changed_fields_when_one_is_changed_meanwhile_then_it_is_refused_and_the_change_stays(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write(session, *(edit for item in items for edit in changed("item", item, question="All")))
    if step == "redo":
        session.undo().result()

    def edit() -> None:
        with Session.open(session.path, actor=BEN) as other:
            write(other, *changed("item", items[3], question="by Ben"))

    act_before_publishing(monkeypatch, edit)
    with pytest.raises(UserError, match="Ben has changed the question"):
        getattr(session, step)().result()
    questions = {one.id: one.question for one in session.reader.records(Item)}
    assert questions.pop(items[3]) == "by Ben"
    assert set(questions.values()) == {"All" if step == "undo" else ""}
    assert problems(session.path) == []


def test_undo_of_changed_fields_when_others_are_changed_meanwhile_then_both_are_kept(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(session, *(edit for item in items for edit in changed("item", item, question="All")))

    def edit() -> None:
        with Session.open(session.path, actor=BEN) as other:
            write(other, *changed("item", items[3], answer_key="by Ben"))

    act_before_publishing(monkeypatch, edit)
    session.undo().result()
    item = session.reader.get(Item, items[3])
    assert item is not None
    assert (item.question, item.answer_key) == ("", "by Ben")


def test_undo_of_answers_when_others_answer_meanwhile_then_what_people_disagree_on_is_found_anew(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = tuple(Option(letter=letter, text=letter * 2) for letter in "ABC")
    asked = an_item(options=options, answer_format="option_letter")
    write(session, created("item", asked))
    answer(session, asked.id, cara="A", dora="A", eric="A", fred="A")

    def disagree() -> None:
        with Session.open(session.path, actor=BEN) as other:
            answer(other, asked.id, ben="C")
        assert open_kinds(session.path) == ["people_disagree"]

    act_before_publishing(monkeypatch, disagree)
    session.undo().result()
    assert open_kinds(session.path) == []
    assert problems(session.path) == []


@pytest.mark.parametrize("location", ["_back_up", "_wait_for_hidden_rows"])
def test_undo_when_the_file_is_replaced_before_it_is_written_then_nothing_is_written_into_the_other(
    session: Session, items: list[str], monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    del items
    other = session.path.with_name("theirs.vantage")
    began: list[Path] = []
    shutil.copy(session.path, other)
    before, choose = getattr(command_runner.CommandRunner, location), StagedUndo.choose

    def act_and_replace(*arguments: Any, **named: Any) -> None:
        before(*arguments, **named)
        other.replace(session.path)

    def note_and_choose(stage: StagedUndo, *arguments: Any) -> None:
        began.append(session.path)
        choose(stage, *arguments)

    monkeypatch.setattr(command_runner.CommandRunner, location, act_and_replace)
    monkeypatch.setattr(StagedUndo, "choose", note_and_choose)
    with pytest.raises(ReplacedFileError):
        session.undo().result()
    assert began == []
