"""Imports of regions, facts and files of folders, and where they come to lie in the project."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from annotator.commands.imports import ImportFiles
from annotator.commands.links import LinkRegions
from annotator.domain.event import CREATED, Edit
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene
from annotator.domain.source import Source
from annotator.errors import UserError
from annotator.importers import registry
from annotator.importers.imported_record import (
    ImportedMedium,
    ImportedRecord,
    ImportedScene,
    ImportIssue,
    ImportKeys,
)
from annotator.importers.importer import FileImporter, ImportContext
from annotator.importers.input_file import InputFile
from annotator.session import Session
from tests.bench.samples import cvat
from tests.unit.store.making import problems, write


class Boxes(FileImporter):
    """Reads a list of boxes, each with its view and what it shows."""

    id: ClassVar[str] = "boxes"
    title: ClassVar[str] = "Boxes of a test"
    fields: ClassVar[tuple[str, ...]] = ("view", "thing", "track", "frame")

    def recognizes(self, file: InputFile) -> bool:
        return file.name.startswith("boxes")

    def read(self, file: InputFile, *, context: ImportContext) -> Iterator[ImportedRecord | ImportIssue]:
        keys = ImportKeys(format_id=self.id, dataset="D")
        views = tuple(ImportedMedium(name=f"{view}.jpg", view=view) for view in ("UAV1", "UAV2"))
        scene = ImportedScene(name="moment", views=views)
        for number, entry in enumerate(json.loads(file.text), start=1):
            raw = msgspec.json.encode(entry)
            region = Region(
                medium="",
                number=0,
                box=Box(x1=number, y1=1.0, x2=9.0, y2=9.0),
                frame=entry.get("frame"),
                track=entry.get("track", ""),
                original=msgspec.Raw(raw),
                import_key=keys.key_of(raw),
            )
            medium = ImportedMedium(name=f"{entry['view']}.jpg", view=entry["view"])
            yield ImportedRecord(
                record=region,
                line=number,
                dataset="D",
                media=(medium,),
                scene=scene,
                identity=entry.get("thing", ""),
            )


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        yield session


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch) -> Boxes:
    """Let the registry know a reader whose files state identities across views."""
    reader, known = Boxes(), registry.IMPORTERS
    monkeypatch.setattr(registry, "IMPORTERS", {**known, reader.id: reader})
    monkeypatch.setattr(registry, "FILE_IMPORTERS", (*registry.FILE_IMPORTERS, reader))
    return reader


def take(session: Session, *paths: Path, **more: Any) -> ImportFiles:
    command = ImportFiles(paths=paths, **more)
    session.execute(command).result()
    return command


def put(tmp_path: Path, name: str, value: object) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def regions(session: Session) -> list[Region]:
    return list(session.reader.records(Region))


def links(session: Session) -> list[Link]:
    return list(session.reader.records(Link))


def test_regions_when_imported_then_each_medium_numbers_its_own(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    take(session, put(tmp_path, "boxes.json", [{"view": v} for v in ("UAV1", "UAV2", "UAV1")]))
    media = {m.id: m.name for m in session.reader.records(Medium)}
    assert [(media[r.medium], r.number) for r in regions(session)] == [
        ("UAV1.jpg", 0), ("UAV2.jpg", 0), ("UAV1.jpg", 1),
    ]  # fmt: skip
    take(session, put(tmp_path, "boxes2.json", [{"view": "UAV1", "frame": 7}]))
    assert regions(session)[-1].number == 2


def test_regions_when_they_are_of_one_track_then_they_share_a_number(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    entries = [{"view": "UAV1", "track": t, "frame": f} for f, t in ((0, "a"), (0, "b"), (1, "a"))]
    take(session, put(tmp_path, "boxes.json", entries))
    assert [r.number for r in regions(session)] == [0, 1, 0]
    take(session, put(tmp_path, "boxes2.json", [{"view": "UAV1", "track": "b", "frame": 5}]))
    assert regions(session)[-1].number == 1


def test_regions_when_views_show_one_thing_then_they_are_linked(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    entries = [
        {"view": "UAV1", "thing": "car"}, {"view": "UAV2", "thing": "car"},
        {"view": "UAV1", "thing": "bus"}, {"view": "UAV2"},
        {"view": "UAV1", "thing": "car", "frame": 1},
    ]  # fmt: skip
    take(session, put(tmp_path, "boxes.json", entries))
    (link,) = links(session)
    first, second, *_ = regions(session)
    assert link.regions == (first.id, second.id)
    assert link.scene == next(session.reader.records(Scene)).id
    assert link.source == next(session.reader.records(Source)).id


def test_regions_when_a_file_grew_then_its_link_grows_too(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    entries = [{"view": "UAV1", "thing": "car"}]
    take(session, put(tmp_path, "boxes.json", entries))
    assert links(session) == []
    take(session, put(tmp_path, "boxes.json", [*entries, {"view": "UAV2", "thing": "car"}]))
    assert [set(link.regions) for link in links(session)] == [{r.id for r in regions(session)}]
    take(session, put(tmp_path, "boxes.json", [*entries, {"view": "UAV2", "thing": "car"}]))
    assert len(links(session)) == 1
    assert len(regions(session)) == 2


def test_regions_when_undone_then_the_project_is_as_it_was(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    entries = [{"view": v, "thing": "car"} for v in ("UAV1", "UAV2")]
    take(session, put(tmp_path, "boxes.json", entries))
    session.undo().result()
    assert not any(session.reader.counts()[name] for name in ("region", "link", "medium", "scene", "source"))
    session.redo().result()
    assert len(links(session)) == 1
    assert problems(session.path) == []


def test_tracks_when_a_real_reader_gives_them_then_the_same_file_adds_nothing(
    session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "tracks.xml"
    cvat.write(path, records=40, seed=3)
    added = take(session, path).report.added
    # Where the thing was not visible is a fact of the scene.
    assert added == len(regions(session)) + 1 > 20
    numbers = {(r.medium, r.track): r.number for r in regions(session) if r.track}
    assert all(r.number == numbers[r.medium, r.track] for r in regions(session) if r.track)
    again = take(session, path).report
    assert (again.added, again.unchanged) == (0, added)


def test_facts_when_a_list_states_them_then_they_are_in_the_scene(session: Session, tmp_path: Path) -> None:
    first = put(tmp_path, "video_list.json", [{"video_name": "a.mp4", "destination": "the church"}])
    assert take(session, first).report.added == 1
    (scene,) = session.reader.records(Scene)
    assert scene.metadata == {"destination": "the church"}
    assert take(session, first).report.unchanged == 1
    more = put(
        tmp_path, "more/video_list.json", [{"video_name": "a.mp4", "movement_instructions": "Turn left."}]
    )
    take(session, more)
    merged = session.reader.get(Scene, scene.id)
    assert merged is not None
    assert merged.metadata == {"destination": "the church", "movement_instructions": "Turn left."}


def test_facts_when_two_lists_differ_then_the_first_stays_and_a_reviewer_is_asked(
    session: Session, tmp_path: Path
) -> None:
    for name, goal in (("1", "the church"), ("2", "the school")):
        path = put(tmp_path, f"{name}/video_list.json", [{"video_name": "a.mp4", "destination": goal}])
        report = take(session, path).report
    assert report.flags["fact_differs"] == 1
    (scene,) = session.reader.records(Scene)
    assert scene.metadata == {"destination": "the church"}
    (flag,) = session.reader.flags_of(scene.id)
    assert flag.evidence == {"fact": "destination", "kept": "the church", "other": "the school"}


def test_media_when_they_came_as_files_then_labels_find_them_by_the_end_of_their_path(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    source = Source(id=new_id(), name="flight 7", format="media-folder", sha256="")
    media = [
        Medium(id=new_id(), name=f"flight 7/{n}", path=f"@disk/flight 7/{n}", dataset="Own", source=source.id)
        for n in ("UAV1.jpg", "UAV2.jpg")
    ]
    write(session, *(Edit(entity="medium", entity_id=m.id, field=CREATED, value=m) for m in media))
    take(session, put(tmp_path, "boxes.json", [{"view": "UAV1"}, {"view": "UAV2"}]))
    assert [r.medium for r in regions(session)] == [m.id for m in media]
    assert session.reader.counts()["medium"] == 2


def test_folder_when_imported_then_all_that_can_be_read_in_it_comes_in(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    put(tmp_path, "set/a/boxes.json", [{"view": "UAV1"}])
    put(tmp_path, "set/boxes2.json", [{"view": "UAV2"}])
    put(tmp_path, "set/odd.json", {"nothing": "known"})
    report = take(session, tmp_path / "set").report
    assert sorted(file.file for file in report.files) == ["boxes.json", "boxes2.json"]
    assert [over.name for over in report.skipped] == ["odd.json"]
    assert report.to_json()["passed_over"][0]["file"] == "odd.json"


def test_archive_when_imported_then_its_files_come_in_without_being_unpacked(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner/boxes.json", json.dumps([{"view": "UAV1"}]))
    before = sorted(tmp_path.rglob("*"))
    assert take(session, path).report.added == 1
    assert [entry for entry in sorted(tmp_path.rglob("*")) if entry not in before] == []


def test_folder_when_nothing_in_it_can_be_read_then_says_so_and_nothing_comes_in(
    session: Session, tmp_path: Path
) -> None:
    put(tmp_path, "set/odd.json", {"nothing": "known"})
    with pytest.raises(UserError, match="contains no annotations or questions"):
        take(session, tmp_path / "set")
    assert session.reader.counts()["source"] == 0


def test_licence_when_given_then_it_is_with_the_source(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    take(session, put(tmp_path, "boxes.json", [{"view": "UAV1"}]), licence="CC BY 4.0")
    (source,) = session.reader.records(Source)
    assert source.licence == "CC BY 4.0"


def test_regions_when_two_things_belong_to_one_link_then_it_takes_both(
    session: Session, tmp_path: Path, boxes: Boxes
) -> None:
    entries = [{"view": "UAV1", "thing": "car"}, {"view": "UAV2", "thing": "van"}]
    take(session, put(tmp_path, "boxes.json", entries))
    scene = next(session.reader.records(Scene)).id
    own = LinkRegions(scene=scene, regions=tuple(region.id for region in regions(session)))
    session.execute(own).result()
    grown = [*entries, {"view": "UAV2", "thing": "car"}, {"view": "UAV1", "thing": "van"}]
    take(session, put(tmp_path, "boxes.json", grown))
    assert [set(link.regions) for link in links(session)] == [{region.id for region in regions(session)}]
