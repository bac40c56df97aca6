from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from annotator.domain.item import Item
from annotator.queries import record_stream
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store.connection import connect
from tests.unit.store.making import an_item, created, removed, write

Stream = Callable[[Reader, str], Iterator[object]]
STREAMS: dict[str, Stream] = {
    "all": lambda reader, _: reader.records(Item),
    "by an index": lambda reader, _: reader.find(Item, task_set="aircop"),
    "events, oldest first": lambda reader, command: reader.log.events_of(command, newest_first=False),
    "events, newest first": lambda reader, command: reader.log.events_of(command, newest_first=True),
}


@pytest.fixture
def command(session: Session) -> str:
    return write(session, *(created("item", an_item(name=f"{n}")) for n in range(30))).command


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_stream_when_taken_slowly_then_keeps_no_old_state_and_has_each_row_once(
    session: Session, command: str, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(stream(session.reader, command))
    monkeypatch.setattr(record_stream, "STATE_S", -1.0)
    monkeypatch.setattr(record_stream, "FETCH", 5)
    monkeypatch.setattr(record_stream, "PAGE", 7)
    found = []
    with closing(connect(session.path, read_only=False)) as other:
        other.execute("PRAGMA busy_timeout=0")
        for row in stream(session.reader, command):
            found.append(row)
            write(session, created("item", an_item(task_set="other")))
            # Nobody reads an older state: the log can be emptied.
            assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
            if len(found) == len(expected):
                break
    assert found == expected


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_stream_when_in_a_snapshot_then_stays_in_its_state(
    session: Session, command: str, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(stream(session.reader, command))
    monkeypatch.setattr(record_stream, "STATE_S", -1.0)
    monkeypatch.setattr(record_stream, "FETCH", 5)
    reader, found = session.reader, []
    with reader.snapshot():
        for row in stream(reader, command):
            found.append(row)
            if len(found) == 1:
                last = list(session.reader.records(Item))[-1]
                write(session, removed("item", last.id), created("item", an_item()))
    assert found == expected


def test_stream_when_records_of_the_rest_change_then_has_their_newer_state(
    session: Session, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_stream, "STATE_S", -1.0)
    monkeypatch.setattr(record_stream, "FETCH", 5)
    items = list(session.reader.records(Item))
    stream = session.reader.records(Item)
    first = [next(stream) for _ in range(5)]
    write(session, removed("item", items[10].id))
    assert [item.id for item in (*first, *stream)] == [item.id for item in items if item != items[10]]
