"""A call in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from annotator.errors import VantageError
from annotator.progress import Progress, ProgressUpdate

POLL_S = 0.05
"""How soon a cancel is noticed."""
A = TypeVar("A")
R = TypeVar("R")


def call_in_process(work: Callable[[A, Progress], R], argument: A, *, name: str, progress: Progress) -> R:
    """Return what a function returns, which a child process calls.

    Args:
        work: A function of a module; what it returns can be pickled.
        argument: Its argument, which can be pickled.
        name: Name of the process.
        progress: Shows the steps of the child.

    Raises:
        VantageError: The function raised it.
        OSError: The process cannot be started.
        EOFError: It has ended early.
        Cancelled: The user cancelled; the process is ended.
    """
    # Not fork: the threads of this process hold locks, which would stay locked in the copy.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(sender, work, argument), name=name, daemon=True)
    with contextlib.closing(receiver):
        try:
            process.start()
        finally:
            # Only the child may hold this end, so that its end is seen as the end of the messages.
            sender.close()
        result: R
        try:
            result, error = _last_message(receiver, progress)
        finally:
            process.kill()
            process.join()
            process.close()
    if error is not None:
        raise error
    return result


def _answer(sender: Connection, work: Callable[[A, Progress], R], argument: A) -> None:
    """Call the function, and send its steps and at last its result or error; what the child does."""

    def report(step: ProgressUpdate) -> None:
        sender.send(((str(step.what), step.done, step.total), None, None))

    try:
        sender.send((None, work(argument, Progress(report)), None))
    except VantageError as error:
        sender.send((None, None, error))


def _last_message(receiver: Connection, progress: Progress) -> tuple[Any, VantageError | None]:
    """Relay the steps of the child, and return the result or error that ends them."""
    phase, done = "", 0
    while True:
        while not receiver.poll(POLL_S):
            progress.raise_if_cancelled()
        step, result, error = receiver.recv()
        progress.raise_if_cancelled()
        if step is None:
            return result, error
        what, now, total = step
        if what != phase or now < done:
            phase, done = what, 0
            progress.begin(what, total=total)
        progress.step(now - done)
        done = now
