"""Evaluation runs over real HTTP: the server measures the images that it gets, and answers by their size."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import new_id
from annotator.jobs.profile_file import write_profiles
from annotator.jobs.release_folders import FILE as FOLDERS
from annotator.progress import Progress
from annotator.quality.key_errors.answers import collect_answers
from annotator.release.images import ImageSettings
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.bench.numbered_videos import Recipe, make_video, read_number
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.cli.conftest import Verb
from tests.unit.jobs.job_types.asking import choice
from tests.unit.release.samples import fill, release
from tests.unit.store.making import changed, write

STILL = Medium(id=new_id(), name="roof.png", dataset="roofs", width_px=640, height_px=480)
VIDEO = Medium(
    id=new_id(),
    name="flight.mp4",
    dataset="flights",
    media_type="video",
    width_px=480,
    height_px=270,
    frames=12,
    duration_s=1.2,
)
ON_ROOF = choice("a", "b", "c", "d", answer_key="B", name="S_1", question="What is on the roof?").id
SHARP_PX = 200
"""The model of these tests sees something only in images of at least this longer side."""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Give a server whose model answers B where the images are large enough, otherwise A."""
    with ChatServer(answer=lambda body: "B" if max(images_of(body)[0].shape[:2]) >= SHARP_PX else "A") as it:
        yield it


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Path:
    """Give a project with a question about a still and one about a video of 12 frames, and its release."""
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        root = session.media_root
        root.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (640, 480), (200, 30, 30)).save(root / STILL.name)
        recipe = Recipe(frames=12, rate="10", size_px=(480, 270))
        make_video(root, name="flight", recipe=recipe)
        items = (
            choice(answer_key="B", id=ON_ROOF, name="S_1", media=(STILL.id,), question="On the roof?"),
            choice(answer_key="B", name="V_1", media=(VIDEO.id,), question="What is first?"),
        )
        fill(session, *items, positions=(STILL, VIDEO))
        pictures = ImageSettings(rendering="clean", roots=session.roots, most_frames=6)
        release(session, tmp_path / "out", "native", pictures=pictures)
    profiles = [
        ModelProfile(
            name=name,
            adapter="openai",
            model=name,
            base_url=server.base_url,
            timeout_s=PATIENCE_S,
            price_in=1,
        )
        for name in ("one", "two")
    ]
    write_profiles(config_folder(), profiles)
    return path


def images_of(body: dict[str, Any]) -> list[np.ndarray]:
    """Return the decoded images of a request, in order."""
    content = body["messages"][-1]["content"]
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    raw = [base64.b64decode(url.partition(",")[2]) for url in urls]
    return [np.asarray(Image.open(io.BytesIO(one)).convert("RGB")) for one in raw]


def sent(server: ChatServer) -> set[bytes]:
    """Return the files of all images that the server got."""
    parts = [part for call in server.calls for part in call.body["messages"][-1]["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return {base64.b64decode(url.partition(",")[2]) for url in urls}


def asked(server: ChatServer, text: str) -> list[list[np.ndarray]]:
    """Return the images of all requests with a question."""
    return [images_of(call.body) for call in server.calls if text in texts_of(call.body)]


def test_evaluate_when_sizes_and_frames_are_listed_then_each_request_has_images_of_just_these(
    project: Path, tmp_path: Path, ask: Verb, server: ChatServer
) -> None:
    chosen = ("--release", tmp_path / "out", "--models", "one", "--image-size", "100,320", "--frames", "1,3")
    said = ask("evaluate", project, *chosen, "--json")
    assert said.status == 0
    stills = sorted(image.shape for images in asked(server, "On the roof?") for image in images)
    # A still is the same for any number of frames, and still a request of its own for each setting.
    assert stills == [(75, 100, 3), (75, 100, 3), (240, 320, 3), (240, 320, 3)]
    videos = sorted((len(images), images[0].shape[1]) for images in asked(server, "What is first?"))
    assert videos == [(1, 100), (1, 320), (3, 100), (3, 320)]
    results = {(one["longest_px"], one["frames"]): one["accuracy"]["right"] for one in said.json["results"]}
    assert results == {(100, 1): 0, (100, 3): 0, (320, 1): 2, (320, 3): 2}
    assert len({one["run"] for one in said.json["results"]}) == 4
    text = ask("evaluate", project, *chosen).out
    assert "100 px" in text
    assert "100.0" in text
    assert len(server.calls) == 8, "answers of equal settings are requested again"


def test_evaluate_when_images_are_sent_as_png_then_the_server_gets_the_bytes_of_the_release(
    project: Path, tmp_path: Path, ask: Verb, server: ChatServer
) -> None:
    exact = ModelProfile(
        name="exact",
        adapter="openai",
        model="exact",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        visuals=VisualSettings(coding="png"),
    )
    write_profiles(config_folder(), [exact])
    assert ask("evaluate", project, "--release", tmp_path / "out", "--models", "exact", "--json").status == 0
    released = {file.read_bytes() for file in (tmp_path / "out" / "pictures").iterdir()}
    assert len(released) == 1 + 6
    assert sent(server) == released


def test_evaluate_when_frames_are_reversed_then_the_server_gets_them_so_with_times_in_order(
    project: Path, tmp_path: Path, ask: Verb, server: ChatServer
) -> None:
    orders = "forward,reversed,shuffled"
    ask("evaluate", project, "--release", tmp_path / "out", "--models", "one", "--frame-order", orders)
    calls = [call for call in server.calls if "What is first?" in texts_of(call.body)]
    numbers = [[read_number(image) for image in images_of(call.body)] for call in calls]
    # The release has 6 of 12 frames.
    assert numbers[0] == [0, 2, 4, 6, 8, 10]
    assert numbers[1] == [10, 8, 6, 4, 2, 0]
    assert sorted(filter(None, numbers[2])) == [2, 4, 6, 8, 10]
    assert numbers[2] not in numbers[:2]
    text = texts_of(calls[1].body)
    assert text.index("0.0 s") < text.index("0.2 s") < text.index("1.0 s")


def test_evaluate_when_the_project_has_changed_then_the_release_is_asked_as_it_was(
    project: Path, tmp_path: Path, ask: Verb, verb: Verb, server: ChatServer
) -> None:
    with Session.open(project) as session:
        write(session, *changed("item", ON_ROOF, question="A new question?", answer_key="C"))
        (session.media_root / STILL.name).unlink()
    said = ask("evaluate", project, "--release", tmp_path / "out", "--models", "one", "--json")
    assert (said.status, said.json["results"][0]["accuracy"]["right"]) == (0, 2)
    assert asked(server, "A new question?") == []
    run = said.json["runs"][0]["id"]
    scored = verb("score", tmp_path / "out", "--run", run, "--project", project, "--json")
    assert scored.status == 0
    assert scored.json["overall"] == {"total": 2, "score_pct": 100.0, "exact_pct": 100.0}
    assert scored.json["form"]["id"] == "vantage-run"


def test_key_errors_when_a_key_was_corrected_after_the_release_then_the_present_one_is_judged(
    project: Path, tmp_path: Path, ask: Verb
) -> None:
    with Session.open(project) as session:
        (video,) = [item.id for item in session.reader.records(Item) if item.name == "V_1"]
        write(session, *changed("item", ON_ROOF, answer_key="C"))
        write(session, *changed("item", video, question="A new question?"))
    ask("evaluate", project, "--release", tmp_path / "out", "--models", "one", "--json")
    with Session.open(project) as session:
        answered, texts = collect_answers(session.reader, progress=Progress())
    # The answer B was right when it was released; the video is asked about in other words now.
    assert texts == {ON_ROOF: ["C", "B"]}
    assert [(one.item, [vote.group for vote in one.votes]) for one in answered] == [(ON_ROOF, [1])]


def test_evaluate_when_a_released_image_was_changed_then_it_is_not_sent(
    project: Path, tmp_path: Path, ask: Verb, server: ChatServer
) -> None:
    listed = [json.loads(line) for line in (tmp_path / "out" / "pictures.jsonl").read_text().splitlines()]
    still = next(entry for entry in listed if entry["medium"] == STILL.name)
    Image.new("RGB", (640, 480), (0, 0, 255)).save(tmp_path / "out" / still["file"])
    said = ask("evaluate", project, "--release", tmp_path / "out", "--models", "one", "--json")
    assert said.status == 1
    assert said.json["runs"][0]["progress"]["failed"] == 1
    assert said.json["results"][0]["open"] == 1
    assert asked(server, "On the roof?") == []


def test_evaluate_when_only_estimated_then_nothing_is_sent_and_all_runs_are_counted(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    said = ask("evaluate", project, "--models", "one,two", "--image-size", "100,320", "--estimate", "--json")
    assert (said.json["runs"], said.json["jobs"], said.json["targets"]) == (4, 8, 2)
    assert said.json["worst_cost"] > 0
    assert server.calls == []
    with Session.open(project) as session:
        assert list(session.reader.runs.all()) == []


def test_evaluate_when_a_value_is_impossible_then_says_what_is_possible(project: Path, ask: Verb) -> None:
    for options, text in (
        (("--image-size", "big"), "must be numbers from 0 to 16384"),
        (("--frames", "0"), "must be numbers from 1 to 10000"),
        (("--frame-order", "sideways"), "'sideways' is none of forward, reversed, shuffled"),
        (("--release", project.parent), "is not a release folder"),
    ):
        said = ask("evaluate", project, "--models", "one", *options)
        assert said.status == 2
        assert text in " ".join(said.err.split())


def test_evaluate_when_it_is_planned_then_the_project_contains_no_path_of_the_release(
    project: Path, tmp_path: Path, ask: Verb
) -> None:
    ask("evaluate", project, "--release", tmp_path / "out", "--models", "one")
    with Session.open(project) as session:
        (run,) = session.reader.runs.all()
        assert str(tmp_path) not in msgspec.json.encode(run.settings).decode()
        assert len(list(session.reader.records(Item, ids=run.settings["items"]))) == 2
    assert str(tmp_path / "out") in (config_folder() / FOLDERS).read_text()


def test_score_when_a_run_is_named_without_a_project_then_says_what_is_missing(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    assert "--run requires --project" in verb("score", tmp_path / "out", "--run", "last").err
    assert "Name PREDICTIONS" in verb("score", tmp_path / "out").err
