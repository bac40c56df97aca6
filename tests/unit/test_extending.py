"""The walkthroughs of docs/extending.md, done word by word on a copy of the program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.record import new_id
from annotator.jobs.profile_file import write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.servers.chat_server import ChatServer
from tests.unit.store.making import created, events, write

REPO = Path(__file__).resolve().parents[2]
PAGE = (REPO / "docs" / "extending.md").read_text(encoding="utf-8")
PROGRAM = ("annotator", "models", "resources")
STEP = re.compile(
    r"[Ww]rite `(?P<new>[^`]+)`:\s+```\w+\n(?P<text>.*?)```"
    r"|In `(?P<file>[^`]+)`, after the line `(?P<line>[^`]+)`, add:\s+```\w+\n(?P<added>.*?)```"
    r"|```sh\n(?P<commands>.*?)```",
    re.DOTALL,
)
BEFORE = (
    Item(
        id=new_id(),
        name="asked-not",
        task_set="aircop",
        task="object_counting",
        question="How many cars do not move?",
        answer_format="whole_number",
        answer_key="12",
    ),
    Item(
        id=new_id(),
        name="asked-not-elsewhere",
        task_set="aircop",
        task="object_matching",
        question="Which cars do not move?",
        answer_format="free_text",
        answer_key="the red one",
    ),
)


@dataclass
class Scratch:
    """A copy of the program with a project that the program made before it was extended."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "old.vantage"

    def follow(self, section: str) -> list[str]:
        """Do what a section of the page says; return what its commands print on standard output."""
        text = re.split(rf"^## {section}$", PAGE, flags=re.MULTILINE)[1].partition("\n## ")[0]
        steps = list(STEP.finditer(text))
        assert steps
        return [said for step in steps for said in self._do(step)]

    def _do(self, step: re.Match[str]) -> Iterator[str]:
        if step["new"]:
            path = self.folder / step["new"]
            assert not path.exists()
            path.write_text(step["text"], encoding="utf-8")
        elif step["file"]:
            self._add(self.folder / step["file"], line=f"{step['line']}\n", added=step["added"])
        else:
            yield from map(self.run, step["commands"].splitlines())

    def _add(self, path: Path, *, line: str, added: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert text.count(line) == 1
        path.write_text(text.replace(line, line + added), encoding="utf-8")

    def run(self, command: str) -> str:
        words = command.removeprefix("python ").split()
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """Give a copy of the program, with a project that was made before."""
    for name in PROGRAM:
        shutil.copytree(REPO / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPO / "main.py", tmp_path)
    made = Scratch(tmp_path)
    with Session.create(made.project) as session:
        write(session, *(created("item", item) for item in BEFORE))
        write(session, created("medium", Medium(id=new_id(), name="a.jpg")))
    return made


def test_check_when_the_page_is_followed_then_it_runs_on_the_tasks_that_it_names(scratch: Scratch) -> None:
    [said] = scratch.follow("A check")
    report = json.loads(said)
    assert report["checks"]["negated_question"] == 1
    with Session.open(scratch.project) as session:
        flags = list(session.reader.find(Flag, kind="negated_question"))
    assert [(flag.target, flag.message) for flag in flags] == [(BEFORE[0].id, "The question says 'not'.")]


def test_format_when_the_page_is_followed_then_a_model_is_asked_in_its_words(scratch: Scratch) -> None:
    with ChatServer(answer=lambda _body: "There are 12 of them.") as server:
        profile = ModelProfile(
            name="lone", adapter="openai", model="lone", base_url=server.base_url, timeout_s=60.0
        )
        write_profiles(config_folder(), [profile])
        [said] = scratch.follow("An answer format")
        asked = json.dumps([call.body for call in server.calls])
    assert len(server.calls) == 1
    assert "Reply with one whole number in digits and nothing else" in asked
    run = json.loads(said)["run"]
    [prediction] = scratch.run(f"main.py runs predictions old.vantage {run}").splitlines()
    assert json.loads(prediction)["answer"] == "12"


def test_importer_when_the_page_is_followed_then_its_files_are_found_and_read(scratch: Scratch) -> None:
    [said] = scratch.follow("An importer")
    report = json.loads(said)
    assert (report["added"], report["rejected"]) == (1, 1)
    assert [(found["line"], found["message"]) for found in report["rejections"]] == [
        (3, "It has 2 cells instead of 3.")
    ]
    with Session.open(scratch.project) as session:
        [item] = session.reader.find(Item, name="q1")
    assert (item.question, item.answer_key) == ("How many cars are there?", "three")


def test_exporter_when_the_page_is_followed_then_it_writes_a_release(scratch: Scratch) -> None:
    [said] = scratch.follow("An exporter")
    assert json.loads(said)["items"] == 2
    text = (scratch.folder / "out" / "questions.txt").read_text(encoding="utf-8")
    assert text.splitlines() == [f"{item.name}\t{item.question}\t{item.answer_key}" for item in BEFORE]


def test_record_type_when_the_page_is_followed_then_the_project_of_before_takes_it(scratch: Scratch) -> None:
    before = events(scratch.project)
    printed, verified = scratch.follow("A record type")
    assert printed == "['low clouds']\n"
    assert json.loads(verified)["problems"] == []
    assert events(scratch.project)[: len(before)] == before
