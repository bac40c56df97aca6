"""Delivers results of other threads to the GUI thread.

A worker thread only emits a signal of the bridge; Qt queues it to a bound method of the bridge on the
GUI thread, which calls the receivers directly. No other code of the window accesses a future.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from annotator.domain.changes import Changes
from annotator.errors import VantageError
from annotator.queries.reader import Reader
from annotator.session import Session

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Request:
    """The receiver of a future, and its channel."""

    future: Future[Any]
    done: Callable[[Any], None]
    failed: Callable[[BaseException], None] | None
    channel: Hashable | None


class Bridge(QObject):
    """Delivers results of futures, and changes of a session, to the GUI thread.

    Signals:
        changed: Emitted when a command was committed; carries its ``Changes``.
        failed: Emitted when a call without an error handler failed; carries the exception.
        exchanged: Emitted after a look at the exchange folder; carries session and ``ExchangeStatus``.
    """

    changed = Signal(object)
    failed = Signal(object)
    exchanged = Signal(object, object)
    _exchange_posted = Signal(object, object)
    _arrived = Signal(int)
    _committed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._tickets: dict[int, _Request] = {}
        self._newest: dict[Hashable, int] = {}
        self._next = 0
        self._is_open = True
        self._session: Session | None = None
        # Queued, and to bound methods of this object: with PySide6 6.11 a lambda, a partial or a plain
        # function connected to an emitter of another thread runs on that thread.
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._committed.connect(self._on_committed, Qt.ConnectionType.QueuedConnection)
        self._exchange_posted.connect(self._on_exchange_posted, Qt.ConnectionType.QueuedConnection)

    def connect_session(self, session: Session | None) -> None:
        """Set the project whose queries are accepted."""
        self._session = session

    def query(
        self,
        session: Session,
        question: Callable[[Reader], T],
        *,
        done: Callable[[T], None],
        failed: Callable[[BaseException], None] | None = None,
        channel: Hashable | None = None,
    ) -> None:
        """Run a query on the reading thread of a project and call back on the GUI thread.

        A query about a project that is being closed gets no result: a widget that is being deleted
        may still paint a row.

        Args:
            session: The project.
            question: Runs on the reading thread.
            done: As in ``wait_for``, like the rest.
            failed: Gets the exception.
            channel: Identifies the query.
        """
        if session is self._session:
            self.wait_for(session.query(question), done=done, failed=failed, channel=channel)

    def post_changes(self, changes: Changes) -> None:
        """Deliver a session's change; the session calls this on its own thread."""
        # Not ``changed`` itself: its receivers would be called on this thread.
        if self._is_open:
            self._committed.emit(changes)

    def post_exchange(self, session: Session, status: object) -> None:
        """Deliver what a look at the exchange folder found; called on the thread that looked."""
        if self._is_open:
            self._exchange_posted.emit(session, status)

    def wait_for(
        self,
        future: Future[T],
        *,
        done: Callable[[T], None],
        failed: Callable[[BaseException], None] | None = None,
        channel: Hashable | None = None,
    ) -> None:
        """Call a function on the GUI thread when a future is done.

        Args:
            future: The future.
            done: Gets the result. A method of a deleted widget is not called.
            failed: Gets the exception; by default the bridge emits ``failed``.
            channel: Identifies the request: a newer request on the channel replaces this one, and
                cancels it if it has not started.
        """
        if channel is not None:
            self.drop(channel)
        self._next += 1
        ticket = self._next
        self._tickets[ticket] = _Request(future=future, done=done, failed=failed, channel=channel)
        if channel is not None:
            self._newest[channel] = ticket
        # Runs on the thread that completes the future, or immediately if it is already completed.
        future.add_done_callback(partial(self._post_result, ticket))

    def drop(self, channel: Hashable) -> None:
        """Drop the request of a channel: its result is not delivered."""
        # Tickets are numbered from 1: a channel without a request finds none.
        ticket = self._tickets.pop(self._newest.pop(channel, 0), None)
        if ticket is not None:
            ticket.future.cancel()

    def is_waiting(self, channel: Hashable | None = None) -> bool:
        """Return whether a result of a channel, or of any request, is pending; a failed request is not."""
        return bool(self._tickets) if channel is None else channel in self._newest

    def close(self) -> None:
        """Stop the delivery of results."""
        # Futures are not cancelled: a command that has begun is finished, but nobody gets its result.
        self._is_open = False
        self._session = None
        self._tickets.clear()
        self._newest.clear()

    def _post_result(self, ticket: int, _future: Future[Any]) -> None:
        if self._is_open:
            # Only a signal: this runs on the thread that completed the future.
            self._arrived.emit(ticket)

    def _on_committed(self, changes: Changes) -> None:
        self.changed.emit(changes)

    def _on_exchange_posted(self, session: Session, status: object) -> None:
        # Of a project that was closed meanwhile: nobody shows it.
        if session is self._session:
            self.exchanged.emit(session, status)

    def _on_arrived(self, number: int) -> None:
        ticket = self._tickets.pop(number, None)
        if ticket is None:
            return
        # A newer request may have replaced this one while its result was in the event queue.
        if self._newest.get(ticket.channel) == number:
            del self._newest[ticket.channel]
        if is_gone(ticket.done):
            return
        try:
            error = ticket.future.exception()
        except CancelledError:
            # Cancelled before it started: it has no receiver.
            return
        if error is None:
            ticket.done(ticket.future.result())
        else:
            self._report(error, ticket)

    def _report(self, error: BaseException, ticket: _Request) -> None:
        # Other exceptions are bugs: the log needs their traceback.
        if not isinstance(error, VantageError):
            _log.error("A request of the window ended in a bug", exc_info=error)
        (ticket.failed or self.failed.emit)(error)


def is_gone(call: Callable[..., None]) -> bool:
    """Return whether a call is a method of a deleted Qt object."""
    # A ``partial`` of a method belongs to the same widget.
    while isinstance(call, partial):
        call = call.func
    owner = getattr(call, "__self__", None)
    return isinstance(owner, QObject) and not isValid(owner)
