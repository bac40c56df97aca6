"""Staged entries: others go on working, nobody sees a part of it, and nothing is left of one that ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from annotator import staged_entry
from annotator.command_summary import CommandSummary
from annotator.commands.command import StagedCommand, StalePreparationError
from annotator.commands.imports import ImportFiles
from annotator.commands.item_edits import SetQuestion
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from annotator.store import staging
from annotator.store.backups import make_backup
from annotator.store.connection import IntegrityError, connect
from annotator.store.staging import Stage
from tests.patience import PATIENCE_S
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    events,
    problems,
    reading,
    undo_label,
    visible_state,
    write,
)

REPO = Path(__file__).resolve().parents[3]
RECORDS = 60
STAGED = 40


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have transactions of a few records, so that a small entry is made in many."""
    monkeypatch.setattr(staging, "WRITTEN_AT_ONCE", 10)
    monkeypatch.setattr(staging, "DELETED_AT_ONCE", 15)


@dataclass(kw_only=True)
class Entry(StagedCommand):
    """A staged command whose edits are given, and that calls a function once most of them are written."""

    edits: tuple[Edit, ...]
    meanwhile: Callable[[], object] = lambda: None
    outdated: int = 0
    plans: list[int] = field(default_factory=list)
    summary = CommandSummary.of_text("Enter")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        self.plans.append(reader.log.position)
        for number, edit in enumerate(self.edits):
            if number == STAGED:
                self.meanwhile()
            yield edit

    def require_current(self, reader: Reader, *, since: int) -> None:
        if self.outdated:
            self.outdated -= 1
            raise StalePreparationError("It was changed.")


def items(count: int = RECORDS, **values: Any) -> list[Edit]:
    return [created("item", an_item(name=f"staged {number}", **values)) for number in range(count)]


def staged_rows(path: Path) -> int:
    """Count what lies in the tables themselves beyond what a reader sees."""
    with reading(path) as connection:
        select = "SELECT count(*) FROM event WHERE n>=coalesce((SELECT first_n FROM staging), 1 << 62)"
        return int(connection.execute(select).fetchone()[0])


def what_is_seen(path: Path) -> dict[str, Any]:
    """Return all that a reader tells of a project."""
    reader = Reader.open(path)
    try:
        return {
            "counts": reader.counts(),
            "items": [item.id for item in reader.records(Item)],
            "page": reader.items.page(ItemQuery()),
            "words": list(reader.items.numbers(ItemQuery(text="staged"))),
            "filtered": reader.items.page(ItemQuery(text="staged")),
            "flags": reader.open_flag_counts(),
            "scenes": list(reader.records(Scene)),
            "events": reader.log.event_total(),
            "position": reader.log.position,
            "heads": reader.log.heads(),
        }
    finally:
        reader.close()


def test_entry_when_the_person_changes_meanwhile_then_is_the_former_persons(session: Session) -> None:
    former = session.actor
    session.execute(Entry(edits=tuple(items()), meanwhile=lambda: session.use_actor(BEN))).result(PATIENCE_S)
    write(session, created("item", an_item()))
    authors = [row[0] for row in events(session.path, "actor", where="entity='item'")]
    assert authors == [former.id] * RECORDS + [BEN.id]


def test_entry_when_it_is_staged_then_nobody_sees_a_part_of_it(session: Session) -> None:
    write(session, created("item", an_item(name="before")))
    before, seen = what_is_seen(session.path), []

    def look() -> None:
        assert staged_rows(session.path) >= STAGED - 10
        seen.extend([what_is_seen(session.path), problems(session.path)])

    session.execute(Entry(edits=tuple(items()), meanwhile=look)).result()
    assert seen == [before, []]
    after = what_is_seen(session.path)
    assert (after["counts"]["item"], len(after["words"])) == (1 + RECORDS, RECORDS)
    assert len(after["items"]) == 1 + RECORDS
    assert problems(session.path) == []


def test_entry_when_it_is_staged_then_others_go_on_and_every_edit_is_kept(session: Session) -> None:
    item = an_item(name="before")
    write(session, created("item", item))

    def edit() -> None:
        write(session, *changed("item", item.id, question="of the window"))
        with Session.open(session.path, actor=BEN) as other:
            write(other, *changed("item", item.id, extras={"by": "Ben"}), created("item", an_item()))

    session.execute(Entry(edits=tuple(items()), meanwhile=edit)).result()
    assert session.reader.get(Item, item.id).question == "of the window"
    assert session.reader.counts()["item"] == RECORDS + 2
    numbers = [n for (n,) in events(session.path, "n")]
    assert numbers == sorted(set(numbers))
    assert problems(session.path) == []
    write(session, *changed("item", item.id, question="later"))
    assert problems(session.path) == []


def test_entry_when_an_edit_is_being_saved_then_waits_for_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    item, saved = an_item(name="before"), []
    write(session, created("item", item))
    monkeypatch.setattr(staged_entry, "EDITS_FIRST_S", PATIENCE_S)

    def edit() -> None:
        future = session.execute(SetQuestion(item=item.id, text="of the window"))
        add = Stage.add

        def note(stage: Stage, edit: Edit, *, command: str) -> int:
            saved.append(future.done())
            return add(stage, edit, command=command)

        monkeypatch.setattr(Stage, "add", note)

    session.execute(Entry(edits=tuple(items()), meanwhile=edit)).result()
    assert saved == [True] * (RECORDS - STAGED)


def test_entry_when_it_is_undone_and_redone_then_is_one_step(session: Session) -> None:
    write(session, created("item", an_item(name="before")))
    before = visible_state(session.path)
    changes = session.execute(Entry(edits=tuple(items()))).result()
    after = visible_state(session.path)
    assert changes.counts["item"] == RECORDS
    assert len(changes.ids["item"]) == RECORDS
    assert undo_label(session) == "Enter"
    session.undo().result()
    assert visible_state(session.path) == before
    session.redo().result()
    assert visible_state(session.path) == after
    assert problems(session.path) == []


def test_entry_when_it_adds_to_records_that_are_there_then_their_figures_follow_with_it(
    session: Session,
) -> None:
    medium, scene = a_medium(), a_scene()
    scene = Scene(id=scene.id, name=scene.name, views=(SceneView(name="a", medium=medium.id),))
    old = an_item(scene=scene.id)
    write(session, created("medium", medium), created("scene", scene), created("item", old))
    other = Scene(id=new_id(), name="other", views=(SceneView(name="b", medium=medium.id),))
    flags = [
        Flag(id=new_id(), entity="medium", target=medium.id, kind="damaged", message="It is."),
        Flag(id=new_id(), entity="item", target=old.id, kind="wrong", message="It is."),
    ]
    new = items(scene=scene.id)
    staged_flag = Flag(id=new_id(), entity="item", target=new[0].entity_id, kind="odd", message="It is.")
    edits = (
        *new[:20], created("flag", staged_flag), created("scene", other),
        *(created("flag", flag) for flag in flags), *new[20:],
        *changed("scene", scene.id, tags=("imported",)),
    )  # fmt: skip
    seen: list[Any] = []
    session.execute(
        Entry(edits=edits, meanwhile=lambda: seen.append(session.reader.open_flag_counts()))
    ).result()
    assert seen == [{}]
    assert session.reader.open_flag_counts() == {"damaged": 1, "odd": 1, "wrong": 1}
    assert problems(session.path) == []
    session.undo().result()
    assert problems(session.path) == []


def test_entry_when_a_medium_that_it_shows_is_flagged_meanwhile_then_its_scene_tells_so(
    session: Session,
) -> None:
    medium = a_medium()
    write(session, created("medium", medium))
    scene = Scene(id=new_id(), name="s", views=(SceneView(name="a", medium=medium.id),))
    flag = Flag(id=new_id(), entity="medium", target=medium.id, kind="media_missing", message="It is.")
    command = Entry(
        edits=(created("scene", scene), *items()),
        meanwhile=lambda: write(session, created("flag", flag)),
    )
    session.execute(command).result()
    assert problems(session.path) == []


@pytest.mark.parametrize("error", [UserError("It cannot be read."), Cancelled(), KeyError("a bug")])
def test_entry_when_it_fails_in_the_middle_then_nothing_is_left(session: Session, error: Exception) -> None:
    write(session, created("item", an_item(name="before")))
    before = events(session.path), what_is_seen(session.path)

    def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        session.execute(Entry(edits=tuple(items()), meanwhile=fail)).result()
    assert (events(session.path), what_is_seen(session.path)) == before
    assert problems(session.path) == []
    session.execute(Entry(edits=tuple(items()))).result()
    assert session.reader.counts()["item"] == 1 + RECORDS


@pytest.mark.parametrize(("outdated", "plans"), [(0, 1), (1, 2), (2, 3)])
def test_entry_when_it_is_outdated_then_starts_anew_and_at_last_makes_others_wait(
    session: Session, outdated: int, plans: int
) -> None:
    command = Entry(edits=tuple(items()), outdated=outdated)
    session.execute(command).result()
    assert (len(command.plans), session.reader.counts()["item"]) == (plans, RECORDS)
    assert staged_rows(session.path) == 0
    assert problems(session.path) == []


def test_entry_when_another_is_under_way_then_is_done_at_once(session: Session) -> None:
    def enter_as_well() -> None:
        with Session.open(session.path, actor=BEN) as other:
            other.execute(Entry(edits=(created("item", an_item(name="of Ben")),))).result()

    session.execute(Entry(edits=tuple(items()), meanwhile=enter_as_well)).result()
    assert session.reader.counts()["item"] == 1 + RECORDS
    assert problems(session.path) == []


def test_entry_when_it_was_taken_for_abandoned_then_starts_anew(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def take_over() -> None:
        calls.append(1)
        if len(calls) == 1:
            with monkeypatch.context() as patch:
                patch.setattr(staging, "SILENT_S", -1.0)
                Session.open(session.path, actor=BEN).close()
            assert staged_rows(session.path) == 0

    session.execute(Entry(edits=tuple(items()), meanwhile=take_over)).result()
    assert (len(calls), session.reader.counts()["item"]) == (2, RECORDS)
    assert problems(session.path) == []


@pytest.mark.parametrize("transactions", [0, 1, 2])
def test_entry_when_a_process_dies_that_had_begun_to_delete_it_then_is_never_published_by_half(
    session: Session, monkeypatch: pytest.MonkeyPatch, transactions: int
) -> None:
    calls: list[int] = []

    def take_over_and_die() -> None:
        calls.append(1)
        if len(calls) > 1:
            return
        delete, left = staging._delete_some, [transactions]

        def deleted(*args: Any) -> bool:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return delete(*args)

        with monkeypatch.context() as patch:
            # A clock that is set to another year, or a machine that slept.
            patch.setattr(staging, "SILENT_S", -1.0)
            patch.setattr(staging, "_delete_some", deleted)
            with pytest.raises(KeyboardInterrupt):
                Session.open(session.path, actor=BEN)

    session.execute(Entry(edits=tuple(items()), meanwhile=take_over_and_die)).result()

    assert (len(calls), session.reader.counts()["item"]) == (2, RECORDS)
    assert problems(session.path) == []
    session.undo().result()
    assert problems(session.path) == []


def test_entry_when_it_shows_life_just_before_its_deletion_then_goes_on(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[int] = []

    def look_while_it_writes() -> None:
        plans.append(1)
        is_abandoned = staging._is_abandoned

        def judged(*args: Any) -> bool:
            with closing(connect(session.path, read_only=False)) as other:
                other.execute("UPDATE staging SET active_at=active_at+1")
            return is_abandoned(*args)

        with monkeypatch.context() as patch:
            patch.setattr(staging, "SILENT_S", -1.0)
            patch.setattr(staging, "_is_abandoned", judged)
            Session.open(session.path, actor=BEN).close()

    session.execute(Entry(edits=tuple(items()), meanwhile=look_while_it_writes)).result()
    assert (len(plans), session.reader.counts()["item"]) == (1, RECORDS)
    assert problems(session.path) == []


def test_entry_when_it_would_change_too_much_that_is_there_then_is_done_in_one_transaction(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "MOST_OTHERS", 3)
    old = an_item()
    write(session, created("item", old))
    edits = (*items(10), *(edit for n in range(9) for edit in changed("item", old.id, question=f"{n}")))
    session.execute(Entry(edits=edits)).result()
    assert session.reader.get(Item, old.id).question == "8"
    assert problems(session.path) == []


def test_entry_when_it_has_nothing_then_leaves_no_trace(session: Session) -> None:
    before = events(session.path)
    assert session.execute(Entry(edits=())).result().command == ""
    assert events(session.path) == before
    assert staged_rows(session.path) == 0


def test_backup_when_an_entry_is_staged_then_has_nothing_of_it(session: Session) -> None:
    write(session, created("item", an_item(name="before")))
    before, copies = visible_state(session.path), []

    def back_up() -> None:
        copies.append(make_backup(session.path, reason="test", progress=Progress()).path)

    session.execute(Entry(edits=tuple(items()), meanwhile=back_up)).result()
    assert visible_state(copies[0]) == before
    assert problems(copies[0]) == []
    with Session.open(copies[0], actor=ANNA) as copy:
        assert copy.reader.counts()["item"] == 1


def test_log_when_an_entry_is_staged_then_only_its_own_events_may_be_deleted(session: Session) -> None:
    write(session, created("item", an_item(name="before")))

    def delete() -> None:
        connection = connect(session.path, read_only=False)
        try:
            with pytest.raises(IntegrityError, match="append-only"):
                connection.execute("DELETE FROM event WHERE n=1")
        finally:
            connection.close()

    session.execute(Entry(edits=tuple(items()), meanwhile=delete)).result()
    connection = connect(session.path, read_only=False)
    with pytest.raises(IntegrityError, match="append-only"):
        connection.execute("DELETE FROM event WHERE n=(SELECT max(n) FROM event)")
    connection.close()


CRASH = """
import os, signal, sys
from pathlib import Path
from annotator.store import staging
from annotator.session import Session
from tests.unit.store.making import BEN
from tests.unit.store.test_staging import Entry, items

staging.WRITTEN_AT_ONCE = 10
with Session.open(Path(sys.argv[1]), actor=BEN) as session:
    session.execute(Entry(edits=tuple(items()), meanwhile=lambda: os.kill(os.getpid(),
    signal.SIGKILL))).result()
"""


@pytest.mark.skipif(os.name == "nt", reason="a process cannot kill itself like this on Windows")
def test_entry_when_its_process_dies_then_nothing_is_seen_and_the_next_opening_deletes_it(
    session: Session,
) -> None:
    write(session, created("item", an_item(name="before")))
    before = what_is_seen(session.path)
    session.close()
    died = subprocess.run(
        [sys.executable, "-c", CRASH, str(session.path)], cwd=REPO, timeout=300, check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert staged_rows(session.path) >= STAGED - 10
    assert what_is_seen(session.path) == before
    assert problems(session.path) == []
    with Session.open(session.path, actor=ANNA) as again:
        assert staged_rows(session.path) == 0
        assert what_is_seen(session.path) == before
        again.execute(Entry(edits=tuple(items()))).result()
    assert problems(session.path) == []


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": n, "image_id": n % 7, "category_id": 1, "bbox": [n, 1, 5, 5]} for n in range(1, count + 1)]


@pytest.fixture
def coco(path: Path) -> Path:
    """Give a COCO file of 100 boxes on 7 pictures."""
    file = path.with_name("instances.json")
    images = [{"id": n, "file_name": f"{n}.jpg", "width": 640, "height": 480} for n in range(7)]
    file.write_text(
        json.dumps({"images": images, "categories": [{"id": 1, "name": "car"}], "annotations": rows(100)})
    )
    return file


def import_and_edit(session: Session, file: Path, edit: Callable[[], object]) -> int:
    """Import a file, edit once in the middle of it, and return how often the file was read."""
    command = ImportFiles(paths=(file,))
    plan, plans = command.plan, []

    def watched(reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        plans.append(reader.log.position)
        for number, one in enumerate(plan(reader, progress=progress)):
            if number == 50 and len(plans) == 1:
                edit()
            yield one

    command.plan = watched  # type: ignore[method-assign]
    session.execute(command).result()
    return len(plans)


@pytest.mark.parametrize("kind", ["scene", "medium"])
def test_import_when_somebody_adds_what_it_looked_for_then_finds_it(
    session: Session, coco: Path, kind: str
) -> None:
    medium = a_medium(name="3.jpg", path="3.jpg")
    record = medium if kind == "medium" else a_scene()
    assert import_and_edit(session, coco, lambda: write(session, created(kind, record))) == 2
    names = [medium.name for medium in session.reader.records(Medium)]
    assert sorted(names) == [f"{n}.jpg" for n in range(7)]
    assert session.reader.counts()["region"] == 100
    assert problems(session.path) == []


def test_import_when_an_earlier_one_is_undone_meanwhile_then_rests_on_nothing_of_it(
    session: Session, coco: Path
) -> None:
    session.execute(ImportFiles(paths=(coco,))).result()
    content = json.loads(coco.read_text())
    content["annotations"] += [
        {"id": n, "image_id": n % 7, "category_id": 1, "bbox": [n, 2, 5, 5]} for n in range(200, 260)
    ]
    coco.write_text(json.dumps(content))
    assert import_and_edit(session, coco, lambda: session.undo().result()) == 2
    assert session.reader.counts()["medium"] == 7
    assert session.reader.counts()["region"] == 160
    media = {medium.id for medium in session.reader.records(Medium)}
    assert {region.medium for region in session.reader.records(Region)} == media
    assert problems(session.path) == []


def test_import_when_an_item_is_edited_meanwhile_then_is_read_once(session: Session, coco: Path) -> None:
    item = an_item()
    write(session, created("item", item))
    edit = changed("item", item.id, question="edited")
    assert import_and_edit(session, coco, lambda: write(session, *edit)) == 1
    assert session.reader.get(Item, item.id).question == "edited"
    assert (session.reader.counts()["region"], problems(session.path)) == (100, [])


def test_import_when_a_box_is_drawn_on_its_medium_meanwhile_then_each_number_is_there_once(
    session: Session, coco: Path
) -> None:
    medium = a_medium(name="3.jpg", path="3.jpg")
    write(session, created("medium", medium))
    box = Box(x1=0, y1=0, x2=5, y2=5)

    def draw() -> None:
        write(session, created("region", Region(id=new_id(), medium=medium.id, number=0, box=box)))

    assert import_and_edit(session, coco, draw) == 2
    numbers = [region.number for region in session.reader.find(Region, medium=medium.id)]
    assert len(numbers) == len(set(numbers)) > 1


def test_abandoned_when_its_host_is_another_then_the_time_decides() -> None:
    now = staging.time.time()
    assert not staging._is_abandoned("entry", "elsewhere", 1, now)
    assert staging._is_abandoned("entry", "elsewhere", 1, now - staging.SILENT_S - 1)


def test_entry_when_it_is_written_then_only_its_publication_waits_for_the_disk(session: Session) -> None:
    with Stage.begin(session.path, actor=ANNA) as stage:
        (staged,) = stage._connection.execute("PRAGMA synchronous").fetchone()
        stage.discard()
    with closing(connect(session.path, read_only=False)) as connection:
        (published,) = connection.execute("PRAGMA synchronous").fetchone()
    assert (staged, published) == (1, 2)
