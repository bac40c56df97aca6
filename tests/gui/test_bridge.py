from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from annotator.commands.comments import WriteComment
from annotator.domain.changes import Changes
from annotator.domain.item import Item
from annotator.errors import UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.guards import Messages
from widgets.bridge import Bridge
from widgets.task import Task, describe, describe_duration


class Listener(QObject):
    """Notes what arrives, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[object] = []
        self.threads: set[int] = set()

    def take(self, value: object) -> None:
        self.got.append(value)
        self.threads.add(threading.get_ident())


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=2) as made:
        yield made


def test_result_when_a_worker_is_done_then_arrives_on_the_gui_thread(
    bridge: Bridge, pool: ThreadPoolExecutor, qtbot: QtBot
) -> None:
    listener = Listener()
    bridge.wait_for(pool.submit(threading.get_ident), done=listener.take)
    qtbot.waitUntil(lambda: bool(listener.got))
    assert listener.threads == {threading.get_ident()}
    assert listener.got != [threading.get_ident()]
    assert not bridge.is_waiting()


def test_result_when_a_newer_question_was_asked_then_only_its_answer_arrives(
    bridge: Bridge, qtbot: QtBot
) -> None:
    listener = Listener()
    old: Future[str] = Future()
    new: Future[str] = Future()
    old.set_running_or_notify_cancel()
    bridge.wait_for(old, done=listener.take, channel="list")
    bridge.wait_for(new, done=listener.take, channel="list")
    new.set_result("new")
    old.set_result("old")
    qtbot.waitUntil(lambda: bool(listener.got))
    qtbot.waitUntil(lambda: not bridge.is_waiting())
    assert listener.got == ["new"]


def test_channel_when_its_request_has_failed_or_was_dropped_then_nothing_is_waited_for(
    bridge: Bridge, qtbot: QtBot
) -> None:
    listener = Listener()
    failing: Future[str] = Future()
    bridge.wait_for(failing, done=listener.take, failed=listener.take, channel="list")
    bridge.wait_for(Future(), done=listener.take, channel="detail")
    assert bridge.is_waiting("list")
    failing.set_exception(UserError("No such list."))
    qtbot.waitUntil(lambda: bool(listener.got))
    assert not bridge.is_waiting("list")
    assert bridge.is_waiting("detail")
    bridge.drop("detail")
    assert not bridge.is_waiting("detail")


def test_question_when_it_has_not_begun_and_is_dropped_then_is_cancelled(bridge: Bridge) -> None:
    waiting: Future[str] = Future()
    bridge.wait_for(waiting, done=Listener().take, channel="list")
    bridge.drop("list")
    assert waiting.cancelled()


@pytest.mark.parametrize("is_partial", [False, True])
def test_result_when_its_widget_is_gone_then_is_dropped(
    bridge: Bridge, qtbot: QtBot, is_partial: bool
) -> None:
    label, listener = QLabel(), Listener()
    future: Future[str] = Future()
    bridge.wait_for(future, done=partial(label.setText) if is_partial else label.setText)
    label.deleteLater()
    qtbot.waitUntil(lambda: not _is_alive(label))
    future.set_result("late")
    bridge.wait_for(_done("after"), done=listener.take)
    qtbot.waitUntil(lambda: listener.got == ["after"])


def _is_alive(label: QLabel) -> bool:
    from shiboken6 import isValid

    return bool(isValid(label))


def _done(value: str) -> Future[str]:
    future: Future[str] = Future()
    future.set_result(value)
    return future


def test_error_when_somebody_waits_for_it_then_goes_there_and_else_to_everybody(
    bridge: Bridge, qtbot: QtBot
) -> None:
    own, everybody = Listener(), Listener()
    bridge.failed.connect(everybody.take)
    error = UserError("It cannot be.")
    for failed in (own.take, None):
        future: Future[str] = Future()
        future.set_exception(error)
        bridge.wait_for(future, done=Listener().take, failed=failed)
    qtbot.waitUntil(lambda: bool(own.got and everybody.got))
    assert own.got == everybody.got == [error]


def test_error_when_a_bug_then_is_logged(bridge: Bridge, qtbot: QtBot, guard_messages: Messages) -> None:
    guard_messages.allow("ended in a bug")
    listener = Listener()
    future: Future[str] = Future()
    future.set_exception(ZeroDivisionError())
    bridge.wait_for(future, done=Listener().take, failed=listener.take)
    qtbot.waitUntil(lambda: bool(listener.got))
    assert len(guard_messages.seen) == 1


def test_result_when_the_bridge_is_closed_then_does_not_arrive(bridge: Bridge) -> None:
    listener = Listener()
    future: Future[str] = Future()
    bridge.wait_for(future, done=listener.take)
    bridge.close()
    future.set_result("late")
    assert not bridge.is_waiting()
    assert listener.got == []


def test_change_when_a_command_is_committed_then_is_told_on_the_gui_thread(
    bridge: Bridge, session: Session, qtbot: QtBot
) -> None:
    listener = Listener()
    bridge.changed.connect(listener.take)
    item = next(session.reader.records(Item))
    session.execute(WriteComment(entity="item", target=item.id, text="Look here")).result()
    qtbot.waitUntil(lambda: bool(listener.got))
    changes = listener.got[0]
    assert isinstance(changes, Changes)
    assert changes.concerns("comment")
    assert listener.threads == {threading.get_ident()}


def test_question_when_the_project_is_another_then_is_not_asked(bridge: Bridge, session: Session) -> None:
    bridge.connect_session(None)
    bridge.query(session, Reader.counts, done=Listener().take)
    assert not bridge.is_waiting()


def test_work_when_it_steps_then_tells_it_on_the_gui_thread_and_ends(
    bridge: Bridge, pool: ThreadPoolExecutor, qtbot: QtBot
) -> None:
    steps, ends = Listener(), Listener()
    work = Task("Counting", bridge=bridge)
    work.stepped.connect(steps.take)
    work.finished.connect(ends.take)

    def count(progress: Progress) -> int:
        progress.begin("Counting", total=2)
        progress.step(2)
        progress.end()
        return 2

    work.follow(pool.submit(count, work.progress))
    qtbot.waitUntil(lambda: bool(ends.got))
    assert ends.got == [2]
    assert steps.threads == ends.threads == {threading.get_ident()}
    assert work.step is not None
    assert work.step.done == 2


def test_describe_when_half_done_then_says_count_rate_and_time_left() -> None:
    assert describe(ProgressUpdate("Reading", 1200, 2400, 2.0)) == "1,200 of 2,400 · 600/s · 2 s left"
    assert describe(ProgressUpdate("Reading", 5, None, 2.0)) == "5 · 2.5/s"
    assert describe(ProgressUpdate("Reading", 0, 10, 0.0)) == "0 of 10"


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 s"), (80, "80 s"), (600, "10 min"), (9000, "2.5 h")])
def test_describe_duration_when_long_then_takes_a_larger_unit(seconds: float, text: str) -> None:
    assert describe_duration(seconds) == text
