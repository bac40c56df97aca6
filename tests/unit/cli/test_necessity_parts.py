"""Need of frames, their order and regions over real HTTP: a model that sees the pixels, and a real video."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.jobs.profile_file import write_profiles
from annotator.media.render import BLANK
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.bench.numbered_videos import Recipe, make_video, read_number
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.cli.conftest import Verb
from tests.unit.cli.test_evaluation_commands import images_of
from tests.unit.cli.test_necessity_command import OPTION, WORDS, flags_of
from tests.unit.jobs.job_types.asking import choice
from tests.unit.release.samples import fill

pytestmark = pytest.mark.slow

VIDEO_WIDTH, IMAGE_WIDTH = 480, 320
QUESTIONS = {
    "any_frame": (16, "How is the weather, {n}?"),
    "two_frames": (8, "How many cars are there in all, {n}?"),
    "over_time": (8, "What comes first, {n}?"),
    "around": (16, "What is beside Region 3, {n}?"),
    "inside": (8, "What is in Region 3, {n}?"),
}
"""Number of items of each task, and their question."""


def answer_of(body: dict[str, Any]) -> str:
    """Answer as a model that looks: right where its images show what the question is about."""
    text, images = texts_of(body), images_of(body)
    letters = {word: letter for letter, word in OPTION.findall(text)}
    frames = [read_number(image) or 0 for image in images] if images[0].shape[1] == VIDEO_WIDTH else []
    (task,) = [task for task, (_n, asked) in QUESTIONS.items() if asked.partition(",")[0] in text]
    sees = {
        "any_frame": True,
        "two_frames": len(set(frames)) > 1,
        "over_time": len(frames) > 1 and frames == sorted(frames),
        "around": True,
        "inside": not frames and tuple(images[0][120, 160]) != BLANK,
    }
    number = int(re.findall(r", (\d+)\?", text)[0])
    if sees[task]:
        return letters[WORDS[number % 4]]
    return "ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=answer_of) as it:
        yield it


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Path:
    """Give a project with a video, an image with a region, and items about both."""
    path = tmp_path / "p.vantage"
    video = Medium(
        id=new_id(),
        name="flight.mp4",
        media_type="video",
        width_px=VIDEO_WIDTH,
        height_px=270,
        frames=12,
        duration_s=1.2,
    )
    image = Medium(id=new_id(), name="street.png", width_px=IMAGE_WIDTH, height_px=240)
    region = Region(id=new_id(), medium=image.id, number=3, box=Box(x1=80, y1=60, x2=240, y2=180))
    scene = Scene(id=new_id(), name="street", views=(SceneView(name="UAV1", medium=image.id),))
    with Session.create(path) as session:
        session.media_root.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (IMAGE_WIDTH, 240), (200, 0, 0)).save(session.media_root / image.name)
        recipe = Recipe(frames=12, rate="10", size_px=(VIDEO_WIDTH, 270))
        make_video(session.media_root, name="flight", recipe=recipe)
        items = [one for task in QUESTIONS for one in items_of(task, video=video, image=image, scene=scene)]
        fill(session, *items, positions=(video, image, region, scene))
    profile = ModelProfile(
        name="sees",
        adapter="openai",
        model="sees",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        visuals=VisualSettings(coding="png", frames=6),
    )
    write_profiles(config_folder(), [profile])
    return path


def items_of(task: str, *, video: Medium, image: Medium, scene: Scene) -> Iterator[Item]:
    count, question = QUESTIONS[task]
    is_still = "Region" in question
    for number in range(count):
        yield choice(
            *WORDS,
            answer_key="ABCD"[number % 4],
            name=f"{task}_{number}",
            task_set="spatialuav",
            task=task,
            question=question.format(n=number),
            scene=scene.id if is_still else "",
            media=(image.id if is_still else video.id,),
            state="refined",
        )


def names(*tasks: str) -> set[str]:
    return {f"{task}_{number}" for task in tasks for number in range(QUESTIONS[task][0])}


def test_necessity_when_frames_order_and_regions_are_taken_away_then_finds_which_items_need_which(
    project: Path, ask: Verb, verb: Verb
) -> None:
    parts = ("--rendering", "detected", "--ablate", "first-frame,shuffled,blanked-regions")
    said = ask("evaluate", project, "--models", "sees", "--rotations", "4", *parts, "--json")
    assert said.status == 0, said.err
    found = verb("necessity", project, "--flag", "--json")
    assert found.status == 0, found.err
    flagged = flags_of(project)
    assert flagged["frames_not_needed"] == names("any_frame")
    assert flagged["order_not_needed"] == names("any_frame", "two_frames")
    assert flagged["regions_not_needed"] == names("around")
    gains = {
        (one["task"].rpartition("/")[2], one["input"]): one["gain"]["without"] for one in found.json["gains"]
    }
    assert gains["any_frame", "first frame alone"] == gains["two_frames", "frames shuffled"] == 1.0
    assert gains["over_time", "frames shuffled"] <= 0.5
    assert gains["inside", "named regions blanked"] <= 0.5
