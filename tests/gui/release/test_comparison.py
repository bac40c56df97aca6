"""Two releases are compared in the real window, in a process beside it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.commands.releases import CreateRelease
from annotator.domain.query import ItemQuery
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.item_fields import SetItemField
from tests.windows import NO_SIZE_HINTS, AddRecords, make_item, option
from widgets.release.comparison_dialog import ComparisonDialog
from widgets.release.kept_folders import kept_release_folders
from widgets.settings import Settings
from widgets.window import build

SELECTION = ItemQuery(states=("accepted",))


def write_release(session: Session, out: Path) -> str:
    command = CreateRelease(out=out, export_format="native", selection=SELECTION, include_flagged=True)
    session.execute(command).result()
    assert command.report is not None
    return command.report.manifest.sha256


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Release four items, edit them, and release them again."""
    path = tmp_path_factory.mktemp("made")
    options = tuple(option(letter, text) for letter, text in zip("ABCD", ("4", "5", "6", "7"), strict=True))
    items = [
        make_item(n, id=f"{n:032x}", state="accepted", options=options, answer_key="A") for n in range(4)
    ]
    with Session.create(path / "p.vantage") as session:
        session.execute(AddRecords(records=items)).result()
        write_release(session, path / "first")
        session.execute(
            SetItemField(item=f"{0:032x}", field="question", value="Which sign is left?")
        ).result()
        session.execute(SetItemField(item=f"{2:032x}", field="answer_key", value="C")).result()
        session.execute(SetItemField(item=f"{3:032x}", field="state", value="rejected")).result()
        write_release(session, path / "second")
    return path


@pytest.fixture
def person(
    made: Path, tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[WindowPerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    project = Path(shutil.copy(made / "p.vantage", tmp_path / "p.vantage"))
    window = build(Session.open(project), settings=settings)
    qtbot.addWidget(window)
    window.resize(1280, 720)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield WindowPerson(window, qtbot, workspace="release")
    window.close()


def ask(person: WindowPerson) -> ComparisonDialog:
    person.press("C")
    person.qtbot.waitUntil(lambda: person.window.findChild(ComparisonDialog) is not None)
    dialog = person.window.findChild(ComparisonDialog)
    assert dialog is not None
    return dialog


def rows(dialog: ComparisonDialog) -> list[list[str]]:
    model = dialog.table.differences
    columns = range(model.columnCount())
    return [[str(model.index(row, column).data()) for column in columns] for row in range(model.rowCount())]


def test_comparison_when_two_recorded_releases_are_compared_then_answer_keys_come_first(
    person: WindowPerson, made: Path, tmp_path: Path
) -> None:
    dialog = ask(person)
    assert [release.folder for release in dialog.list.listed.releases] == [made / "second", made / "first"]
    assert QApplication.focusWidget() is dialog.main
    person.press("Return")
    assert dialog.summary.text() == (
        "Items: added 0, removed 1, changed 2, unchanged 1, changed answer keys 1."
    )
    shown = rows(dialog)
    assert [row[0] for row in shown] == ["Changed", "Changed", "Removed"]
    assert shown[0][3:] == ["Answer key", "A", "C"]
    assert shown[1][3] == "Question"
    assert shown[2][4] == "The item is rejected."
    assert dialog.detail.text() == "Old: A\nNew: C"
    dialog.table.choose_row(2)
    assert dialog.detail.text() == "The item is rejected."
    dialog.export_requested.emit(tmp_path / "d.csv")
    person.settle()
    assert (tmp_path / "d.csv").read_text().splitlines()[1].endswith(",answer_key,A,C,")
    # The other way round, what was removed is new.
    dialog.swap.click()
    dialog.main.click()
    person.settle()
    assert [row[0] for row in rows(dialog)] == ["Changed", "Changed", "Added"]
    dialog.reject()


def test_comparison_when_a_folder_was_moved_then_it_can_be_added_and_is_remembered(
    person: WindowPerson, made: Path, settings: Settings, tmp_path: Path
) -> None:
    moved = Path(shutil.move(made / "first", tmp_path / "moved"))
    dialog = ask(person)
    assert [release.folder for release in dialog.list.listed.releases] == [made / "second", None]
    assert not dialog.main.isEnabled()
    dialog.list.select([0, 1])
    assert dialog.direction.text().startswith("The folder of release ")
    dialog.folder_chosen.emit(moved)
    person.settle()
    assert dialog.list.listed.rowCount() == 2
    assert dialog.main.isEnabled()
    shutil.move(moved, made / "first")
    assert list(kept_release_folders(settings).values()) == [moved]
    # A folder that the project has not recorded is a row of its own, and equal releases say so.
    shutil.copytree(made / "second", tmp_path / "copy")
    dialog.folder_chosen.emit(tmp_path / "copy")
    person.settle()
    assert dialog.list.listed.rowCount() == 3
    dialog.list.select([0, 2])
    dialog.main.click()
    person.settle()
    assert dialog.summary.text() == "The releases are equal: the same files with 3 items."
    assert not dialog.export.isEnabled()
    dialog.reject()


def test_comparison_when_a_release_was_changed_then_the_window_says_why_and_nothing_is_shown(
    person: WindowPerson, made: Path, tmp_path: Path
) -> None:
    dialog = ask(person)
    broken = Path(shutil.copytree(made / "second", tmp_path / "broken"))
    (broken / "records.jsonl").write_text("{}\n")
    dialog.folder_chosen.emit(broken)
    person.settle()
    dialog.main.click()
    person.settle()
    assert dialog.summary.text() == "The releases were not compared."
    assert dialog.main.isEnabled()
    assert "The release has changed" in person.window.banner.headline.text()
    dialog.folder_chosen.emit(tmp_path)
    person.settle()
    assert "contains no release" in person.window.banner.headline.text()
    dialog.reject()
