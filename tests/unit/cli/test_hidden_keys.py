"""Hidden answer keys and the subset at the command line: release, verify and score."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest

from annotator.domain.item import Provenance
from annotator.release.manifest import CARD, MANIFEST
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.release.samples import fill
from tests.unit.scoring.released import letter_items, write_lines

SPLITS = ("--split", "dev=50", "--split", "test=50")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        fill(session, *letter_items(4))
    return path


def test_release_when_keys_are_hidden_then_score_and_verify_find_them_beside_it(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    out, keys = tmp_path / "out", tmp_path / "out-keys"
    options = ("--format", "aircop", "--states", "all", "--include-flagged", *SPLITS)
    said = verb(
        "release", project, out, *options, "--hide-keys", "dev", "--hide-keys", "test", "--subset", "20"
    )
    assert said.status == 0
    assert f"Hidden answer keys: 4. Keep this folder private: {keys}" in said.out
    assert "Subset: 1 items" in said.out
    assert not any('"correct_answer": "A"' in path.read_text() for path in out.glob("*.json"))
    assert "Verified: the 4 hidden answer keys belong to the release." in verb("verify", out).out
    assert "Verified: the answer keys are those" in verb("verify", keys).out

    rows = [{"question_id": f"Real2_OC_UAV1_{n}", "predicted_answer": "ABCA"[n]} for n in range(4)]
    predictions = write_lines(tmp_path / "x_responses.jsonl", rows)
    found = verb("score", out, predictions, "--json").json
    assert found["overall"] == {"total": 4, "score_pct": 75.0, "exact_pct": 75.0}
    assert found["release"]["hidden"] == 0

    shutil.move(keys, tmp_path / "private")
    said = verb("score", out, predictions, "--json")
    assert (said.status, said.json["release"]["hidden"], said.json["overall"]["total"]) == (1, 4, 0)
    assert "Hidden answer keys: 4. Name their folder with --keys to score them." in said.err
    assert (
        verb("score", out, predictions, "--keys", tmp_path / "private", "--json").json["overall"]["total"]
        == 4
    )
    assert "Not verified: the 4 hidden answer keys" in verb("verify", out).out
    said = verb("verify", project, "--release", out, "--keys", tmp_path / "private", "--json")
    assert [one for one in said.json["problems"] if one["kind"].startswith("release")] == []
    listed = (tmp_path / "private" / "keys.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer_key"] for line in listed] == ["A", "B", "C", "D"]


def test_release_when_keys_of_no_split_are_hidden_then_says_what_is_missing(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    options = ("--format", "aircop", "--states", "all", "--hide-keys", "test")
    said = verb("release", project, tmp_path / "out", *options)
    assert said.status == 2
    assert "name the splits with --split" in said.err


def test_release_when_hidden_letters_can_be_computed_then_is_refused_unless_allowed_and_the_card_says_so(
    tmp_path: Path, verb: Verb
) -> None:
    project, out = tmp_path / "p.vantage", tmp_path / "out"
    older = Provenance(made_by="rule", maker="aircop.counting@3", seed=0)
    with Session.create(project) as session:
        fill(session, *(msgspec.structs.replace(item, provenance=older) for item in letter_items(4)))
    options = ("--format", "aircop", "--states", "all", "--include-flagged", *SPLITS, "--hide-keys", "test")
    refused = verb("release", project, out, *options, "--hide-keys", "dev")
    assert refused.status == 2
    assert "4 of 4 hidden answer keys can be computed from the public ids" in refused.err
    assert not out.exists()
    allowed = verb("release", project, out, *options, "--hide-keys", "dev", "--allow-predictable-letters")
    assert allowed.status == 0
    assert json.loads((out / MANIFEST).read_text())["splits"]["hidden"]["predictable"] == 4
    assert "can be computed from the public ids: 4." in (out / CARD).read_text(encoding="utf-8")
    assert verb("items", project, "rebalance", "--task", "object_counting").status == 0
    assert verb("release", project, tmp_path / "new", *options, "--hide-keys", "dev").status == 0
