"""A project that names media folders which this person has not chosen: the window asks once."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from annotator.commands.media_import import ImportMedia
from annotator.media.confirmed_folders import FOLDER
from annotator.media.file_import import import_files
from annotator.media.grouping import group_individually
from annotator.media.listing import list_media
from annotator.progress import Progress
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.e2e.conftest import Open, Person
from widgets.library.folder_confirmation import FolderDialog


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project with a picture on a drive, as somebody else sends it: nothing is confirmed here."""
    drive = tmp_path / "drive"
    drive.mkdir()
    cv2.imwrite(str(drive / "a.png"), np.full((60, 80, 3), 40, np.uint8))
    path = tmp_path / "sent" / "p.vantage"
    path.parent.mkdir()
    with Session.create(path) as session:
        listing = list_media([drive], progress=Progress())
        grouping = group_individually(listing.names)
        file_import = import_files(listing, grouping, roots=session.roots, progress=Progress())
        session.execute(ImportMedia(file_import=file_import, dataset="set")).result()
    for file in (config_folder() / FOLDER).iterdir():
        file.unlink()

    offered = msgspec.json.encode({"roots": {"drive": str(drive)}})
    path.with_name("p.roots.json").write_bytes(offered)
    return path


def dialog_of(person: Person) -> FolderDialog:
    person.qtbot.waitUntil(lambda: person.window.findChild(FolderDialog) is not None)
    dialog = person.window.findChild(FolderDialog)
    assert dialog is not None
    return dialog


def healths(person: Person) -> dict[str, int]:
    rows = person.library.listing().facet_model.rows
    return {row.text: row.count for row in rows if row.facet.id == "health" and row.part == "value"}


def test_window_when_the_person_uses_the_folders_then_the_files_are_found_and_nobody_is_asked_again(
    project: Path, tmp_path: Path, open_window: Open
) -> None:
    person = open_window(project)
    dialog = dialog_of(person)
    assert str(tmp_path / "drive") in [label.text() for label in dialog.findChildren(QLabel)]
    person.library.show_list("medium")
    person.qtbot.waitUntil(lambda: person.library.inspector.detail is not None)
    detail = person.library.inspector.detail
    dialog.main.click()
    person.settle()
    # What is shown already is read again: its file is found now.
    person.qtbot.waitUntil(lambda: person.library.inspector.detail is not detail)
    shown = person.library.inspector.detail
    assert shown is not None
    assert [view.file for view in shown.media] == [tmp_path / "drive" / "a.png"]
    person.press("Alt+M")
    person.settle()
    person.qtbot.waitUntil(lambda: healths(person) == {"Found": 1})
    with Session.open(project) as session:
        assert session.roots.offers() == {}
        assert session.roots.file_of("@drive/a.png") == tmp_path / "drive" / "a.png"


@pytest.mark.parametrize(("key", "is_asked_again"), [(Qt.Key.Key_Return, False), (Qt.Key.Key_Escape, True)])
def test_window_when_enter_declines_or_escape_decides_nothing_then_the_files_stay_missing(
    project: Path, open_window: Open, key: Qt.Key, is_asked_again: bool
) -> None:
    person = open_window(project)
    dialog = dialog_of(person)
    QTest.keyClick(dialog.focusWidget(), key)
    person.settle()
    person.press("Alt+M")
    person.settle()
    person.qtbot.waitUntil(lambda: healths(person) == {"Missing": 1})
    with Session.open(project) as session:
        assert bool(session.roots.offers()) == is_asked_again
        assert session.roots.file_of("@drive/a.png") is None


def test_window_when_the_file_was_renamed_then_asks_for_its_own_folder_once_and_finds_the_files(
    tmp_path: Path, open_window: Open
) -> None:
    made = tmp_path / "p.vantage"
    with Session.create(made) as session:
        session.media_root.mkdir()
        cv2.imwrite(str(session.media_root / "a.png"), np.full((60, 80, 3), 40, np.uint8))
        listing = list_media([session.media_root], progress=Progress())
        grouping = group_individually(listing.names)
        file_import = import_files(listing, grouping, roots=session.roots, progress=Progress())
        session.execute(ImportMedia(file_import=file_import, dataset="set")).result()
        assert session.roots.offers() == {}
    renamed = made.rename(tmp_path / "q.vantage")
    person = open_window(renamed)
    dialog = dialog_of(person)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert "THE PROJECT'S OWN FOLDER" in texts
    assert str(tmp_path / "p.media") in texts
    dialog.main.click()
    person.settle()
    person.press("Alt+M")
    person.settle()
    person.qtbot.waitUntil(lambda: healths(person) == {"Found": 1})
    with Session.open(renamed) as session:
        assert session.roots.offers() == {}
