"""What verify finds in the table by which searches find the page of a term."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.domain.query import ItemQuery
from annotator.session import Session
from annotator.store.connection import Connection, DatabaseError, connect_in_memory
from annotator.store.search_lookup import is_lookup_damaged
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import an_item, created, problems, write

RECORDS = 300


@pytest.fixture
def index() -> Iterator[Connection]:
    """Give an empty search table of small pages, whose parts are merged soon."""
    with closing(connect_in_memory()) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5(text, content='', contentless_delete=1, tokenize='trigram')"
        )
        for setting, value in (("pgsz", 64), ("automerge", 2), ("hashsize", 4000)):
            connection.execute("INSERT INTO t (t, rank) VALUES (?, ?)", (setting, value))
        yield connection


def write_texts(index: Connection, rng: random.Random, *, count: int) -> None:
    rows = [
        (rng.randrange(RECORDS), f"common {rng.randrange(10 ** rng.randint(1, 9))}") for _ in range(count)
    ]
    index.executemany("INSERT OR REPLACE INTO t (rowid, text) VALUES (?, ?)", rows)


def is_all_found(index: Connection) -> bool:
    """Return whether a search for each term finds it in as many records as there are."""
    index.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 't', 'row')")
    try:
        counts = index.execute("SELECT term, doc FROM terms").fetchall()
        select = "SELECT doc FROM terms WHERE term=?"
        return all(index.execute(select, (term,)).fetchall() == [(doc,)] for term, doc in counts)
    except DatabaseError:
        return False
    finally:
        index.execute("DROP TABLE temp.terms")


def test_lookup_when_texts_are_written_deleted_and_merged_then_nothing_is_damaged(index: Connection) -> None:
    rng = random.Random(7)
    for step in range(25):
        write_texts(index, rng, count=rng.choice([1, 20, 100]))
        if step % 3 == 0:
            index.executemany("DELETE FROM t WHERE rowid=?", [(n,) for n in range(0, RECORDS, 1 + step)])
            index.execute("INSERT INTO t (t, rank) VALUES ('merge', ?)", (rng.choice([1, 5, -5]),))
        assert not is_lookup_damaged(index, "t")
    assert index.execute("SELECT count(*) FROM t_idx").fetchone()[0] > 50


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM t_idx WHERE segid=?1 AND term=?2",
        "UPDATE OR IGNORE t_idx SET term=substr(term, 1, length(term) - 1) WHERE segid=?1 AND term=?2",
        "UPDATE OR IGNORE t_idx SET term=term || x'41' WHERE segid=?1 AND term=?2",
        "UPDATE OR IGNORE t_idx SET term=CAST(term AS TEXT) WHERE segid=?1 AND term=?2",
        "UPDATE t_idx SET pgno=pgno+2 WHERE segid=?1 AND term=?2",
    ],
)
def test_lookup_when_a_row_was_altered_then_it_is_damaged_wherever_a_search_finds_less(
    index: Connection, statement: str
) -> None:
    rng = random.Random(7)
    write_texts(index, rng, count=200)
    rows = index.execute("SELECT segid, term FROM t_idx").fetchall()
    lost = 0
    for row in rng.sample(rows, 40):
        index.execute("SAVEPOINT altered")
        index.execute(statement, row)
        if not is_all_found(index):
            lost += 1
            assert is_lookup_damaged(index, "t"), row
        index.execute("ROLLBACK TO altered")
    assert lost > 3


def test_verify_when_a_search_does_not_find_the_pages_of_words_then_says_so(
    session: Session, path: Path, tamper: Tamper
) -> None:
    words = [" ".join(f"word{n}x{index}" for index in range(20)) for n in range(100)]
    write(session, *(created("item", an_item(question=question)) for question in words))
    assert problems(path) == []
    tamper("DELETE FROM item_words_idx")
    assert list(session.reader.items.numbers(ItemQuery(text="word7x7"))) == []
    assert ("projection", "item_words") in {(problem.kind, problem.where) for problem in problems(path)}
