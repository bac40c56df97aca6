"""A function call in a process of its own, with progress and cancel, beside which a window stays quick."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import msgspec

from annotator.diagnostics.child_failure import ChildFailure
from annotator.diagnostics.traceback_text import format_exception, signature
from annotator.errors import Cancelled, EnvironmentFailure, UserError, VantageError
from annotator.progress import Progress, ProgressUpdate

R = TypeVar("R")

POLL_S = 0.05
"""How soon a cancel is noticed."""
KILLED = getattr(signal, "SIGKILL", 9)
"""Windows has no such signal, and none of its exit codes is negative."""
FREE_MEMORY = "Close other programs to free memory, then try again."
_NOTHING = msgspec.Raw(b"\xc0")


class _Message(msgspec.Struct, array_like=True):
    """What the child sends: its steps, and at last the result or an error.

    Attributes:
        phase: What it does, "" in the last message.
        done: Units finished in this phase.
        total: Units of this phase, None where it is not known.
        result: The result.
        message: Why there is none.
        hint: What to do about it.
        is_environment: Whether the reason is disk, network, driver or memory.
        traceback: That of an exception that nobody foresaw, "" for any other end.
        signature: That of the same exception.
    """

    phase: str = ""
    done: int = 0
    total: int | None = None
    result: msgspec.Raw = _NOTHING
    message: str = ""
    hint: str = ""
    is_environment: bool = False
    traceback: str = ""
    signature: str = ""

    @property
    def is_last(self) -> bool:
        """Whether the child has ended."""
        return not self.phase


def call_in_process(
    function: Callable[..., R], *args: object, kind: type[R], progress: Progress, grace_s: float = 0.0
) -> R:
    """Return the result of a call in a child process.

    Args:
        function: A function of a module, which takes the arguments and ``progress``.
        *args: Arguments that can be pickled.
        kind: Type of the result, which msgspec can encode.
        progress: Advanced as the function advances its own; a cancel ends the process.
        grace_s: After a cancel the function is told of it, and has so long to end by itself.

    Raises:
        UserError: The function raised it.
        EnvironmentFailure: The function raised it, the process cannot be started or has ended early, or
            memory ran out.
        Cancelled: The user cancelled it.
        ChildFailure: The function raised any other exception.
    """
    # Not fork: the threads of this process hold locks, which would stay locked in the copy.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=bool(grace_s))
    answer = partial(_answer, may_be_told=True) if grace_s else _answer
    process = context.Process(target=answer, args=(sender, function, args), name="vantage-call", daemon=True)
    with contextlib.closing(receiver):
        try:
            process.start()
        except OSError as error:
            raise EnvironmentFailure(f"A process cannot be started: {error.strerror}.") from error
        finally:
            # Only the child may hold this end, so that its end is seen as the end of the messages.
            sender.close()
        try:
            last = _last_message(receiver, progress)
        except Cancelled:
            _let_end(receiver, process, grace_s)
            raise
        except EOFError as error:
            process.join()
            raise _early_end(process.exitcode) from error
        finally:
            process.kill()
            process.join()
            process.close()
    if last.message:
        raise _failure(last)
    progress.end()
    return msgspec.msgpack.decode(last.result, type=kind)


def _failure(last: _Message) -> Exception:
    if last.traceback:
        return ChildFailure(last.message, traceback=last.traceback, signature=last.signature)
    failure = EnvironmentFailure if last.is_environment else UserError
    return failure(last.message, hint=last.hint)


def _early_end(exit_code: int | None) -> EnvironmentFailure:
    """Return why a child ended without a last message; the system kills a process when memory runs out."""
    if exit_code == -KILLED:
        return EnvironmentFailure("The system ended a process, usually for lack of memory.", hint=FREE_MEMORY)
    return EnvironmentFailure(
        f"A process has ended early with exit code {exit_code}.",
        hint="Try again. If it ends again, report it with the log.",
    )


def _let_end(receiver: Connection, process: BaseProcess, grace_s: float) -> None:
    """Tell the child of the cancel, and wait for its end, at most so long."""
    deadline = time.monotonic() + grace_s
    with contextlib.suppress(OSError, EOFError):
        if grace_s:
            receiver.send_bytes(b"cancel")
        while process.is_alive() and time.monotonic() < deadline:
            # A pipe that nobody reads would hold it up.
            if receiver.poll(POLL_S):
                receiver.recv_bytes()


def _answer(
    sender: Connection, function: Callable[..., Any], args: tuple[object, ...], *, may_be_told: bool = False
) -> None:
    """Call the function and send the result; what the child process does."""

    def report(step: ProgressUpdate) -> None:
        message = _Message(phase=str(step.what), done=step.done, total=step.total)
        sender.send_bytes(msgspec.msgpack.encode(message))

    progress = Progress(report)
    if may_be_told:
        threading.Thread(
            target=_await_cancel, args=(sender, progress), name="vantage-cancel", daemon=True
        ).start()
    try:
        result = function(*args, progress=progress)
        last = _Message(result=msgspec.Raw(msgspec.msgpack.encode(result)))
    except VantageError as error:
        is_environment = isinstance(error, EnvironmentFailure)
        last = _Message(message=error.message, hint=error.hint, is_environment=is_environment)
    except Cancelled:
        # Nobody waits for a result.
        return
    except MemoryError:
        last = _Message(message="There is not enough memory.", hint=FREE_MEMORY, is_environment=True)
    except Exception as error:  # noqa: BLE001 - the parent raises it anew
        last = _Message(
            message=f"{type(error).__name__}: {error}",
            traceback=format_exception(error),
            signature=signature(error),
        )
    sender.send_bytes(msgspec.msgpack.encode(last))


def _await_cancel(receiver: Connection, progress: Progress) -> None:
    with contextlib.suppress(OSError, EOFError):
        receiver.recv_bytes()
        progress.cancel()


def _last_message(receiver: Connection, progress: Progress) -> _Message:
    """Relay the steps of the child, and return its last message."""
    phase, done = "", 0
    while not (message := _received(receiver, progress)).is_last:
        if message.phase != phase or message.done < done:
            phase, done = message.phase, 0
            progress.begin(phase, total=message.total)
        progress.step(message.done - done)
        done = message.done
    return message


def _received(receiver: Connection, progress: Progress) -> _Message:
    while not receiver.poll(POLL_S):
        progress.raise_if_cancelled()
    try:
        return msgspec.msgpack.decode(receiver.recv_bytes(), type=_Message)
    except ConnectionError as error:
        # How a child that is gone shows depends on the kind of pipe.
        raise EOFError from error
