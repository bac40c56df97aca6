"""The verb ``release-diff``: folders in, a table, JSON or CSV out, and the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.cli.conftest import Verb
from tests.unit.release.samples import fill, release
from tests.unit.scoring.released import letter_items


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made")
    items = letter_items(4)
    with Session.create(path / "p.vantage") as session:
        fill(session, *items)
        release(session, path / "old", "aircop", include_flagged=True)
        session.execute(SetItemField(item=items[2].id, field="answer_key", value="D")).result()
        session.execute(SetItemField(item=items[3].id, field="state", value="filtered")).result()
        release(session, path / "new", "aircop", include_flagged=True)
    return path


def test_release_diff_when_releases_differ_then_answer_keys_come_first_and_the_status_is_one(
    made: Path, tmp_path: Path, verb: Verb
) -> None:
    said = verb("release-diff", made / "old", made / "new", "--csv", tmp_path / "d.csv")
    assert said.status == 1
    assert "Added 0, removed 1, changed 1, unchanged 2." in said.out
    assert "The item is filtered." in said.out
    assert "answer_key" in said.out
    assert (tmp_path / "d.csv").read_text().splitlines()[1].startswith("changed,aircop/object_counting,")
    found = verb("release-diff", made / "old", made / "new", "--json").json
    assert (found["equal"], found["fields"], len(found["removed"])) == (False, {"answer_key": 1}, 1)
    assert found["changed"][0]["changes"] == [{"field": "answer_key", "old": "C", "new": "D"}]


def test_release_diff_when_releases_are_equal_then_says_so(made: Path, verb: Verb) -> None:
    said = verb("release-diff", made / "old", made / "old", "--project", made / "p.vantage")
    assert said.status == 0
    assert "The releases are equal: the same files with 4 items." in said.out


def test_release_diff_when_the_table_cannot_be_written_then_says_so(made: Path, verb: Verb) -> None:
    said = verb("release-diff", made / "old", made / "new", "--csv", made / "none" / "d.csv")
    assert said.status == 3
    assert "cannot be written" in said.err
