from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.progress import Progress, ProgressUpdate
from annotator.quality.finding import Finding
from annotator.release.build import ReleaseSettings, build_release
from annotator.release.exporters import exporter_of
from annotator.release.manifest import MANIFEST, Manifest, verify_release
from annotator.release.preview import preview_release
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.release.samples import aircop_item, fill, flag, urbanvideo_item

ITEMS = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(3)]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *ITEMS)
        yield session


def _freeze(
    session: Session, out: Path, *, findings: Any = (), progress: Progress | None = None, **order: Any
) -> Manifest:
    wanted = ReleaseSettings(exporter=exporter_of(order.pop("form", "aircop")), **order)
    with build_release(
        session.reader, out, order=wanted, findings=findings, progress=progress or Progress()
    ) as frozen:
        frozen.publish()
    return frozen.manifest


def _left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("p.vantage"))


def test_freeze_when_published_then_the_folder_is_what_its_manifest_says(
    session: Session, tmp_path: Path
) -> None:
    manifest = _freeze(session, tmp_path / "out")
    assert verify_release(tmp_path / "out") == []
    assert (tmp_path / "out" / MANIFEST).read_bytes() == manifest.to_bytes()
    assert manifest.records == 3
    assert _left(tmp_path) == ["out"]


def test_freeze_when_not_published_then_nothing_is_left(session: Session, tmp_path: Path) -> None:
    order = ReleaseSettings(exporter=exporter_of("aircop"))
    with build_release(session.reader, tmp_path / "out", order=order, progress=Progress()) as frozen:
        assert not frozen.is_unchanged
    assert _left(tmp_path) == []


def test_freeze_when_the_folder_holds_this_very_release_then_it_is_unchanged(
    session: Session, tmp_path: Path
) -> None:
    _freeze(session, tmp_path / "out")
    before = (tmp_path / "out" / MANIFEST).stat().st_mtime_ns
    with build_release(
        session.reader,
        tmp_path / "out",
        order=ReleaseSettings(exporter=exporter_of("aircop")),
        progress=Progress(),
    ) as frozen:
        assert frozen.is_unchanged
        frozen.publish()
    assert (tmp_path / "out" / MANIFEST).stat().st_mtime_ns == before


@pytest.mark.parametrize("change", ["more", "tampered", "other form"])
def test_freeze_when_the_folder_holds_something_else_then_it_is_left_alone(
    session: Session, tmp_path: Path, change: str
) -> None:
    _freeze(session, tmp_path / "out")
    if change == "more":
        fill(session, aircop_item(name="q9", question="How many bikes are in the picture?"), positions=())
    elif change == "tampered":
        (tmp_path / "out" / "VQA_Real_2_UAVs.json").write_bytes(b"{}")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(UserError, match="another release"):
        _freeze(session, tmp_path / "out", form="native" if change == "other form" else "aircop")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert _left(tmp_path) == ["out"]


def test_freeze_when_the_place_is_taken_then_nothing_is_read(session: Session, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(UserError, match="not empty"):
        _freeze(session, tmp_path / "out", findings=iter(_never()))


def _never() -> Iterator[Finding]:
    raise AssertionError("the checks were run for nothing")
    yield


def test_freeze_when_flagged_items_go_out_then_no_check_is_run(session: Session, tmp_path: Path) -> None:
    manifest = _freeze(session, tmp_path / "out", findings=_never(), include_flagged=True)
    assert (manifest.include_flagged, manifest.records) == (True, 3)


def test_freeze_when_a_check_finds_an_error_then_the_item_is_listed_as_withheld(
    session: Session, tmp_path: Path
) -> None:
    finding = Finding(
        check="key_in_options",
        severity="error",
        entity="item",
        target=ITEMS[1].id,
        field="answer_key",
        message="No.",
        advice="",
    )
    manifest = _freeze(session, tmp_path / "out", findings=[finding])
    assert (manifest.records, manifest.withheld.reasons) == (2, {"check:key_in_options": 1})
    assert manifest.withheld.file is not None
    assert manifest.withheld.file.name == "withheld.jsonl"
    assert verify_release(tmp_path / "out") == []


def test_freeze_when_everything_is_withheld_then_it_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, urbanvideo_item(), *(flag(item) for item in ITEMS[:1]))
        with pytest.raises(UserError, match=r"1 records are withheld \(format:task_set 1\)"):
            _freeze(session, tmp_path / "out")
    assert _left(tmp_path) == []


def test_freeze_when_the_project_is_empty_then_there_is_nothing_to_release(tmp_path: Path) -> None:
    with (
        Session.create(tmp_path / "p.vantage") as session,
        pytest.raises(UserError, match="No records to release"),
    ):
        _freeze(session, tmp_path / "out", form="native")
    assert _left(tmp_path) == []


@pytest.mark.parametrize("form", ["aircop", "native"])
def test_freeze_when_cancelled_while_writing_then_nothing_is_left(
    session: Session, tmp_path: Path, form: str
) -> None:
    told: list[ProgressUpdate] = []

    def stop(step: ProgressUpdate) -> None:
        told.append(step)
        if step.what.startswith("Writing"):
            progress.cancel()

    progress = Progress(stop)
    with pytest.raises(Cancelled):
        _freeze(session, tmp_path / "out", form=form, progress=progress)
    assert told[-1].total == (3 if form == "aircop" else 8)
    assert _left(tmp_path) == []


def test_freeze_when_the_disk_is_full_then_nothing_is_left(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("annotator.release.release_folder.os.fsync", refuse)
    with pytest.raises(EnvironmentFailure, match="disk is full"):
        _freeze(session, tmp_path / "out")
    assert _left(tmp_path) == []


def test_freeze_when_the_folder_cannot_be_made_then_it_says_so(session: Session, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="could not be written"):
        _freeze(session, tmp_path / ("x" * 250))
    assert _left(tmp_path) == []


def test_freeze_when_done_then_the_progress_has_counted_every_record(
    session: Session, tmp_path: Path
) -> None:
    told: list[ProgressUpdate] = []
    _freeze(session, tmp_path / "out", form="native", progress=Progress(told.append))
    assert (told[-1].done, told[-1].total) == (8, 8)


def test_freeze_when_workstations_changed_an_item_then_is_withheld_and_the_manifest_says_why(
    session: Session, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.vantage-bundle", tmp_path / "b.vantage-bundle"
    session.export_bundle(first, progress=Progress())
    with Session.create_from_bundle(tmp_path / "other.vantage", first) as other:
        for one, question in ((session, "How many cars?"), (other, "How many vans?")):
            one.execute(SetItemField(item=ITEMS[0].id, field="question", value=question)).result()
        other.export_bundle(second, progress=Progress())
    session.merge(second, progress=Progress()).result()
    manifest = _freeze(session, tmp_path / "out")
    assert manifest.records == 2
    assert (manifest.withheld.records, manifest.withheld.reasons) == (1, {"fork:question": 1})
    assert b'"name":"q0"' in (tmp_path / "out" / "withheld.jsonl").read_bytes()
    preview = preview_release(session.reader, ItemQuery())
    assert (preview.items, preview.forked) == (2, {"drafted": 1})
    assert (preview.with_forked().items, preview.with_forked().forked) == (3, {})
