"""Scoring in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import msgspec

from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.progress import Progress, ProgressUpdate

if TYPE_CHECKING:
    from annotator.scoring.score_report import ScoreOrder, ScoreReport

POLL_S = 0.05
"""How soon a cancel is noticed."""
_EMPTY = msgspec.Raw(b"\xc0")


class _Message(msgspec.Struct, array_like=True):
    """What the child sends: the steps, and at last the report or an error.

    Attributes:
        phase: What it does, "" in the last message.
        done: Units finished in this phase.
        total: Units of this phase, None where it is not known.
        report: The report.
        message: Why there is none.
        hint: What to do about it.
    """

    phase: str = ""
    done: int = 0
    total: int | None = None
    report: msgspec.Raw = _EMPTY
    message: str = ""
    hint: str = ""


def score_in_process(order: ScoreOrder, *, progress: Progress) -> ScoreReport:
    """Return the scores of an order.

    Raises:
        UserError: The release cannot be used.
        EnvironmentFailure: The process cannot be started, or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    from annotator.scoring.score_report import ScoreReport

    progress.begin("Starting to score")
    # Not fork: the threads of this process hold locks, which would stay locked in the copy.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=send_scores, args=(sender, order), name="vantage-scores", daemon=True)
    with contextlib.closing(receiver):
        try:
            process.start()
        except OSError as error:
            raise EnvironmentFailure(f"The predictions cannot be scored: {error.strerror}.") from error
        finally:
            # Only the child may hold this end, so that its end is seen as the end of the messages.
            sender.close()
        try:
            last = _last_message(receiver, progress)
        finally:
            process.kill()
            process.join()
            process.close()
    if last.message:
        raise UserError(last.message, hint=last.hint)
    progress.end()
    return msgspec.msgpack.decode(last.report, type=ScoreReport)


def send_scores(sender: Connection, order: ScoreOrder) -> None:
    """Score an order, and send the steps and the report; what the child process does."""
    from annotator.scoring.score_report import score_sources

    def send(message: _Message) -> None:
        sender.send_bytes(msgspec.msgpack.encode(message))

    try:
        report = score_sources(order, progress=Progress(_reporter(send)))
        send(_Message(report=msgspec.Raw(msgspec.msgpack.encode(report))))
    except VantageError as error:
        send(_Message(message=error.message, hint=error.hint))


def _reporter(send: Callable[[_Message], None]) -> Callable[[ProgressUpdate], None]:
    def report(step: ProgressUpdate) -> None:
        send(_Message(phase=str(step.what), done=step.done, total=step.total))

    return report


def _last_message(receiver: Connection, progress: Progress) -> _Message:
    """Relay the steps of the child, and return its last message."""
    phase, done = "", 0
    while True:
        message = _received(receiver, progress)
        if not message.phase:
            return message
        if message.phase != phase or message.done < done:
            phase, done = message.phase, 0
            progress.begin(phase, total=message.total)
        progress.step(message.done - done)
        done = message.done


def _received(receiver: Connection, progress: Progress) -> _Message:
    while not receiver.poll(POLL_S):
        progress.raise_if_cancelled()
    try:
        return msgspec.msgpack.decode(receiver.recv_bytes(), type=_Message)
    except EOFError as error:
        raise EnvironmentFailure(
            "The process that scores predictions has ended early.",
            hint="Close other programs to free memory, then try again.",
        ) from error
