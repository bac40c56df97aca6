"""Need of the input over real HTTP: models of known behaviour answer, the analysis finds what they need."""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from annotator.commands.necessity_flags import GONE
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.record import Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.jobs.profile_file import write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer, texts_of
from tests.unit.cli.conftest import Said, Verb
from tests.unit.cli.test_evaluation_commands import images_of
from tests.unit.jobs.job_types.asking import choice
from tests.unit.release.samples import fill
from tests.unit.store.making import changed, write

WORDS = ("alpha", "beta", "gamma", "delta")
ITEMS = {"one_view": 12, "both_views": 12, "no_image": 16}
"""Number of items by task: the answer is in the second view, in both together, in the text."""
STEP = 40
"""Difference of the colours of two codes; the model reads the code of an image from its green channel."""
OPTION = re.compile(r"^([A-D])[.):]\s*(\w+)\s*$", re.MULTILINE)


def answer_of(body: dict[str, Any]) -> str:
    """Answer as a model that sees all: by the codes of its images, and at random where one is missing."""
    text = texts_of(body)
    letters = {word: letter for letter, word in OPTION.findall(text)}
    codes = [round(int(image[5, 5, 1]) / STEP) for image in images_of(body)]
    if "biased" in text:
        return letters[WORDS[int(re.findall(r"biased (\d)", text)[0])]]
    seen = [code for code in codes if code]
    if "second" in text and seen:
        return letters[WORDS[seen[-1] - 1]]
    if "together" in text and len(seen) == 2:
        return letters[WORDS[sum(seen) % 4]]
    return "ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=answer_of) as it:
        yield it


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Path:
    """Give a project with a scene of two views for each item; a view without a code shows nothing."""
    path = tmp_path / "p.vantage"
    records: list[Record] = []
    items: list[Item] = []
    with Session.create(path) as session:
        session.media_root.mkdir(parents=True, exist_ok=True)
        for task, count in ITEMS.items():
            for number in range(count):
                codes, key, question = case(task, number)
                views = [medium(f"{task}_{number}_{view}.png") for view in (1, 2)]
                for view, code in zip(views, codes, strict=True):
                    Image.new("RGB", (16, 16), (number, STEP * code, 7)).save(session.media_root / view.name)
                named = [SceneView(name=f"UAV{n}", medium=view.id) for n, view in enumerate(views, start=1)]
                scene = Scene(id=new_id(), name=f"{task}_{number}", dataset="town", views=tuple(named))
                records += [*views, scene]
                items.append(
                    choice(
                        *WORDS,
                        # Its own each time: the scenes that are drawn for it follow from it.
                        id=hashlib.md5(f"{task}_{number}".encode()).hexdigest(),
                        answer_key="ABCD"[key],
                        name=f"{task}_{number}",
                        task=task,
                        question=question,
                        scene=scene.id,
                        media=tuple(view.id for view in views),
                        state="refined",
                    )
                )
        fill(session, *items, positions=records)
    profile = ModelProfile(
        name="one",
        adapter="openai",
        model="one",
        base_url=server.base_url,
        timeout_s=PATIENCE_S,
        visuals=VisualSettings(coding="png"),
    )
    write_profiles(config_folder(), [profile])
    return path


def medium(name: str) -> Medium:
    return Medium(id=new_id(), name=name, dataset="town", width_px=16, height_px=16)


def case(task: str, number: int) -> tuple[tuple[int, int], int, str]:
    """Return the codes of both views, the place of the key, and the question of an item."""
    one, other = number % 3 + 1, number % 4 + 1
    if task == "one_view":
        return (0, other), other - 1, f"What is in the second, {number}?"
    if task == "both_views":
        return (one, other), (one + other) % 4, f"What are they together, {number}?"
    return (0, 0), number % 4, f"What is biased {number % 4}, {number}?"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studied")


@pytest.fixture
def studied(kept: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Give the project with answers of all variants; the first test asks for them, the others get a copy."""
    if not any(kept.iterdir()):
        project = request.getfixturevalue("project")
        _study(project, request.getfixturevalue("ask"))
        shutil.copytree(project.parent, kept, dirs_exist_ok=True)
        return project
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path / "p.vantage"


def _study(project: Path, ask: Verb) -> None:
    chosen = (
        "--models",
        "one",
        "--rotations",
        "4",
        "--ablate",
        "view-1,view-2,wrong-images,wrong-images-2,wrong-images-3",
    )
    assert ask("evaluate", project, *chosen, "--json").status == 0


def gains(said: Said) -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (one["task"].rpartition("/")[2], one["input"]): (one["gain"]["with_it"], one["gain"]["without"])
        for one in said.json["gains"]
    }


def flags_of(project: Path, *, state: str = "open") -> dict[str, set[str]]:
    """Return the names of the flagged items by kind."""
    found: dict[str, set[str]] = {}
    with Session.open(project) as session:
        for flag in session.reader.find(Flag):
            if flag.raised_by == "necessity" and flag.state == state:
                found.setdefault(flag.kind, set()).add(session.reader.require(Item, flag.target).name)
    return found


def names(*tasks: str) -> set[str]:
    return {f"{task}_{number}" for task in tasks for number in range(ITEMS[task])}


def test_necessity_when_models_of_known_behaviour_answer_then_finds_which_items_need_what(
    studied: Path, tmp_path: Path, verb: Verb, server: ChatServer
) -> None:
    asked = len(server.calls)
    said = verb("necessity", studied, "--flag", "--csv", tmp_path / "gains.csv", "--json")
    assert said.status == 0, said.err
    assert len(server.calls) == asked, "stored answers are requested again"
    by_task = gains(said)
    assert by_task["one_view", "view 2 alone"] == (1.0, 1.0)
    assert by_task["no_image", "view 1 alone"] == (1.0, 1.0)
    assert by_task["both_views", "view 1 alone"][1] <= 0.25
    assert by_task["both_views", "view 2 alone"][1] <= 0.25
    assert by_task["no_image", "images of another scene"] == (1.0, 1.0)
    flagged = flags_of(studied)
    assert flagged["language_bias"] == names("no_image")
    assert flagged["view_not_needed"] <= names("one_view", "no_image")
    # An item whose other view happens to give the same wrong guess in all rotations is not decided.
    assert len(flagged["view_not_needed"]) >= 27
    decisions = {one["kind"]: one for one in said.json["decisions"]}
    assert decisions["view_not_needed"]["items"] == sum(ITEMS.values())
    assert 0 < decisions["view_not_needed"]["false_share"] <= 0.05
    rows = list(csv.DictReader((tmp_path / "gains.csv").read_text(encoding="utf-8-sig").splitlines()))
    (row,) = [one for one in rows if one["task"].endswith("both_views") and one["input"] == "view 1 alone"]
    assert (row["items"], row["whole_pct"], row["lost"]) == ("12", "100.00", "0")
    assert float(row["low_pct"]) > 0
    assert float(row["p"]) < 0.05
    text = verb("necessity", studied).out
    assert f"view_not_needed: {len(flagged['view_not_needed'])} of 40 items" in " ".join(text.split())


def test_necessity_when_flagged_then_is_one_step_with_the_answers_as_evidence(
    studied: Path, verb: Verb
) -> None:
    assert verb("necessity", studied, "--flag").status == 0
    with Session.open(studied) as session:
        (bias,) = [
            flag
            for flag in session.reader.find(Flag, kind="language_bias")
            if session.reader.require(Item, flag.target).name == "no_image_0"
        ]
        assert bias.severity == "warning"
        assert bias.evidence["answers"]["images of another scene"] == {"one": {"A": 12}}
        assert bias.evidence["answers"][""] == {"one": {"A": 4}}
        assert "the images of another scene: 100 % right" in bias.message
        assert session.reader.require(Item, bias.target).state == "flagged"
        viewed = next(iter(session.reader.find(Flag, kind="view_not_needed")))
        assert viewed.severity == "note"
    again = verb("necessity", studied, "--flag", "--json")
    assert again.json["flags"] == {"flags added": 0, "flags closed": 0, "items to review": 0}
    with Session.open(studied) as session:
        session.undo().result()
        assert list(session.reader.find(Flag, kind="language_bias")) == []
        assert session.reader.require(Item, bias.target).state == "refined"


def test_necessity_when_a_key_is_corrected_or_a_flag_dismissed_then_flags_follow(
    studied: Path, verb: Verb
) -> None:
    verb("necessity", studied, "--flag")
    with Session.open(studied) as session:
        flags = {
            session.reader.require(Item, flag.target).name: flag
            for flag in session.reader.find(Flag, kind="view_not_needed")
        }
        write(session, *changed("flag", flags["one_view_1"].id, state="dismissed"))
        write(session, *changed("item", flags["one_view_2"].target, answer_key="A"))
    said = verb("necessity", studied, "--flag", "--json")
    assert said.json["flags"]["flags closed"] == 1
    assert flags_of(studied, state="resolved") == {"view_not_needed": {"one_view_2"}}
    assert flags_of(studied, state="dismissed") == {"view_not_needed": {"one_view_1"}}
    with Session.open(studied) as session:
        assert session.reader.require(Flag, flags["one_view_2"].id).resolution == GONE


def test_necessity_when_there_is_nothing_to_compare_then_says_how_to_begin(
    project: Path, ask: Verb, verb: Verb
) -> None:
    assert "does not exist" in verb("necessity", project).err
    ask("evaluate", project, "--models", "one", "--json")
    said = verb("necessity", project)
    assert said.status == 2
    assert "No item has answers of one model with the whole input and without a part of it." in " ".join(
        said.err.split()
    )
