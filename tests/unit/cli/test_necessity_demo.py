"""Need of the views in the demo city: items that are answered in one view by construction, and in both."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotator.demo.project import make_demo
from annotator.domain.item import Item
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.region import Region
from annotator.jobs.profile_file import write_profiles
from annotator.media.image_decoder import decode_image
from annotator.progress import Progress
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.cli.conftest import Verb
from tests.unit.cli.test_evaluation_commands import images_of
from tests.unit.jobs.job_types.asking import choice
from tests.unit.release.samples import fill

pytestmark = pytest.mark.slow

LONGEST_PX = 96
COUNT = 16
"""Number of items that need one view, and of those that need both."""
OPTION = re.compile(r"^([A-D])[.):]\s*(.+?)\s*$", re.MULTILINE)


class KnowingModel:
    """Answers right if it gets all views that hold the answer, and at random if one is missing."""

    def __init__(self) -> None:
        self.needs: dict[str, tuple[set[str], str]] = {}
        self.views: dict[str, np.ndarray] = {}

    def answer(self, body: dict[str, Any]) -> str:
        """Return the letter of the answer to a request."""
        text = texts_of(body)
        (question,) = [one for one in self.needs if one in text]
        needed, answer = self.needs[question]
        letters = {option: letter for letter, option in OPTION.findall(text)}
        if needed <= {self._view(image) for image in images_of(body)}:
            return letters[answer]
        return "ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4]

    def _view(self, image: np.ndarray) -> str:
        """Return the medium of an image: the one with the nearest pixels."""
        same = {name: view for name, view in self.views.items() if view.shape == image.shape}
        return min(same, key=lambda name: np.abs(same[name].astype(int) - image).mean())


def shrunk(picture: np.ndarray) -> np.ndarray:
    height, width = picture.shape[:2]
    share = LONGEST_PX / max(height, width)
    return cv2.resize(picture, (round(width * share), round(height * share)), interpolation=cv2.INTER_AREA)


@pytest.fixture
def model() -> KnowingModel:
    return KnowingModel()


@pytest.fixture
def server(model: KnowingModel) -> Iterator[ChatServer]:
    with ChatServer(answer=model.answer) as it:
        yield it


@pytest.fixture
def project(tmp_path: Path, model: KnowingModel, server: ChatServer) -> Path:
    """Give the demo city with two items for each of some linked pairs of regions."""
    path = make_demo(tmp_path / "demo", progress=Progress())
    with Session.open(path) as session:
        reader = session.reader
        items: list[Item] = []
        links = [link for link in reader.find(Link) if link.kind == "same"]
        pairs = [(link.scene, pair) for link in links for pair in combinations(link.regions, 2)]
        assert len(pairs) >= COUNT
        for index, (scene, pair) in enumerate(pairs[:COUNT]):
            one, other = (reader.require(Region, region) for region in pair)
            numbers = [str((other.number + step) % 40) for step in range(4)]
            for task, needed, question in (
                ("one_view", {other.medium}, f"What is Region {other.number}, case {index}?"),
                (
                    "both_views",
                    {one.medium, other.medium},
                    f"What is Region {one.number} there, case {index}?",
                ),
            ):
                model.needs[question] = (needed, numbers[0])
                items.append(
                    choice(
                        *numbers[1:],
                        numbers[0],
                        answer_key="D",
                        name=f"{task}_{len(items)}",
                        task=task,
                        question=question,
                        scene=scene,
                        media=(one.medium, other.medium),
                    )
                )
            for medium_id in (one.medium, other.medium):
                medium = reader.require(Medium, medium_id)
                file = session.roots.file_of(medium.path or medium.name)
                assert file is not None
                model.views[medium_id] = shrunk(decode_image(file))
        fill(session, *items, positions=())
    profile = ModelProfile(
        name="sees",
        adapter="openai",
        model="sees",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        visuals=VisualSettings(coding="png", longest_px=LONGEST_PX),
    )
    write_profiles(config_folder(), [profile])
    return path


def test_necessity_when_the_demo_city_is_asked_then_finds_the_items_that_one_view_answers(
    project: Path, ask: Verb, verb: Verb
) -> None:
    chosen = ("--models", "sees", "--rotations", "4", "--rendering", "clean", "--ablate", "view-1,view-2")
    tasks = ("--tasks", "one_view,both_views")
    said = ask("evaluate", project, *chosen, *tasks, "--json")
    assert said.status == 0, said.err
    found = verb("necessity", project, "--json").json
    (decision,) = found["decisions"]
    assert decision["threshold"] is not None, (decision, found["gains"])
    names = [one["name"] for one in decision["findings"]]
    assert all(name.startswith("one_view") for name in names), "an item that needs both views"
    assert len(names) >= 0.9 * COUNT
    gains = {(one["task"].rpartition("/")[2], one["input"]): one["gain"] for one in found["gains"]}
    both = gains["both_views", "view 2 alone"]
    assert (both["items"], both["with_it"]) == (COUNT, 1.0)
    assert both["low"] > 0.3
    assert gains["one_view", "view 2 alone"]["without"] == 1.0
