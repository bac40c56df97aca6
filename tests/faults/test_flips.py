"""One bit of any value of a project is flipped, in any table: verify finds it."""

from __future__ import annotations

import random
import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from annotator.commands.imports import ImportFiles
from annotator.errors import VantageError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.connection import DatabaseError, connect
from annotator.store.packing import unpack
from annotator.store.schema import EVENT_GUARDS
from annotator.store.verification import verify_project
from annotator.verification import verify_release_alone
from tests.faults.fault_rows import Trials, fault_row, trials
from tests.unit.jobs.working import Voice, enter, plans, work
from tests.unit.release.samples import aircop_item, fill, release
from tests.unit.store.making import changed, spatialuav_file, visible_state, write
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
        index = [name for (name,) in names].index(column)
        rows = [row for row in rows if row[index] not in {None, "", b""}]
        if not rows:
            return False
        row = chance.choice(rows)
        for name in ("update", "delete"):
            connection.execute(f"DROP TRIGGER event_is_never_{name}d")
        try:
            connection.execute(
                f'UPDATE "{table}" SET "{column}"=? WHERE {others}', (flipped(row[index], chance), *row)
            )
        except DatabaseError:
            # Another row has this value already, or the type does not permit it.
            return False
        finally:
            for guard in EVENT_GUARDS:
                connection.execute(guard)
    return True


@trials(quick=40, short=200, full=800)
def test_verify_when_one_bit_of_any_value_is_flipped_then_finds_it(
    content: bytes, tmp_path: Path, trials: Trials
) -> None:
    chance = random.Random(trials.count)
    path = tmp_path / "p.vantage"
    path.write_bytes(content)
    where = places(path)
    assert list(verify_project(path, progress=Progress())) == []
    fault = "One bit of a value in any table of a project is flipped"
    with fault_row(fault, test=__file__, trials=trials) as row:
        for _ in trials:
            table, column = flip_any(path, content, where, chance=chance)
            row.tried += 1
            is_found = next(verify_project(path, progress=Progress()), None) is not None
            row.expect(is_found, f"unseen: {table}.{column}")


def flip_any(
    path: Path, content: bytes, where: list[tuple[str, str]], *, chance: random.Random
) -> tuple[str, str]:
    """Flip a bit of some value, and return its table and column."""
    while True:
        table, column = chance.choice(where)
        path.write_bytes(content)
        if flip(path, table, column, chance=chance):
            return table, column


def flip_byte(path: Path, chance: random.Random) -> int:
    """Flip a bit of any byte of a file, and return where."""
    content = bytearray(path.read_bytes())
    at = chance.randrange(len(content))
    content[at] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return at


def plain(sql: str) -> str:
    """Return a statement without the case of its words, which says nothing outside of texts."""
    return re.sub(r"'[^']*'|[^']+", lambda found: found[0] if found[0][0] == "'" else found[0].lower(), sql)


def unpacked(value: object) -> object:
    """Return the text of a packed value: the last bits of its last byte hold nothing."""
    try:
        return unpack(value) if isinstance(value, bytes) else value
    except ValueError:
        return value


def content_of(path: Path) -> list[object] | None:
    """Return all rows of a project, and of a search index its words, None where it cannot be read."""
    try:
        with closing(connect(path, read_only=True)) as connection:
            tables = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
            is_tree = re.compile(r"\w+_(words|parts)_\w+").fullmatch
            names = [
                name
                for name, sql in tables
                if (sql or "").startswith("CREATE TABLE") and is_tree(name) is None
            ]
            rows = [connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names]
            written = [(name, plain(sql or "")) for name, sql in tables]
            return [
                written,
                *([tuple(map(unpacked, row)) for row in each] for each in rows),
                visible_state(path),
            ]
    except (DatabaseError, VantageError):
        return None


@trials(quick=10, short=200, full=600)
def test_verify_when_any_bit_of_a_backup_is_flipped_then_finds_it_or_the_content_is_the_same(
    tmp_path: Path, trials: Trials
) -> None:
    chance = random.Random(trials.count)
    with Session.create(tmp_path / "p.vantage") as session:
        rows = spatialuav_file(tmp_path, name="a", rows=400)
        session.execute(ImportFiles(paths=(rows,))).result()
        backup = session.backup(reason="by hand").path
    whole, path = content_of(backup), tmp_path / "flipped.vantage"
    with fault_row("One bit of a backup file is flipped", test=__file__, trials=trials) as row:
        for _ in trials:
            for file in tmp_path.glob("flipped*"):
                file.unlink()
            shutil.copy(backup, path)
            at = flip_byte(path, chance)
            row.tried += 1
            if is_sound(path):
                row.add("in bytes that hold nothing")
                row.expect(content_of(path) == whole, f"unseen: byte {at}")


def is_sound(path: Path) -> bool:
    """Return whether verify finds nothing."""
    try:
        return next(verify_project(path, progress=Progress()), None) is None
    except VantageError:
        # It is no project any more, which verify says.
        return False


@trials(quick=10, short=200, full=600)
def test_verify_when_any_bit_of_a_release_is_flipped_then_finds_it(tmp_path: Path, trials: Trials) -> None:
    chance = random.Random(trials.count)
    out = tmp_path / "out"
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *(aircop_item(name=f"{number}") for number in range(20)))
        release(session, out, "native")
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.stat().st_size)
    assert verify_release_alone(out, progress=Progress()).problems == ()
    with fault_row("One bit of a file of a release is flipped", test=__file__, trials=trials) as row:
        for _ in trials:
            file = chance.choice(files)
            content = file.read_bytes()
            at = flip_byte(file, chance)
            row.tried += 1
            is_found = verify_release_alone(out, progress=Progress()).problems
            row.expect(is_found, f"unseen: {file.name}, byte {at}")
            file.write_bytes(content)
