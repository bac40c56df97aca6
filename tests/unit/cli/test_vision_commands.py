"""The verbs detect and depth: in this process, and as a process of their own on real files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from annotator.domain.region import Region
from annotator.jobs.profile_file import read_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.onnx_writer import red_finder
from tests.patience import PATIENCE_S
from tests.unit.jobs.job_types.looking_town import STILL, STILL_BOX, VIDEO, corners, detector, regions, town

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give the path of a project with two stills and a video."""
    with town(tmp_path) as session:
        return session.path


def kept(path: Path, *media: Any) -> list[Any]:
    with Session.open(path) as session:
        return [region for medium in media or (None,) for region in regions(session, medium)]


def test_detect_when_a_model_is_named_then_its_finds_are_kept(project, tmp_path, ask):
    said = ask("detect", project, "--model", detector(tmp_path).name, "--frames", "2", "--json")
    assert said.status == 0, said.err
    assert said.json["state"] == "done"
    assert said.json["kept"]["kept"] == 3
    assert said.json["kept"]["categories"] == {"thing": 3}
    assert [corners(one) for one in kept(project, STILL)] == [STILL_BOX]
    assert len(kept(project, VIDEO)) == 2


def test_detect_when_weights_are_named_then_a_profile_is_made_for_them(project, tmp_path, ask):
    weights = red_finder(tmp_path / "vis drone.onnx", size_px=128)
    said = ask(
        "detect",
        project,
        "--weights",
        weights,
        "--set",
        "slice_px=64",
        "--set",
        "device=cpu",
        "--media",
        "a.png",
    )
    assert said.status == 0, said.err
    assert "kept 1" in said.out
    made = read_profiles(config_folder())["vis drone"]
    assert (made.adapter, made.path, made.in_flight) == ("onnx", str(weights.resolve()), 1)
    assert made.options == {"slice_px": 64, "device": "cpu"}
    assert ask("detect", project, "--model", "vis drone", "--media", "b.png").status == 0


def test_detect_when_it_proposes_then_people_decide_on_what_it_found(project, tmp_path, ask):
    said = ask(
        "detect", project, "--model", detector(tmp_path).name, "--media", "a.png", "--propose", "--json"
    )
    assert said.status == 0, said.err
    assert kept(project) == []
    with Session.open(project) as session:
        assert len(list(session.reader.find(Region, is_proposed=1))) == 1


def test_detect_when_not_to_keep_then_the_project_has_no_more_regions(project, tmp_path, ask):
    said = ask("detect", project, "--model", detector(tmp_path).name, "--no-keep", "--json")
    assert said.json["kept"] is None
    assert kept(project) == []


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--category", "car"], 0),
        (["--media", "a.png"], 1),
        (["--dataset", "village"], 0),
        (["--media", "f", "--every", "5"], 2),
        (["--media", "f", "--numbers", "1,2,8"], 3),
        (["--media", "f", "--every-s", "1"], None),
    ],
)
def test_detect_when_limited_then_only_that_is_kept(project, tmp_path, ask, options, count):
    said = ask("detect", project, "--model", detector(tmp_path).name, "--json", *options)
    assert said.status == 0, said.err
    found = len(kept(project))
    assert 0 < found < 10 if count is None else found == count


def test_detect_when_scores_are_limited_then_only_what_is_certain_is_kept(project, tmp_path, ask):
    with Session.open(project) as session:
        picture = np.full((96, 128, 3), 90, np.uint8)
        picture[32:64, 16:48] = (200, 0, 0)
        Image.fromarray(picture).save(session.media_root / "b.png")
    verb = (
        "detect",
        project,
        "--model",
        detector(tmp_path).name,
        "--media",
        "a.png",
        "--media",
        "b.png",
        "--json",
    )
    said = ask(*verb, "--min-score", "0.9")
    assert (said.json["kept"]["kept"], said.json["kept"]["left_out"]) == (1, 1)
    # A second time nobody is asked, and what is less certain comes in.
    said = ask(*verb, "--min-score", "0.5")
    assert "2 of them already answered" in said.err
    assert (said.json["kept"]["kept"], said.json["kept"]["known"]) == (1, 1)
    assert ask(*verb, "--min-score", "40").status == 2


def test_detect_when_a_category_is_named_then_others_are_left_out(project, tmp_path, ask):
    verb = ("detect", project, "--model", detector(tmp_path).name, "--media", "a.png", "--json")
    assert ask(*verb, "--category", "car").json["kept"]["left_out"] == 1
    assert ask(*verb, "--category", "car", "--category", "thing").json["kept"]["kept"] == 1


def test_detect_when_earlier_finds_are_replaced_then_those_of_the_same_detector_go(project, tmp_path, ask):
    name = detector(tmp_path).name
    verb = ("detect", project, "--model", name, "--media", "a.png", "--json")
    ask(*verb)
    # The detector is another file now: what it finds is new, and what it found before is to go.
    detector(tmp_path, iou=0.9)
    assert ask(*verb, "--replace").json["kept"]["replaced"] == 1
    assert len(kept(project, STILL)) == 1


def test_detect_when_a_picture_is_gone_then_status_tells_of_problems(project, tmp_path, ask):
    with Session.open(project) as session:
        (session.media_root / "a.png").unlink()
    said = ask("detect", project, "--model", detector(tmp_path).name, "--dataset", "town", "--frames", "1")
    assert said.status == 1
    assert "The file of a.png is missing" in said.out
    assert len(kept(project, VIDEO)) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Set either --model NAME"),
        (["--model", "nobody"], "There is no model 'nobody'"),
        (["--model", "red", "--set", "score=1"], "--set requires --weights"),
        (["--model", "red", "--media", "z.png"], "no medium named z.png"),
        (["--model", "red", "--numbers", "1,x"], "not a list of frame numbers"),
        (["--model", "red", "--numbers", "1", "--every", "2"], "Set only one of"),
    ],
)
def test_detect_when_asked_wrongly_then_says_what_is_wrong(project, tmp_path, ask, options, words):
    detector(tmp_path)
    said = ask("detect", project, *options)
    assert said.status == 2
    assert words in said.err


def test_detect_when_weights_are_wrong_then_says_so(project, tmp_path, ask):
    (tmp_path / "w.zip").write_bytes(b"")
    assert "is not supported" in ask("detect", project, "--weights", tmp_path / "w.zip").err
    detector(tmp_path)
    (tmp_path / "other").mkdir()
    twin = red_finder(tmp_path / "other" / "red.onnx", size_px=64)
    assert "already, with other weights" in ask("detect", project, "--weights", twin).err
    assert "is not an option" in ask("detect", project, "--weights", twin, "--set", "score").err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "cannot be opened as an ONNX model"),
        (["--set", "bogus=1"], "unknown field `bogus`"),
        (["--set", "score=hello"], "Expected `float`"),
    ],
)
def test_detect_when_weights_cannot_be_opened_then_neither_profile_nor_run_is_left(
    project, tmp_path, ask, options, words
):
    weights = tmp_path / "new.onnx"
    if options:
        red_finder(weights, size_px=64)
    else:
        weights.write_text("no model")
    said = ask("detect", project, "--weights", weights, *options)
    assert said.status == 2
    assert words in said.err
    assert "new" not in read_profiles(config_folder())
    assert ask("runs", "list", project, "--json").json["runs"] == []


def test_detect_when_weights_are_known_then_their_options_stay_besides_those_said_now(project, tmp_path, ask):
    weights = red_finder(tmp_path / "w.onnx", size_px=128)
    verb = ("detect", project, "--weights", weights, "--media", "a.png")
    assert ask(*verb, "--set", "slice_px=64", "--set", "score=0.3").status == 0
    assert ask(*verb, "--set", "score=0.5").status == 0
    assert ask(*verb).status == 0
    assert read_profiles(config_folder())["w"].options == {"slice_px": 64, "score": 0.5}


def test_depth_when_weights_are_a_detectors_then_its_profile_stays_what_it_is(project, tmp_path, ask):
    weights = red_finder(tmp_path / "w.onnx", size_px=128)
    assert ask("detect", project, "--weights", weights, "--media", "a.png").status == 0
    said = ask("depth", project, "--weights", weights)
    assert said.status == 2
    assert "A model named 'w' exists already, with the adapter onnx" in said.err
    assert read_profiles(config_folder())["w"].adapter == "onnx"


def test_detect_when_a_folder_is_named_then_says_what_is_wanted(project, tmp_path, ask):
    said = ask("detect", project, "--weights", tmp_path)
    assert said.status == 2
    assert "is a folder. Give the path of one weights file: .onnx, .pt." in said.err


def test_depth_when_maps_lie_in_a_folder_then_regions_tell_how_far(project, tmp_path, ask):
    assert ask("detect", project, "--model", detector(tmp_path).name, "--media", "a.png").status == 0
    (tmp_path / "maps").mkdir()
    np.save(tmp_path / "maps" / "a.npy", np.full((96, 128), 42.0, np.float32))
    said = ask("depth", project, "--weights", tmp_path / "maps", "--media", "a.png", "--json")
    assert said.status == 0, said.err
    assert said.json["kept"]["kept"] == 1
    (region,) = kept(project, STILL)
    assert (region.known_depth.median, region.known_depth.is_metric) == (42.0, True)


def test_detect_when_a_process_of_its_own_then_json_alone_is_on_standard_output(project, tmp_path):
    weights = red_finder(tmp_path / "red.onnx", size_px=128, names="['thing']")
    command = [
        sys.executable, str(REPO / "main.py"), "detect", str(project), "--weights", str(weights), "--json",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, env=os.environ, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kept"]["kept"] == 11
    assert "Asking" in done.stderr
    assert [corners(one) for one in kept(project, STILL)] == [STILL_BOX]
