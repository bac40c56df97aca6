"""The verbs bundle, merge and forks, on the files of two workstations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Verb
from tests.unit.store.bundles.recorded_runs import ask
from tests.unit.store.bundles.workstations import Workstation, item, joined


@pytest.fixture
def forked(tmp_path: Path) -> tuple[Workstation, Workstation, str]:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "cars")
    bob.ask(one.id, "vans")
    return ann, bob, one.id


def test_merge_when_there_is_no_project_then_makes_it_from_the_bundle(tmp_path: Path, verb: Verb) -> None:
    (ann,) = joined(tmp_path, "ann")
    ann.add(item("a1"))
    folder = tmp_path / "exchange"
    folder.mkdir()
    said = verb("bundle", ann.path, folder / "all.bundle", "--json")
    assert said.status == 0
    assert said.json["events"] > 3
    made = verb("merge", tmp_path / "new.vantage", folder, "--json")
    assert (made.status, made.json["forks"]) == (0, [])
    assert made.json["bundles"][0]["added"] == 0
    copy = Workstation(tmp_path / "new.vantage", person="bob")
    assert copy.content()["item"] == ann.content()["item"]


def test_forks_when_two_changed_a_question_then_are_listed_and_a_value_is_chosen(
    forked: tuple[Workstation, Workstation, str], tmp_path: Path, verb: Verb
) -> None:
    ann, bob, item_id = forked
    verb("bundle", bob.path, tmp_path / "bob.bundle")
    merged = verb("merge", ann.path, tmp_path / "bob.bundle")
    assert merged.status == 1
    assert "1 forks" in merged.out
    (fork,) = verb("forks", ann.path, "--json").json["forks"]
    assert (fork["entity_id"], fork["field"]) == (item_id, "question")
    loser = fork["values"][1]
    chosen = verb("forks", ann.path, "--keep", loser["event"], "--json")
    assert (chosen.status, chosen.json["forks"]) == (0, [])
    assert f'"{ann.content()["item"][item_id][1]["question"]}"' == loser["value"]
    again = verb("forks", ann.path, "--keep", loser["event"])
    assert again.status == 2
    assert "No fork has a value of event" in again.err


def test_merge_when_a_bundle_waits_then_says_for_what_and_ends_with_1(tmp_path: Path, verb: Verb) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    verb("bundle", ann.path, tmp_path / "first.bundle")
    ann.add(item("a2"))
    verb("bundle", ann.path, tmp_path / "second.bundle", "--since", tmp_path / "first.bundle")
    early = verb("merge", bob.path, tmp_path / "second.bundle")
    assert early.status == 1
    assert "merge the bundle that has it" in early.out
    assert verb("merge", bob.path, tmp_path / "first.bundle").status == 0
    assert len(bob.content()["item"]) == 2


def test_merge_when_a_folder_has_no_bundle_then_says_so(tmp_path: Path, verb: Verb) -> None:
    said = verb("merge", tmp_path / "p.vantage", tmp_path)
    assert said.status == 2
    assert "There is no *.bundle file" in said.err


def test_bundle_when_it_carries_media_then_says_their_size_and_a_new_copy_has_them(
    tmp_path: Path, verb: Verb
) -> None:
    (ann,) = joined(tmp_path, "ann")
    ann.add_images(tmp_path / "drive", "a.png")
    said = verb("bundle", ann.path, tmp_path / "all.bundle", "--media", "--json")
    assert said.json["media"] == 1
    assert said.json["media_bytes"] == (tmp_path / "drive" / "a.png").stat().st_size
    (tmp_path / "new").mkdir()
    made = verb("merge", tmp_path / "new" / "mine.vantage", tmp_path / "all.bundle", "--json")
    assert (made.status, made.json["media"]["missing"]) == (0, [])
    assert len(list((tmp_path / "new").rglob("*.png"))) == 1


def test_bundle_when_it_carries_predictions_then_the_other_copy_lists_the_run_as_from_elsewhere(
    tmp_path: Path, verb: Verb
) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    asked = item("a1", question="Which one?", answer_format="option_letter", answer_key="A")
    ann.add(asked)
    run = ask(ann, asked, "B", "")
    said = verb("bundle", ann.path, tmp_path / "all.bundle", "--predictions", "--json")
    assert said.json["prediction_runs"] == 1
    merged = verb("merge", bob.path, tmp_path / "all.bundle")
    assert merged.status == 0
    assert "Predictions of 1 runs from elsewhere entered" in merged.out
    again = verb("merge", bob.path, tmp_path / "all.bundle", "--json").json["predictions"]
    assert again == {"runs": 0, "known": 1, "refused": []}
    assert "From elsewhere" in verb("runs", "list", bob.path).out
    assert verb("verify", bob.path).status == 0
    for step in ("resume", "retry"):
        refused = verb("runs", step, bob.path, run.id)
        assert refused.status == 2
        assert "came with a bundle from elsewhere" in refused.err


def test_merge_when_media_are_only_named_then_says_how_many_are_missing(tmp_path: Path, verb: Verb) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add_images(tmp_path / "drive", "a.png")
    verb("bundle", ann.path, tmp_path / "all.bundle")
    assert "1 media files are missing" in verb("merge", bob.path, tmp_path / "all.bundle").out
