"""Bundles of several workstations are merged by union, in any order, and forks stay visible."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from annotator import command_runner
from annotator.commands.comments import WriteComment
from annotator.commands.forks import ResolveFork
from annotator.domain.actor import Actor
from annotator.domain.command import CommandRecord
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from annotator.session import Session
from annotator.spreadsheets.response_sheet import read_responses
from annotator.store.bundles.bundle_file import BundleReader
from annotator.store.bundles.exchange import keep_waiting, waiting_bundles, waiting_folder
from annotator.store.staging import Stage
from annotator.store.verification import verify_project
from annotator.writing.writer import Origin
from tests.unit.store.bundles.workstations import Workstation, item, joined
from tests.unit.store.making import (
    created,
    removed,
    undo_label,
    write,
)


def _problems(station: Workstation) -> list[str]:
    return [problem.message for problem in verify_project(station.path, progress=Progress())]


def _question(station: Workstation, item_id: str) -> str:
    with station.open() as session:
        return session.reader.require(Item, item_id).question


def test_bundles_when_exchanged_then_both_have_all_records_and_verify_finds_nothing(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"), item("a2"))
    bob.add(item("b1"))
    (report,) = ann.merge(bob.bundle())
    assert (report.author, report.records["item"], report.waiting) == ("bob", 1, 0)
    bob.merge(ann.bundle())
    ann.merge(bob.bundle())
    assert ann.content() == bob.content()
    assert len(ann.content()["item"]) == 3
    assert (_problems(ann), _problems(bob)) == ([], [])


def test_comments_when_exchanged_then_threads_mentions_and_questions_arrive(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    with bob.open() as session:
        session.execute(
            WriteComment(entity="item", target=one.id, text="@ann, why?", is_question=True)
        ).result()
        question = session.reader.comments.of(Item, one.id)[0].comment
    ann.merge(bob.bundle())
    with ann.open() as session:
        (row,) = session.reader.comments.of(Item, one.id)
        assert (row.comment, row.name, row.question) == (question, "bob", "open")
        assert [mention.person for mention in row.comment.mentions] == [ann.actor.id]
        (unread,) = session.reader.comments.unread(ann.actor.id, read=())
        assert (unread.target, unread.mentions_person) == (one.id, True)
        reply = WriteComment(entity="item", target=one.id, text="So.", parent=question.id)
        session.execute(reply).result()
    bob.merge(ann.bundle())
    assert ann.content() == bob.content()


def test_bundle_when_merged_twice_then_the_second_adds_nothing(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    bundle = ann.bundle()
    bob.merge(bundle)
    before = bob.content()
    (again,) = bob.merge(bundle)
    assert (again.added, again.known > 0) == (0, True)
    assert bob.content() == before


def test_bundle_since_another_when_written_then_has_only_the_new_events(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    first = ann.bundle()
    ann.add(item("a2"))
    second = ann.bundle(since=first)
    bob.merge(first)
    (report,) = bob.merge(second)
    assert (report.known, report.records) == (0, {"command": 1, "item": 1})


def test_bundle_when_an_earlier_one_is_missing_then_waits_and_follows_when_it_comes(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    first = ann.bundle()
    ann.ask(one.id, "How many?")
    second = ann.bundle(since=first)
    (early,) = bob.merge(second)
    assert early.added == 0
    assert early.waiting > 0
    # The first event of an opening follows the last one of the opening before it.
    (chain,) = _ranges(first).keys() - _ranges(bob.bundle()).keys()
    assert early.missing == ((chain, 1),)
    second.unlink()
    reports = bob.merge(first)
    assert [report.waiting for report in reports] == [0, 0]
    assert _question(bob, one.id) == "How many?"
    assert waiting_bundles(bob.path) == []
    assert _problems(bob) == []


def test_bundle_when_one_between_two_is_missing_then_its_first_event_is_named(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    bundles = [tmp_path / f"{n}.bundle" for n in range(3)]
    with ann.open() as session:
        for n, bundle in enumerate(bundles):
            write(session, created("item", item(f"a{n}")))
            session.export_bundle(bundle, since=bundles[n - 1] if n else None)
    bob.merge(bundles[0])
    (report,) = bob.merge(bundles[2])
    ((chain, (first, last)),) = _ranges(bundles[1]).items()
    assert first < last
    assert report.missing == ((chain, first),)


def test_field_when_two_change_it_then_is_a_fork_with_the_same_value_shown_everywhere(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "How many cars?")
    bob.ask(one.id, "How many vans?")
    to_bob, to_ann = ann.bundle(), bob.bundle()
    ann.merge(to_ann)
    bob.merge(to_bob)
    assert _question(ann, one.id) == _question(bob, one.id)
    with ann.open() as session:
        (fork,) = session.reader.forks.all()
        assert (fork.entity, fork.field) == ("item", "question")
        assert {(one.actor, one.value) for one in fork.values} == {
            ("ann", '"How many cars?"'),
            ("bob", '"How many vans?"'),
        }
        assert fork.values[0].value == f'"{_question(bob, one.id)}"'
    assert (_problems(ann), _problems(bob)) == ([], [])


def test_fork_when_edited_as_usual_then_is_refused_and_a_choice_names_both_and_travels(
    tmp_path: Path,
) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "cars")
    bob.ask(one.id, "vans")
    ann.merge(bob.bundle())
    with pytest.raises(UserError, match="Two workstations have changed the question"):
        ann.ask(one.id, "buses")
    with ann.open() as session:
        (fork,) = session.reader.forks.all()
        loser = fork.values[1]
        choice = ResolveFork(entity_id=one.id, field="question", event=loser.event)
        session.execute(choice).result()
        assert session.reader.forks.all() == []
        assert f'"{session.reader.require(Item, one.id).question}"' == loser.value
        with pytest.raises(UserError, match="no such value"):
            session.execute(choice).result()
    bob.merge(ann.bundle())
    with bob.open() as session:
        assert session.reader.forks.all() == []
    assert f'"{_question(bob, one.id)}"' == loser.value
    ann.ask(one.id, "buses")
    assert (_problems(ann), _problems(bob)) == ([], [])


def test_field_when_two_give_it_the_same_value_then_is_no_fork(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "cars")
    bob.ask(one.id, "cars")
    ann.merge(bob.bundle())
    with ann.open() as session:
        assert session.reader.forks.all() == []
    ann.ask(one.id, "buses")
    assert _question(ann, one.id) == "buses"


def test_actor_when_cloned_then_both_histories_are_kept(tmp_path: Path) -> None:
    ann, _ = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    (tmp_path / "laptop").mkdir()
    laptop = Workstation(tmp_path / "laptop" / "p.vantage", person="ann")
    shutil.copy(ann.path, laptop.path)
    ann.add(item("desk"))
    laptop.add(item("lap"))
    ann.merge(laptop.bundle())
    laptop.merge(ann.bundle())
    ann.merge(laptop.bundle())
    assert ann.content() == laptop.content()
    assert len(ann.content()["item"]) == 3
    assert (_problems(ann), _problems(laptop)) == ([], [])


def test_person_when_new_on_two_machines_then_is_one_actor(
    tmp_path: Path,
) -> None:
    bob, desk = joined(tmp_path, "bob", "ann")
    (tmp_path / "laptop").mkdir()
    laptop = Workstation(tmp_path / "laptop" / "p.vantage", person="ann")
    shutil.copy(desk.path, laptop.path)
    desk.add(item("desk"))
    laptop.add(item("lap"))
    for station in (bob, desk, laptop):
        others = [one.bundle() for one in (laptop, desk, bob) if one is not station]
        station.merge(*others)
    bob.merge(laptop.bundle(), desk.bundle())
    desk.merge(bob.bundle())
    laptop.merge(bob.bundle())
    assert bob.content() == desk.content() == laptop.content()
    assert len(bob.content()["item"]) == 2
    assert [_problems(station) for station in (bob, desk, laptop)] == [[], [], []]


def test_backup_when_restored_and_gone_on_with_then_the_lost_events_come_back(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    shutil.copy(ann.path, tmp_path / "backup")
    ann.add(item("later"))
    bob.merge(ann.bundle())
    shutil.copy(tmp_path / "backup", ann.path)
    ann.add(item("after"))
    ann.merge(bob.bundle())
    assert {record["name"] for _, record in ann.content()["item"].values()} == {"a1", "later", "after"}
    assert _problems(ann) == []


def test_clock_when_years_off_then_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    with monkeypatch.context() as patched:
        now = time.time_ns()
        patched.setattr(time, "time_ns", lambda: now - 20 * 365 * 86_400 * 10**9)
        bob.ask(one.id, "by an old clock")
    ann.merge(bob.bundle())
    assert _question(ann, one.id) == "by an old clock"
    ann.ask(one.id, "later")
    bob.merge(ann.bundle())
    assert _question(bob, one.id) == "later"
    with bob.open() as session:
        assert session.reader.forks.all() == []


def test_undo_when_a_bundle_came_in_between_then_undoes_ones_own_command(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    bob.add(item("b1"))
    ann.add(item("a1"))
    with ann.open() as session:
        session.merge(bob.bundle()).result()
        assert undo_label(session) == "Write"
        session.undo().result()
        assert [one.name for one in session.reader.records(Item)] == ["b1"]
    assert _problems(ann) == []


@pytest.fixture
def two_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Workstation, Workstation]:
    """Return two copies of one person on machines of their own; opening one takes its settings folder."""

    class Machine(Workstation):
        def open(self) -> Session:
            monkeypatch.setenv("VANTAGE_CONFIG", str(self.path.parent / "settings"))
            return super().open()

    joined(tmp_path, "ann", "lap")
    desk, laptop = (Machine(tmp_path / name / "p.vantage", person="ann") for name in ("ann", "lap"))
    return desk, laptop


def test_undo_when_a_person_has_two_machines_then_takes_back_what_was_done_on_this_one(
    two_machines: tuple[Workstation, Workstation],
) -> None:
    desk, laptop = two_machines
    desk.add(item("on the desk"))
    laptop.add(item("on the laptop"))
    desk.merge(laptop.bundle())
    with desk.open() as session:
        session.undo().result()
        assert [one.name for one in session.reader.records(Item)] == ["on the laptop"]
        assert undo_label(session) == ""
        with pytest.raises(UserError, match="nothing to undo"):
            session.undo().result()
        session.redo().result()
    laptop.merge(desk.bundle())
    with laptop.open() as session:
        session.undo().result()
        assert [one.name for one in session.reader.records(Item)] == ["on the desk"]
    assert (_problems(desk), _problems(laptop)) == ([], [])


def test_undo_when_the_field_was_changed_on_the_other_machine_since_then_refuses(
    two_machines: tuple[Workstation, Workstation],
) -> None:
    desk, laptop = two_machines
    desk.add(one := item("a1"))
    desk.ask(one.id, "cars")
    laptop.merge(desk.bundle())
    laptop.ask(one.id, "vans")
    desk.merge(laptop.bundle())
    with (
        desk.open() as session,
        pytest.raises(UserError, match="You have changed the question on another machine"),
    ):
        session.undo().result()
    assert _question(desk, one.id) == "vans"


def test_undo_when_a_large_undo_on_the_other_machine_removed_the_record_since_then_refuses(
    two_machines: tuple[Workstation, Workstation], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, laptop = two_machines
    desk.add(one := item("a1"), item("a2"))
    laptop.merge(desk.bundle())
    with laptop.open() as session:
        write(session, removed("item", one.id))
    monkeypatch.setattr(command_runner, "LARGE_UNDO_EVENTS", 1)
    with desk.open() as session:
        session.undo().result()
    laptop.merge(desk.bundle())
    with (
        laptop.open() as session,
        pytest.raises(UserError, match="You have changed the item on another machine"),
    ):
        session.undo().result()
    assert _problems(laptop) == []


def test_changes_when_a_bundle_is_merged_then_tell_the_window_what_is_new(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    bob.add(one := item("b1"))
    bundle = bob.bundle()
    told = []
    with ann.open() as session:
        session.subscribe(told.append)
        session.merge(bundle).result()
    assert told[0].ids["item"] == frozenset({one.id})
    assert "*" in told[0].fields["item"]


def test_project_when_made_from_a_part_then_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    (ann,) = joined(tmp_path, "ann")
    first = ann.bundle()
    ann.add(item("a1"))
    part = ann.bundle(since=first)
    target = tmp_path / "new.vantage"
    with pytest.raises(UserError, match="does not contain all events"):
        Session.create_from_bundle(target, part)
    assert not target.exists()


def test_person_when_added_by_name_on_two_workstations_then_is_one_person_after_the_merge(
    tmp_path: Path,
) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"), item("a2"))
    bob.merge(ann.bundle())
    for station, name, answer in ((ann, "a1", "A"), (bob, "a2", "B")):
        table = tmp_path / f"{name}.csv"
        table.write_text(f"name,person,answer\n{name},Cleo,{answer}\n")
        with station.open() as session:
            session.execute(read_responses(table, session.reader, executing=session.actor)).result()
    bob.merge(ann.bundle())
    ann.merge(bob.bundle())
    bob.merge(ann.bundle())
    for station in (ann, bob):
        with station.open() as session:
            (cleo,) = (one.id for one in session.reader.records(Actor) if one.name == "Cleo")
            assert [one.person for one in session.reader.records(Response)] == [cleo, cleo]
        assert _problems(station) == []
    assert ann.content() == bob.content()


def test_removal_when_its_bundle_comes_before_the_creation_then_waits(tmp_path: Path) -> None:
    ann, bob, cid = joined(tmp_path, "ann", "bob", "cid")
    ann.add(one := item("a1"))
    first = ann.bundle()
    bob.merge(first)
    with bob.open() as session:
        write(session, Edit(entity="item", entity_id=one.id, field=REMOVED, value=True))
    second = bob.bundle(since=first)
    (early,) = cid.merge(second)
    assert early.waiting > 0
    cid.merge(first)
    assert cid.content()["item"] == bob.content()["item"]
    assert _problems(cid) == []


def test_flag_when_its_bundle_comes_before_the_item_then_waits_and_counts(tmp_path: Path) -> None:
    ann, bob, cid = joined(tmp_path, "ann", "bob", "cid")
    ann.add(one := item("a1", answer_key="A", question="How many?"))
    first = ann.bundle()
    bob.merge(first)
    with bob.open() as session:
        flag = Flag(id=new_id(), entity="item", target=one.id, kind="option_similarity")
        write(session, created("flag", flag))
    cid.merge(bob.bundle(since=first))
    assert cid.content()["flag"] == {}
    cid.merge(first)
    assert list(cid.content()["flag"]) == [flag.id]
    assert _problems(cid) == []


def test_copy_when_made_from_a_bundle_then_what_is_done_in_it_waits_for_that_bundle(tmp_path: Path) -> None:
    ann, cid = joined(tmp_path, "ann", "cid")
    ann.add(one := item("a1"))
    everything = ann.bundle()
    (tmp_path / "bob").mkdir()
    bob = Workstation(tmp_path / "bob" / "p.vantage", person="bob")
    Session.create_from_bundle(bob.path, everything, actor=bob.actor).close()
    with bob.open() as session:
        flag = Flag(id=new_id(), entity="item", target=one.id, kind="option_similarity")
        write(session, created("flag", flag))
    (early,) = cid.merge(bob.bundle(since=everything))
    assert early.added == 0
    cid.merge(everything)
    assert _problems(cid) == []
    assert cid.content()["flag"] == bob.content()["flag"]


def test_edit_when_a_bundle_was_merged_during_an_import_then_is_newer_everywhere(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    # Each import leaves out a gap of lamport numbers, so that bob's are far beyond ann's.
    for name in ("b1", "b2"):
        with bob.open() as session:
            _publish(session, Stage.begin(bob.path, actor=bob.actor), item(name))
    bob.ask(one.id, "from bob")
    with ann.open() as session:
        stage = Stage.begin(ann.path, actor=ann.actor)
        ann.merge(bob.bundle())
        _publish(session, stage, item("imported"))
    ann.ask(one.id, "ann, later")
    assert _problems(ann) == []
    everything = ann.bundle()
    bob.merge(everything)
    assert _question(bob, one.id) == "ann, later"
    Session.create_from_bundle(tmp_path / "new.vantage", everything, actor=bob.actor).close()


def _publish(session: Session, stage: Stage, one: Item) -> None:
    record = CommandRecord(id=new_id(), code="add_responses", parameters={"count": 1})
    stage.add(Edit(entity="item", entity_id=one.id, field=CREATED, value=one), command=record.id)
    stage.write(command=record.id)
    writer = session._commands._writer
    writer.publish(stage, record, require_current=lambda _: None, origin=Origin(session.actor))
    stage.discard()
    stage.close()


def test_names_when_one_person_has_two_then_nothing_is_blocked(tmp_path: Path) -> None:
    ann, _ = joined(tmp_path, "ann", "bob")
    (tmp_path / "laptop").mkdir()
    laptop = Workstation(tmp_path / "laptop" / "p.vantage", person="ann")
    shutil.copy(ann.path, laptop.path)
    ann.actor = msgspec.structs.replace(ann.actor, name="Ann A.")
    laptop.actor = msgspec.structs.replace(ann.actor, name="Ann on the laptop")
    ann.add(item("desk"))
    laptop.add(item("lap"))
    ann.merge(laptop.bundle())
    laptop.merge(ann.bundle())
    ann.add(item("desk 2"))
    laptop.add(item("lap 2"))
    assert (_problems(ann), _problems(laptop)) == ([], [])


def _forked(folder: Path) -> tuple[Workstation, Workstation, Item]:
    """Return two workstations, of which the first has the fork of a question."""
    ann, bob = joined(folder, "ann", "bob")
    ann.add(one := item("a1"))
    bob.merge(ann.bundle())
    ann.ask(one.id, "cars")
    bob.ask(one.id, "vans")
    ann.merge(bob.bundle())
    return ann, bob, one


def _choose(session: Session, item: Item, *, index: int) -> None:
    (fork,) = session.reader.forks.all()
    event = fork.values[index].event
    session.execute(ResolveFork(entity_id=item.id, field="question", event=event)).result()


def test_choice_when_undone_then_the_fork_is_open_again_everywhere_with_its_authors(tmp_path: Path) -> None:
    ann, bob, one = _forked(tmp_path)
    shown = _question(ann, one.id)
    with ann.open() as session:
        (before,) = session.reader.forks.all()
        _choose(session, one, index=1)
        assert session.reader.forks.all() == []
        assert session.reader.require(Item, one.id).question != shown
        session.undo().result()
        (again,) = session.reader.forks.all()
        assert session.reader.require(Item, one.id).question == shown
    values = [(value.value, value.actor, value.wall_time) for value in before.values]
    assert [(value.value, value.actor, value.wall_time) for value in again.values] == values
    bob.merge(ann.bundle())
    with bob.open() as session:
        (fork,) = session.reader.forks.all()
        assert [(value.value, value.actor, value.wall_time) for value in fork.values] == values
    assert _question(bob, one.id) == shown
    assert (_problems(ann), _problems(bob)) == ([], [])


def test_choice_when_undone_then_is_redone_or_chosen_the_other_way(tmp_path: Path) -> None:
    ann, bob, one = _forked(tmp_path)
    with ann.open() as session:
        _choose(session, one, index=1)
        chosen = session.reader.require(Item, one.id).question
        session.undo().result()
        session.redo().result()
        assert session.reader.forks.all() == []
        assert session.reader.require(Item, one.id).question == chosen
        session.undo().result()
        _choose(session, one, index=0)
        assert session.reader.require(Item, one.id).question != chosen
    bob.merge(ann.bundle())
    assert bob.content() == ann.content()
    assert (_problems(ann), _problems(bob)) == ([], [])


def test_bundles_when_one_of_several_is_not_sound_then_the_others_are_merged(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    good, bad = ann.bundle(), ann.bundle()
    bad.write_text("no archive")
    reports = bob.merge(bad, good)
    assert [bool(report.problem) for report in reports] == [True, False]
    assert len(bob.content()["item"]) == 1


def test_bundle_since_a_partial_one_when_written_then_goes_on_after_it(tmp_path: Path) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    bundles: list[Path] = []
    for number in range(4):
        ann.add(item(f"a{number}"))
        bundles.append(ann.bundle(since=bundles[-1] if bundles else None))
    reports = bob.merge(*reversed(bundles))
    assert len(bob.content()["item"]) == 4
    assert sum(report.added for report in reports) > 0
    assert waiting_bundles(bob.path) == []
    (again,) = bob.merge(bundles[-1])
    assert again.added == 0


def test_waiting_bundles_when_their_folder_is_a_link_then_nothing_is_written_or_deleted_behind_it(
    tmp_path: Path,
) -> None:
    ann, bob = joined(tmp_path, "ann", "bob")
    ann.add(item("a1"))
    first = ann.bundle()
    ann.add(item("a2"))
    second = ann.bundle(since=first)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(first, outside / "mine.bundle")
    waiting_folder(bob.path).symlink_to(outside)
    with pytest.raises(EnvironmentFailure, match="is a link that leads to"):
        bob.merge(second)
    bob.merge(first)
    assert [path.name for path in outside.iterdir()] == ["mine.bundle"]


def _ranges(bundle: Path) -> Mapping[str, tuple[int, int]]:
    with BundleReader.open(bundle) as reader:
        return reader.manifest.ranges


def test_keep_waiting_when_the_copy_is_not_on_the_disk_then_no_bundle_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    bundle, project = tmp_path / "a.vbundle", tmp_path / "p.vantage"
    bundle.write_bytes(b"content")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(EnvironmentFailure, match=r"could not be kept until .* Input/output error"):
        keep_waiting(project, bundle)
    assert list(waiting_folder(project).iterdir()) == []
