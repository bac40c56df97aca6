from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.commands.imports import ImportFiles
from annotator.domain.item import Item
from annotator.errors import Cancelled, UserError
from annotator.importing.preview import dry_run, preview
from annotator.importing.survey import rescan_part, scan_paths
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.store.making import events


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        yield session


def row(number: int, **fields: Any) -> dict[str, Any]:
    said = [{"from": "human", "value": "At what clock direction is Region 1?"}]
    sound = {
        "id": f"Direction_Recognition_{number:05d}",
        "image": [f"./SpatialUAV/img{number:04d}.jpg"],
        "conversations": said,
        "source": "SpatialUAV",
        "GT": "8 o'clock",
    }
    return {**sound, **fields}


def put(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def test_preview_when_a_file_is_long_then_reads_its_beginning_alone(session: Session, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", [row(n) for n in range(1, 500)])
    steps = []
    progress = Progress(lambda step: steps.append(step.done))
    (shown,) = preview(session.reader, ImportFiles(paths=(path,)), progress=progress, first=5).previews
    assert (shown.format, shown.name, len(shown.found)) == ("spatialuav", "a.jsonl", 5)
    assert shown.expected == ("id", "image", "conversations", "GT", "source")
    assert [(seen.name, seen.records, seen.example) for seen in shown.field_examples][-1] == (
        "GT",
        5,
        "8 o'clock",
    )
    assert max(steps, default=0) < 20


def test_preview_when_a_field_is_mapped_then_reads_it_from_there(session: Session, tmp_path: Path) -> None:
    renamed = [{("answer" if name == "GT" else name): value for name, value in row(1).items()}]
    path = put(tmp_path / "a.jsonl", renamed)
    command = ImportFiles(paths=(path,), format="spatialuav", mapping={"GT": "answer"})
    (shown,) = preview(session.reader, command, progress=Progress()).previews
    (found,) = shown.found
    assert isinstance(found.record, Item)
    assert found.record.answer_key == "8 o'clock"


def test_dry_run_when_done_then_tells_what_the_import_then_does(session: Session, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", [row(1), row(2, GT=""), row(2), {"id": 3}])
    before = events(session.path)
    foretold = dry_run(session.reader, ImportFiles(paths=(path,)), progress=Progress()).to_json()
    assert events(session.path) == before
    command = ImportFiles(paths=(path,))
    session.execute(command).result()
    assert command.report.to_json() == foretold
    assert (foretold["added"], foretold["rejected"]) == (3, 1)
    assert foretold["flags"]["duplicate_id"] == 1


def test_dry_run_when_the_project_has_the_records_then_says_so(session: Session, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", [row(1), row(2)])
    session.execute(ImportFiles(paths=(path,))).result()
    report = dry_run(session.reader, ImportFiles(paths=(path,)), progress=Progress())
    assert (report.added, report.unchanged) == (0, 2)


def test_dry_run_when_cancelled_then_stops(session: Session, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", [row(n) for n in range(1, 100)])
    progress = Progress(lambda _step: None)
    progress.cancel()
    with pytest.raises(Cancelled):
        dry_run(session.reader, ImportFiles(paths=(path,)), progress=progress)


def test_survey_when_a_folder_is_mixed_then_tells_its_parts_apart(session: Session, tmp_path: Path) -> None:
    put(tmp_path / "set/labels/a.jsonl", [row(1)])
    (tmp_path / "set/labels/notes.json").write_text('{"nothing": "known"}')
    for name in ("m1-UAV1.jpg", "m1-UAV2.jpg", "m2-UAV1.jpg"):
        (tmp_path / "set" / name).write_bytes(b"x")
    found = scan_paths(session.reader, [tmp_path / "set"], progress=Progress())
    assert [(part.path.name, part.fault) for part in found.files] == [("a.jsonl", "")]
    (media,) = found.media
    assert media.listing.names == ("m1-UAV1.jpg", "m1-UAV2.jpg", "m2-UAV1.jpg")
    assert max(one.matched for one in media.recognised) == 3


def test_survey_when_no_scheme_fits_most_then_each_folder_is_a_part(session: Session, tmp_path: Path) -> None:
    for name in ("pairs/m1-UAV1.jpg", "pairs/m1-UAV2.jpg", "other/x.jpg", "other/y.jpg", "other/z.jpg"):
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_bytes(b"x")
    found = scan_paths(session.reader, [tmp_path / "set"], progress=Progress())
    assert {part.folder: len(part.listing.names) for part in found.media} == {"other": 3, "pairs": 2}


def test_survey_when_a_named_file_cannot_be_read_then_says_why(session: Session, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"nothing": "known"}')
    (part,) = scan_paths(session.reader, [tmp_path / "odd.json"], progress=Progress()).files
    assert "no supported format" in part.fault
    assert part.hint
    assert part.previews == ()


def test_survey_when_a_path_is_gone_then_says_so(session: Session, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file or folder .*gone"):
        scan_paths(session.reader, [tmp_path / "gone"], progress=Progress())


def test_look_again_when_the_format_is_another_one_then_says_that_it_is_not(
    session: Session, tmp_path: Path
) -> None:
    path = put(tmp_path / "a.jsonl", [row(1)])
    part = rescan_part(
        session.reader, ImportFiles(paths=(path,), format="aircop-labels"), progress=Progress()
    )
    assert "does not have the format aircop-labels" in part.fault
