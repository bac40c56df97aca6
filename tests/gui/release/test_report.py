"""The report of a release in the real window: which release, where, progress, and what is opened."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from annotator.commands.releases import CreateRelease
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.windows import NO_SIZE_HINTS, AddRecords, make_item, option
from widgets.release.report_bar import ReportBar
from widgets.release.report_dialog import ReleaseReportDialog
from widgets.settings import Settings
from widgets.window import build


@pytest.fixture
def person(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> Iterator[WindowPerson]:
    """Open the Release workspace of a project with a release in ``out``."""
    guard_messages.allow(NO_SIZE_HINTS)
    options = (option("A", "4"), option("B", "5"))
    with Session.create(tmp_path / "p.vantage") as session:
        item = make_item(1, state="accepted", options=options, answer_key="A")
        session.execute(AddRecords(records=[item])).result()
        command = CreateRelease(out=tmp_path / "out", export_format="native", include_flagged=True)
        session.execute(command).result()
    window = build(Session.open(tmp_path / "p.vantage"), settings=settings)
    qtbot.addWidget(window)
    window.resize(1280, 720)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    yield WindowPerson(window, qtbot, workspace="release")
    window.close()


def bar_of(person: WindowPerson) -> ReportBar:
    workspace = person.window.slots["release"].workspace
    assert workspace is not None
    return workspace.report


def opened(person: WindowPerson) -> ReleaseReportDialog:
    person.qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), ReleaseReportDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, ReleaseReportDialog)
    return dialog


def test_report_when_p_and_enter_are_pressed_then_both_files_are_written_and_can_be_opened(
    person: WindowPerson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar = bar_of(person)
    assert not bar.open_html.isVisible()
    bar.make.setFocus()
    person.press("P")
    dialog = opened(person)
    assert dialog.release.currentText() == "out"
    assert "out-report.html" in dialog.summary.text()
    person.press("Return")
    person.qtbot.waitUntil(bar.is_settled)
    assert (tmp_path / "out-report.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert (tmp_path / "out-report.pdf").read_bytes().startswith(b"%PDF-")
    assert "out-report.html" in bar.note.text()
    urls: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: urls.append(url.toLocalFile()))
    bar.open_html.click()
    bar.open_pdf.click()
    assert urls == [str(tmp_path / "out-report.html"), str(tmp_path / "out-report.pdf")]


def test_dialog_when_a_language_is_chosen_then_the_report_is_in_it(
    person: WindowPerson, tmp_path: Path
) -> None:
    bar = bar_of(person)
    bar.ask_report()
    dialog = opened(person)
    assert (dialog.language.currentText(), dialog.order.language) == ("English", "en")
    dialog.pdf.setChecked(False)
    dialog.language.setCurrentIndex(dialog.language.findData("zh"))
    dialog.main.click()
    person.qtbot.waitUntil(bar.is_settled)
    assert "发布报告：out" in (tmp_path / "out-report.html").read_text(encoding="utf-8")


def test_dialog_when_nothing_can_be_written_then_says_why_and_is_refused(
    person: WindowPerson, tmp_path: Path
) -> None:
    bar_of(person).ask_report()
    dialog = opened(person)
    dialog.html.setChecked(False)
    assert dialog.main.isEnabled()
    dialog.pdf.setChecked(False)
    assert (dialog.main.isEnabled(), dialog.summary.text()) == (False, "Choose HTML, PDF or both.")
    dialog.html.setChecked(True)
    (tmp_path / "empty").mkdir()
    dialog.choose_release(str(tmp_path / "empty"))
    assert "it has no manifest.json" in dialog.summary.text()
    assert not dialog.main.isEnabled()
    dialog.reject()


def test_dialog_when_no_release_is_on_this_computer_then_asks_for_its_folder(
    person: WindowPerson, tmp_path: Path
) -> None:
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    bar_of(person).ask_report()
    dialog = opened(person)
    assert "No release of this project is on this computer" in dialog.summary.text()
    dialog.choose_release(str(tmp_path / "elsewhere"))
    assert dialog.main.isEnabled()
    assert dialog.order.html == str(tmp_path / "elsewhere-report.html")
    dialog.reject()


def test_report_when_it_is_cancelled_then_no_file_is_there(person: WindowPerson, tmp_path: Path) -> None:
    bar = bar_of(person)
    bar.ask_report()
    order = opened(person).order
    opened(person).reject()
    bar.start(order)
    assert bar.note.text() == "Making report…"
    bar.leave()
    person.qtbot.waitUntil(bar.is_settled)
    assert not bar.open_html.isVisible()
    assert not (tmp_path / "out-report.html").exists()
