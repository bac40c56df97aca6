"""The command ``gates``: what it lists, and that a release obeys its rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.release.samples import aircop_item, fill


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.vantage"
    items = [
        aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?", state=state)
        for n, state in enumerate(("accepted", "accepted", "drafted"))
    ]
    with Session.create(path) as session:
        fill(session, *items)
    return path


def test_gates_when_listed_then_each_has_its_state_and_number(project: Path, verb: Verb) -> None:
    said = verb("gates", project, "--json")
    assert said.status == 0
    found = {gate["gate"]: gate for gate in said.json["gates"]}
    assert list(found) == [
        "flags", "forks", "checks", "blind", "second-look", "letters", "media", "licences", "reference",
    ]  # fmt: skip
    look = found["second-look"]
    assert (look["state"], look["failing"], look["total"], look["is_required"]) == ("fails", 2, 2, False)
    assert len(look["query"]["ids"]) == 2
    assert found["forks"]["is_required"]
    assert {gate["gate"]: gate for gate in verb("gates", project, "list", "--states", "all", "--json").json[
        "gates"]}["second-look"]["total"] == 3  # fmt: skip
    assert "of a person who had not worked on them: 2 of 2" in verb("gates", project).out


def test_gates_when_required_and_waived_then_release_refuses_and_then_states_the_waiver(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    out = tmp_path / "out"
    assert verb("gates", project, "require", "second-look", "forks", "--json").json == {
        "required": ["forks", "second-look"]
    }
    assert verb("gates", project).status == 1
    refused = verb("release", project, out, "--format", "aircop")
    assert refused.status == 2
    assert "Second look is done: fails for 2 of 2." in refused.err
    assert not out.exists()
    waived = verb("gates", project, "waive", "second-look", "--reason", "A pilot.", "--json")
    assert waived.json == {"gate": "second-look", "failing": 2, "reason": "A pilot."}
    assert verb("gates", project).status == 0
    released = verb("release", project, out, "--format", "aircop")
    assert released.status == 0
    assert "Waived gate second-look: 2: A pilot." in released.out
    assert verb("verify", out).status == 0
    assert verb("gates", project, "withdraw", "second-look").status == 0
    assert verb("release", project, tmp_path / "again", "--format", "aircop").status == 2


def test_gates_when_the_rules_are_chosen_then_presets_exclude_names(project: Path, verb: Verb) -> None:
    assert verb("gates", project, "require", "--json").json == {"required": ["forks"]}
    assert "second-look" in verb("gates", project, "require", "--all", "--json").json["required"]
    assert verb("gates", project, "require", "--none", "--json").json == {"required": []}
    assert verb("gates", project, "require", "--usual", "--json").json == {"required": ["forks"]}
    assert verb("gates", project, "require", "media", "--all").status == 2
    assert verb("gates", project, "require", "reference").status == 2
    assert verb("gates", project, "waive", "forks", "--reason", "None.").status == 2


def test_release_when_splits_are_named_then_they_are_printed_and_bad_ones_refused(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    form = ("--format", "aircop")
    said = verb(
        "release", project, tmp_path / "out", *form, "--split", "train=50", "--split", "test=50", "--json"
    )
    assert said.json["splits"]["shares"] == {"train": 0.5, "test": 0.5}
    assert sum(said.json["splits"]["items"].values()) == 2
    # Both items show the same scene.
    assert said.json["splits"]["groups"] == 1
    text = verb(
        "release", project, tmp_path / "two", *form, "--split", "a=50", "--split", "b=50", "--split-seed", 3
    )
    assert "Split a: 2 items" in text.out
    assert verb("release", project, tmp_path / "no", *form, "--split", "train").status == 2
    assert verb("release", project, tmp_path / "no", *form, "--split", "train=80").status == 2
