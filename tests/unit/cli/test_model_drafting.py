"""Drafting by a model from the command line, over real HTTP with a server of our own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.session import Session
from tests.servers.chat_server import ChatServer
from tests.unit.cli.conftest import Verb
from tests.unit.jobs.job_types.drafting import MODEL, Town, Writer, drafted_items, make_town


@pytest.fixture
def writer() -> Writer:
    """Give what the model says."""
    return Writer()


@pytest.fixture
def town(tmp_path: Path, writer: Writer) -> Iterator[Town]:
    """Give a project, and a server while it is used."""
    with ChatServer(answer=writer) as server:
        yield make_town(tmp_path, base_url=server.base_url)


def test_draft_when_by_model_then_tells_each_task_and_keeps_the_items(
    ask: Verb, town: Town, writer: Writer
) -> None:
    writer.said["Causal"] = ["no"] * 3
    said = ask(
        "draft", town.path, "--by", "model", "--task-set", "urbanvideo", "--model", MODEL,
        "--tasks", "causal,duration", "--task", "Scene Recall", "--scenes", 1, "--json",
    )  # fmt: skip

    assert said.status == 0, said.err
    told = said.json
    assert (told["drafted"], told["rejected"], told["state"], told["prompts"]) == (2, 1, "done", [])
    assert told["tasks"]["causal"]["reasons"] == {"There is no question with options in the reply.": 1}
    assert told["tasks"]["duration"]["attempts"] == {"1": 1}
    with Session.open(town.path) as session:
        assert set(drafted_items(session)) == {"duration", "scene_recall"}


def test_draft_when_the_project_carries_prompts_then_asks_with_them(
    ask: Verb, town: Town, writer: Writer
) -> None:
    file = town.path.with_suffix(".prompts") / "urbanvideo" / "causal.toml"
    file.parent.mkdir(parents=True)
    file.write_text(
        'id = "urbanvideo/causal"\nversion = "7"\nframe = "urbanvideo/teacher"\ntext = "Ask why."\n'
    )

    said = ask(
        "draft", town.path, "--by", "model", "--task-set", "urbanvideo", "--model", MODEL, "--task", "causal"
    )

    assert said.status == 0, said.err
    assert "drafted 1  unchanged 0  rejected 0" in said.out
    assert "1 at attempt 1" in said.out
    assert "Ask why." in writer.texts[-1]
    with Session.open(town.path) as session:
        assert drafted_items(session)["causal"].provenance.maker == "urbanvideo/causal@7.1 w-1"


def test_draft_when_by_model_twice_then_adds_nothing(ask: Verb, town: Town) -> None:
    words = ("draft", town.path, "--by", "model", "--task-set", "indooruav", "--model", MODEL, "--json")
    first, second = ask(*words), ask(*words)

    assert (first.json["drafted"], second.json["drafted"], second.json["unchanged"]) == (2, 0, 2)


def test_draft_when_interrupted_then_keeps_nothing_and_asks_only_the_rest_later(
    ask: Verb, town: Town, writer: Writer
) -> None:
    words = ("draft", town.path, "--by", "model", "--task-set", "urbanvideo", "--model", MODEL, "--json")
    writer.moments[1] = lambda: os.kill(os.getpid(), signal.SIGINT)

    said = ask(*words)

    assert (said.status, said.out) == (130, "")
    assert "questions are open, and its answers are not applied yet" in said.err
    with Session.open(town.path) as session:
        assert drafted_items(session) == {}
    before = len(writer.texts)
    assert ask(*words).json["drafted"] > 0
    assert len(set(writer.texts[:before]) & set(writer.texts[before:])) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--by", "model", "--task-set", "urbanvideo"), "No model is given"),
        (("--by", "model", "--task-set", "urbanvideo", "--model", "nobody"), "There is no model 'nobody'"),
        (
            ("--by", "model", "--task-set", "topviewrs", "--model", MODEL),
            "Drafting by model is not available",
        ),
        (("--by", "model", "--task-set", "aircop", "--model", "SmolLM2"), "cannot write drafts"),
        (("--task-set", "aircop", "--model", MODEL), "require --by model"),
        (("--task-set", "aircop", "--scenes", "3"), "require --by model"),
    ],
)
def test_draft_when_it_cannot_be_done_then_says_so(
    ask: Verb, town: Town, words: tuple[str, ...], told: str
) -> None:
    said = ask("draft", town.path, *words)

    assert said.status == 2
    assert told in said.err


def test_draft_when_a_picture_is_gone_then_ends_with_problems(ask: Verb, town: Town) -> None:
    with Session.open(town.path) as session:
        (session.media_root / "UAV1.png").unlink()

    said = ask("draft", town.path, "--by", "model", "--task-set", "aircop", "--model", MODEL, "--json")

    assert said.status == 1
    assert said.json["failed"] > 0
    assert said.json["tasks"]["scene_description"]["reasons"] == {"the call to the model failed": 2}
