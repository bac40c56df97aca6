from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QPushButton, QWidget
from shiboken6 import isValid

from annotator.importers.report import FileReport, ImportReport
from annotator.progress import Progress
from annotator.session import Session
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.unit.store.making import aircop_file
from tests.windows import NO_SIZE_HINTS
from widgets import display_text
from widgets.bridge import Bridge
from widgets.combo_box import ComboBox
from widgets.dialog import FormDialog
from widgets.import_wizard.choices import Choice, FileChoice, MediaChoice
from widgets.import_wizard.file_page import FilePage
from widgets.import_wizard.import_run import ImportRun
from widgets.import_wizard.summaries import summary_of, title_of
from widgets.import_wizard.wizard import ImportWizard
from widgets.library.reports import imported
from widgets.project_controller import ProjectController
from widgets.report_dialog import ReportTable
from widgets.settings import Settings


@pytest.fixture
def window(qtbot: PatientBot, guard_messages: Messages) -> QWidget:
    guard_messages.allow(NO_SIZE_HINTS)
    made = QWidget()
    made.resize(1280, 800)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def controller(window: QWidget, settings: Settings, tmp_path: Path) -> Iterator[ProjectController]:
    bridge = Bridge()
    made = ProjectController(bridge=bridge, settings=settings, window=window)
    made.use_session(Session.create(tmp_path / "new.vantage"))
    yield made
    made.leave()


@pytest.fixture
def wizard(window: QWidget, controller: ProjectController, settings: Settings) -> ImportWizard:
    made = ImportWizard(window, controller=controller, settings=settings)
    made.open(made.parts)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with four pictures of two moments, and a file of questions about them."""
    where = tmp_path / "flight"
    where.mkdir()
    for name in ("m1-UAV1", "m1-UAV2", "m2-UAV1", "m2-UAV2"):
        # Every picture another content: the same content is the same medium.
        picture = np.full((8, 12, 3), hash(name) % 200, np.uint8)
        picture[0, 0] = [ord(letter) for letter in name[-3:]]
        cv2.imwrite(str(where / f"{name}.png"), picture)
    rows = [
        {
            "id": f"Direction_Recognition_0000{n}",
            "image": [f"m{n}-UAV1.png"],
            "conversations": [{"from": "human", "value": "At what clock direction is Region 1?"}],
            "source": "SpatialUAV",
            "GT": answer,
        }
        for n, answer in ((1, "8 o'clock"), (2, ""))
    ]
    (where / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return where


def settle(qtbot: PatientBot, wizard: ImportWizard) -> None:
    def is_settled() -> bool:
        files = [c for c in wizard.choices if isinstance(c, FileChoice) and c.can_be_read]
        return wizard.is_settled() and all(choice.report for choice in files)

    qtbot.settle(is_settled)


def add(qtbot: PatientBot, wizard: ImportWizard, *paths: Path) -> None:
    wizard.add_paths(paths)
    settle(qtbot, wizard)


def media_of(wizard: ImportWizard) -> MediaChoice:
    return next(choice for choice in wizard.choices if isinstance(choice, MediaChoice))


def file_of(wizard: ImportWizard) -> FileChoice:
    return next(choice for choice in wizard.choices if isinstance(choice, FileChoice))


def test_wizard_when_nothing_is_chosen_then_nothing_can_be_imported(wizard: ImportWizard) -> None:
    assert not wizard.main.isEnabled()
    assert not wizard.parts.isVisible()


def test_wizard_when_a_folder_is_added_then_tells_media_and_questions_apart(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    assert [title_of(choice) for choice in wizard.choices] == ["4 media files", "questions.jsonl"]
    assert summary_of(media_of(wizard)) == "2 scenes"
    assert summary_of(file_of(wizard)).startswith("2 new · 1 flag")
    assert wizard.main.text() == "Import 2 records, 4 media files (Enter)"
    assert wizard.main.isEnabled()


def test_wizard_when_a_folder_is_dropped_then_takes_it(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder)), QUrl("https://example.invalid/a.json")])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    wizard.dropEvent(QDropEvent(QPointF(QPoint(5, 5)), Qt.DropAction.CopyAction, data, buttons, keys))
    settle(qtbot, wizard)
    assert len(wizard.choices) == 2
    assert Path(wizard._settings.text("folders/import", "")) == folder


def test_wizard_when_the_same_is_added_twice_then_shows_it_once(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    add(qtbot, wizard, folder)
    assert len(wizard.choices) == 2


def test_part_when_the_space_bar_is_hit_then_is_left_out(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    wizard.parts.setCurrentRow(0)
    qtbot.keyClick(wizard.parts, Qt.Key.Key_Space)
    assert not media_of(wizard).is_selected
    assert wizard.main.text() == "Import 2 records (Enter)"
    qtbot.keyClick(wizard.parts, Qt.Key.Key_Space)
    assert media_of(wizard).is_selected


def test_part_when_its_tick_is_clicked_then_is_left_out(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    rect = wizard.parts.visualItemRect(wizard.parts.item(1))
    click = QPoint(rect.left() + 16, rect.center().y())
    qtbot.mouseClick(wizard.parts.viewport(), Qt.MouseButton.LeftButton, pos=click)
    assert not file_of(wizard).is_selected
    beside = QPoint(rect.left() + 120, rect.center().y())
    qtbot.mouseClick(wizard.parts.viewport(), Qt.MouseButton.LeftButton, pos=beside)
    assert not file_of(wizard).is_selected, "a click on the name only chooses the part"


def test_file_page_when_shown_then_tells_records_fields_and_flags(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    wizard.parts.setCurrentRow(1)
    page = wizard.file_page
    assert page.format.itemText(0).startswith("Detected: SpatialUAV")
    texts = "\n".join(table.text() for table in page.findChildren(ReportTable) if table.isVisibleTo(page))
    assert "At what clock direction is Region 1?" in texts
    assert "m1-UAV1.png" in texts
    page.pages.show_page(2)
    texts = "\n".join(table.text() for table in page.findChildren(ReportTable) if table.isVisibleTo(page))
    assert display_text.flag_kind_title("key_missing") in texts


def test_field_when_mapped_to_another_then_the_file_is_read_and_counted_again(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    path = folder / "questions.jsonl"
    path.write_text(path.read_text().replace('"GT"', '"truth"').replace('"source"', '"GT"'))
    add(qtbot, wizard, folder)
    wizard.parts.setCurrentRow(1)
    before = file_of(wizard).report
    assert before is not None
    box = next(box for box in wizard.file_page.findChildren(ComboBox) if box.accessibleName() == "GT")
    at = next(at for at in range(box.count()) if box.itemData(at) == "truth")
    box.setCurrentIndex(at)
    box.activated.emit(at)
    settle(qtbot, wizard)
    after = file_of(wizard).report
    assert file_of(wizard).mapping == {"GT": "truth"}
    assert after is not None
    assert after.flags.get("key_unreadable", 0) < before.flags.get("key_unreadable", 0)


def test_format_when_it_does_not_fit_then_says_so_and_leaves_the_part_out(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    wizard.parts.setCurrentRow(1)
    page = wizard.file_page
    at = page.format.findData("aircop-labels")
    page.format.setCurrentIndex(at)
    page.format.activated.emit(at)
    qtbot.waitUntil(lambda: not file_of(wizard).can_be_read)
    assert "does not have the format aircop-labels" in page.fault.text()
    assert wizard.main.text() == "Import 4 media files (Enter)"
    page.format.setCurrentIndex(0)
    page.format.activated.emit(0)
    settle(qtbot, wizard)
    assert wizard.main.text() == "Import 2 records, 4 media files (Enter)"


def test_pattern_when_typed_then_its_scenes_are_shown_at_once(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    page, choice = wizard.media_page, media_of(wizard)
    at = next(at for at in range(page.method.count()) if page.method.itemData(at)[0] == "pattern")
    page.method.setCurrentIndex(at)
    page.method.activated.emit(at)
    page.pattern.selectAll()
    qtbot.keyClicks(page.pattern, "{scene}-UAV1.png")
    qtbot.waitUntil(lambda: bool(choice.grouping and len(choice.grouping.unmatched) == 2))
    settle(qtbot, wizard)
    assert page.counts.text() == "2 scenes with 1 view · 2 not grouped"
    page.pattern.selectAll()
    qtbot.keyClicks(page.pattern, "{scene")
    qtbot.waitUntil(lambda: bool(choice.fault))
    assert page.fault.isVisibleTo(page)
    assert wizard.main.text() == "Import 2 records (Enter)"


def test_wizard_when_closed_then_nothing_has_come_in(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path, controller: ProjectController
) -> None:
    wizard.add_paths((folder,))
    wizard.reject()
    qtbot.waitUntil(lambda: not controller.works)
    assert controller.session is not None
    assert controller.session.reader.counts()["item"] == 0


def test_wizard_when_parts_are_set_up_then_escape_asks_before_they_are_lost(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    qtbot.keyClick(wizard.parts, Qt.Key.Key_Escape)
    (question,) = wizard.findChildren(FormDialog)
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not wizard.findChildren(FormDialog))
    assert wizard.isVisible()
    assert wizard.choices
    wizard.close()
    (again,) = wizard.findChildren(FormDialog)
    assert wizard.isVisible()
    (discard,) = (one for one in again.findChildren(QPushButton) if one.property("kind") == "danger")
    qtbot.mouseClick(discard, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(wizard))


def test_import_when_run_then_media_come_first_and_questions_find_them(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path, controller: ProjectController
) -> None:
    add(qtbot, wizard, folder)
    with qtbot.waitSignal(wizard.submitted) as accepted:
        qtbot.mouseClick(wizard.main, Qt.MouseButton.LeftButton)
    assert accepted.args is not None
    run = ImportRun(accepted.args[0], controller=controller)
    with qtbot.waitSignal(run.finished) as finished:
        run.start()
    assert finished.args is not None
    report, media = finished.args
    assert (report.added, media.media_added, media.scenes_added) == (2, 4, 2)
    assert controller.session is not None
    counts = controller.session.reader.counts()
    assert (counts["item"], counts["medium"], counts["scene"]) == (2, 4, 2)


def test_import_when_media_are_of_several_folders_then_the_report_counts_them_all(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path, controller: ProjectController
) -> None:
    other = folder / "other"
    other.mkdir()
    for number in range(6):
        cv2.imwrite(str(other / f"x{number}x.png"), np.full((6, 6, 3), 30 * number, np.uint8))
    add(qtbot, wizard, folder)
    assert len([choice for choice in wizard.choices if isinstance(choice, MediaChoice)]) == 2
    run = ImportRun(wizard.choices, controller=controller)
    with qtbot.waitSignal(run.finished) as finished:
        run.start()
    assert finished.args is not None
    _, media = finished.args
    assert (media.media_added, media.scenes_added) == (10, 8)


def test_key_when_ctrl_return_is_hit_then_the_import_begins(
    qtbot: PatientBot, wizard: ImportWizard, folder: Path
) -> None:
    add(qtbot, wizard, folder)
    assert wizard.parts.hasFocus()
    with qtbot.waitSignal(wizard.submitted) as accepted:
        qtbot.keyClick(wizard.parts, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert accepted.args is not None
    assert len(accepted.args[0]) == 2


def test_wizard_when_a_file_is_to_be_read_otherwise_twice_then_the_last_reading_stays(
    qtbot: PatientBot, wizard: ImportWizard, controller: ProjectController, folder: Path
) -> None:
    failures: list[object] = []
    controller.failed.connect(lambda error, _during: failures.append(error))
    add(qtbot, wizard, folder)
    choice, scanner = file_of(wizard), wizard._scanner
    told = [choice.report]
    scanner.part_changed.connect(lambda one, _is_anew: told.append(one.report))
    before = choice.part
    # The first of them ends last, and so does a count by the reading of before.
    scanner._ask_count(choice)
    scanner.read_again(choice)
    first = scanner._works[-1]
    choice.licence = "CC-BY-4.0"
    scanner.read_again(choice)
    settle(qtbot, wizard)
    found = choice.part
    scanner._on_read_again(first, choice, before)
    assert choice.part is found
    assert choice.report is not None
    # Between the two no count of an older reading was shown.
    assert [report is not None for report in told[1:-1]] == [False] * (len(told) - 2)
    assert failures == []


def test_wizard_when_a_pattern_is_typed_on_then_nobody_is_told_that_the_older_was_stopped(
    qtbot: PatientBot, wizard: ImportWizard, controller: ProjectController, folder: Path
) -> None:
    failures: list[object] = []
    controller.failed.connect(lambda error, _during: failures.append(error))
    add(qtbot, wizard, folder)
    scanner, media = wizard._scanner, media_of(wizard)
    media.method, media.pattern = "pattern", "{scene}-{view}.{ext}"
    for _letter in range(3):
        scanner.group(media)
    superseded = scanner._works[-3:-1]
    assert all(work.is_superseded for work in superseded)
    settle(qtbot, wizard)
    assert media.grouping is not None
    assert failures == []


@pytest.mark.parametrize("is_superseded", [True, False])
def test_work_when_it_is_stopped_then_that_is_news_only_where_a_person_stopped_it(
    qtbot: PatientBot, controller: ProjectController, is_superseded: bool
) -> None:
    def go_on(_session: Session, progress: Progress) -> None:
        progress.begin("Waiting")
        while True:
            progress.step()

    failures: list[str] = []
    controller.failed.connect(lambda error, during: failures.append(during))
    work = controller.run_query(go_on, title="Waiting")
    with qtbot.waitSignal(controller.work_ended):
        work.supersede() if is_superseded else work.cancel()
    assert failures == ([] if is_superseded else ["Waiting"])


def choose(page: FilePage, name: str, value: str) -> None:
    """Assign a field of the file to an expected one, as a click in its list does."""
    box = next(box for box in page.findChildren(ComboBox) if box.accessibleName() == name)
    at = next(at for at in range(box.count()) if box.itemData(at) == value)
    box.setCurrentIndex(at)
    box.activated.emit(at)


def test_file_when_its_format_is_unknown_then_it_can_be_read_as_an_own_table(
    qtbot: PatientBot, wizard: ImportWizard, tmp_path: Path
) -> None:
    path = tmp_path / "eigene.csv"
    path.write_text("frage,antwort\nWas ist das?,Ein Auto\n")
    add(qtbot, wizard, path)
    page = wizard.file_page
    assert page.fault.text() == "eigene.csv has no supported format."
    titles = [button.text() for button in page.similar.buttons]
    assert titles[-1] == "Own table of questions"
    assert len(titles) == 4
    assert all(button.isVisible() for button in page.similar.buttons)
    assert not wizard.main.isEnabled()

    qtbot.mouseClick(page.similar.buttons[-1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Assign the fields of the file below." in page.fault.text())
    assert page.format.currentData() == "table"
    assert not page.similar.isVisible()
    # The columns can be assigned although nothing could be read yet.
    choose(page, "question", "frage")
    settle(qtbot, wizard)
    choose(page, "answer", "antwort")
    settle(qtbot, wizard)
    assert not page.fault.isVisible()
    assert wizard.main.text() == "Import 1 record (Enter)"
    (found,) = file_of(wizard).part.previews[0].found
    assert (found.record.question, found.record.answer_key) == ("Was ist das?", "Ein Auto")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("", "is empty"),
        ("[]", "contains no records"),
    ],
)
def test_file_when_it_is_empty_then_the_wizard_says_so(
    qtbot: PatientBot, wizard: ImportWizard, tmp_path: Path, ending: str, message: str
) -> None:
    path = tmp_path / "nothing.json"
    path.write_text(ending)
    add(qtbot, wizard, path)
    assert f"nothing.json {message}" in wizard.file_page.fault.text()
    assert not wizard.file_page.similar.isVisible()


def test_file_when_it_ends_early_then_the_wizard_and_the_report_say_what_was_not_read(
    qtbot: PatientBot, wizard: ImportWizard, tmp_path: Path
) -> None:
    cut, hidden = (aircop_file(tmp_path, name=name, records=12) for name in ("cut", "hidden"))
    cut.write_text(cut.read_text()[:-150])
    hidden.write_text(
        hidden.read_text().replace('{"img1": "hidden-00000003-UAV1', '{[[ "img1": "hidden-00000003-UAV1')
    )
    add(qtbot, wizard, cut, hidden)
    summaries = [summary_of(choice) for choice in wizard.choices]
    assert "The file ends early or is damaged: the rest was not read." in summaries[0]
    assert "5 of 12 records were not read." in summaries[1]
    page = wizard.file_page
    assert page.fault.text() == "cut.json: The file ends early or is damaged: the rest was not read."
    assert page.fault.isVisible()
    report = ImportReport(tuple(file for choice in wizard.choices for file in reports_of(choice)))
    dialog = imported(wizard, report, media=None, show_kind=lambda _: None)
    qtbot.addWidget(dialog)
    texts = "\n".join(table.text() for table in dialog.tables)
    assert "hidden.json\t5 of 12 records were not read." in texts


def reports_of(choice: Choice) -> tuple[FileReport, ...]:
    assert isinstance(choice, FileChoice)
    assert choice.report is not None
    return choice.report.files
