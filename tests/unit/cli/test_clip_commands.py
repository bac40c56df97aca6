"""The verb clips: what it lists, and what it cuts from a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.projects import ChooseTaskSet
from annotator.domain.medium import Medium
from annotator.domain.scene import Scene
from annotator.media.video.video import Video
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video, read_number
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import (
    created,
    undo_label,
    write,
)

FRAMES, FPS = 300, 25
VIDEO = Medium(id="2" * 32, name="0001.mp4", dataset="town", media_type="video", path="0001.mp4")


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frames=FRAMES, options={"preset": "veryfast", "bf": "2"})
    return Path(make_video(tmp_path_factory.mktemp("videos"), name="0001", recipe=recipe).path)


@pytest.fixture
def town(project: Path, video: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a video of 12 seconds."""
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    with Session.open(project) as session:
        session.media_root.mkdir(parents=True)
        (session.media_root / "0001.mp4").write_bytes(video.read_bytes())
        write(session, created("medium", VIDEO))
        session.execute(ChooseTaskSet(task_set="urbanvideo")).result()
    return project


def table(folder: Path, *rows: str, head: str = "video,in,out,name,goal,footage,cut") -> Path:
    path = folder / "clips.csv"
    path.write_text("\n".join((head, *rows)) + "\n")
    return path


def test_clips_when_cut_from_a_table_then_each_is_in_the_project_with_exactly_its_frames(
    town: Path, tmp_path: Path, verb: Verb
) -> None:
    rows = table(
        tmp_path, "0001.mp4,25 f,0:11.0,first,the red house,real,", "0001.mp4,30 f,40f,second,,,wider"
    )
    said = verb("clips", town, "cut", rows, "--json")
    assert [(one["name"], one["first"], one["last"], one["is_copied"]) for one in said.json["clips"]] == [
        ("first", 25, 275, False),
        ("second", 24, 47, True),
    ]
    # Less than the 10 s of the task set: done, and said.
    assert ([one["is_within_limits"] for one in said.json["clips"]], said.status) == ([True, False], 1)
    with Session.open(town) as session:
        (scene,) = session.reader.find(Scene, name="first")
        assert scene.metadata == {"destination": "the red house"}
        clip = Video.open(session.media_root / "clips" / "first.mp4")
        assert [read_number(frame.rgb()) for frame in clip.frames((0, 250))] == [25, 275]
        assert clip.frame_count == 251
        assert undo_label(session) == "Make 2 clips"
    listed = verb("clips", town, "--json").json
    assert listed["limits"] == {"min_s": 10.0, "max_s": 600.0}
    assert [(one["name"], one["video"], one["first"], one["footage"]) for one in listed["videos"]] == [
        ("0001.mp4", "", None, ""),
        ("first.mp4", "0001.mp4", 25, "real"),
        ("second.mp4", "0001.mp4", 24, ""),
    ]
    shown = verb("clips", town, "list")
    assert "second.mp4: 1.0 s, frames 24 to 47 of 0001.mp4, outside the limits" in shown.out


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("0002.mp4,0,1,a,,,", "row 1: There is no media file named '0002.mp4'."),
        ("0001.mp4,soon,1,a,,,", "row 1: 'soon' is not a time or a frame number."),
        ("0001.mp4,0,300 f,a,,,", "has no frame 300"),
        ("0001.mp4,0,13,a,,,", "lasts 12.000 s"),
        ("0001.mp4,2,1,a,,,", "ends before it begins"),
        ("0001.mp4,0,1,a,,old,", "'old' is not valid in the column footage."),
        ("0001.mp4,0,1,,,,", "The clip needs a name."),
        ("0001.mp4,0,1,0001,,,", "The name 0001 is already in use."),
    ],
)
def test_clips_when_a_row_is_wrong_then_it_is_named_and_nothing_is_cut(
    row: str, text: str, town: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("clips", town, "cut", table(tmp_path, row))
    assert (said.status, said.out) == (2, "")
    assert text in said.err
    assert not list(tmp_path.rglob("clips/*"))


def test_clips_when_a_column_is_missing_or_unknown_then_it_is_named(
    town: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("clips", town, "cut", table(tmp_path, "0001.mp4,0", head="video,in"))
    assert "clips.csv has no column out, name." in said.err
    said = verb("clips", town, "cut", table(tmp_path, "a,0,1,b,c", head="video,in,out,name,colour"))
    assert "unknown column 'colour'" in said.err


def test_clips_when_only_checked_then_shows_them_and_writes_nothing(
    town: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("clips", town, "cut", table(tmp_path, "0001.mp4,1,2,a,,,"), "--dry-run")
    assert (said.status, said.out) == (0, "a: frames 25 to 50\n")
    with Session.open(town) as session:
        assert len(list(session.reader.records(Medium))) == 1
