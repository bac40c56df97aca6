"""What other programs commit is told to the listeners of a session, exactly once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.changes import Changes
from annotator.domain.event import CREATED
from annotator.session import Session
from annotator.store import foreign_changes
from tests.unit.store.making import ANNA, BEN, Write, an_item, changed, created, spatialuav_file


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        yield session


@pytest.fixture
def heard(session: Session) -> list[Changes]:
    heard: list[Changes] = []
    session.subscribe(heard.append)
    return heard


def test_look_when_another_session_has_edited_then_tells_ids_and_fields_once(
    session: Session, heard: list[Changes]
) -> None:
    item = an_item()
    session.execute(Write((created("item", item),))).result()
    heard.clear()

    with Session.open(session.path, actor=BEN) as other:
        other.execute(Write(changed("item", item.id, question="Where?"))).result()
    session.look_for_foreign_changes().result()
    session.look_for_foreign_changes().result()

    (found,) = heard
    assert (found.kind, found.saved_at, found.initiator) == ("elsewhere", 0.0, None)
    assert found.ids["item"] == {item.id}
    assert found.fields["item"] >= {"question"}
    assert found.concerns("item", item.id)


def test_look_when_only_this_session_has_edited_then_tells_nothing_more(
    session: Session, heard: list[Changes]
) -> None:
    for _ in range(3):
        session.execute(Write((created("item", an_item()),))).result()
        session.look_for_foreign_changes().result()
    session.undo().result()
    session.look_for_foreign_changes().result()

    assert [one.kind for one in heard] == ["do", "do", "do", "undo"]


def test_edit_when_others_have_edited_before_then_their_changes_are_told_first(
    session: Session, heard: list[Changes]
) -> None:
    theirs, own = an_item(), an_item()
    with Session.open(session.path, actor=BEN) as other:
        other.execute(Write((created("item", theirs),))).result()

    session.execute(Write((created("item", own),))).result()
    session.look_for_foreign_changes().result()

    assert [(one.kind, one.ids["item"]) for one in heard] == [("elsewhere", {theirs.id}), ("do", {own.id})]


def test_look_when_a_command_of_another_process_has_imported_then_tells_the_new_records(
    session: Session, heard: list[Changes], tmp_path: Path
) -> None:
    file = spatialuav_file(tmp_path, name="a.jsonl", rows=20)
    program = [sys.executable, "main.py", "import", str(session.path), str(file)]
    subprocess.run(program, check=True, capture_output=True)

    session.look_for_foreign_changes().result()

    (found,) = heard
    assert found.counts["item"] == 20
    assert CREATED in found.fields["item"]


def test_look_when_others_have_changed_very_much_then_every_type_may_have_changed(
    session: Session, heard: list[Changes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_changes, "MOST_EVENTS", 10)
    with Session.open(session.path, actor=BEN) as other:
        other.execute(Write(tuple(created("item", an_item()) for _ in range(12)))).result()

    session.look_for_foreign_changes().result()

    (found,) = heard
    assert found.ids["item"] is None
    assert found.concerns("region", "any id")
    assert found.has_changed("flag", ["state"])
