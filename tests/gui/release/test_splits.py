"""Splits, hidden answer keys and subset of a release in the real window."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.domain.medium import Medium
from annotator.domain.scene import Scene, SceneView
from annotator.release.keys_folder import keys_folder_of, read_keys
from annotator.release.manifest import read_manifest
from annotator.release.splits import Split, SplitSettings
from annotator.release.subset import SubsetSettings
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, AddRecords, make_item, option
from widgets.new_release.kept_division import KeptDivision, kept_division
from widgets.new_release.release_dialog import ReleaseDialog
from widgets.new_release.split_dialog import SplitDialog
from widgets.report_dialog import ReportDialog, ReportTable
from widgets.settings import Settings
from widgets.window import build

SCENES = 10


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make ten scenes with two accepted items each."""
    path = tmp_path_factory.mktemp("made") / "p.vantage"
    options = tuple(option(letter, text) for letter, text in zip("ABCD", ("4", "5", "6", "7"), strict=True))
    positions = []
    items = []
    for n in range(SCENES):
        positions.append(Medium(id=f"m{n}", name=f"m{n}.jpg", path=f"a/m{n}.jpg", dataset="Real"))
        positions.append(Scene(id=f"s{n}", name=f"s{n}", views=(SceneView(name="UAV1", medium=f"m{n}"),)))
        items += [
            make_item(
                2 * n + k,
                id=f"i{2 * n + k}",
                state="accepted",
                options=options,
                scene=f"s{n}",
                media=(f"m{n}",),
            )
            for k in range(2)
        ]
    with Session.create(path) as session:
        session.execute(AddRecords(records=[*positions, *items])).result()
    return path


@pytest.fixture
def person(
    made: Path, tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[WindowPerson]:
    guard_messages.allow(NO_SIZE_HINTS)
    project = Path(shutil.copy(made, tmp_path / made.name))
    window = build(Session.open(project), settings=settings)
    qtbot.addWidget(window)
    window.resize(1280, 720)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield WindowPerson(window, qtbot, workspace="release")
    window.close()


def ask_release(person: WindowPerson) -> ReleaseDialog:
    person.window.registry.run("project.release")
    person.qtbot.waitUntil(lambda: person.window.findChild(ReleaseDialog) is not None)
    dialog = person.window.findChild(ReleaseDialog)
    assert dialog is not None
    return dialog


def ask_splits(person: WindowPerson, dialog: ReleaseDialog) -> SplitDialog:
    dialog.choose_splits.click()
    assert dialog.split_dialog is not None
    person.settle()
    return dialog.split_dialog


def shown_rows(dialog: SplitDialog) -> list[list[str]]:
    assert dialog.table is not None
    return [line.split("\t") for line in dialog.table.text().splitlines()]


def test_splits_when_chosen_then_the_release_has_them_and_the_keys_are_in_their_own_folder(
    person: WindowPerson, settings: Settings, tmp_path: Path
) -> None:
    dialog = ask_release(person)
    assert dialog.division_text.text() == "Not divided"
    splits = ask_splits(person, dialog)
    splits.is_divided.setChecked(True)
    splits.is_drawn.setChecked(True)
    splits.rows[2].is_hidden.setChecked(True)
    person.settle()
    rows = shown_rows(splits)
    assert rows[0] == ["Task", "Items", "train", "dev", "test", "Subset"]
    assert rows[1] == ["All tasks", "20", "16", "2", "2", "4"]
    assert splits.statement.text().startswith(
        "No scene and no media file is in two splits: 10 groups of items stay together."
    )
    splits.main.click()
    assert dialog.division_text.text() == (
        "train 80 % · dev 10 % · test 10 % (answer keys hidden) · subset 20 %"
    )
    dialog.flagged.setChecked(True)
    out = tmp_path / "out"
    dialog.folder.setText(str(out))
    dialog.main.click()
    person.qtbot.waitUntil(lambda: person.window.findChild(ReportDialog) is not None)
    report = person.window.findChild(ReportDialog)
    texts = [table.text() for table in report.findChildren(ReportTable)]
    assert "Items\tSplit\n16\ttrain\n2\tdev\n2\ttest\n4\tSubset" in texts
    report.reject()
    stated = read_manifest(out)
    assert stated.splits
    assert stated.splits.items == {"train": 16, "dev": 2, "test": 2}
    assert len(read_keys(keys_folder_of(out))) == 2
    assert len((out / "subset.jsonl").read_text().splitlines()) == 4
    # The next release of this project begins with them.
    again = ask_release(person)
    assert again.division_text.text().startswith("train 80 % · dev 10 %")
    project = person.session.reader.project.id
    kept = kept_division(settings, project=project)
    assert kept.splits
    assert (kept.splits.hidden, kept.subset) == (("test",), SubsetSettings(share=0.2))
    assert kept_division(settings, project="another") == KeptDivision()
    again.reject()


def test_splits_when_typed_then_names_shares_and_seed_are_those_and_bad_ones_are_told(
    person: WindowPerson,
) -> None:
    dialog = ask_release(person)
    splits = ask_splits(person, dialog)
    assert QApplication.focusWidget() is splits.is_divided
    person.press("Space")
    person.press("Tab")
    assert QApplication.focusWidget() is splits.rows[0].name
    splits.rows[0].share.setText("70")
    person.settle()
    assert splits.statement.text().startswith("The shares of the splits do not add up to 100 percent.")
    assert not splits.main.isEnabled()
    splits.rows[2].name.setText("")
    splits.rows[1].name.setText("test")
    splits.rows[1].share.setText("30")
    splits.seed.setText("7")
    person.settle()
    assert splits.main.isEnabled()
    assert shown_rows(splits)[1] == ["All tasks", "20", "14", "6"]
    splits.main.click()
    assert dialog.division == KeptDivision(
        splits=SplitSettings(splits=(Split(name="train", share=0.7), Split(name="test", share=0.3)), seed=7)
    )
    dialog.reject()


def test_splits_when_the_format_cannot_hide_keys_then_says_so_and_does_not_release(
    person: WindowPerson,
) -> None:
    dialog = ask_release(person)
    splits = ask_splits(person, dialog)
    splits.is_divided.setChecked(True)
    splits.rows[2].is_hidden.setChecked(True)
    splits.main.click()
    dialog.export_format.setCurrentIndex(dialog.export_format.findData("sharegpt"))
    assert dialog.division.splits is not None
    assert not dialog.division.splits.allows_predictable
    assert "This format cannot hide answer keys." in dialog.division_text.text()
    assert not dialog.main.isEnabled()
    splits = ask_splits(person, dialog)
    assert splits.statement.text().startswith("The format sharegpt cannot hide answer keys")
    splits.reject()
    dialog.export_format.setCurrentIndex(dialog.export_format.findData("native"))
    splits = ask_splits(person, dialog)
    splits.rows[2].is_hidden.setChecked(False)
    assert not splits.allows_predictable.isEnabled()
    splits.rows[2].is_hidden.setChecked(True)
    splits.allows_predictable.click()
    splits.main.click()
    assert dialog.division.splits.allows_predictable
    dialog.export_format.setCurrentIndex(dialog.export_format.findData("aircop-labels"))
    assert not dialog.choose_splits.isEnabled()
    assert dialog.main.isEnabled()
    dialog.reject()


def test_kept_division_when_the_stored_text_is_damaged_then_is_not_divided(settings: Settings) -> None:
    settings.keep("release/division/x", json.dumps({"splits": 3}))
    assert kept_division(settings, project="x") == KeptDivision()
