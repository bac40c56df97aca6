"""Inputs with a part taken away, over real HTTP: the server keeps what it gets, down to the pixels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.domain.input_variants import ABLATIONS
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
from tests.unit.cli.test_evaluation_commands import asked
from tests.unit.jobs.job_types.asking import choice
from tests.unit.release.samples import fill

COLOURS = {"a1": (200, 0, 0), "a2": (0, 200, 0), "b1": (0, 0, 200), "b2": (200, 200, 0), "c1": (0, 200, 200)}
"""The colour of each image; its first letter is its scene."""
MEDIA = {
    name: Medium(id=new_id(), name=f"{name}.png", dataset="town", width_px=320, height_px=240)
    for name in COLOURS
}
VIDEO = Medium(
    id=new_id(),
    name="flight.mp4",
    dataset="town",
    media_type="video",
    width_px=480,
    height_px=270,
    frames=12,
    duration_s=1.2,
)
PAIRS = ((MEDIA["c1"].id, MEDIA["b1"].id),)
"""Media of one more item with two images, which is in no scene."""
NAMED = Region(id=new_id(), medium=MEDIA["a1"].id, number=3, box=Box(x1=80, y1=60, x2=240, y2=180))
OTHER = Region(id=new_id(), medium=MEDIA["a2"].id, number=4, box=Box(x1=80, y1=60, x2=240, y2=180))
BOTH, REGION, BESIDE, MOTION = "Are both cars red?", "What is in Region 3?", "And beside?", "What is first?"


def scene(letter: str) -> Scene:
    views = [SceneView(name=f"UAV{name[1]}", medium=MEDIA[name].id) for name in MEDIA if name[0] == letter]
    return Scene(id=new_id(), name=letter, dataset="town", views=tuple(views))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=lambda _: "B") as it:
        yield it


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Path:
    """Give a project with two scenes of two views, one of one view, and a video."""
    path = tmp_path / "p.vantage"
    a, b, c = scene("a"), scene("b"), scene("c")
    with Session.create(path) as session:
        session.media_root.mkdir(parents=True, exist_ok=True)
        for name, colour in COLOURS.items():
            Image.new("RGB", (320, 240), colour).save(session.media_root / f"{name}.png")
        make_video(session.media_root, name="flight", recipe=Recipe(frames=12, rate="10", size_px=(480, 270)))
        two = (MEDIA["a1"].id, MEDIA["a2"].id)
        fill(
            session,
            choice(answer_key="B", name="Q_1", question=BOTH, scene=a.id, media=two),
            choice(
                answer_key="B",
                name="Q_2",
                question=REGION,
                scene=a.id,
                media=two,
                task_set="spatialuav",
                task="object_attribute",
            ),
            choice(
                answer_key="B",
                name="Q_3",
                question=BESIDE,
                scene=b.id,
                media=(MEDIA["b1"].id, MEDIA["b2"].id),
            ),
            choice(answer_key="B", name="Q_4", question=MOTION, media=(VIDEO.id,)),
            positions=(*MEDIA.values(), VIDEO, a, b, c, NAMED, OTHER),
        )
    profile = ModelProfile(
        name="one",
        adapter="openai",
        model="one",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        visuals=VisualSettings(coding="png", frames=6),
    )
    write_profiles(config_folder(), [profile])
    return path


def colours(images: list[np.ndarray]) -> list[str]:
    """Return the names of the images by the colours of their corners."""
    names = {colour: name for name, colour in COLOURS.items()}
    return [names[tuple(image[2, 2])] for image in images]


def test_ablate_when_views_are_named_then_each_is_sent_alone_under_its_own_name(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    said = ask("evaluate", project, "--models", "one", "--ablate", "view-1,view-2", "--json")
    assert [colours(images) for images in asked(server, BOTH)] == [["a1", "a2"], ["a1"], ["a2"]]
    words = [texts_of(call.body) for call in server.calls if BOTH in texts_of(call.body)]
    assert ["UAV1" in text for text in words] == [True, True, False]
    assert ["UAV2" in text for text in words] == [True, False, True]
    # A single video has no view beside others.
    assert len(asked(server, MOTION)) == 1
    inputs = {one["input"]: one["items"] for one in said.json["results"]}
    assert inputs == {"": 4, "view 1 alone": 3, "view 2 alone": 3}
    again = ask("evaluate", project, "--models", "one", "--ablate", "view-2", "--json")
    assert again.status == 0
    assert len(server.calls) == 4 + 3 + 3, "answers of equal input are requested again"


def test_ablate_when_one_frame_is_named_then_it_is_one_of_those_of_the_whole_input(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    ask("evaluate", project, "--models", "one", "--ablate", "first-frame,middle-frame,last-frame,reversed")
    numbers = [[read_number(image) for image in images] for images in asked(server, MOTION)]
    whole = numbers[0]
    assert numbers == [whole, [whole[0]], [whole[3]], [whole[5]], whole[::-1]]
    words = [texts_of(call.body) for call in server.calls if MOTION in texts_of(call.body)]
    # A still has no frames: it is asked with the whole input, and in the reversed run, which changes nothing.
    assert len(asked(server, BOTH)) == 2
    assert "0.0 s" in words[1]
    assert "0.0 s" not in words[3]


def test_ablate_when_regions_are_blanked_then_just_the_named_one_is_grey_and_keeps_its_number(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    chosen = ("--models", "one", "--rendering", "detected", "--ablate", "no-overlay,blanked-regions")
    said = ask("evaluate", project, *chosen, "--json")
    whole, undrawn, blanked = asked(server, REGION)
    assert [tuple(images[0][120, 160]) for images in (whole, undrawn, blanked)] == [
        COLOURS["a1"],
        COLOURS["a1"],
        BLANK,
    ]
    assert tuple(blanked[1][120, 160]) == COLOURS["a2"], "a region that the question does not name"
    assert [len(np.unique(images[0].reshape(-1, 3), axis=0)) > 1 for images in (whole, undrawn, blanked)] == [
        True,
        False,
        True,
    ]
    outside = np.ones((240, 320), bool)
    outside[56:184, 76:244] = False
    assert np.array_equal(whole[0][outside], blanked[0][outside]), "the number of the region has changed"
    assert len(asked(server, BOTH)) == 2, "its question names no region"
    items = {one["input"]: one["items"] for one in said.json["results"]}
    assert items == {"": 4, "no overlay": 4, "named regions blanked": 1}


def test_ablate_when_the_images_are_those_of_another_scene_then_as_many_by_the_seed(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    chosen = ("--models", "one", "--ablate", "wrong-images")
    said = ask("evaluate", project, *chosen, "--json")
    assert [colours(images) for images in asked(server, BOTH)] == [["a1", "a2"], ["b1", "b2"]]
    assert [colours(images) for images in asked(server, BESIDE)] == [["b1", "b2"], ["a1", "a2"]]
    words = [texts_of(call.body) for call in server.calls if BOTH in texts_of(call.body)]
    assert words[0] == words[1], "labels tell that the images are of another scene"
    # There is no other video.
    assert {one["input"]: one["items"] for one in said.json["results"]} == {
        "": 4,
        "images of another scene": 3,
    }


def test_ablate_when_several_other_scenes_are_asked_then_each_is_another_one(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    more = [choice(answer_key="B", name=f"M_{n}", media=pair) for n, pair in enumerate(PAIRS)]
    with Session.open(project) as session:
        fill(session, *more, positions=())
    ask("evaluate", project, "--models", "one", "--ablate", "wrong-images,wrong-images-2,wrong-images-3")
    found = [tuple(colours(images)) for images in asked(server, BOTH)]
    assert found[0] == ("a1", "a2")
    assert len({*found}) == len(found) == 3, "there are two other scenes"
    assert all({"a1", "a2"}.isdisjoint(one) for one in found[1:])


def test_ablate_when_it_is_unknown_or_impossible_then_says_what_to_do(
    project: Path, tmp_path: Path, ask: Verb
) -> None:
    said = ask("evaluate", project, "--models", "one", "--ablate", "sound")
    assert said.status == 2
    assert "'sound' is none of view-1, view-2" in " ".join(said.err.split())
    said = ask("evaluate", project, "--models", "one", "--ablate", "view-5")
    assert said.status != 0
    assert "4 skipped: no such view, or no other views beside it" in " ".join(said.err.split())


def test_ablations_when_listed_then_each_takes_a_part_away_and_has_a_title_of_its_own() -> None:
    assert all(variant.ablates for variant in ABLATIONS.values())
    assert len({variant.title for variant in ABLATIONS.values()}) == len(ABLATIONS)
