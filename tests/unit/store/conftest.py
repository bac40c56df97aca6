"""An open project, and a way to work on the file behind it with the guards taken off."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.session import Session
from annotator.store import log
from annotator.store.connection import connect
from annotator.store.schema import EVENT_GUARDS
from tests.unit.store.making import ANNA

Tamper = Callable[..., int]


@pytest.fixture
def path() -> Iterator[Path]:
    """Give the path of a project that is not there yet, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="vantage-store-") as folder:
        yield Path(folder) / "p.vantage"


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with Session.create(path, actor=ANNA) as session:
        yield session


@pytest.fixture
def chunk(monkeypatch: pytest.MonkeyPatch) -> int:
    """Give the number of edits written at a time, made small so that a command of several chunks is quick."""
    monkeypatch.setattr(log, "CHUNK", 50)
    return 50


@pytest.fixture
def tamper(path: Path) -> Tamper:
    """Give a function that changes the file behind Vantage's back and returns the number of rows changed."""

    def change(statement: str, *values: object) -> int:
        with closing(connect(path, read_only=False)) as connection:
            connection.execute("DROP TRIGGER IF EXISTS event_is_never_updated")
            connection.execute("DROP TRIGGER IF EXISTS event_is_never_deleted")
            count = connection.execute(statement, values).rowcount
            # The guards of the log come back: without them the file is refused before anything else is seen.
            for guard in EVENT_GUARDS:
                connection.execute(guard)
            return count

    return change
