"""The verbs frames and clip: what they write, in this process and as a process of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.media.render import Overlay, render
from annotator.media.video.video import Video
from annotator.session import Session
from tests.bench.numbered_videos import Recipe, make_video, picture_of, read_number
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import write

REPO = Path(__file__).resolve().parents[3]
SIZE = (192, 128)
STILL = Medium(id="1" * 32, name="set/0001.png", dataset="town", path="set/0001.png")
CLIP = Medium(id="2" * 32, name="0001.mp4", dataset="town", media_type="video", path="0001.mp4")
LOST = Medium(id="3" * 32, name="lost.png", dataset="town")
OTHER = Medium(id="4" * 32, name="0001.mp4", dataset="village", media_type="video", path="0001.mp4")
REGIONS = (
    Region(id="5" * 32, medium=STILL.id, number=3, box=Box(x1=20, y1=80, x2=60, y2=110)),
    Region(id="6" * 32, medium=CLIP.id, number=3, box=Box(x1=90, y1=80, x2=130, y2=110), frame=40),
)
LINK = Link(id="7" * 32, scene="8" * 32, regions=(REGIONS[0].id, REGIONS[1].id))
SCENES = (
    Scene(
        id="8" * 32,
        name="pair",
        dataset="town",
        views=(SceneView(name="UAV1", medium=STILL.id), SceneView(name="../2", medium=CLIP.id)),
    ),
    Scene(
        id="9" * 32,
        name="half",
        dataset="town",
        views=(SceneView(name="UAV1", medium=STILL.id), SceneView(name="UAV2", medium=LOST.id)),
    ),
)
KINDS: dict[type[Record], str] = {
    Medium: "medium",
    Region: "region",
    Link: "link",
    Scene: "scene",
}


@pytest.fixture
def town(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a project with a still, a video of 90 frames that lies there, a file that does not, and marks."""
    monkeypatch.setenv("VANTAGE_CACHE", str(tmp_path / "cache"))
    with Session.open(project) as session:
        root = session.media_root
        (root / "set").mkdir(parents=True)
        Image.fromarray(picture_of(5, size_px=SIZE)).save(root / STILL.path)
        make_video(root, name="0001", recipe=Recipe(options={"preset": "veryfast", "bf": "2"}))
        records: tuple[Record, ...] = (STILL, CLIP, LOST, OTHER, *REGIONS, LINK, *SCENES)
        write(
            session,
            *(Edit(entity=KINDS[type(r)], entity_id=r.id, field=CREATED, value=r) for r in records),
        )
    return project


def picture(path: str | Path) -> np.ndarray:
    return np.asarray(Image.open(path))


def test_frames_when_numbers_are_given_then_those_very_frames_are_written(
    town: Path, verb: Verb, tmp_path: Path
) -> None:
    options = ("--medium", CLIP.name, "--dataset", "town", "--out", tmp_path / "out")
    said = verb("frames", town, *options, "--numbers", "0, 17,41", "--json")
    assert said.status == 0
    names = ["0001_000000.png", "0001_000017.png", "0001_000041.png"]
    files = [str(tmp_path / "out" / name) for name in names]
    assert said.json == {"rendering": "clean", "files": files, "failed": []}
    assert [read_number(picture(file)) for file in files] == [0, 17, 41]


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ((), list(range(0, 90, 3))),
        (("--count", "3"), [0, 30, 60]),
        (("--every", "1.5"), [0, 37, 75]),
    ],
)
def test_frames_when_chosen_another_way_then_those_are_written(
    town: Path, verb: Verb, tmp_path: Path, options: tuple[str, ...], numbers: list[int]
) -> None:
    said = verb(
        "frames", town, "--medium", CLIP.name, "--dataset", "town", "--out", tmp_path, *options, "--json"
    )
    assert [read_number(picture(file)) for file in said.json["files"]] == numbers


def test_frames_when_a_scene_is_named_then_each_view_has_a_folder_and_links_one_colour(
    town: Path, verb: Verb, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    said = verb(
        "frames", town, "--scene", "pair", "--numbers", "40", "--rendering", "annotated", "--out", out,
        "--json",
    )  # fmt: skip
    assert said.json["files"] == [str(out / "UAV1" / "set_0001.png"), str(out / "_22" / "0001_000040.png")]
    video = Video.open(town.parent / "p.media" / "0001.mp4")
    for file, plain, region in zip(
        said.json["files"], (picture_of(5, size_px=SIZE), video.frame(40).rgb()), REGIONS, strict=True
    ):
        marks = Overlay(regions=(region,), links=(LINK,))
        assert np.array_equal(picture(file), render(plain, marks=marks, rendering="annotated"))
    video.close()
    one = verb("frames", town, "--scene", "pair", "--view", "UAV1", "--out", tmp_path / "one", "--json")
    assert one.json["files"] == [str(tmp_path / "one" / "set_0001.png")]


def test_frames_when_a_file_is_not_here_then_the_others_are_written_and_it_ends_with_one(
    town: Path, verb: Verb, tmp_path: Path
) -> None:
    said = verb("frames", town, "--scene", "half", "--out", tmp_path / "out")
    assert said.status == 1
    assert said.err.endswith(
        "lost.png: The file of lost.png is missing. Connect its disk, or locate the file again.\n"
    )
    assert said.out.splitlines() == [str(tmp_path / "out" / "UAV1" / "set_0001.png"), "1 images, clean."]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "--scene or --medium"),
        (("--scene", "pair", "--medium", "lost.png"), "--scene or --medium"),
        (("--medium", "lost.png", "--view", "UAV1"), "--view requires --scene"),
        (("--medium", "none.png"), "There is no medium named none.png."),
        (("--medium", "lost.png", "--dataset", "village"), "no medium named lost.png in village"),
        (("--medium", "0001.mp4"), "The name 0001.mp4 is not unique; it is in the datasets town, village."),
        (("--scene", "pair", "--view", "UAV9"), "has no view UAV9. Views of the scene: UAV1, ../2."),
        (("--scene", "pair", "--numbers", "1,x"), "'1,x' is not a list of frame numbers"),
        (("--scene", "pair", "--numbers", "1", "--count", "3"), "Only one of --numbers"),
    ],
)
def test_frames_when_it_cannot_be_meant_then_words_say_so_and_nothing_is_written(
    town: Path, verb: Verb, tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    said = verb("frames", town, *options, "--out", tmp_path / "out")
    assert (said.status, said.out) == (2, "")
    assert text in said.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "first", "last", "copied"),
    [
        (("--first", "24", "--last", "47"), 24, 47, True),
        (("--first", "30", "--last", "33"), 30, 33, False),
        (("--first", "30", "--last", "33", "--widen"), 24, 47, True),
        (("--from", "2.0", "--to", "2.2"), 50, 55, False),
        (("--first", "72"), 72, 89, True),
    ],
)
def test_clip_when_a_stretch_is_given_then_it_holds_those_frames_copied_where_possible(
    town: Path, verb: Verb, tmp_path: Path, options: tuple[str, ...], first: int, last: int, copied: bool
) -> None:
    out = tmp_path / "clip.mp4"
    said = verb("clip", town, "--scene", "pair", *options, "--out", out, "--json")
    assert said.status == 0
    assert (said.json["first"], said.json["last"], said.json["is_copied"]) == (first, last, copied)
    video = Video.open(out)
    seen = [read_number(frame.rgb()) for frame in video.frames(range(video.frame_count))]
    video.close()
    assert seen == list(range(first, last + 1))


def test_clip_when_told_in_words_then_says_how_it_came_about(town: Path, verb: Verb, tmp_path: Path) -> None:
    said = verb("clip", town, "--scene", "pair", "--first", "1", "--last", "2", "--out", tmp_path / "c.mkv")
    assert said.out == (
        f"{tmp_path / 'c.mkv'}: frames 1 to 2 of 0001.mp4, re-encoded: the first frame is not a key frame.\n"
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--scene", "half"), "media contain no video"),
        (("--scene", "pair", "--first", "80", "--last", "90"), "has no frames 80 to 90"),
        (
            ("--medium", "0001.mp4", "--dataset", "village", "--last", "3", "--out", "a.gif"),
            "clip format .gif",
        ),
    ],
)
def test_clip_when_it_cannot_be_made_then_words_say_so(
    town: Path, verb: Verb, tmp_path: Path, options: tuple[str, ...], text: str
) -> None:
    said = verb("clip", town, "--out", tmp_path / "c.mp4", *options)
    assert (said.status, said.out) == (2, "")
    assert text in said.err


def test_clip_when_the_scene_has_several_videos_then_a_view_must_be_chosen(
    town: Path, verb: Verb, tmp_path: Path
) -> None:
    views = (SceneView(name="a", medium=CLIP.id), SceneView(name="b", medium=OTHER.id))
    both = Scene(id="a" * 32, name="both", views=views)
    with Session.open(town) as session:
        write(session, Edit(entity="scene", entity_id=both.id, field=CREATED, value=both))
    said = verb("clip", town, "--scene", "both", "--out", tmp_path / "c.mp4")
    assert (said.status, "Choose a --view." in said.err) == (2, True)
    said = verb("clip", town, "--scene", "both", "--view", "a", "--out", tmp_path / "c.mp4")
    assert said.status == 0


def _command(town: Path, *options: object) -> list[str]:
    return [sys.executable, str(REPO / "main.py"), "frames", str(town), *map(str, options)]


def test_frames_when_run_as_a_process_then_json_is_alone_on_standard_output(
    town: Path, tmp_path: Path
) -> None:
    options = ("--scene", "pair", "--count", "2", "--out", tmp_path / "out", "--json")
    ended = subprocess.run(_command(town, *options), capture_output=True, timeout=PATIENCE_S, check=False)
    assert ended.returncode == 0
    assert [read_number(picture(file)) for file in json.loads(ended.stdout)["files"]] == [5, 0, 45]
    assert ended.stderr.startswith(b"Reading the image of set/0001.png\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that stands for Ctrl+C in another process")
def test_frames_when_interrupted_then_ends_with_130_and_no_half_picture_lies_there(
    town: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    numbers = ",".join(map(str, range(90)))
    talkative = (
        "import sys; from annotator.cli import console; from main import main; "
        "console.LINE_EVERY_S = 0.0; import annotator.progress as p; p.REPORT_EVERY_S = 0.0; "
        "raise SystemExit(main(sys.argv[1:]))"
    )
    options = ("frames", town, "--medium", "0001.mp4", "--dataset", "town", "--numbers", numbers)
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", talkative, *map(str, options), "--out", str(out)],
        cwd=REPO,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        while not re.search(rb": [1-9]\d* of 90", line := process.stderr.readline()):
            assert b"Reading images" in line
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, b"Traceback" in err) == (130, False)
    written = sorted(out.iterdir())
    assert 0 < len(written) < 90
    assert [read_number(picture(path)) for path in written] == list(range(len(written)))


def test_release_when_pictures_are_wanted_then_they_lie_there_and_the_missing_are_told(
    town: Path, verb: Verb, tmp_path: Path
) -> None:
    item = Item(id="e" * 32, name="q1", task_set="aircop", media=(STILL.id, CLIP.id, LOST.id))
    with Session.open(town) as session:
        write(session, Edit(entity="item", entity_id=item.id, field=CREATED, value=item))
    out = tmp_path / "out"
    options = (
        "--format",
        "native",
        "--states",
        "all",
        "--include-flagged",
        "--pictures",
        "detected",
        "--frames",
        "2",
    )
    said = verb("release", town, out, *options)
    assert said.status == 0
    assert "3 images of 3 media, detected." in said.out
    assert re.search(r"lost\.png +The file of lost\.png is missing\.", said.out)
    told = verb("release", town, out, *options, "--json").json
    assert told["unchanged"]
    assert (told["pictures"]["pictures"], told["pictures"]["missing"][0]["medium"]) == (3, "lost.png")
    names = sorted(path.name for path in (out / "pictures").iterdir())
    assert names == ["000001.png", "000002_000000.png", "000002_000045.png"]
    assert verb("verify", town, "--release", out).status == 0
    (out / "pictures" / names[0]).write_bytes(b"another")
    changed = verb("verify", town, "--release", out)
    assert (changed.status, "release_changed: pictures/000001.png" in changed.out) == (1, True)


def test_maps_when_the_project_has_none_then_the_exit_status_says_so(verb: Verb, tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage"):
        pass
    said = verb("maps", tmp_path / "p.vantage", "--out", tmp_path / "out", "--json")
    limits = {"least_side_px": 8.0, "least_area_share": 0.0005}
    assert (said.status, said.json) == (1, {"maps": [], "added": 0, **limits})
    assert "No map can be drawn" in verb("maps", tmp_path / "p.vantage", "--out", tmp_path / "out").out
    assert verb("maps", tmp_path / "p.vantage").status == 2
    assert verb("maps", tmp_path / "p.vantage", "--out", tmp_path, "--add").status == 2


def test_maps_when_a_map_is_marked_then_its_semantic_map_is_written_or_added(
    verb: Verb, tmp_path: Path
) -> None:
    project = tmp_path / "p.vantage"
    medium = Medium(id="m", name="a.png", media_type="map", path="a.png", width_px=90, height_px=60)
    region = Region(id="r", medium="m", number=0, box=Box(x1=9, y1=9, x2=49, y2=49), category="bed")
    scene = Scene(id="s", name="flat", views=(SceneView(name="realistic", medium="m"),))
    with Session.create(project) as session:
        edits = (("medium", medium), ("region", region), ("scene", scene))
        write(session, *(Edit(entity=e, entity_id=r.id, field=CREATED, value=r) for e, r in edits))
        root = session.media_root
    said = verb("maps", project, "--out", tmp_path / "out", "--json")
    assert (said.status, said.json["added"]) == (0, 0)
    with Image.open(said.json["maps"][0]["file"]) as picture:
        assert picture.size == (90, 60)
    said = verb("maps", project, "--out", tmp_path / "out", "--least-side", "50")
    assert "left out 1 too small" in said.out
    assert "Too small: a side under 50 px, or an area under 0.05 % of the map." in said.out
    said = verb("maps", project, "--out", tmp_path / "out", "--least-area", "40", "--json")
    assert (said.json["maps"][0]["left_out"], said.json["least_area_share"]) == ({"too small": 1}, 0.4)
    said = verb("maps", project, "--add", "--json")
    assert (said.status, said.json["added"], said.json["maps"][0]["view"]) == (0, 1, "semantic")
    assert (root / "maps").is_dir()
    assert verb("maps", project, "--add").status == 1
