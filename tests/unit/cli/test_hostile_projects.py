"""A project from a stranger that tries each way out of its folder: nothing is read or written there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.domain.medium import Medium
from annotator.domain.own_files import read_own
from annotator.errors import EnvironmentFailure, UserError
from annotator.jobs.confirmed_runs import ConfirmedRuns
from annotator.jobs.worker_context import WorkerContexts
from annotator.media.file_import import import_files
from annotator.media.grouping import group_individually
from annotator.media.image_decoder import decode_image
from annotator.media.listing import frame_files, list_media
from annotator.media.media_roots import OWN
from annotator.media.probe import probe_media
from annotator.progress import Progress
from annotator.queries.media_survey import survey_media
from annotator.session import Session
from annotator.store.backup_thinning import thin_backups
from annotator.store.backups import backup_folder, list_backups, make_backup
from annotator.user_profile import config_folder
from tests.unit.cli.conftest import Verb
from tests.unit.jobs.working import enter, plans
from tests.unit.store.making import changed, created, write


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a folder of the person with a picture that no project was given."""
    home = tmp_path / "home"
    (home / "frames").mkdir(parents=True)
    for file in (home / "secret.png", home / "frames" / "1.png"):
        cv2.imwrite(str(file), np.full((6, 8, 3), 9, np.uint8))
    return home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder that a stranger's project lies in."""
    folder = tmp_path / "sent"
    (folder / "p.media" / "frames").mkdir(parents=True)
    return folder


def _by_root_file(folder: Path, home: Path) -> str:
    (folder / "p.roots.json").write_text(json.dumps({"roots": {"disk": str(home)}}))
    return "@disk/secret.png"


def _by_relative_root_file(folder: Path, home: Path) -> str:
    (folder / "p.roots.json").write_text(json.dumps({"roots": {"disk": os.path.relpath(home)}}))
    return "@disk/secret.png"


def _by_absolute_path(_folder: Path, home: Path) -> str:
    return str(home / "secret.png")


def _by_parents(_folder: Path, _home: Path) -> str:
    return "../../home/secret.png"


def _by_link_to_a_file(folder: Path, home: Path) -> str:
    (folder / "p.media" / "a.png").symlink_to(home / "secret.png")
    return "a.png"


def _by_link_to_a_folder(folder: Path, home: Path) -> str:
    (folder / "p.media" / "inner").symlink_to(home, target_is_directory=True)
    return "inner/secret.png"


def _by_the_media_folder_itself(folder: Path, home: Path) -> str:
    (folder / "p.media" / "frames").rmdir()
    (folder / "p.media").rmdir()
    (folder / "p.media").symlink_to(home, target_is_directory=True)
    return "secret.png"


WAYS = (
    _by_root_file,
    _by_relative_root_file,
    _by_absolute_path,
    _by_parents,
    _by_link_to_a_file,
    _by_link_to_a_folder,
    _by_the_media_folder_itself,
)


def _project(folder: Path, path: str, **fields: object) -> Path:
    """Write the project of a stranger, with one medium at a path."""
    file = folder / "p.vantage"
    medium = Medium(**{"id": "m", "name": "secret.png", "path": path, **fields})
    with Session.create(file) as session:
        write(session, created("medium", medium))
    return file


@pytest.mark.parametrize("way", WAYS)
def test_project_when_it_names_a_file_elsewhere_then_neither_window_verb_nor_worker_finds_it(
    folder: Path, home: Path, way: Callable[[Path, Path], str]
) -> None:
    path = way(folder, home)
    project = _project(folder, path)
    enter(project, plans(1), run="r1")
    with Session.open(project) as session:
        assert session.roots.file_of(path) is None
        survey = survey_media(session.reader, root=session.roots, progress=Progress())
        assert [entry.outcome for entry in survey.located] == ["missing"]
    contexts = WorkerContexts(project, confirmed=ConfirmedRuns(config_folder()))
    try:
        assert contexts.of("r1").roots.file_of(path) is None
    finally:
        contexts.leave()


@pytest.mark.parametrize(("way", "name"), [(_by_root_file, "disk"), (_by_the_media_folder_itself, OWN)])
def test_offers_when_the_person_confirms_them_then_the_project_finds_its_files_and_so_does_the_worker(
    folder: Path, home: Path, way: Callable[[Path, Path], str], name: str
) -> None:
    path = way(folder, home)
    project = _project(folder, path)
    enter(project, plans(1), run="r1")
    with Session.open(project) as session:
        assert session.roots.offers() == {name: home}
        session.roots.allow(session.roots.offers())
        assert session.roots.offers() == {}
    with Session.open(project) as session:
        assert session.roots.file_of(path) == home / "secret.png"
    contexts = WorkerContexts(project, confirmed=ConfirmedRuns(config_folder()))
    try:
        assert contexts.of("r1").roots.file_of(path) == home / "secret.png"
    finally:
        contexts.leave()


def test_offers_when_declined_then_are_not_asked_again_until_another_folder_is_named(
    folder: Path, home: Path, tmp_path: Path
) -> None:
    project = _project(folder, _by_root_file(folder, home))
    with Session.open(project) as session:
        session.roots.decline(session.roots.offers())
    with Session.open(project) as session:
        assert session.roots.offers() == {}
        assert session.roots.declined() == {"disk": home}
        _by_root_file(folder, tmp_path)
        assert session.roots.offers() == {"disk": tmp_path}
        assert session.roots.file_of("@disk/home/secret.png") is None


def test_link_when_it_leads_elsewhere_after_it_was_confirmed_then_is_asked_about_again(
    folder: Path, home: Path, tmp_path: Path
) -> None:
    project = _project(folder, _by_the_media_folder_itself(folder, home))
    with Session.open(project) as session:
        session.roots.allow(session.roots.offers())
        (folder / "p.media").unlink()
        (folder / "p.media").symlink_to(tmp_path, target_is_directory=True)
        assert session.roots.file_of("home/secret.png") is None
        assert session.roots.offers() == {OWN: tmp_path}


def test_folder_when_another_project_of_the_person_uses_it_then_the_strangers_does_not(
    folder: Path, home: Path, tmp_path: Path
) -> None:
    with Session.create(tmp_path / "mine.vantage") as mine:
        mine.roots.add(home, name="disk")
    project = _project(folder, _by_root_file(folder, home))
    with Session.open(project) as session:
        assert session.roots.file_of("@disk/secret.png") is None


def test_import_when_the_person_chooses_a_folder_then_it_is_confirmed_by_that(
    folder: Path, home: Path
) -> None:
    project = _project(folder, "")
    with Session.open(project) as session:
        listing = list_media([home], progress=Progress())
        grouping = group_individually(listing.names)
        import_files(listing, grouping, roots=session.roots, progress=Progress())
    with Session.open(project) as session:
        assert session.roots.file_of("@home/secret.png") == home / "secret.png"
        assert session.roots.offers() == {}


@pytest.mark.parametrize("is_whole", [True, False])
def test_import_when_the_media_folder_leads_out_then_nothing_is_written_there(
    folder: Path, home: Path, tmp_path: Path, is_whole: bool
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    if is_whole:
        _by_the_media_folder_itself(folder, target)
    else:
        (folder / "p.media" / "home").symlink_to(target, target_is_directory=True)
    project = _project(folder, "")
    with Session.open(project) as session:
        listing = list_media([home], progress=Progress())
        grouping = group_individually(listing.names)
        with pytest.raises(UserError, match="is a link that leads to"):
            import_files(listing, grouping, roots=session.roots, keep="link", progress=Progress())
    assert list(target.iterdir()) == []


def test_frames_when_one_is_a_link_that_leads_out_then_it_is_none_of_them(folder: Path, home: Path) -> None:
    frames = folder / "p.media" / "frames"
    (frames / "1.png").symlink_to(home / "secret.png")
    cv2.imwrite(str(frames / "2.png"), np.full((6, 8, 3), 200, np.uint8))
    (folder / "p.media" / "3.png").write_bytes((frames / "2.png").read_bytes())
    (frames / "3.png").symlink_to(folder / "p.media" / "3.png")
    assert [file.name for file in frame_files(frames)] == ["2.png", "3.png"]
    assert decode_image(frames).mean() == 200
    assert probe_media(frames, kind="frames", progress=Progress()).frames == 2


def test_backups_when_their_folder_is_a_link_then_nothing_is_listed_written_or_deleted_there(
    folder: Path, home: Path
) -> None:
    project = _project(folder, "")
    old = home / "20200101T000000.000000Z-timer.vantage"
    half = home / "20200101T000000.000000Z-timer.partial"
    for file in (old, home / old.name.replace("2020", "2021"), half):
        file.write_bytes(b"precious")
        os.utime(file, (0, 0))
    before = sorted(home.iterdir())
    backup_folder(project).symlink_to(home, target_is_directory=True)
    assert list_backups(project) == []
    assert thin_backups(project, now=datetime.now(UTC) + timedelta(days=900)) == []
    with pytest.raises(EnvironmentFailure, match="is a link that leads to"):
        make_backup(project, reason="by hand", progress=Progress())
    assert sorted(home.iterdir()) == before


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_project_when_a_file_of_sqlite_is_a_link_then_is_refused_and_the_target_is_as_before(
    folder: Path, home: Path, ending: str
) -> None:
    project = _project(folder, "")
    target = home / "letter.txt"
    target.write_bytes(b"precious" * 100)
    project.with_name(f"{project.name}{ending}").symlink_to(target)
    for opening in (Session.open, Session.open_for_reading):
        with pytest.raises(UserError, match="is a link"):
            opening(project)
    assert target.read_bytes() == b"precious" * 100


def test_files_of_a_team_when_they_are_links_that_lead_out_then_are_not_read(
    folder: Path, home: Path
) -> None:
    project = _project(folder, "")
    (home / "token.toml").write_text("token = 'precious'")
    (folder / "p.tasksets").mkdir()
    (folder / "p.tasksets" / "x.toml").symlink_to(home / "token.toml")
    assert read_own(project, ending=".tasksets", read=Path.read_text) == ({}, ())


def test_media_folder_when_a_forged_project_names_one_elsewhere_then_verbs_refuse_it(
    folder: Path, home: Path, verb: Verb
) -> None:
    project = _project(folder, "")
    with Session.open(project) as session:
        write(session, *changed("project", session.reader.project.id, media_root=str(home)))
    said = verb("media", project, "add", home, "--link")
    assert said.status != 0
    assert "outside of its own folder" in said.err
    assert sorted(path.name for path in home.iterdir()) == ["frames", "secret.png"]


def test_verbs_when_a_project_names_folders_then_say_so_and_media_roots_confirms_them(
    folder: Path, home: Path, verb: Verb
) -> None:
    project = _project(folder, _by_root_file(folder, home))
    said = verb("media", project, "survey", "--json")
    assert said.json["missing"] == ["secret.png"]
    assert "you have not confirmed" in said.err
    assert "media PROJECT roots" in said.err
    assert verb("media", project, "roots", "--json").json["not_confirmed"] == {"disk": str(home)}
    assert verb("media", project, "roots", "--decline", "--json").json["declined"] == {"disk": str(home)}
    assert "confirmed" not in verb("stats", project).err
    assert verb("media", project, "roots", "--allow", "--decline").status != 0
    assert verb("media", project, "roots", "--allow", "--json").json["used"]["@disk/"] == str(home)
    assert verb("media", project, "survey", "--json").json["missing"] == []
    assert str(home) in verb("media", project, "roots").out
