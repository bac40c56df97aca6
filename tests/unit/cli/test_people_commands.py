"""The verb people, and two persons who work on one project in two processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.comment import Comment
from annotator.edits.people import named_person
from annotator.session import Session
from annotator.user_profile import current_actor
from tests.patience import PATIENCE_S
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import an_item, created, write

ROOT = Path(__file__).resolve().parents[3]
EDIT = """
import sys
from pathlib import Path
from annotator.commands.comments import WriteComment
from annotator.session import Session

with Session.open(Path(sys.argv[1])) as session:
    session.execute(WriteComment(entity="item", target=sys.argv[2], text=session.actor.name)).result()
    print("written", flush=True)
    sys.stdin.readline()
    if sys.argv[3] == "undo":
        session.undo().result()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "settings"))
    return tmp_path


def test_person_when_named_then_works_from_now_on_and_the_others_stay_known(folder: Path, verb: Verb) -> None:
    assert verb("people", "Anna", "--rename", "--json").json["person"] == "Anna"
    anna = current_actor()
    said = verb("people", " Ben ", "--json")
    assert (said.json["person"], said.json["others"]) == ("Ben", ["Anna"])
    assert current_actor().id != anna.id
    assert verb("people", "anna", "--json").json["id"] == anna.id
    assert "works now" in verb("people").out


def test_person_when_the_project_has_the_name_then_is_that_person(folder: Path, verb: Verb) -> None:
    path = folder / "p.vantage"
    with Session.create(path) as session:
        ben = named_person("Ben", project=session.reader.project.id)
        write(session, created("actor", ben))
    assert verb("people", "BEN", "--project", path, "--json").json["id"] == ben.id


def test_person_when_a_project_is_named_then_it_is_no_person(folder: Path, verb: Verb) -> None:
    before = current_actor()
    said = verb("people", str(folder / "p.vantage"))
    assert said.status == 2
    assert "is a project and no person" in said.err
    assert current_actor() == before


def test_person_when_the_name_is_empty_then_says_so(folder: Path, verb: Verb) -> None:
    said = verb("people", "--rename")
    assert said.status == 2
    assert "The name of a person is empty." in said.err
    assert verb("people", "  ").status == 2


def test_two_persons_when_they_work_in_two_processes_then_each_undoes_own_steps(
    folder: Path, verb: Verb
) -> None:
    path, item = folder / "p.vantage", an_item()
    verb("people", "Anna", "--rename")
    with Session.create(path) as session:
        write(session, created("item", item))
    anna = _start(path, item.id, "undo")
    verb("people", "Ben", "--project", path)
    ben = _start(path, item.id, "keep")
    for process in (ben, anna):
        _, err = process.communicate("\n", timeout=PATIENCE_S)
        assert process.returncode == 0, err
    with Session.open(path) as session:
        comments = list(session.reader.find(Comment, target=item.id))
        authors = {one.text: session.reader.history.of(one.id)[-1].actor for one in comments}
    assert authors == {"Ben": "Ben"}


def _start(path: Path, item: str, then: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", EDIT, path, item, then],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    return process
