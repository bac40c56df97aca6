"""What verify finds in a file that was damaged, altered or is in use."""

from __future__ import annotations

import gzip
import math
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from annotator.command_summary import CommandSummary
from annotator.domain.event import SEALED, event_hash
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.session import Session
from annotator.store import replay, scratch_database, search_check, table_check, verification
from annotator.store.connection import Connection, connect
from annotator.store.projections import PROJECTIONS
from annotator.store.verification import verify_project
from tests.patience import PATIENCE_S
from tests.unit.store.conftest import Tamper
from tests.unit.store.making import (
    BEN,
    a_flag,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    events,
    problems,
    removed,
    write,
)


@pytest.fixture
def item(session: Session) -> str:
    """Give the id of an item in a project with something of everything, undone and redone in part."""
    medium, item = a_medium(), an_item(question="How many red cars?")
    scene = a_scene(medium.id, name="scene_004")
    write(session, created("medium", medium), created("scene", scene), created("item", item))
    write(session, created("flag", a_flag(medium.id, entity="medium")))
    write(session, created("flag", a_flag(item.id, severity="note")))
    write(session, *changed("item", item.id, question="How many blue cars?", scene=scene.id))
    write(session, created("item", an_item(name="gone")))
    session.undo().result()
    with Session.open(session.path, actor=BEN) as other:
        write(other, *changed("item", item.id, state="accepted"))
    return item.id


def test_verify_when_all_is_well_then_finds_nothing(session: Session, item: str) -> None:
    assert problems(session.path) == []


def test_verify_when_told_of_progress_then_counts_all_events_twice(session: Session, item: str) -> None:
    told: list[ProgressUpdate] = []
    assert list(verify_project(session.path, progress=Progress(told.append))) == []
    total = len(events(session.path))
    begun = [(step.what, step.total) for step in told if step.done == 0]
    assert begun == [
        ("Checking the hash chain", total),
        ("Checking the search indexes", None),
        ("Rebuilding from the log", total),
        ("Checking model work", None),
    ]


def test_verify_when_others_write_meanwhile_then_finds_nothing_and_their_log_can_be_emptied(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "AT_A_TIME", 3)
    monkeypatch.setattr(replay, "AT_A_TIME", 3)
    emptied: dict[str, list[bool]] = {}
    with closing(connect(session.path, read_only=False)) as other:
        other.execute("PRAGMA busy_timeout=0")

        def write_and_empty(phase: str) -> None:
            write(session, *changed("item", item, question=f"{phase} {len(emptied)}"))
            write(session, created("item", an_item(name=phase)))
            is_busy, _, _ = other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            emptied.setdefault(phase, []).append(not is_busy)

        checks = _Steps(write_and_empty)
        assert list(verify_project(session.path, progress=checks)) == []
    assert all(emptied["Checking the hash chain"])
    assert all(emptied["Rebuilding from the log"][:4])
    assert problems(session.path) == []


class _Steps(Progress):
    """Calls a function at the first steps of each phase, however quickly they follow each other."""

    def __init__(self, call: Callable[[str], None]) -> None:
        super().__init__()
        self._call, self._phase, self._steps = call, "", 0

    def begin(self, what: str | CommandSummary, *, total: int | None = None) -> None:
        super().begin(what, total=total)
        self._phase, self._steps = f"{what}", 0

    def step(self, n: int = 1) -> None:
        super().step(n)
        self._steps += 1
        if self._steps < MOST_WRITES:
            self._call(self._phase)


MOST_WRITES = 5
OLDER = sorted((Path(__file__).parent / "projects").glob("*.vantage.gz"))


@pytest.mark.parametrize("stored", OLDER, ids=lambda stored: stored.name)
def test_verify_when_a_project_is_of_an_older_version_then_its_log_is_verified_as_it_is(
    tmp_path: Path, stored: Path
) -> None:
    path = tmp_path / "old.vantage"
    path.write_bytes(gzip.decompress(stored.read_bytes()))
    assert problems(path) == []
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER event_is_never_updated")
        # A value that is stored as text in all versions.
        edited = "UPDATE event SET wall_time='2020-01-01T00:00:00+00:00' WHERE n=3 RETURNING id"
        (event,) = connection.execute(edited).fetchone()
    assert ("hash", event) in {(each.kind, each.where) for each in verify_project(path, progress=Progress())}


def test_verify_when_cancelled_then_stops(session: Session, item: str) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        list(verify_project(session.path, progress=progress))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("value", '"How many green cars?"'),
        ("value", "{broken"),
        ("actor", "c" * 32),
        ("wall_time", "1999-01-01"),
        ("parents", ""),
        ("lamport", 999),
    ],
)
def test_verify_when_an_event_was_altered_then_names_it(
    session: Session, tamper: Tamper, item: str, column: str, value: object
) -> None:
    select = f"entity_id='{item}' AND field='question'"
    ((event_id,),) = events(session.path, "id", select)
    assert tamper(f"UPDATE event SET {column}=? WHERE id=?", value, event_id) == 1
    (found,) = [problem for problem in problems(session.path) if problem.kind == "hash"]
    assert (found.where, found.message) == (event_id, "The event was changed after it was written.")


def test_verify_when_an_altered_event_was_sealed_again_then_the_chain_breaks(
    session: Session, tamper: Tamper, item: str
) -> None:
    tamper("UPDATE event SET hash=zeroblob(32) WHERE n=4")
    found = problems(session.path)
    assert {problem.kind for problem in found} == {"hash", "chain"}


def test_verify_when_a_number_was_left_out_and_sealed_then_says_where(
    session: Session, tamper: Tamper, item: str
) -> None:
    *fields, prev_hash = events(session.path, f"{', '.join(SEALED)}, prev_hash")[-1]
    fields[SEALED.index("seq")] += 1
    sealed = event_hash(fields, prev_hash=prev_hash)
    assert tamper("UPDATE event SET seq=seq+1, hash=? WHERE id=?", sealed, fields[0]) == 1
    (found,) = problems(session.path)
    assert (found.kind, found.where) == ("chain", fields[0])


def test_verify_when_an_event_in_the_middle_is_gone_then_says_where(
    session: Session, tamper: Tamper, item: str
) -> None:
    where = f"entity_id='{item}' AND field='question'"
    ((seq,),) = events(session.path, "seq", where)
    assert tamper(f"DELETE FROM event WHERE {where}") == 1
    found = {problem.kind: problem.message for problem in problems(session.path)}
    assert found["chain"] == f"Event {seq + 1} does not follow event {seq - 1}."
    assert found["projection"]


def test_verify_when_the_making_of_a_record_is_gone_then_says_that_the_log_cannot_be_replayed(
    session: Session, tamper: Tamper, item: str
) -> None:
    assert tamper("DELETE FROM event WHERE entity_id=? AND field='*'", item) == 1
    found = problems(session.path)
    assert {problem.kind for problem in found} == {"chain", "parent", "projection"}
    (replay,) = [problem for problem in found if problem.where == "log"]
    assert replay.message == f"The log cannot be replayed: The item {item} does not exist."


def test_verify_when_the_newest_event_is_gone_then_the_tables_know_more_than_the_log(
    session: Session, tamper: Tamper, item: str
) -> None:
    assert tamper("DELETE FROM event WHERE n=(SELECT max(n) FROM event)") == 1
    found = problems(session.path)
    # The newest event is the digest of what was accepted, which belongs to its command.
    assert {problem.where.split()[0] for problem in found} >= {"command", "head"}


def test_verify_when_all_that_somebody_did_is_gone_then_says_so(
    session: Session, tamper: Tamper, item: str
) -> None:
    with Session.open(session.path, actor=BEN) as other:
        write(other, *changed("item", item, answer_key="B"))
    first, _last = events(session.path, "DISTINCT incarnation", f"actor='{BEN.id}'")
    tamper("DELETE FROM event WHERE incarnation=?", *first)
    found = [problem.message for problem in problems(session.path) if problem.kind == "chain"]
    assert found == ["Event 1 does not follow event 0."]


ALTERED = {
    "a value": ("UPDATE item SET answer_format='Z'", "item"),
    "a record": ("UPDATE item SET record=replace(record, 'blue', 'green')", "item"),
    "a row": ("DELETE FROM scene", "scene"),
    "one row too many": (
        "INSERT INTO comment(n, id, actor, removed, record) VALUES (999, 'x', 'y', 0, '{}')",
        "comment",
    ),
    "a hidden record": ("UPDATE item SET removed=0", "item"),
    "what undo takes back": ("UPDATE command SET state='dropped' WHERE state='undone'", "command"),
    "the scene of a flag": ("UPDATE flag SET scene=NULL", "flag"),
    "the flags of an item": ("UPDATE item SET flags=''", "item"),
    "a count": ("UPDATE item_facet SET items=items+1 WHERE items>0", "item_facet"),
    "the views of a scene": ("DELETE FROM scene_view", "scene_view"),
    "where lists find an item": ("UPDATE item SET facet=facet+1 WHERE removed=0", "item"),
    "the newest values": ("DELETE FROM head WHERE field='question'", "head"),
    "a word": ("INSERT INTO item_words(rowid, text) VALUES (999, 'submarine')", "item_words"),
    "words": ("DELETE FROM item_words", "item_words"),
    "parts of names": ("DELETE FROM scene_parts", "scene_parts"),
    "the length of a text": (
        "DELETE FROM item_words_docsize WHERE id=(SELECT min(n) FROM item)",
        "item_words",
    ),
    "the part of an index that holds a text": (
        "UPDATE item_words_docsize SET origin=origin+1 WHERE id=(SELECT min(n) FROM item)",
        "item_words",
    ),
}


@pytest.mark.parametrize(("statement", "where"), ALTERED.values(), ids=ALTERED)
def test_verify_when_a_table_was_altered_then_says_which_differs_from_the_log(
    session: Session, tamper: Tamper, item: str, statement: str, where: str
) -> None:
    assert tamper(statement) > 0
    found = problems(session.path)
    assert {problem.kind for problem in found} == {"projection"}
    assert where in {problem.where.split()[0] for problem in found}
    assert all(problem.message.endswith(".") for problem in found)


def test_verify_when_events_point_nowhere_then_names_the_missing_parent(
    session: Session, tamper: Tamper, item: str
) -> None:
    tamper("UPDATE event SET parents=? WHERE field='question'", "f" * 32)
    (found,) = [problem for problem in problems(session.path) if problem.kind == "parent"]
    assert found.message == f"The parent event {'f' * 32} is not in the log."


def _zeros(page: bytes) -> bytes:
    return bytes(len(page))


def _noise(page: bytes) -> bytes:
    return os.urandom(len(page))


@pytest.mark.parametrize("damage", [_zeros, _noise])
# Behind the pages of the schema: without one of those the file cannot be opened at all.
@pytest.mark.parametrize("share", [0.2, 0.3, 0.5, 0.7, 0.9])
def test_verify_when_a_page_is_damaged_then_says_so_in_words(
    session: Session, item: str, damage: Callable[[bytes], bytes], share: float
) -> None:
    write(session, *(created("item", an_item(name=f"{n}", question="long " * 50)) for n in range(900)))
    session.close()
    _spoil_page(session.path, share=share, damage=damage)
    found = problems(session.path)
    assert found
    assert {problem.kind for problem in found} >= {"page"}
    assert all(
        "SQLite reports" in p.message or "cannot be read" in p.message for p in found if p.kind == "page"
    )


def _spoil_page(path: Path, *, share: float, damage: Callable[[bytes], bytes]) -> None:
    content = bytearray(path.read_bytes())
    at = int(len(content) / 4096 * share) * 4096
    content[at : at + 4096] = damage(content[at : at + 4096])
    path.write_bytes(content)


def test_verify_when_a_text_is_damaged_then_says_so(session: Session, item: str) -> None:
    session.close()
    content = session.path.read_bytes()
    session.path.write_bytes(content.replace(b"blue cars", b"bl\xffe cars"))
    (found,) = [problem for problem in problems(session.path) if problem.kind == "page"]
    assert found.message.startswith("The file cannot be read to the end")


@pytest.mark.parametrize("at", [1, 10, 30], ids=["first pass", "middle", "second pass"])
def test_verify_when_people_go_on_writing_then_finds_nothing(session: Session, item: str, at: int) -> None:
    steps = 0

    class Writing(Progress):
        def step(self, n: int = 1) -> None:
            nonlocal steps
            steps += n
            if steps >= at and not session.reader.log.next_redo("nobody"):
                write(session, *changed("item", item, question=f"{steps}"), created("item", an_item()))

    assert list(verify_project(session.path, progress=Writing())) == []
    assert steps > 30


def test_verify_when_run_then_leaves_the_file_as_it_is(session: Session, item: str) -> None:
    session.close()
    before = session.path.read_bytes()
    assert problems(session.path) == []
    assert session.path.read_bytes() == before


def test_verify_when_the_file_is_no_project_then_refuses(path: Path) -> None:
    path.write_text("words " * 1000)
    with pytest.raises(UserError, match="not a Vantage project"):
        problems(path)


def test_verify_when_two_windows_of_one_person_wrote_in_turn_then_finds_nothing(session: Session) -> None:
    with Session.open(session.path, actor=session.actor) as other:
        for number in range(3):
            write(session, created("item", an_item(name=f"a{number}")))
            write(other, created("item", an_item(name=f"b{number}")))
    assert problems(session.path) == []


def test_verify_when_run_on_another_thread_then_writers_need_not_wait(session: Session, item: str) -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.extend(problems(session.path)))
    thread.start()
    for number in range(20):
        write(session, *changed("item", item, question=f"{number}"))
    thread.join(PATIENCE_S)
    assert found == []


def test_verify_when_a_flag_came_before_its_scene_then_finds_nothing(session: Session) -> None:
    medium = a_medium()
    write(session, created("medium", medium), created("flag", a_flag(medium.id, entity="medium")))
    scene = a_scene(medium.id)
    write(session, created("scene", scene))
    assert problems(session.path) == []
    write(session, removed("scene", scene.id))
    assert problems(session.path) == []


def test_verify_when_a_field_was_edited_often_then_the_work_grows_with_the_edits_alone(
    session: Session,
) -> None:
    item = an_item(name="edited")
    write(session, created("item", item))
    steps = []
    for _ in range(2):
        write(
            session, *(edit for number in range(200) for edit in changed("item", item.id, name=f"{number}"))
        )
        with closing(connect(session.path, read_only=True)) as connection:
            counted: list[int] = []
            connection.set_progress_handler(partial(counted.append, 1), 100)
            connection.execute(verification.NEWEST).fetchall()
        steps.append(len(counted))
    assert steps[1] < 3 * steps[0]


@pytest.mark.parametrize("number", [0, -5, -(1 << 63), (1 << 63) - 1])
def test_verify_when_an_event_has_a_number_that_is_none_of_the_log_then_it_says_so(
    session: Session, item: str, tamper: Tamper, number: int
) -> None:
    session.close()
    kept = "prev_hash, actor, lamport, parents, entity, entity_id, field, value, schema, command, wall_time"
    tamper(
        f"INSERT INTO event (n, id, incarnation, seq, hash, {kept}) "
        f"SELECT ?, 'forged', incarnation, 900, x'00', {kept} FROM event WHERE n=3",
        number,
    )
    found = {problem.message for problem in problems(session.path) if problem.where == "forged"}
    assert f"The arrival number {number} of the event is not one of the log." in found
    # Beyond the last number nothing is ever read.
    assert ("The event was changed after it was written." in found) == (number < 1)


def test_verify_when_a_creation_has_a_number_below_the_first_then_it_is_replayed(
    session: Session, item: str, tamper: Tamper
) -> None:
    session.close()
    tamper("DELETE FROM head WHERE entity_id=?", item)
    tamper("UPDATE event SET n=-5 WHERE entity_id=? AND field='*'", item)
    kinds = {(problem.kind, problem.where.split()[0]) for problem in problems(session.path)}
    assert ("projection", "item") in kinds


# The sums of the numbers are equal, and in the second case those of their squares too.
@pytest.mark.parametrize("names", ["xyyx", "xyyyxxy", "xyyxyxxy"])
def test_verify_when_records_have_swapped_their_search_texts_then_says_so(
    session: Session, names: str
) -> None:
    write(session, *(created("item", an_item(name={"x": "apple", "y": "pear"}[name])) for name in names))
    session.close()
    projection = PROJECTIONS["item"]
    with closing(connect(session.path, read_only=False)) as connection:
        rows = connection.execute(f"SELECT n, {projection.record_sql} FROM item ORDER BY n").fetchall()
        records = [projection.decode(text) for _, text in rows]
        other = [next(one for one in records if one.name != record.name) for record in records]
        for suffix, text_of in projection.searches:
            replace = f"INSERT OR REPLACE INTO item_{suffix} (rowid, text) VALUES (?, ?)"
            connection.executemany(
                replace, [(n, text_of(one)) for (n, _), one in zip(rows, other, strict=True)]
            )
    found = {(one.where, one.message) for one in problems(session.path)}
    assert ("item_words", "The search index differs from the records.") in found


def test_verify_when_searches_are_sound_then_their_merged_pages_decide(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In several parts, of which the newer replace and remove texts of the older ones.
    for number in range(3):
        write(session, *changed("item", item, question=f"How many {number} cars?"))
    session.close()
    compared: list[str] = []
    monkeypatch.setattr(search_check, "_differs", lambda *_: compared.append(_[2]))
    assert problems(session.path) == []
    assert compared == []


def test_verify_when_merged_pages_differ_then_the_words_themselves_decide(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.close()
    monkeypatch.setattr(search_check, "_MERGED_PAGES", "SELECT random()")
    assert problems(session.path) == []


def test_verify_when_a_page_of_a_search_index_is_damaged_then_says_so(session: Session, item: str) -> None:
    session.close()
    with closing(connect(session.path, read_only=False)) as connection:
        connection.execute("UPDATE item_words_data SET block=zeroblob(length(block)) WHERE id>10")
    assert {one.kind for one in problems(session.path)} & {"page", "projection", "unreadable"}


def test_verify_when_tables_are_sound_then_sqlite_alone_compares_them(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.close()
    compared: list[str] = []
    monkeypatch.setattr(table_check, "first_difference", lambda *_: compared.append(_[2]))
    assert problems(session.path) == []
    assert compared == list(table_check.KEPT_BY_HOOKS.values())


def test_verify_when_a_table_is_missing_then_none_of_the_same_name_is_compared_instead(
    session: Session, item: str, tamper: Tamper
) -> None:
    session.close()
    tamper("DROP TABLE settled_text")
    found = list(verify_project(session.path, part="tables", progress=Progress()))
    assert any("settled_text" in problem.message for problem in found)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE item SET question=question || ' ' WHERE name<>'gone'",
        "UPDATE item SET answer_shape='A2='",
        "DELETE FROM item WHERE name='gone'",
        "UPDATE item SET n=n+1000 WHERE name='gone'",
        "UPDATE flag SET removed=1",
    ],
)
def test_verify_when_a_row_differs_from_the_log_then_names_its_table(
    session: Session, item: str, tamper: Tamper, change: str
) -> None:
    session.close()
    tamper(change)
    found = list(verify_project(session.path, part="tables", progress=Progress()))
    assert "The table differs from the log." in {problem.message for problem in found}


@pytest.mark.parametrize("pages", [1, 30])
def test_verify_when_the_disk_of_temporary_files_is_full_then_says_where_and_how_much_room_is_needed(
    session: Session, item: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pages: int
) -> None:
    def connect_to_little(path: Path, *, read_only: bool) -> Connection:
        made = connect(path, read_only=read_only)
        made.execute(f"PRAGMA max_page_count={pages}")
        return made

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(scratch_database, "connect", connect_to_little)
    found = [problem.message for problem in problems(session.path)]
    needed = math.ceil(session.path.stat().st_size / 1e6)
    assert found
    text = (
        "A check cannot be completed: The disk of the temporary files is full. "
        f"Free {needed} MB in {tmp_path}, or set TMPDIR to a folder with as much free space."
    )
    assert set(found) == {text}


@pytest.mark.parametrize("refused", [1, 2])
def test_verify_when_the_disk_has_no_room_for_merged_indexes_then_they_are_compared_as_they_are(
    session: Session, item: str, tamper: Tamper, monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    merge, merges = search_check._merge, 0

    def refuse(side: Connection, table: str, word: str) -> None:
        nonlocal merges
        merges += 1
        if merges % 2 == refused % 2:
            raise EnvironmentFailure("The disk is full.")
        merge(side, table, word)

    monkeypatch.setattr(search_check, "_merge", refuse)
    assert problems(session.path) == []
    tamper("INSERT INTO item_words(rowid, text) VALUES (999, 'submarine')")
    assert [problem.where for problem in problems(session.path)] == ["item_words"]
    assert merges > 3
