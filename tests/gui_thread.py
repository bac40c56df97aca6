"""Guard of the GUI thread: records calls of the window's code there that can wait for a disk or a thread.

Not by the clock, which tells more of the machine than of the code: by the calls themselves.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QProcess

from annotator.session import Session

REPO = Path(__file__).parents[1]
WIDGETS = str(REPO / "widgets")
THROUGH = (str(REPO / "annotator"), str(Path(threading.__file__).parent), __file__)
"""Code that is passed over on the way to the caller: all below the window, and the standard library."""
WRITING = frozenset("wax+")
KNOWN = re.compile(
    r" (close|leave): (ThreadPoolExecutor\.shutdown|Thread\.join|Future\.result)$"
    r"| leave: reads the project$"
)
"""What still waits there: media services that are closed with their project, and the end of the program."""


class Recorder:
    """Notes who in the window waits for what."""

    def __init__(self) -> None:
        self.calls: set[str] = set()
        self.is_on = False

    def note(self, what: str) -> None:
        """Note a call of something that can wait, where the window's code made it on the GUI thread."""
        if self.is_on and threading.current_thread() is threading.main_thread() and (by := _caller()):
            self.calls.add(f"{by}: {what}")


def _caller() -> str:
    """Return the function of the window that led here, "" where a test or Qt did."""
    frame = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(WIDGETS):
            return f"{Path(file).relative_to(REPO).as_posix()} {frame.f_code.co_name}"
        if not file.startswith(THROUGH):
            return ""
        frame = frame.f_back  # type: ignore[assignment]
    return ""


_RECORDER = Recorder()


def _on_audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _RECORDER.is_on:
        return
    if event == "open" and isinstance(arguments[1], str) and WRITING & set(arguments[1]):
        _RECORDER.note("writes a file")
    elif event in {"sqlite3.connect", "subprocess.Popen", "socket.connect"}:
        _RECORDER.note(event)


sys.addaudithook(_on_audit)


def _watched(call: Callable[..., Any], what: str, *, waits: Callable[..., bool]) -> Callable[..., Any]:
    def watched(*arguments: Any, **named: Any) -> Any:
        if waits(*arguments, **named):
            _RECORDER.note(what)
        return call(*arguments, **named)

    return watched


def _is_pending(future: Future[object], *_rest: object, **_named: object) -> bool:
    return not future.done()


def _is_waiting(_pool: object, wait: bool = True, **_named: object) -> bool:
    return wait


def _always(*_arguments: object, **_named: object) -> bool:
    return True


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Record the waiting calls of the window's code on this thread; give the set that they are put into."""
    for owner, name, waits in (
        (Future, "result", _is_pending),
        (Future, "exception", _is_pending),
        (ThreadPoolExecutor, "shutdown", _is_waiting),
        (threading.Thread, "join", _always),
        (time, "sleep", _always),
        (QProcess, "waitForFinished", _always),
    ):
        what = f"{getattr(owner, '__name__', '')}.{name}"
        monkeypatch.setattr(owner, name, _watched(getattr(owner, name), what, waits=waits))
    read = Session.reader.fget
    assert read is not None
    monkeypatch.setattr(Session, "reader", property(_watched(read, "reads the project", waits=_always)))
    _RECORDER.calls, _RECORDER.is_on = set(), True
    try:
        yield _RECORDER.calls
    finally:
        _RECORDER.is_on = False
