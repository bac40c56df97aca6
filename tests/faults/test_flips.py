"""One bit of any value of a project is flipped, in any table: verify finds it."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from annotator.commands.imports import ImportFiles
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import DatabaseError, connect
from annotator.store.schema import EVENT_GUARDS
from annotator.store.verification import verify_project
from tests.unit.jobs.working import Voice, enter, plans, work
from tests.unit.store.making import changed, spatialuav_file, write
from tests.unit.store.work.test_seals import flipped

HARMLESS = {
    # Signs of life; who writes a staged command at the moment; derived again at the next opening.
    ("worker", "*"),
    ("staging", "*"),
    ("schema_digest", "*"),
    # Ids of combinations depend on the order of writing; which one a record has is compared.
    ("item_facet", "id"),
    ("scene_facet", "id"),
    ("medium_facet", "id"),
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give a project with records, edits, an undo, and model work, as one file."""
    folder = tmp_path_factory.mktemp("flips")
    path = folder / "p.vantage"
    with Session.create(path) as session:
        session.execute(ImportFiles(paths=(spatialuav_file(folder, name="a.jsonl", rows=6),))).result()
        write(session, *changed("project", session.reader.project.id, title="Pilot"))
        write(session, *changed("project", session.reader.project.id, title="Second"))
        session.undo().result()
    enter(path, plans(4))
    work(path, Voice())
    with closing(connect(path, read_only=False)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return path.read_bytes()


def places(path: Path) -> list[tuple[str, str]]:
    """Return table and column of every value that is not harmless."""
    with closing(connect(path, read_only=True)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
            # Of a search index verify compares the words and where they are, not the pages of its tree.
            " AND name NOT GLOB '*_words_*' AND name NOT GLOB '*_parts_*' ORDER BY 1"
        ).fetchall()
        return [
            (table, column)
            for (table,) in tables
            for (column,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchall()
            if not {(table, "*"), (table, column)} & HARMLESS
        ]


def flip(path: Path, table: str, column: str, *, chance: random.Random) -> bool:
    """Flip a bit of a value, and return whether the file has changed."""
    with closing(connect(path, read_only=False)) as connection:
        names = connection.execute(f"SELECT name FROM pragma_table_info('{table}')").fetchall()
        others = " AND ".join(f'"{name}" IS ?' for (name,) in names)
        rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
        place = [name for (name,) in names].index(column)
        rows = [row for row in rows if row[place] not in {None, "", b""}]
        if not rows:
            return False
        row = chance.choice(rows)
        for name in ("update", "delete"):
            connection.execute(f"DROP TRIGGER event_is_never_{name}d")
        try:
            connection.execute(
                f'UPDATE "{table}" SET "{column}"=? WHERE {others}', (flipped(row[place], chance), *row)
            )
        except DatabaseError:
            # Another row has this value already, or the type does not permit it.
            return False
        finally:
            for guard in EVENT_GUARDS:
                connection.execute(guard)
    return True


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.slow)])
def test_verify_when_one_bit_of_any_value_is_flipped_then_finds_it(
    content: bytes, tmp_path: Path, count: int
) -> None:
    chance = random.Random(count)
    path = tmp_path / "p.vantage"
    path.write_bytes(content)
    where = places(path)
    assert list(verify_project(path, progress=Progress())) == []
    unseen: Counter[str] = Counter()
    flips = 0
    while flips < count:
        table, column = chance.choice(where)
        path.write_bytes(content)
        if flip(path, table, column, chance=chance):
            flips += 1
            if next(verify_project(path, progress=Progress()), None) is None:
                unseen[f"{table}.{column}"] += 1
    assert unseen == {}
