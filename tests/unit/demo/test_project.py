from __future__ import annotations

from pathlib import Path

import pytest

from annotator.demo import project as module
from annotator.demo.pictures import Picture
from annotator.demo.project import DATASET, make_demo
from annotator.domain.query import ItemQuery
from annotator.errors import Cancelled, UserError
from annotator.progress import Progress
from annotator.session import Session


@pytest.fixture(autouse=True)
def _undrawn(pictures: list[Picture], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "take_pictures", lambda **_: pictures)


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    return make_demo(tmp_path / "deep" / "demo", progress=Progress())


def test_demo_when_made_then_nothing_but_the_demo_is_left(demo: Path, tmp_path: Path) -> None:
    assert demo == tmp_path / "deep" / "demo" / "demo.vantage"
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["demo"]
    assert sorted(p.name for p in demo.parent.iterdir()) == ["demo.media", "demo.vantage", "files"]


def test_demo_when_opened_then_all_kinds_of_records_are_there(demo: Path) -> None:
    with Session.open(demo) as session:
        counts = session.reader.counts()
        facets = session.reader.item_facets(ItemQuery())
        scenes = [scene.name for scene in session.reader.find("scene", dataset=DATASET)]
    assert counts["event_label"] == 14
    assert counts["source"] == 3
    assert counts["region"] > 30
    assert {facet.value for facet in facets["task_set"]} == {"aircop", "spatialuav", "urbanvideo"}
    assert {facet.value for facet in facets["state"]} == {
        "accepted",
        "drafted",
        "in_refinement",
        "refined",
        "rejected",
    }
    assert {"crossroads-1", "crossroads-2", "market-1", "gardens-1", "park-1", "school-1"} <= set(scenes)


def test_demo_when_opened_then_flags_and_absent_media_are_shown_honestly(demo: Path) -> None:
    with Session.open(demo) as session:
        flags = session.reader.open_flag_counts()
        missing = [m.name for m in session.reader.records("medium") if not m.sha256]
        sized = {(m.width_px, m.height_px) for m in session.reader.records("medium") if m.sha256}
    assert flags.keys() >= {
        "count_not_integer",
        "partner_missing",
        "partner_unknown",
        "missing_media",
        "unknown_region",
    }
    assert missing == [f"DemoTown_flight_0{n}.mp4" for n in (1, 2, 3)]
    assert sized == {(64, 36)}


def test_demo_when_opened_then_history_and_undo_have_something_to_show(demo: Path) -> None:
    with Session.open(demo) as session:
        reader = session.reader
        refined = next(reader.find("item", state="refined"))
        assert [entry.field for entry in reader.history(refined.id)] == ["state", "question", "state", "*"]
        label = session.undo_label
        assert label == "Dismiss 1 flag"
        session.undo().result()
        assert session.redo_label == label


def test_demo_when_it_is_there_then_it_is_left_as_it_is(demo: Path) -> None:
    before = demo.read_bytes()
    assert make_demo(demo.parent, progress=Progress()) == demo
    assert demo.read_bytes() == before


def test_demo_when_the_folder_holds_something_else_then_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="holds something else"):
        make_demo(tmp_path, progress=Progress())
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_demo_when_cancelled_then_nothing_is_left(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        make_demo(tmp_path / "demo", progress=progress)
    assert list(tmp_path.iterdir()) == []


def test_demo_when_the_folder_is_empty_then_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    assert make_demo(tmp_path / "demo", progress=Progress()).is_file()
