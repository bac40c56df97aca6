"""Edits that come in while a release is written: they do not wait, and no entry tells what never was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotator.commands.command import StalePreparationError
from annotator.commands.releases import CreateRelease
from annotator.domain.comment import Comment
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.domain.release import Release
from annotator.domain.scene import Scene, SceneView
from annotator.progress import Progress, ProgressUpdate
from annotator.release.exporters import exporter_of
from annotator.release.images import ImageSettings
from annotator.release.manifest import verify_release
from annotator.release.release_snapshot import ReleaseSnapshot
from annotator.session import Session
from annotator.verification import verify_everything
from tests.bench.numbered_videos import picture_of
from tests.item_fields import SetItemField
from tests.patience import PATIENCE_S
from tests.unit.release.samples import (
    ENTITY_OF,
    SCENE,
    UAV1,
    UAV2,
    aircop_item,
    fill,
    flag,
    label,
    spatialuav_item,
)
from tests.unit.store.making import created, write

REPO = Path(__file__).resolve().parents[3]
MANY = 3000
CHOSEN = ItemQuery(tasks=("object_counting",))
OTHER = aircop_item(name="other", task="object_matching")
OTHER_MEDIUM = Medium(id="7" * 32, name="elsewhere.jpg")
OTHER_SCENE = Scene(id="8" * 32, name="elsewhere", views=(SceneView(name="UAV1", medium=OTHER_MEDIUM.id),))
ITEM = aircop_item()
BOX = Box(x1=20.0, y1=80.0, x2=60.0, y2=110.0)
KILLED = """
import os, signal, sys
from pathlib import Path
from annotator.commands.releases import CreateRelease
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.release import release_folder
from annotator.session import Session
from annotator.store import connection

project, out, moment = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(function):
    def call(*arguments):
        function(*arguments)
        die()
    return call

if moment == "written":
    CreateRelease.plan = die
elif moment == "entered":
    release_folder.ReleaseFolder.publish = die
elif moment == "in its place":
    release_folder.ReleaseFolder.publish = after(release_folder.ReleaseFolder.publish)


def told(step):
    if moment == "begun" and step.what.startswith("Writing"):
        die()

with Session.open(Path(project)) as session:
    session.execute(CreateRelease(out=Path(out), export_format="aircop"), progress=Progress(told)).result()
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, OTHER_MEDIUM, OTHER_SCENE, ITEM, OTHER)
        yield session


def pictured(session: Session) -> ImageSettings:
    """Put the pictures of the pair where the project looks for them."""
    for number, medium in enumerate((UAV1, UAV2)):
        file = session.media_root / medium.name
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture_of(number, size_px=(96, 64))).save(file, "PNG")
    return ImageSettings(rendering="annotated", roots=session.roots)


def whenever(begins: str, act: Callable[[], object]) -> tuple[Progress, list[str]]:
    """Return a progress that acts when a phase begins, and the phases that it was told of."""
    phases: list[str] = []

    def told(step: ProgressUpdate) -> None:
        if step.done == 0 and (not phases or phases[-1] != step.what):
            phases.append(step.what)
            if step.what.startswith(begins):
                act()

    return Progress(told), phases


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def releases(session: Session) -> list[Release]:
    return list(session.reader.records(Release))


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("p."))


def test_release_of_thousands_when_somebody_edits_meanwhile_then_edits_do_not_wait_and_it_is_the_snapshots(
    session: Session, tmp_path: Path
) -> None:
    fill(
        session,
        *(aircop_item(name=f"q{n}", question=f"How many cars, {n}?") for n in range(MANY)),
        positions=(),
    )
    pictures = pictured(session)
    chosen: dict[str, Any] = {
        "export_format": "aircop",
        "selection": CHOSEN,
        "include_flagged": True,
        "pictures": pictures,
    }
    before = CreateRelease(out=tmp_path / "before", **chosen)
    session.execute(before).result()
    session.undo().result()
    heads = session.reader.log.heads()
    edits: list[str] = []

    def edit() -> None:
        # On the thread that writes the release: it could not go on if the edit had to wait for it.
        changes = session.execute(
            SetItemField(item=OTHER.id, field="question", value=f"Changed {len(edits)}?")
        )
        edits.append(changes.result(PATIENCE_S).command)

    progress, phases = whenever("", edit)
    command = CreateRelease(out=tmp_path / "out", **chosen)
    session.execute(command, progress=progress).result(PATIENCE_S)
    assert len(edits) == len(phases) >= 2
    assert phases[-1].startswith("Rendering images")
    assert contents(tmp_path / "out") == contents(tmp_path / "before")
    (entry,) = releases(session)
    assert (entry.items, entry.heads) == (MANY + 1, heads)
    assert session.reader.get(Item, OTHER.id).question == f"Changed {len(edits) - 1}?"
    assert verify_everything(session, release=tmp_path / "out", progress=Progress()).problems == ()


def test_release_when_one_of_its_items_is_edited_meanwhile_then_it_is_written_once_more_with_the_edit(
    session: Session, tmp_path: Path
) -> None:
    edits: list[object] = []

    def edit() -> None:
        if not edits:
            edits.append(
                session.execute(SetItemField(item=ITEM.id, field="answer_key", value="D")).result(PATIENCE_S)
            )

    progress, phases = whenever("Writing", edit)
    session.execute(CreateRelease(out=tmp_path / "out", export_format="aircop"), progress=progress).result(
        PATIENCE_S
    )
    assert [phase.partition(" ")[0] for phase in phases].count("Writing") == 2
    assert '"correct_answer": "D"' in (tmp_path / "out" / "VQA_Real_2_UAVs.json").read_text()
    assert len(releases(session)) == 1
    assert left(tmp_path) == ["out"]


def test_release_when_its_items_are_edited_again_and_again_then_words_say_so_and_nothing_is_left(
    session: Session, tmp_path: Path
) -> None:
    keys = iter("DABC")

    def edit() -> None:
        session.execute(SetItemField(item=ITEM.id, field="answer_key", value=next(keys))).result(PATIENCE_S)

    progress, _ = whenever("Writing", edit)
    with pytest.raises(StalePreparationError, match="changed while it was written") as refused:
        session.execute(
            CreateRelease(out=tmp_path / "out", export_format="aircop"), progress=progress
        ).result(PATIENCE_S)
    assert "Repeat the release" in refused.value.hint
    assert next(keys) == "B"
    assert releases(session) == []
    assert left(tmp_path) == []


def test_release_when_it_is_asked_for_behind_an_edit_then_it_holds_the_edit(
    session: Session, tmp_path: Path
) -> None:
    session.execute(SetItemField(item=ITEM.id, field="answer_key", value="D"))
    session.execute(CreateRelease(out=tmp_path / "out", export_format="aircop"))
    session.close()
    assert '"correct_answer": "D"' in (tmp_path / "out" / "VQA_Real_2_UAVs.json").read_text()


@pytest.mark.skipif(os.name != "posix", reason="no signal ends a process at once there")
@pytest.mark.parametrize("moment", ["begun", "written", "entered", "in its place"])
def test_release_when_the_process_is_killed_then_neither_half_a_folder_nor_half_an_entry_is_left(
    session: Session, tmp_path: Path, moment: str
) -> None:
    out = tmp_path / "out"
    session.close()
    run = subprocess.run(
        [sys.executable, "-c", KILLED, session.path, out, moment],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True,
        check=False,
    )
    assert run.returncode == -signal.SIGKILL, run.stderr.decode()
    assert out.exists() == (moment == "in its place")
    with Session.open(session.path) as again:
        assert releases(again) == []
        assert verify_everything(again, release=None, progress=Progress()).problems == ()
        command = CreateRelease(out=out, export_format="aircop")
        again.execute(command).result(PATIENCE_S)
        assert command.report is not None
        assert (command.report.is_new, command.report.is_unchanged) == (True, moment == "in its place")
        assert len(releases(again)) == 1
    assert verify_release(out) == []
    # What the killed process had under a passing name is gone too.
    assert left(tmp_path) == ["out"]


def basis(session: Session, form: str = "aircop", *, selection: ItemQuery = CHOSEN) -> ReleaseSnapshot:
    return ReleaseSnapshot.of(
        session.reader, exporter=exporter_of(form), selection=selection, media=frozenset({UAV1.id, UAV2.id})
    )


def added(record: Record) -> Edit:
    return created(ENTITY_OF[type(record)], record)


def changed(entity: str, record: Record, field: str, value: object) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=field, value=value)


def region(medium: Medium) -> Region:
    return Region(id=new_id(), medium=medium.id, number=1, box=BOX)


CONCERNING = {
    "selected item": lambda: changed("item", ITEM, "answer_key", "D"),
    "item that leaves the selection": lambda: changed("item", ITEM, "task", "object_matching"),
    "item that comes into it": lambda: changed("item", OTHER, "task", "object_counting"),
    "new item": lambda: added(aircop_item(name="new")),
    "flag on a selected item": lambda: added(flag(ITEM)),
    "shown medium": lambda: changed("medium", UAV1, "name", "renamed.jpg"),
    "region on a shown medium": lambda: added(region(UAV2)),
    "link in a shown scene": lambda: added(Link(id=new_id(), scene=SCENE.id, regions=("a" * 32, "b" * 32))),
    "shown scene": lambda: changed("scene", SCENE, "dataset", "another"),
    "label of a shown medium": lambda: added(label()),
}
HARMLESS = {
    "item that is not selected": lambda: changed("item", OTHER, "answer_key", "D"),
    "new item of another task": lambda: added(spatialuav_item()),
    "flag on an item that is not selected": lambda: added(flag(OTHER)),
    "flag on a medium": lambda: added(
        Flag(id=new_id(), entity="medium", target=UAV1.id, kind="medium_missing", message="Gone.")
    ),
    "comment on a selected item": lambda: added(
        Comment(id=new_id(), entity="item", target=ITEM.id, text="Is it?")
    ),
    "medium that is not shown": lambda: changed("medium", OTHER_MEDIUM, "name", "renamed.jpg"),
    "region on a medium that is not shown": lambda: added(region(OTHER_MEDIUM)),
    "scene that is not shown": lambda: changed("scene", OTHER_SCENE, "dataset", "another"),
}


@pytest.mark.parametrize("what", CONCERNING)
def test_basis_when_what_the_release_holds_was_changed_then_it_is_outdated(
    session: Session, what: str
) -> None:
    known = basis(session)
    assert not known.is_outdated(session.reader)
    write(session, CONCERNING[what]())
    assert known.is_outdated(session.reader)


@pytest.mark.parametrize("what", HARMLESS)
def test_basis_when_only_something_else_was_changed_then_it_is_not_outdated(
    session: Session, what: str
) -> None:
    known = basis(session)
    write(session, HARMLESS[what]())
    assert not known.is_outdated(session.reader)


def test_basis_when_a_shown_region_was_taken_away_then_it_is_outdated(session: Session) -> None:
    marked = region(UAV1)
    write(session, added(marked))
    known = basis(session)
    write(session, changed("region", marked, "-", True))
    assert known.is_outdated(session.reader)


def test_basis_when_the_form_carries_all_then_any_region_counts_but_items_as_selected(
    session: Session,
) -> None:
    known = basis(session, "native")
    write(session, HARMLESS["item that is not selected"]())
    assert not known.is_outdated(session.reader)
    write(session, HARMLESS["region on a medium that is not shown"]())
    assert known.is_outdated(session.reader)


def test_basis_when_the_form_holds_labels_then_items_do_not_count(session: Session) -> None:
    known = basis(session, "aircop-labels", selection=ItemQuery())
    write(session, CONCERNING["selected item"]())
    assert not known.is_outdated(session.reader)
    write(session, CONCERNING["label of a shown medium"]())
    assert known.is_outdated(session.reader)


def test_basis_when_all_items_are_selected_then_any_item_counts(session: Session) -> None:
    known = basis(session, selection=ItemQuery())
    write(session, HARMLESS["item that is not selected"]())
    assert known.is_outdated(session.reader)
