"""Undo and redo of very many records: in short transactions, invisible until the last, all or nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator import command_runner
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.link import Link
from annotator.domain.query import ItemQuery, SceneQuery, SortOrder
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.store import connection as connections
from annotator.store import hidden_rows, staging
from annotator.store.staged_undo import StagedUndo
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    problems,
    reading,
    undo_label,
    visible_state,
    write,
)

REPO = Path(__file__).resolve().parents[3]
ITEMS = 40
LARGE = 50_000
Look = Callable[[], None]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every undo staged, in transactions of a few records."""
    monkeypatch.setattr(command_runner, "LARGE_UNDO_EVENTS", 3)
    monkeypatch.setattr(staging, "WRITTEN_AT_ONCE", 10)
    monkeypatch.setattr(hidden_rows, "REMOVED_AT_ONCE", 7)
    monkeypatch.setattr(hidden_rows, "RANGE_AT_ONCE", 7)
    monkeypatch.setattr(hidden_rows, "TEXTS_AT_ONCE", 7)
    monkeypatch.setattr(hidden_rows, "PAGES_AT_ONCE", 1)
    monkeypatch.setattr(connections, "LONGEST_TRANSACTION_S", 0)


@pytest.fixture
def outer(session: Session) -> dict[str, str]:
    """Give a project with a medium, a scene and an item, and a large command that builds upon them."""
    medium = a_medium(name="old.jpg", sha256="0" * 64)
    scene = a_scene(medium.id, name="old")
    item = an_item(name="old", scene=scene.id)
    flag = a_flag(medium.id, entity="medium", kind="medium_changed")
    write(session, *(created(r.table.entity, r) for r in (medium, scene, item, flag)), label="Before")
    write(session, *large_command(medium.id, scene.id, item.id), label="Large")
    return {"medium": medium.id, "scene": scene.id, "item": item.id}


def large_command(medium: str, scene: str, item: str) -> Iterator[Edit]:
    """Yield records of every kind that refer to each other and to those that are there."""
    new = a_medium(name="new.jpg", size_bytes=7)
    # Its id sorts before the old scene's: while it is there, flags on the old medium are flags of it.
    both = a_scene(medium, new.id, id="0" * 32, name="new")
    records = [new, both, a_label(scene=scene, medium=medium), a_label(scene=both.id, medium=new.id)]
    items = [an_item(name=f"large {n}", scene=(scene, both.id)[n % 2], media=(new.id,)) for n in range(ITEMS)]
    regions = [Region(id=new_id(), medium=new.id, number=n, box=Box(x1=0, y1=0, x2=4, y2=4)) for n in (1, 2)]
    link = Link(id=new_id(), scene=both.id, regions=(regions[0].id, regions[1].id))
    flags = [
        a_flag(items[0].id),
        a_flag(item),
        a_flag(scene, entity="scene"),
        a_flag(new.id, entity="medium"),
    ]
    for record in (*records, *regions, *items, link, *flags):
        yield created(record.table.entity, record)
    yield from changed("item", item, question="changed by the large command")


def seen(path: Path) -> dict[str, Any]:
    """Return what lists, counts, searches and undo of a project show."""
    with Session.open_for_reading(path) as session:
        reader = session.reader
        return {
            "counts": {name: n for name, n in reader.counts().items() if name != "command"},
            "items": reader.items.page(ItemQuery()),
            "by change": list(
                reader.order.sorted_numbers(
                    Item, reader.items.numbers(ItemQuery()), order=SortOrder(column="changed")
                )
            ),
            "found": list(reader.items.numbers(ItemQuery(text="large"))),
            "filtered": list(reader.items.numbers(ItemQuery(states=("drafted",)))),
            "facets": reader.items.facets(ItemQuery()),
            "scenes": reader.scenes.page(SceneQuery()),
            "scene facets": reader.scenes.facets(SceneQuery()),
            "media": reader.media.totals(),
            "flags": [(flag.id, flag.state) for flag in reader.records(Flag)],
            "open": reader.open_flag_counts(),
            "events": reader.log.event_total(),
        }


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    """Return what was seen without times and numbers of events, which differ between equal projects."""
    rows = {
        name: [msgspec.structs.replace(row, changed_at="") for row in found[name]]
        for name in ("items", "scenes")
    }
    return {name: part for name, part in (found | rows).items() if name != "events"}


def is_staging(path: Path) -> bool:
    with reading(path) as connection:
        return connection.execute("SELECT 1 FROM staging").fetchone() is not None


def look_while_written(monkeypatch: pytest.MonkeyPatch, look: Look) -> None:
    """Have a function called after each short transaction of events."""
    written = StagedUndo.write

    def write_and_look(stage: StagedUndo, *, command: str) -> int:
        count = written(stage, command=command)
        look()
        return count

    monkeypatch.setattr(StagedUndo, "write", write_and_look)


def look_while_removed(monkeypatch: pytest.MonkeyPatch, look: Look) -> None:
    """Have a function called after each short transaction that removes hidden rows."""
    removed = hidden_rows._remove_some

    def remove_and_look(*arguments: Any) -> int:
        last = removed(*arguments)
        look()
        return last

    monkeypatch.setattr(hidden_rows, "_remove_some", remove_and_look)


def look_between_steps(monkeypatch: pytest.MonkeyPatch, look: Look) -> None:
    """Have a function called inside the transactions that remove hidden rows, after each step."""
    do_step = hidden_rows._do_step

    def do_and_look(*arguments: Any) -> int:
        last = do_step(*arguments)
        look()
        return last

    monkeypatch.setattr(hidden_rows, "_do_step", do_and_look)


@pytest.mark.parametrize("steps", ["undo", "undo redo", "undo redo undo", "undo redo undo redo"])
def test_undo_and_redo_when_staged_then_all_is_as_in_one_transaction(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch, steps: str
) -> None:
    session.close()
    shutil.copy(session.path, other := session.path.with_name("plain.vantage"))
    staged = 0

    def count() -> None:
        nonlocal staged
        staged += 1

    look_while_written(monkeypatch, count)
    for path, limit in ((session.path, 3), (other, 10**6)):
        monkeypatch.setattr(command_runner, "LARGE_UNDO_EVENTS", limit)
        with Session.open(path, actor=ANNA) as again:
            for step in steps.split():
                getattr(again, step)().result()
    assert staged > 3
    assert visible_state(session.path) == visible_state(other)
    assert without_times(seen(session.path)) == without_times(seen(other))
    assert problems(session.path) == []


def test_undo_when_it_is_written_then_nobody_sees_it_and_when_published_all_at_once(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, while_written, while_removed = seen(session.path), [], []
    look_while_written(
        monkeypatch, lambda: while_written.append((seen(session.path), problems(session.path)))
    )
    look_while_removed(
        monkeypatch, lambda: while_removed.append((seen(session.path), problems(session.path)))
    )
    session.undo().result()
    after = seen(session.path)
    assert len(while_written) > 3
    assert len(while_removed) > 5
    assert [one for one in while_written if one != (before, [])] == []
    assert [one for one in while_removed if one != (after, [])] == []
    assert after["counts"]["item"] == 1
    assert problems(session.path) == []


def test_redo_when_it_is_written_then_nobody_sees_it(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = seen(session.path)
    session.undo().result()
    before, looks = seen(session.path), []
    look_while_written(monkeypatch, lambda: looks.append((seen(session.path), problems(session.path))))
    session.redo().result()
    assert len(looks) > 3
    assert [one for one in looks if one != (before, [])] == []
    after = seen(session.path)
    assert without_times(after) == without_times(whole)


@pytest.mark.parametrize("step", ["undo", "redo"])
def test_undo_when_it_is_cancelled_then_nothing_is_left_and_it_can_be_repeated(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    if step == "redo":
        session.undo().result()
    before, rows = seen(session.path), visible_state(session.path)
    progress = Progress()
    with monkeypatch.context() as patch:
        look_while_written(patch, progress.cancel)
        with pytest.raises(Cancelled):
            getattr(session, step)(progress=progress).result()
    assert (seen(session.path), visible_state(session.path)) == (before, rows)
    assert not is_staging(session.path)
    assert problems(session.path) == []
    getattr(session, step)().result()
    assert problems(session.path) == []


def test_undo_when_others_edit_meanwhile_then_every_edit_is_kept(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = iter(range(10**6))

    def edit() -> None:
        with Session.open(session.path, actor=BEN) as other:
            write(other, created("item", an_item(name=f"by Ben {next(names)}", scene=outer["scene"])))

    look_while_written(monkeypatch, edit)
    look_while_removed(monkeypatch, edit)
    session.undo().result()
    count = next(names)
    assert count > 8
    assert session.reader.counts()["item"] == 1 + count
    assert problems(session.path) == []


def test_undo_when_a_record_is_changed_meanwhile_then_it_is_refused_and_nothing_is_undone(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (item,) = [one.id for one in session.reader.records(Item) if one.name == "large 7"]
    edits = iter([item])

    def edit() -> None:
        with Session.open(session.path, actor=BEN) as other:
            for one in edits:
                write(other, *changed("item", one, question="by Ben"))

    look_while_written(monkeypatch, edit)
    with pytest.raises(UserError, match="Ben has changed the item"):
        session.undo().result()
    assert session.reader.counts()["item"] == 1 + ITEMS
    assert problems(session.path) == []


def test_undo_when_a_large_one_is_running_then_another_is_refused(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []

    def undo_too() -> None:
        with pytest.raises(UserError, match="still running") as error:
            session.undo().result(PATIENCE_S)
        refused.append(error)

    look_while_written(monkeypatch, undo_too)
    session.undo().result()
    assert refused
    assert undo_label(session) == "Before"


def test_undo_when_the_command_was_continued_by_later_edits_then_only_its_own_are_undone(
    session: Session, outer: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del outer
    # Events of others between those of the command: no range of numbers holds the command alone.
    target = session.reader.log.next_undo(ANNA.id)
    assert target is not None
    with Session.open(session.path, actor=BEN) as other:
        write(other, created("item", an_item(name="by Ben")))
    later = an_item(name="continued")

    def continued(writer: Any, command: Any) -> Any:
        del writer, command
        return target

    with monkeypatch.context() as patch:
        patch.setattr("annotator.writing.writer.Writer._continued", continued)
        write(session, created("item", later))
    session.undo().result()
    assert sorted(one.name for one in session.reader.records(Item)) == ["by Ben", "old"]
    assert problems(session.path) == []


def test_undo_when_texts_are_removed_then_their_index_is_merged_and_merges_by_itself_from_then_on(
    session: Session,
) -> None:
    write(session, *(created("item", an_item(name=f"large {n}")) for n in range(ITEMS)))
    session.undo().result()
    with reading(session.path) as connection:
        # The sums, and the list of parts, which has none.
        assert connection.execute("SELECT id FROM item_words_data ORDER BY id").fetchall() == [(1,), (10,)]
        setting = "SELECT v FROM item_words_config WHERE k='deletemerge'"
        assert connection.execute(setting).fetchall() == [(10,)]
    assert problems(session.path) == []


CRASH = """
import os, signal, sys
from pathlib import Path
import pytest
from annotator import command_runner
from annotator.session import Session
from annotator.store import connection, hidden_rows, staging
from tests.unit.store.making import ANNA
from tests.unit.store.test_staged_undo import look_between_steps, look_while_removed, look_while_written

command_runner.LARGE_UNDO_EVENTS = 3
staging.WRITTEN_AT_ONCE = hidden_rows.REMOVED_AT_ONCE = 7
hidden_rows.RANGE_AT_ONCE = hidden_rows.TEXTS_AT_ONCE = 7
path, step, place = sys.argv[1:]
connection.LONGEST_TRANSACTION_S = 300 if place == "in one transaction" else 0
calls = iter(range(100))
looks = {"written": look_while_written, "removed": look_while_removed}
look = looks.get(place, look_between_steps)
look(pytest.MonkeyPatch(), lambda: os.kill(os.getpid(), signal.SIGKILL) if next(calls) == 3 else None)
with Session.open(Path(path), actor=ANNA) as session:
    getattr(session, step)().result()
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot kill itself like this on Windows")
@pytest.mark.parametrize(
    ("step", "location", "is_done"),
    [
        ("undo", "written", False),
        ("redo", "written", False),
        ("undo", "removed", True),
        ("undo", "in one transaction", True),
    ],
)
def test_undo_when_its_process_dies_then_it_is_whole_or_never_was(
    session: Session, outer: dict[str, str], step: str, location: str, *, is_done: bool
) -> None:
    del outer
    if step == "redo":
        session.undo().result()
    session.close()
    before = seen(session.path)
    died = subprocess.run(
        [sys.executable, "-c", CRASH, str(session.path), step, location], cwd=REPO, timeout=300, check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert is_staging(session.path)
    after = seen(session.path)
    assert (after == before) is not is_done
    assert problems(session.path) == []
    # Whoever opens the project next ends what was left.
    Session.open(session.path, actor=BEN).close()
    assert not is_staging(session.path)
    assert seen(session.path) == after
    assert problems(session.path) == []
    with Session.open(session.path, actor=ANNA) as again:
        getattr(again, "redo" if is_done else step)().result()
    assert problems(session.path) == []


@pytest.mark.skipif(os.name == "nt", reason="a process cannot kill itself like this on Windows")
def test_undo_of_answers_when_a_flag_of_theirs_can_stay_then_no_step_hides_it_for_a_crash_to_leave(
    session: Session,
) -> None:
    options = tuple(Option(letter=letter, text=letter * 2) for letter in "ABC")
    item = an_item(options=options, answer_format="option_letter", answer_key="B")
    write(session, created("item", item))
    answer(session, item.id, ben="A", cara="C")
    session.close()
    with Session.open(session.path, actor=BEN) as other:
        answer(other, item.id, dan="A", eva="C")
    assert open_kinds(session.path) == ["people_disagree", *["person_against_key"] * 4]
    # It would be killed between two transactions that remove hidden rows.
    undone = subprocess.run(
        [sys.executable, "-c", CRASH, str(session.path), "undo", "removed"],
        cwd=REPO,
        timeout=300,
        check=False,
    )
    assert problems(session.path) == []
    assert open_kinds(session.path) == ["people_disagree", *["person_against_key"] * 2]
    assert undone.returncode == 0
    assert not is_staging(session.path)


def answer(session: Session, item: str, **answers: str) -> None:
    given = tuple(GivenAnswer(item=item, person=person, answer=letter) for person, letter in answers.items())
    session.execute(AddResponses(answers=given)).result()


def open_kinds(path: Path) -> list[str]:
    with Session.open_for_reading(path) as session:
        return sorted(flag.kind for flag in session.reader.records(Flag) if flag.state == "open")


EDITOR = """
import sys, time
from pathlib import Path
from annotator.session import Session
from tests.unit.store.making import BEN, changed, write

with Session.open(Path(sys.argv[1]), actor=BEN) as session:
    print("ready", flush=True)
    stop, number = Path(sys.argv[3]), 0
    while not stop.exists():
        number += 1
        began = time.perf_counter()
        write(session, *changed("item", sys.argv[2], question=f"{number}"))
        print((time.perf_counter() - began) * 1000, flush=True)
        time.sleep(0.02)
"""


@pytest.mark.slow
def test_undo_of_50_000_records_when_another_process_edits_then_its_edits_do_not_wait(
    session: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    item = an_item(name="edited")
    write(session, created("item", item))
    scene = a_scene(name="one")
    write(
        session,
        created("scene", scene),
        *(
            created("item", an_item(name=f"large {n}", scene=scene.id, question="Why?" * 20))
            for n in range(LARGE)
        ),
        label="Large",
    )
    stop = tmp_path / "stop"
    editor = subprocess.Popen(
        [sys.executable, "-c", EDITOR, str(session.path), item.id, str(stop)],
        cwd=REPO, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert editor.stdout is not None
        assert editor.stdout.readline() == "ready\n"
        began = time.perf_counter()
        session.undo().result()
        undone_s = time.perf_counter() - began
        stop.touch()
        waits = sorted(float(line) for line in editor.communicate(timeout=PATIENCE_S)[0].split())
    finally:
        editor.kill()
    assert session.reader.counts()["item"] == 1
    assert problems(session.path) == []
    with capsys.disabled():
        print(f"\nundo {undone_s:.1f} s, {len(waits)} edits, slowest {waits[-3:]} ms")
    # By far the most go on at once; in one transaction a single one would wait for all of it.
    assert len(waits) > 50
    assert waits[-1] < 0.25 * undone_s * 1000
