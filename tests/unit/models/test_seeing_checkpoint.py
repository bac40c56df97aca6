"""A real vision-language model on disk: it is trained here, and its own reading of image files decides.

What the items need is known. The model gets them through the command line, a worker, the decoding and drawing
of images, and its own processor. Nothing is scripted.
"""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import Record, new_id
from annotator.domain.region import Box, Region
from annotator.jobs.profile_file import write_profiles
from annotator.model_api import ChatRequest
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.unit.jobs.job_types.asking import choice
from tests.unit.models.drawn_squares import (
    COLOUR_BESIDE_REGION,
    COLOUR_IN_REGION,
    COLOURS,
    CORNERS,
    KINDS,
    SIDE_PX,
    Example,
    Square,
    any_square,
    draw,
)
from tests.unit.models.seeing_checkpoint import make_seeing_model, request_of
from tests.unit.models.tiny_checkpoints import need_engine
from tests.unit.release.samples import fill

pytestmark = pytest.mark.slow

REPO = Path(__file__).resolve().parents[3]
WAIT_S = 1800
"""Hundreds of answers on a busy machine."""
COUNT = 16
"""Items of each kind."""
SAMPLES = 5
MANY = 96


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_engine()
    return make_seeing_model(tmp_path_factory.mktemp("model") / "sees")


class Town:
    """The records and files of a project whose items are about squares."""

    def __init__(self, media_root: Path) -> None:
        self._root = media_root
        self._chance = random.Random(5)
        self.places: list[Record] = []
        self.items: list[Item] = []

    def ask_regions(self, count: int) -> None:
        """Add items that the named region answers, and as many that are answered beside it."""
        for place in range(count):
            square = any_square(self._chance)
            named = self._marked(square, square.corner)
            self._ask("in_region", COLOUR_IN_REGION, square.colour, media=(named,))
            beside = self._marked(square, (square.corner + 1 + place % 3) % len(CORNERS))
            self._ask("beside_region", COLOUR_BESIDE_REGION, square.colour, media=(beside,))

    def _ask(self, task: str, question: str, key: str, **fields: Any) -> None:
        options = self._chance.sample([*COLOURS], len(COLOURS))
        letter = "ABCD"[options.index(key)]
        name = f"{task}_{len(self.items)}"
        self.items.append(
            choice(*options, answer_key=letter, name=name, task=task, question=question, **fields)
        )

    def _still(self, square: Square) -> str:
        medium = Medium(
            id=new_id(),
            name=f"{len(self.places)}.png",
            dataset="squares",
            width_px=SIDE_PX,
            height_px=SIDE_PX,
        )
        draw(square, chance=self._chance).save(self._root / medium.name)
        self.places.append(medium)
        return medium.id

    def _marked(self, square: Square, corner: int) -> str:
        medium = self._still(square)
        column, row = CORNERS[corner]
        half = SIDE_PX // 2
        around = Box(x1=column * half, y1=row * half, x2=(column + 1) * half, y2=(row + 1) * half)
        self.places.append(Region(id=new_id(), medium=medium, number=1, box=around))
        return medium


@pytest.fixture
def project(tmp_path: Path, folder: Path) -> Path:
    """Give a project with all items, and the profile of the model."""
    path = tmp_path / "squares.vantage"
    with Session.create(path) as session:
        session.media_root.mkdir(parents=True, exist_ok=True)
        town = Town(session.media_root)
        town.ask_regions(COUNT)
        fill(session, *town.items, places=tuple(town.places))
    profile = ModelProfile(
        name="sees",
        adapter="transformers",
        path=str(folder),
        # It draws its answers, so that those of which it is not sure differ.
        temperature=1.0,
        max_tokens=4,
        # One by one: answers that are drawn together depend on which those are.
        in_flight=1,
        visuals=VisualSettings(coding="png"),
        options={"device": "cpu", "batch": 1},
    )
    write_profiles(config_folder(), [profile])
    return path


def verb(*arguments: object) -> Any:
    """Run a verb as people do, and return its result."""
    ended = subprocess.run(
        [sys.executable, REPO / "main.py", *map(str, arguments), "--json"],
        capture_output=True,
        timeout=WAIT_S,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    return json.loads(ended.stdout)


class Answers:
    """What ``necessity`` says about an evaluation of some tasks."""

    def __init__(self, project: Path, *, tasks: str, inputs: str) -> None:
        chosen = ("--models", "sees", "--tasks", tasks, "--samples", SAMPLES, "--rendering", "clean")
        verb("evaluate", project, *chosen, "--ablate", inputs)
        self.found = verb("necessity", project)

    def decision(self, kind: str) -> tuple[dict[str, Any], dict[str, int]]:
        """Return the decision about a part, and the number of flagged items by task."""
        (one,) = [one for one in self.found["decisions"] if one["kind"] == kind]
        names = [finding["name"].rpartition("_")[0] for finding in one["findings"]]
        return one, {name: names.count(name) for name in names}


def drawn_request(example: Example, chance: random.Random) -> ChatRequest:
    """Return a request with images that were never learnt from."""
    files = [io.BytesIO() for _ in example.shown]
    for file, (_, square) in zip(files, example.shown, strict=True):
        draw(square, chance=chance).save(file, "PNG")
    return request_of(example, [file.getvalue() for file in files])


def test_trained_model_when_a_part_is_missing_then_guesses_and_with_all_of_it_answers_right(
    folder: Path,
) -> None:
    from models.local_checkpoint import open_model

    profile = ModelProfile(name="sees", adapter="transformers", path=str(folder), options={"device": "cpu"})
    model = open_model(profile)
    chance = random.Random(77)
    right: dict[tuple[str, bool], float] = {}
    for kind, (make, _) in KINDS.items():
        for is_whole in (True, False):
            examples = [make(chance, is_whole=is_whole) for _ in range(MANY)]
            written = model.engine.write([drawn_request(one, chance) for one in examples], time_s=WAIT_S)
            same = [said.text == one.key for said, one in zip(written, examples, strict=True)]
            right[kind, is_whole] = sum(same) / MANY
    model.close()
    assert min(share for (_, is_whole), share in right.items() if is_whole) >= 0.95, right
    assert max(right[kind, False] for kind in ("view", "views", "frames", "region")) <= 0.45, right
    assert min(right[kind, False] for kind in ("known", "video", "beside")) >= 0.95, right


def test_necessity_when_a_real_model_gets_blanked_regions_then_finds_just_the_items_answered_elsewhere(
    project: Path,
) -> None:
    answers = Answers(project, tasks="in_region,beside_region", inputs="blanked-regions")
    decision, flagged = answers.decision("regions_not_needed")
    assert decision["threshold"] is not None
    assert [*flagged] == ["beside_region"]
    assert flagged["beside_region"] >= 0.85 * COUNT


def test_model_when_it_is_made_twice_from_one_seed_then_is_the_same_file(tmp_path: Path) -> None:
    need_engine()
    made = [make_seeing_model(tmp_path / name, seed=3, steps=(4, 4)) for name in ("one", "two")]
    first, second = ((one / "model.safetensors").read_bytes() for one in made)
    assert first == second
