"""Guards around every test: a private home, no network, no unexpected log record, no thread left over.

`tests/conftest.py` takes the fixtures in; `tests/contracts/test_guards.py` shows that each of them bites.
"""

from __future__ import annotations

import ipaddress
import itertools
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HOME_FOLDERS = {
    "HOME": ".",
    "USERPROFILE": ".",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_CACHE_HOME": "cache",
    "XDG_RUNTIME_DIR": "run",
    "APPDATA": "config",
    "LOCALAPPDATA": "data",
    "VANTAGE_HOME": "vantage",
}
# A worker told to stop may need a moment on a busy machine; a test that ends clean waits for nothing.
THREAD_GRACE_S = PATIENCE_S


class NetworkBlockedError(RuntimeError):
    """A test tried to leave this machine."""


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a fresh folder path at each step."""
    # Counted here: mktemp lists all its siblings for the next number, which adds up over thousands of tests.
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def private_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test an empty home of its own, so that no test reads or changes a person's settings."""
    home = next(homes)
    (home / HOME_FOLDERS["XDG_RUNTIME_DIR"]).mkdir(mode=0o700, parents=True)
    for variable, folder in HOME_FOLDERS.items():
        monkeypatch.setenv(variable, str(home / folder))
    return home


def is_local(address: object) -> bool:
    """Tell whether a socket address stays on this machine: a loopback host, or a path of a local socket."""
    if not isinstance(address, tuple):
        return True
    return is_local_host(address[0])


def is_local_host(host: object) -> bool:
    """Tell whether a host name or address text is this machine's loopback; None and '' mean a wildcard."""
    if isinstance(host, bytes):
        host = host.decode()
    if host in {None, "", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse connections that leave this machine, and fail even where the product swallows the refusal."""
    attempts: list[str] = []

    def refuse(target: object) -> None:
        attempts.append(str(target))
        message = f"a test tried to reach {target}"
        raise NetworkBlockedError(message)

    def guarded(name: str, address_index: int) -> Callable[..., object]:
        original = getattr(socket.socket, name)

        def call(sock: socket.socket, *args: object) -> object:
            address = args[address_index]
            if not is_local(address):
                refuse(address)
            return original(sock, *args)

        return call

    resolve = socket.getaddrinfo

    def resolve_local(host: object, *args: object, **kwargs: object) -> object:
        if not is_local_host(host):
            refuse(host)
        return resolve(host, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded("connect", 0))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded("connect_ex", 0))
    monkeypatch.setattr(socket.socket, "sendto", guarded("sendto", -1))
    monkeypatch.setattr(socket, "getaddrinfo", resolve_local)
    yield
    if attempts:
        pytest.fail(f"the test tried to reach {', '.join(attempts)}", pytrace=False)


class Messages:
    """Collect warnings of one test, from the log or from Qt, and tell which of them nobody expected."""

    def __init__(self, allowed: list[str]) -> None:
        self.allowed = [re.compile(pattern, re.DOTALL) for pattern in allowed]
        self.seen: list[str] = []

    def add(self, text: str) -> None:
        """Keep one message."""
        self.seen.append(text)

    def allow(self, *patterns: str) -> None:
        """Expect messages in which one of the regular expressions is found."""
        self.allowed += [re.compile(pattern, re.DOTALL) for pattern in patterns]

    def unexpected(self) -> list[str]:
        """List the messages that match no allowed pattern."""
        return [text for text in self.seen if not any(pattern.search(text) for pattern in self.allowed)]


class _Collector(logging.Handler):
    def __init__(self, messages: Messages) -> None:
        super().__init__(level=logging.WARNING)
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self._messages.add(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture
def guard_messages(request: pytest.FixtureRequest) -> Messages:
    """Give the messages of this test; `.allow(pattern)` expects one, as the marker allow_messages does."""
    allowed = [pattern for mark in request.node.iter_markers("allow_messages") for pattern in mark.args]
    return Messages(allowed)


@pytest.fixture(autouse=True)
def quiet_log(guard_messages: Messages) -> Iterator[None]:
    """Fail a test during which anything logged at WARNING or above that the test did not allow."""
    collector = _Collector(guard_messages)
    root = logging.getLogger()
    root.addHandler(collector)
    yield
    root.removeHandler(collector)
    if unexpected := guard_messages.unexpected():
        pytest.fail("unexpected messages:\n  " + "\n  ".join(unexpected), pytrace=False)


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """Fail a test that leaves a thread running, after a short grace for those on their way out."""
    before = set(threading.enumerate())
    yield
    # Python lists a thread that Qt started as a dummy, for ever; guards_qt.py looks after those.
    started = [
        thread
        for thread in threading.enumerate()
        if thread not in before and not isinstance(thread, threading._DummyThread)
    ]
    deadline = time.monotonic() + THREAD_GRACE_S
    for thread in started:
        # One told to stop may need a moment on a busy machine.
        thread.join(max(0.0, deadline - time.monotonic()))
    if left := [thread.name for thread in started if thread.is_alive()]:
        pytest.fail(f"threads left running: {', '.join(left)}", pytrace=False)


def prepare_environment() -> None:
    """Set what must hold before anything of the product, or Qt, is imported, here and in child processes."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # A wallet or key ring of the person at the machine is not ours to open.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    # Output is buffered on a user's machine, and errors then come at the end: so must it be here.
    os.environ.pop("PYTHONUNBUFFERED", None)
    # Hundreds of processes import the product: without its compiled files each would take half a second more.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # The order of sets of strings is the same in each process that the run starts, and at each run.
    os.environ["PYTHONHASHSEED"] = "0"
    # As main.py has it: on a busy machine threads of OpenBLAS wait for each other in loops.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A run in the background ignores Ctrl+C, and so would every process that a test starts.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
