"""The exchange folder: what each copy writes, and what it takes from files as sync programs leave them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from annotator.domain.actor import Actor
from annotator.domain.signature import TrustedKey, make_private_key, public_key
from annotator.errors import EnvironmentFailure, UserError
from annotator.exchange import exchange_folder
from annotator.exchange.exchange_folder import (
    ExchangeFolder,
    ExchangeReport,
    choose_exchange_folder,
    exchange_folder_of,
)
from annotator.progress import Progress
from annotator.session import Session
from annotator.signing_keys import make_key, trust_key
from annotator.store.bundles.bundle_file import Manifest, read_manifest
from tests.unit.store.bundles.workstations import Workstation, item, joined
from tests.unit.store.making import created, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sync"
    made.mkdir()
    return made


@pytest.fixture
def team(tmp_path: Path) -> list[Workstation]:
    return joined(tmp_path, "ann", "bob", "cem")


@contextmanager
def at(person: Workstation, folder: Path) -> Iterator[Session]:
    with person.open() as session:
        choose_exchange_folder(session, folder)
        yield session


def exchange(person: Workstation, folder: Path) -> ExchangeReport:
    with at(person, folder) as session:
        return ExchangeFolder(session, folder, is_patient=False).exchange(progress=Progress())


def names(person: Workstation) -> set[str]:
    return {record["name"] for _, record in person.content()["item"].values()}


def bundle_of(folder: Path, person: str) -> Path:
    (found,) = folder.glob(f"* {person} *.bundle")
    return found


def test_exchange_when_three_take_turns_then_all_have_everything_and_each_wrote_one_file(
    team: list[Workstation], folder: Path
) -> None:
    for person in team:
        person.add(item(f"of {person.actor.name}"))
    for person in (*team, *team):
        exchange(person, folder)
    assert [names(person) for person in team] == [{"of ann", "of bob", "of cem"}] * 3
    assert len(list(folder.iterdir())) == 3
    contents = [person.content() for person in team]
    assert contents[0] == contents[1] == contents[2]


def test_exchange_when_somebody_new_has_only_the_folder_then_it_has_the_whole_log(
    team: list[Workstation], folder: Path, tmp_path: Path
) -> None:
    ann, bob, _cem = team
    bob.add(item("b1"))
    # Bob does not take part in the folder: Ann's bundle has what he did.
    ann.merge(bob.bundle())
    exchange(ann, folder)
    copy = tmp_path / "new.vantage"
    Session.create_from_bundle(copy, bundle_of(folder, "ann")).close()
    assert names(Workstation(copy, person="eve")) == {"b1"}


def test_publish_when_nothing_is_new_then_the_file_is_not_written_again(
    team: list[Workstation], folder: Path
) -> None:
    ann = team[0]
    ann.add(item("a1"))
    assert exchange(ann, folder).written > 0
    before = bundle_of(folder, "ann").stat().st_mtime_ns
    # Opening a project and choosing a folder are no edits.
    assert exchange(ann, folder).written == 0
    assert bundle_of(folder, "ann").stat().st_mtime_ns == before
    ann.add(item("a2"))
    assert 0 < exchange(ann, folder).written < 10


def test_exchange_when_nobody_edits_then_no_copy_tells_the_others_of_its_merges(
    team: list[Workstation], folder: Path
) -> None:
    ann, bob, *_ = team
    ann.add(item("a"))
    bob.add(item("b"))
    for person in (ann, bob, ann):
        exchange(person, folder)
    written = {path: path.read_bytes() for path in folder.iterdir()}
    for person in (bob, ann, bob, ann):
        report = exchange(person, folder)
        assert (report.written, report.outcome.added) == (0, 0)
    assert {path: path.read_bytes() for path in folder.iterdir()} == written
    # With the next edit they travel.
    bob.add(item("c"))
    exchange(bob, folder)
    exchange(ann, folder)
    assert names(ann) == names(bob) == {"a", "b", "c"}


def test_publish_when_the_file_has_grown_then_it_stays_and_the_next_begins_after_it(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, _cem = team
    monkeypatch.setattr(exchange_folder, "PART_EVENTS", 5)
    ann.add(*(item(f"a{number}") for number in range(8)))
    exchange(ann, folder)
    (part,) = folder.iterdir()
    assert part.name.endswith(".1.bundle")
    ann.add(item("later"))
    exchange(ann, folder)
    growing = next(path for path in folder.iterdir() if path != part)
    assert growing.stat().st_size < part.stat().st_size
    exchange(bob, folder)
    assert len(names(bob)) == 9


def test_publish_when_an_own_part_has_left_the_folder_then_its_events_are_written_again(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, _cem = team
    with monkeypatch.context() as small, at(ann, folder) as session:
        small.setattr(exchange_folder, "PART_EVENTS", 5)
        own = ExchangeFolder(session, folder, is_patient=False)
        write(session, *(created("item", item(f"a{number}")) for number in range(8)))
        own.exchange(progress=Progress())
        write(session, created("item", item("later")))
        own.exchange(progress=Progress())
    (part,) = folder.glob("*.1.bundle")
    part.unlink()
    assert exchange(ann, folder).written > 0
    assert exchange(ann, folder).written == 0
    exchange(bob, folder)
    assert len(names(bob)) == 9


def test_publish_when_the_bundle_of_another_has_left_the_folder_then_somebody_new_still_gets_all_of_it(
    team: list[Workstation], folder: Path, tmp_path: Path
) -> None:
    ann, bob, _cem = team
    with at(bob, folder) as session:
        own = ExchangeFolder(session, folder, is_patient=False)
        write(session, created("item", item("b1")))
        own.exchange(progress=Progress())
        exchange(ann, folder)
        write(session, created("item", item("b2")))
        # Ann passes on what the bundle of Bob lacks: the later part of the same chain.
        session.export_bundle(tmp_path / "mail.bundle")
    left = bundle_of(folder, "bob")
    content = left.read_bytes()
    left.unlink()
    ann.merge(tmp_path / "mail.bundle")
    left.write_bytes(content)
    exchange(ann, folder)
    left.unlink()
    exchange(ann, folder)
    copy = tmp_path / "new.vantage"
    Session.create_from_bundle(copy, bundle_of(folder, "ann")).close()
    assert names(Workstation(copy, person="eve")) == {"b1", "b2"}


@pytest.mark.parametrize(
    "name",
    [
        "{stem} (1).bundle",
        "{stem}.sync-conflict-20260101-120000-ABCDEFG.bundle",
        "{stem}.bundle.sync-conflict-20260101-120000-ABCDEFG",
        "{stem}.bundle (2)",
        "{stem} (Ann's conflicted copy 2026-01-01).bundle",
        "{stem}-LAPTOP.BUNDLE",
    ],
)
def test_receive_when_a_sync_program_renamed_the_bundle_then_it_is_merged(
    name: str, team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    ann.add(item("a1"))
    exchange(ann, folder)
    path = bundle_of(folder, "ann")
    path.rename(folder / name.format(stem=path.stem))
    exchange(bob, folder)
    assert names(bob) == {"a1"}


@pytest.mark.parametrize(
    "name", [".x.bundle", "~x.bundle", "x.bundle.part", "x.bundle.tmp", ".syncthing.x.bundle.tmp"]
)
def test_receive_when_a_file_is_a_sync_programs_own_then_it_is_not_looked_at(
    name: str, team: list[Workstation], folder: Path
) -> None:
    (folder / name).write_bytes(b"half")
    report = exchange(team[0], folder)
    assert (report.problems, report.pending) == ((), ())


def _lose(path: Path) -> None:
    path.unlink()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [_lose, _cut, _empty])
def test_publish_when_the_own_file_was_lost_or_cut_then_it_is_written_again(
    spoil: Callable[[Path], None], team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    ann.add(item("a1"))
    exchange(ann, folder)
    spoil(bundle_of(folder, "ann"))
    exchange(ann, folder)
    exchange(bob, folder)
    assert names(bob) == {"a1"}


def test_receive_when_a_bundle_is_half_written_then_it_is_waited_for_and_merged_once_it_is_whole(
    team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    ann.add(item("a1"))
    exchange(ann, folder)
    path = bundle_of(folder, "ann")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with at(bob, folder) as session:
        watched = ExchangeFolder(session, folder, is_patient=True)
        for _ in range(3):
            report = watched.receive(progress=Progress())
            assert (report.problems, report.pending) == ((), (path.name,))
        path.write_bytes(whole)
        assert watched.receive(progress=Progress()).pending == (path.name,)
        assert watched.receive(progress=Progress()).outcome.added > 0
        assert watched.receive(progress=Progress()).pending == ()


def test_receive_when_a_bundle_stays_half_then_it_is_reported_once_with_what_to_do(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_folder, "UNSOUND_AFTER_S", 0.0)
    (folder / "p eve.bundle").write_bytes(b"half")
    with at(team[0], folder) as session:
        watched = ExchangeFolder(session, folder, is_patient=True)
        reports = [watched.receive(progress=Progress()) for _ in range(4)]
    told = [problem for report in reports for problem in report.problems]
    assert len(told) == 1
    assert told[0][0] == "p eve.bundle"
    assert "Copy the bundle again" in told[0][2]


def test_exchange_when_a_folder_is_called_like_a_bundle_then_is_no_bundle_and_holds_nothing_up(
    team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    bob.add(item("b1"))
    ann.merge(bob.bundle())
    (folder / "old.bundle").mkdir()
    with at(ann, folder) as session:
        own = ExchangeFolder(session, folder, is_patient=True)
        # The own bundle is new in the second, and settled in the third.
        reports = [own.exchange(progress=Progress()) for _ in range(3)]
    assert not any("old.bundle" in one.pending or one.problems for one in reports)
    chains = read_manifest(bundle_of(folder, "ann")).ranges
    assert any(chain.startswith(bob.actor.id) for chain in chains), "what Bob did is passed on"


def test_receive_when_a_bundle_stays_unreadable_then_it_is_reported_once_and_others_are_passed_on(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, _cem = team
    bob.add(item("b1"))
    ann.merge(bob.bundle())
    blocked = folder / "blocked.bundle"
    blocked.write_bytes(b"x")
    monkeypatch.setattr(exchange_folder, "read_manifest", partial(_read_unless, blocked))
    with at(ann, folder) as session:
        own = ExchangeFolder(session, folder, is_patient=True)
        own.exchange(progress=Progress())
        assert blocked.name in own.exchange(progress=Progress()).pending
        monkeypatch.setattr(exchange_folder, "UNSOUND_AFTER_S", 0.0)
        reports = [own.exchange(progress=Progress()) for _ in range(2)]
    assert not any(blocked.name in one.pending for one in reports)
    assert [[name for name, _, _ in one.problems] for one in reports] == [[blocked.name], []]
    chains = read_manifest(bundle_of(folder, "ann")).ranges
    assert any(chain.startswith(bob.actor.id) for chain in chains), "what Bob did is passed on"


def _read_unless(blocked: Path, path: Path) -> Manifest:
    if path == blocked:
        raise EnvironmentFailure(f"{path} cannot be read: Permission denied.")
    return read_manifest(path)


def test_receive_when_a_bundle_was_refused_for_its_key_then_it_is_merged_once_the_key_is_trusted(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ann, bob, _cem = team
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "of ann"))
    new = make_key(ann.actor)
    ann.add(item("a1"))
    exchange(ann, folder)
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "of bob"))
    trust_key(TrustedKey(actor=ann.actor.id, name="ann", key=public_key(make_private_key())))
    with at(bob, folder) as session:
        own = ExchangeFolder(session, folder, is_patient=False)
        problems = [own.receive(progress=Progress()).problems for _ in range(2)]
        assert ["with a key that is not trusted" in message for (_, message, _) in problems[0]] == [True]
        assert problems[1] == ()
        trust_key(TrustedKey(actor=ann.actor.id, name="ann", key=new))
        assert own.receive(progress=Progress()).outcome.added > 0
    assert names(bob) == {"a1"}


def test_receive_when_bundles_of_another_project_lie_there_then_they_are_left_alone(
    team: list[Workstation], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (eve,) = joined(tmp_path / "other", "eve")
    eve.add(item("e1"))
    exchange(eve, folder)
    ann = team[0]
    report = exchange(ann, folder)
    assert report.problems == ()
    assert names(ann) == set()
    assert len(list(folder.iterdir())) == 2


def test_exchange_when_the_copy_was_restored_from_a_backup_then_the_folder_gives_the_lost_events_back(
    team: list[Workstation], folder: Path, tmp_path: Path
) -> None:
    ann, bob, _cem = team
    ann.add(item("before"))
    shutil.copyfile(ann.path, tmp_path / "backup")
    ann.add(item("lost"))
    exchange(ann, folder)
    shutil.copyfile(tmp_path / "backup", ann.path)
    ann.add(item("after"))
    exchange(ann, folder)
    exchange(bob, folder)
    assert names(ann) == names(bob) == {"before", "lost", "after"}


def test_exchange_when_one_person_has_two_copies_then_each_writes_a_file_of_its_own(
    team: list[Workstation], folder: Path, tmp_path: Path
) -> None:
    ann, bob, _cem = team
    clone = Workstation(tmp_path / "clone.vantage", person="ann")
    shutil.copyfile(ann.path, clone.path)
    ann.add(item("desk"))
    clone.add(item("laptop"))
    for person in (ann, clone, ann, clone, bob):
        exchange(person, folder)
    assert names(ann) == names(clone) == names(bob) == {"desk", "laptop"}
    assert len(list(folder.glob("* ann *.bundle"))) == 2


def test_exchange_when_another_person_goes_on_in_the_same_window_then_each_has_a_file(
    team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    eve = Actor(id="e" * 32, name="eve")
    with at(ann, folder) as session:
        watched = ExchangeFolder(session, folder, is_patient=False)
        write(session, created("item", item("of ann")))
        watched.exchange(progress=Progress())
        write(session, created("item", item("late, of ann")))
        session.use_actor(eve)
        write(session, created("item", item("of eve")))
        watched.exchange(progress=Progress())
    assert len(list(folder.glob("* eve *.bundle"))) == len(list(folder.glob("* ann *.bundle"))) == 1
    exchange(bob, folder)
    assert names(bob) == {"of ann", "late, of ann", "of eve"}


def test_publish_when_the_disk_refuses_then_says_what_to_do(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.unlink

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        if path.suffix == ".bundle":
            raise PermissionError(13, "Permission denied")
        real(path, missing_ok=missing_ok)

    monkeypatch.setattr(exchange_folder, "PART_EVENTS", 1)
    monkeypatch.setattr(Path, "unlink", refuse)
    with at(team[0], folder) as session, pytest.raises(EnvironmentFailure, match="Permission denied"):
        ExchangeFolder(session, folder, is_patient=False).exchange(progress=Progress())


def test_exchange_when_bundles_arrive_late_twice_and_out_of_order_then_all_copies_agree(
    team: list[Workstation], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, cem = team
    monkeypatch.setattr(exchange_folder, "PART_EVENTS", 3)
    for number in range(4):
        ann.add(item(f"a{number}"))
        exchange(ann, folder)
    held = sorted(folder.iterdir())
    assert len(held) > 2
    away = folder.parent / "away"
    away.mkdir()
    for path in held:
        path.rename(away / path.name)
    # The newest first, one twice under another name, the first ones last.
    for path in reversed(held):
        shutil.copyfile(away / path.name, folder / path.name)
        shutil.copyfile(away / path.name, folder / f"{path.stem} (1).bundle")
        exchange(bob, folder)
    exchange(cem, folder)
    assert names(bob) == names(cem) == {f"a{number}" for number in range(4)}


def test_exchange_when_the_folder_is_gone_then_says_what_to_do(team: list[Workstation], folder: Path) -> None:
    with at(team[0], folder) as session:
        folder.rmdir()
        with pytest.raises(EnvironmentFailure, match=r"cannot be read.*start its sync program"):
            ExchangeFolder(session, folder, is_patient=False).exchange(progress=Progress())


def test_choice_when_stored_then_holds_for_this_copy_alone_until_it_is_ended(
    team: list[Workstation], folder: Path
) -> None:
    ann, bob, _cem = team
    with at(ann, folder) as session, bob.open() as other:
        assert (exchange_folder_of(session), exchange_folder_of(other)) == (folder, None)
        choose_exchange_folder(session, None)
        assert exchange_folder_of(session) is None
        with pytest.raises(UserError, match="does not exist"):
            choose_exchange_folder(session, folder / "none")
