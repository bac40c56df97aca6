"""The figures of people, computed in a child process: seconds of Python beside which a window stays quick."""

from __future__ import annotations

import contextlib
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.errors import EnvironmentFailure, UserError, VantageError
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.quality.people_figures import PeopleFigures

POLL_S = 0.05
"""How soon a cancel is noticed."""
PHASE = "Measure agreement"


class _Reply(msgspec.Struct, array_like=True):
    """What the child sends: the figures, or an error."""

    figures: msgspec.Raw = msgspec.Raw()
    message: str = ""
    hint: str = ""


def measure_in_process(project: Path, *, progress: Progress) -> PeopleFigures:
    """Return the figures of a project.

    Raises:
        UserError: The project cannot be read.
        EnvironmentFailure: The process cannot be started, or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    from annotator.quality.people_figures import PeopleFigures

    progress.begin(PHASE)
    # Not fork: the threads of this process hold locks, which would stay locked in the copy.
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=send_figures, args=(sender, project), name="vantage-people", daemon=True)
    with contextlib.closing(receiver):
        try:
            process.start()
        except OSError as error:
            raise EnvironmentFailure(f"The agreement cannot be measured: {error.strerror}.") from error
        finally:
            # Only the child may hold this end, so that its end is seen as the end of the messages.
            sender.close()
        try:
            reply = _received(receiver, progress)
        finally:
            process.kill()
            process.join()
            process.close()
    if reply.message:
        raise UserError(reply.message, hint=reply.hint)
    progress.end()
    return msgspec.msgpack.decode(reply.figures, type=PeopleFigures)


def send_figures(sender: Connection, project: Path) -> None:
    """Measure a project and send the figures; what the child process does."""
    from annotator.quality.people_figures import people_figures
    from annotator.store.reader import Reader

    try:
        with contextlib.closing(Reader.open(project)) as reader:
            figures = people_figures(reader)
        reply = _Reply(figures=msgspec.Raw(msgspec.msgpack.encode(figures)))
    except VantageError as error:
        reply = _Reply(figures=msgspec.Raw(b"\xc0"), message=error.message, hint=error.hint)
    sender.send_bytes(msgspec.msgpack.encode(reply))


def _received(receiver: Connection, progress: Progress) -> _Reply:
    while not receiver.poll(POLL_S):
        progress.raise_if_cancelled()
    try:
        return msgspec.msgpack.decode(receiver.recv_bytes(), type=_Reply)
    except EOFError as error:
        raise EnvironmentFailure(
            "The process that measures agreement has ended early.",
            hint="Close other programs to free memory, then try again.",
        ) from error
