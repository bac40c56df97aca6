from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotator.commands.media_import import FORMAT, ImportMedia, MediaImportReport
from annotator.domain.changes import Changes
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.record_types import record_type
from annotator.domain.scene import Scene, SceneView
from annotator.domain.source import Source
from annotator.errors import Cancelled
from annotator.media.file_import import FileImport, import_files
from annotator.media.grouping import group, group_individually
from annotator.media.listing import list_media
from annotator.media.scene_grouping import Grouping
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.store.making import created, problems, write

PATTERN = "{scene}-{view}.png"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        yield session


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """Give a folder with two scenes of two views and one picture alone."""
    for number, name in enumerate(("a-UAV1", "a-UAV2", "b-UAV1", "b-UAV2", "c-UAV1")):
        _draw(tmp_path / "card" / f"{name}.png", shade=10 * number)
    return tmp_path / "card"


def _draw(path: Path, *, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.full((6, 8, 3), shade, np.uint8))


def _file_import(session: Session, folder: Path, *, pattern: str = PATTERN, **options: Any) -> FileImport:
    listing = list_media([folder], progress=Progress())
    grouping: Grouping = group(listing.names, pattern) if pattern else group_individually(listing.names)
    return import_files(listing, grouping, roots=session.roots, progress=Progress(), **options)


def _add(
    session: Session, folder: Path, *, pattern: str = PATTERN, **words: Any
) -> tuple[MediaImportReport, Changes]:
    options = {name: words.pop(name) for name in ("keep", "is_hashed") if name in words}
    command = ImportMedia(file_import=_file_import(session, folder, pattern=pattern, **options), **words)
    changes = session.execute(command).result()
    return command.report, changes


def _records(session: Session, entity: str) -> list[Any]:
    return list(session.reader.records(record_type(entity)))


def _views(session: Session) -> dict[str, dict[str, str]]:
    names = {medium.id: medium.name for medium in _records(session, "medium")}
    return {s.name: {v.name: names[v.medium] for v in s.views} for s in _records(session, "scene")}


def test_import_when_files_are_new_then_media_scenes_and_a_source_are_made(
    session: Session, card: Path
) -> None:
    report, _ = _add(session, card, dataset="set", licence="MIT")
    assert (report.scenes_added, report.media_added, report.media_known, report.flags) == (3, 5, 0, 0)
    assert _views(session) == {
        "a": {"UAV1": "a-UAV1.png", "UAV2": "a-UAV2.png"},
        "b": {"UAV1": "b-UAV1.png", "UAV2": "b-UAV2.png"},
        "c": {"UAV1": "c-UAV1.png"},
    }
    (source,) = _records(session, "source")
    assert isinstance(source, Source)
    assert (source.name, source.format, source.dataset, source.records, source.licence) == (
        "card",
        FORMAT,
        "set",
        5,
        "MIT",
    )
    medium = _records(session, "medium")[0]
    assert (medium.path, medium.dataset, medium.licence, medium.source) == (
        "@card/a-UAV1.png",
        "set",
        "MIT",
        source.id,
    )
    assert (medium.encoding, medium.width_px, medium.height_px, len(medium.sha256)) == ("PNG", 8, 6, 64)
    assert session.roots.file_of(medium.path) == card / "a-UAV1.png"
    assert problems(session.path) == []


def test_import_when_undone_and_redone_then_is_gone_and_back(session: Session, card: Path) -> None:
    _add(session, card)
    before = _views(session)
    session.undo().result()
    assert (_records(session, "medium"), _records(session, "scene"), _records(session, "source")) == (
        [],
        [],
        [],
    )
    session.redo().result()
    assert _views(session) == before
    session.undo().result()
    report, _ = _add(session, card)
    assert (report.media_added, _views(session)) == (5, before)


def test_import_when_done_twice_then_the_second_writes_nothing(session: Session, card: Path) -> None:
    _add(session, card)
    report, changes = _add(session, card)
    assert (report.media_known, report.media_added, report.scenes_added, changes.command) == (5, 0, 0, "")


def test_import_when_a_content_is_known_under_another_name_then_it_is_that_medium(
    session: Session, card: Path, tmp_path: Path
) -> None:
    _add(session, card)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "z-UAV1.png").write_bytes((card / "a-UAV1.png").read_bytes())
    _draw(tmp_path / "more" / "z-UAV2.png", shade=200)
    report, _ = _add(session, tmp_path / "more")
    assert (report.media_known, report.media_added, report.scenes_added) == (1, 1, 1)
    assert _views(session)["z"] == {"UAV1": "a-UAV1.png", "UAV2": "z-UAV2.png"}


def test_import_when_two_files_have_one_content_then_they_are_one_medium(
    session: Session, tmp_path: Path
) -> None:
    _draw(tmp_path / "card" / "a-UAV1.png", shade=1)
    _draw(tmp_path / "card" / "b-UAV1.png", shade=1)
    report, _ = _add(session, tmp_path / "card")
    assert (report.media_added, report.media_known) == (1, 1)
    # Both scenes would show the same one picture: it is one scene.
    assert len(_views(session)) == 1


def test_import_when_labels_named_the_media_before_then_they_are_filled(session: Session, card: Path) -> None:
    named = [Medium(id=new_id(), name=f"a-UAV{view}.png", dataset="set") for view in (1, 2)]
    views = tuple(SceneView(name=f"UAV{at}", medium=medium.id) for at, medium in enumerate(named, 1))
    scene = Scene(id=new_id(), name="moment 7", dataset="set", views=views)
    write(session, *(created("medium", medium) for medium in named), created("scene", scene))
    report, _ = _add(session, card, dataset="set", licence="MIT")
    assert (report.media_filled, report.media_added, report.scenes_added) == (2, 3, 2)
    assert _views(session)["moment 7"] == {"UAV1": "a-UAV1.png", "UAV2": "a-UAV2.png"}
    filled = session.reader.get(Medium, named[0].id)
    assert filled is not None
    assert (filled.path, filled.width_px, filled.licence) == ("@card/a-UAV1.png", 8, "MIT")
    assert filled.source == _records(session, "source")[0].id
    session.undo().result()
    assert session.reader.get(Medium, named[0].id) == named[0]


def test_import_when_a_named_medium_has_a_path_then_the_file_that_ends_so_fills_it(
    session: Session, tmp_path: Path
) -> None:
    for view in (1, 2):
        _draw(tmp_path / "card" / f"UAV{view}" / "7.png", shade=view)
    named = Medium(id=new_id(), name="images/UAV2/7.png", path="UAV2/7.png")
    write(session, created("medium", named))
    report, _ = _add(session, tmp_path / "card", pattern="{view}/{scene}.png")
    assert (report.media_filled, report.media_added) == (1, 1)
    filled = session.reader.get(Medium, named.id)
    assert filled is not None
    assert filled.path == "@card/UAV2/7.png"


@pytest.mark.parametrize(("named", "filled"), [(("sub/b.png",), 1), (("one/b.png", "two/b.png"), 0)])
def test_import_when_labels_named_a_folder_that_was_added_without_it_then_the_only_file_of_this_name_fills_it(
    session: Session, tmp_path: Path, named: tuple[str, ...], filled: int
) -> None:
    _draw(tmp_path / "sub" / "b.png", shade=1)
    write(session, *(created("medium", Medium(id=new_id(), name=path, path=path)) for path in named))
    report, _ = _add(session, tmp_path / "sub", pattern="{scene}.png")
    assert (report.media_filled, report.media_added) == (filled, 1 - filled)


def test_import_when_it_is_not_clear_which_medium_was_named_then_none_is_filled(
    session: Session, card: Path
) -> None:
    write(
        session, *(created("medium", Medium(id=new_id(), name="a-UAV1.png", dataset=d)) for d in ("x", "y"))
    )
    report, _ = _add(session, card)
    assert (report.media_filled, report.media_added) == (0, 5)


def test_import_when_a_named_medium_says_where_it_is_from_then_that_stays(
    session: Session, card: Path
) -> None:
    write(session, created("medium", Medium(id=new_id(), name="a-UAV1.png", licence="CC0")))
    _add(session, card, licence="MIT")
    assert {m.name: m.licence for m in _records(session, "medium")}["a-UAV1.png"] == "CC0"


def test_import_when_a_scene_lacks_a_view_then_it_gets_it(
    session: Session, card: Path, tmp_path: Path
) -> None:
    _add(session, card)
    _draw(tmp_path / "later" / "c-UAV2.png", shade=99)
    report, _ = _add(session, tmp_path / "later")
    assert (report.scenes_extended, report.scenes_added) == (1, 0)
    assert _views(session)["c"] == {"UAV1": "c-UAV1.png", "UAV2": "c-UAV2.png"}


def test_import_when_another_picture_claims_a_view_then_a_flag_says_so(
    session: Session, card: Path, tmp_path: Path
) -> None:
    _add(session, card)
    _draw(tmp_path / "later" / "c-UAV1.png", shade=99)
    report, _ = _add(session, tmp_path / "later")
    assert (report.flags, report.media_added) == (1, 1)
    assert _views(session)["c"] == {"UAV1": "c-UAV1.png"}
    (flag,) = _records(session, "flag")
    assert isinstance(flag, Flag)
    assert (flag.kind, flag.evidence["view"]) == ("view_medium_differs", "UAV1")
    assert "c-UAV1.png (2)" in {medium.name for medium in _records(session, "medium")}


def test_import_when_a_file_is_damaged_then_it_comes_in_with_a_flag(session: Session, card: Path) -> None:
    (card / "d-UAV1.png").write_bytes(b"no picture")
    report, _ = _add(session, card)
    assert (report.media_added, report.damaged, report.flags) == (6, 1, 1)
    (flag,) = _records(session, "flag")
    assert (flag.kind, flag.entity) == ("medium_damaged", "medium")
    assert "d-UAV1.png cannot be read as an image" in flag.message


def test_import_when_contents_were_not_read_then_path_and_size_tell_files(
    session: Session, card: Path
) -> None:
    report, _ = _add(session, card, is_hashed=False)
    assert (report.media_added, _records(session, "medium")[0].sha256) == (5, "")
    again, changes = _add(session, card, is_hashed=False)
    assert (again.media_known, again.media_added, changes.command) == (5, 0, "")
    filled, _ = _add(session, card)
    assert (filled.media_known, filled.media_added) == (5, 0)
    assert all(len(medium.sha256) == 64 for medium in _records(session, "medium"))


def test_import_when_names_lie_then_kinds_are_those_of_the_content(session: Session, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 6)))
    (tmp_path / "card").mkdir()
    (tmp_path / "a.npy").rename(tmp_path / "card" / "a.png")
    _add(session, tmp_path / "card", pattern="")
    (medium,) = _records(session, "medium")
    assert (medium.media_type, medium.encoding) == ("depth", "NPY")


def test_import_when_the_table_tells_licence_and_source_then_each_has_its_own(
    session: Session, card: Path
) -> None:
    from annotator.media.group_table import group_by_table

    table = card / "t.csv"
    table.write_text("scene,view,path,licence,source\ns,1,a-UAV1.png,CC0,field day\ns,2,a-UAV2.png,,\n")
    listing = list_media([card], progress=Progress())
    grouping = group_by_table(table, names=listing.names)
    file_import = import_files(listing, grouping, roots=session.roots, progress=Progress())
    session.execute(ImportMedia(file_import=file_import, licence="MIT", source="archive")).result()
    names = {source.id: source.name for source in _records(session, "source")}
    assert [(m.name, m.licence, names[m.source]) for m in _records(session, "medium")] == [
        ("a-UAV1.png", "CC0", "field day"),
        ("a-UAV2.png", "MIT", "archive"),
    ]


def test_import_when_cancelled_then_nothing_is_written(session: Session, card: Path) -> None:
    progress = Progress()
    command = ImportMedia(file_import=_file_import(session, card))
    progress.cancel()
    with pytest.raises(Cancelled):
        session.execute(command, progress=progress).result()
    assert session.reader.counts()["medium"] == 0
    assert command.report == MediaImportReport()
