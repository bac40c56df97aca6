from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from shiboken6 import isValid

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.comment import Comment
from annotator.domain.event import Edit
from annotator.domain.flag import Flag
from annotator.domain.query import ItemQuery, MediumQuery, SceneQuery
from annotator.domain.scene import Scene
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.windows import make_item, make_project
from widgets.draft_dialog import DraftDialog
from widgets.import_wizard.summaries import title_of
from widgets.import_wizard.wizard import ImportWizard
from widgets.library.reports import OperationReport
from widgets.library.tag_dialog import TagDialog
from widgets.new_project_dialog import NewProjectDialog
from widgets.paged_model import PAGE
from widgets.text_prompt import TextPrompt
from widgets.welcome import Welcome

RECT = {"x": 10.0, "y": 10.0, "width": 5.0, "height": 5.0, "rotation": 0, "rectanglelabels": ["Occluded"]}


def label(number: int, view: int, **answers: object) -> dict[str, object]:
    """Make one record of an AirCopBench annotation file."""
    usual: dict[str, object] = {
        "img1": f"23-{number:08}-UAV{view}.jpg",
        "id": number * 10 + view,
        "annotation_id": number * 10 + view,
        "annotator": 1,
        "created_at": "2025-06-24T06:17:08.956105Z",
        "updated_at": "2025-06-24T06:17:08.956105Z",
        "lead_time": 44.0,
        "Quality": "Good (4/5) - Mostly clear, minor noise or distortion.",
        "Usibility": "1 (Available)",
        "Object_type": "Vehicles",
        "Degradation": "Object occlusion",
        "PerceptionIssues": [RECT | {"original_width": 1920, "original_height": 1080}],
        "Collaboration_when": "0 (No)",
        "Collaboration_who": "None",
        "Object_count": "7",
    }
    return usual | answers


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Write an annotation file of two scenes with two views; one count is no number."""
    records = [label(1, 1), label(1, 2), label(2, 1, Object_count="around 60"), label(2, 2)]
    file = tmp_path / "Real2_Sample.json"
    file.write_text(json.dumps(records), encoding="utf-8")
    return file


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "pilot.vantage")


@dataclass(kw_only=True)
class Gate(Command):
    """Hold the store lane up until the test opens it, so that what comes next has not begun."""

    opened: threading.Event

    @property
    def summary(self) -> CommandSummary:
        return CommandSummary.of_text("Wait")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        self.opened.wait()
        yield from ()


def import_by_hand(person: Person, file: Path, monkeypatch: pytest.MonkeyPatch) -> OperationReport:
    """Import a file with keys and mouse, and return the report that comes up."""
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: dialog.filesSelected.emit([str(file)]))
    person.press("Ctrl+I")
    wizard = person.window.findChild(ImportWizard)
    person.click(wizard.files)
    go(person, wizard)
    return report_of(person)


def take_in(person: Person, *files: Path) -> None:
    """Import files that the window was told of."""
    person.library.batch.offer_import(files)
    go(person, person.window.findChild(ImportWizard))


def go(person: Person, wizard: ImportWizard) -> None:
    """Wait until everything is counted, and start the import."""
    person.qtbot.waitUntil(lambda: wizard.main.isEnabled() and wizard.is_settled())
    person.click(wizard.main)


def report_of(person: Person) -> OperationReport:
    """Wait for the report of what was done."""
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    person.settle()
    report: OperationReport = person.window.findChild(OperationReport)
    return report


def test_import_filter_resolve_undo_redo_and_restart_then_all_of_it_is_still_there(
    tmp_path: Path, labels: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_project(tmp_path / "empty.vantage", [])
    person = open_window(path)
    report = import_by_hand(person, labels, monkeypatch)
    assert [figure.number for figure in report.figures][:2] == [4, 4]
    person.click(report.close_button)
    person.press("Alt+S")
    person.settle()
    assert len(person.names()) == 2

    person.toggle("flag", "count_not_integer")
    assert person.names() == ["23-00000002"]
    assert person.library.filters.count.text() == "1 of 2"

    person.press("Alt+R")
    card = person.library.inspector.flags.card_at_hand()
    assert card is not None
    person.qtbot.waitUntil(card.reason.hasFocus)
    person.write("Counted again: 60")
    person.press("Return")
    person.qtbot.waitUntil(lambda: person.library.listing().model.rowCount() == 0)
    person.settle()
    assert person.window.status_bar.saved.text().startswith("Saved ")
    assert person.window.status_bar.undo.text().endswith("Undo: Resolve 1 flag · Library, 23-00000002")

    person.press("Ctrl+Z")
    person.qtbot.waitUntil(lambda: person.library.listing().model.rowCount() == 1)
    person.press("Ctrl+Shift+Z")
    person.qtbot.waitUntil(lambda: person.library.listing().model.rowCount() == 0)
    person.settle()
    person.window.close()

    again = open_window(path)
    again.press("Alt+S")
    again.settle()
    assert len(again.names()) == 2
    assert again.window.status_bar.undo.text().endswith("Undo: Resolve 1 flag · Library, 23-00000002")
    assert again.window.controller.session is not None
    flag = next(again.window.controller.session.reader.find(Flag, kind="count_not_integer"))
    assert (getattr(flag, "state", ""), getattr(flag, "resolution", "")) == ("resolved", "Counted again: 60")


def test_rejected_records_when_imported_then_the_report_lists_file_line_and_field(
    tmp_path: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "Real2_Sample.json"
    nameless = {name: value for name, value in label(1, 2).items() if name != "img1"}
    file.write_text(json.dumps([label(1, 1), nameless], indent=1), encoding="utf-8")
    person = open_window(make_project(tmp_path / "empty.vantage", []))
    report = import_by_hand(person, file, monkeypatch)
    assert [figure.number for figure in report.figures][:4] == [2, 1, 0, 1]
    text = report.tables[0].text().splitlines()
    assert text[0].split("\t") == ["File", "Line", "Record", "Field", "Problem"]
    assert text[1].startswith("Real2_Sample.json\t")
    assert "img1" in text[1]
    person.press("Escape")
    assert not isValid(report)


def test_import_when_the_file_is_of_no_known_format_then_the_wizard_says_what_to_do(
    tmp_path: Path, project: Path, open_window: Open
) -> None:
    file = tmp_path / "notes.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    person = open_window(project)
    person.library.batch.offer_import((file,))
    wizard = person.window.findChild(ImportWizard)
    person.qtbot.waitUntil(lambda: bool(wizard.choices))
    assert "notes.json has no supported format" in wizard.file_page.fault.text()
    assert not wizard.main.isEnabled()
    person.press("Escape")


def test_import_when_cancelled_then_the_project_is_as_it_was(
    tmp_path: Path, labels: Path, open_window: Open
) -> None:
    person = open_window(make_project(tmp_path / "empty.vantage", []))
    assert person.window.controller.session is not None
    gate = Gate(opened=threading.Event())
    waiting = person.window.controller.session.execute(gate)
    take_in(person, labels)
    person.window.controller.works[-1].cancel()
    gate.opened.set()
    waiting.result()
    person.qtbot.waitUntil(person.window.banner.isVisible)
    person.settle()
    assert person.window.banner.headline.text() == "Importing was stopped."
    assert person.window.controller.session is not None
    assert person.window.controller.session.reader.counts()["scene"] == 0


def test_files_when_dropped_on_the_window_then_the_import_is_offered(
    project: Path, labels: Path, open_window: Open
) -> None:
    person = open_window(project)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(labels))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    person.library.dropEvent(QDropEvent(QPointF(800, 400), Qt.DropAction.CopyAction, data, left, none))
    wizard = person.window.findChild(ImportWizard)
    person.qtbot.waitUntil(lambda: bool(wizard.choices))
    assert [title_of(choice) for choice in wizard.choices] == [labels.name]
    person.press("Escape")


def test_empty_project_when_opened_then_offers_the_import(tmp_path: Path, open_window: Open) -> None:
    person = open_window(make_project(tmp_path / "empty.vantage", []))
    pane = person.library.lists
    assert pane.currentWidget() is pane.reasons["empty"]
    person.press("Alt+S")
    assert pane.currentWidget() is pane.reasons["empty"]


def test_list_when_one_types_then_it_is_searched_and_escape_shows_all_again(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.write("w")
    person.write("elche")
    person.settle()
    assert person.names() == ["item_00003"]
    assert person.library.filters.search.text() == "welche"
    person.press("Escape")
    person.settle()
    assert len(person.names()) == 3
    person.press("Down")
    assert person.library.listing().table.hasFocus()


def test_filters_when_nothing_fits_then_the_way_out_is_offered(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.toggle("state", "accepted")
    person.press("Ctrl+F")
    person.write("停车场")
    person.settle()
    pane = person.library.lists
    assert pane.currentWidget() is pane.reasons["nothing"]
    assert person.library.filters.count.text() == "0 of 3"
    person.press("Ctrl+Shift+F")
    person.settle()
    assert person.library.filters.count.text() == "3 of 3"
    assert person.library.filters.search.text() == ""


def test_counts_when_filtered_then_agree_with_the_database(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.toggle("flag", "*")
    assert person.window.controller.session is not None
    reader = person.window.controller.session.reader
    found, total = reader.items.count(ItemQuery(flags=("*",))), reader.items.count(ItemQuery())
    assert person.library.filters.count.text() == f"{found} of {total}"
    tips = {kind: pill.toolTip() for kind, pill in person.library.filters.pills.items()}
    assert tips["item"].split("  ")[:2] == ["Items", f"{total}"]
    assert tips["scene"].split("  ")[:2] == ["Scenes", f"{reader.scenes.count(SceneQuery())}"]
    assert tips["medium"].split("  ")[:2] == ["Media", f"{reader.media.count(MediumQuery())}"]


def test_items_when_selected_and_rejected_then_are_with_the_reason_and_come_back(
    project: Path, open_window: Open
) -> None:
    person = open_window(project)
    person.press("Shift+Down")
    assert not person.library.inspector.several.isHidden()
    person.press("Del")
    sheet = person.window.findChild(TextPrompt)
    person.write("Both options are right")
    person.press("Return", at=sheet.field)
    person.settle()
    states = [getattr(person.library.listing().model.row(at), "state", "") for at in range(3)]
    assert states == ["rejected", "rejected", "drafted"]
    assert person.window.registry.action("edit.undo").text() == "Undo: Reject 2 items · Library"

    person.press("Shift+Del")
    person.press("Return", at=person.window.findChildren(TextPrompt)[-1].field)
    person.settle()
    states = [getattr(person.library.listing().model.row(at), "state", "") for at in range(3)]
    assert states == ["drafted", "drafted", "drafted"]
    assert person.window.controller.session is not None
    comments = [getattr(one, "text", "") for one in person.window.controller.session.reader.records(Comment)]
    assert comments == ["Both options are right"] * 2


def test_comment_when_written_with_the_key_then_is_kept(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Ctrl+M")
    person.write("Ask the pilot")
    person.press("Ctrl+Return")
    person.settle()
    assert person.window.controller.session is not None
    comment = next(person.window.controller.session.reader.records(Comment))
    assert (getattr(comment, "entity", ""), getattr(comment, "text", "")) == ("item", "Ask the pilot")


def test_scenes_when_tagged_then_have_the_tags(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Alt+S")
    person.settle()
    person.press("Ctrl+A")
    person.press("Ctrl+T")
    person.settle()
    sheet = person.window.findChild(TagDialog)
    person.write("night，rain, night")
    person.press("Return", at=sheet.field)
    assert sheet.isVisible()
    person.press("Return", at=sheet.field)
    person.settle()
    assert person.window.controller.session is not None
    tags = [getattr(scene, "tags", ()) for scene in person.window.controller.session.reader.records(Scene)]
    assert tags == [("night", "rain")] * 2
    person.toggle("tag", "rain")
    assert person.library.filters.count.text() == "2 of 2"


def test_panes_when_f6_is_pressed_then_the_keyboard_goes_round(project: Path, open_window: Open) -> None:
    person = open_window(project)
    listing, inspector = person.library.listing(), person.library.inspector
    assert listing.table.hasFocus()
    person.press("F6")
    assert inspector.record.hasFocus()
    person.press("F6")
    assert listing.facets.hasFocus()
    person.press("F6")
    assert listing.table.hasFocus()


def test_panels_when_toggled_then_are_remembered(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Ctrl+B")
    person.press("Ctrl+Alt+B")
    assert not person.library.filters.isVisible()
    assert not person.library.inspector.isVisible()
    person.window.close()
    again = open_window(project)
    assert not again.library.filters.isVisible()
    assert not again.library.inspector.isVisible()


def test_window_when_narrow_then_the_inspector_gives_way_and_a_key_brings_it(
    project: Path, open_window: Open
) -> None:
    person = open_window(project, size=(1280, 720))
    assert not person.library.inspector.isVisible()
    person.press("Alt+Return")
    assert person.library.inspector.isVisible()
    person.window.resize(1600, 1000)
    assert person.library.inspector.isVisible()


def test_names_when_copied_then_the_clipboard_has_one_a_line(project: Path, open_window: Open) -> None:
    from PySide6.QtGui import QGuiApplication

    person = open_window(project)
    person.press("Ctrl+A")
    person.press("Ctrl+C")
    person.settle()
    assert QGuiApplication.clipboard().text() == "item_00001\nitem_00002\nitem_00003"


def test_names_when_most_rows_were_never_looked_at_then_all_of_them_are_copied(
    tmp_path: Path, open_window: Open
) -> None:
    from PySide6.QtGui import QGuiApplication

    count = 4 * PAGE + 50
    items = [make_item(number) for number in range(1, count + 1)]
    person = open_window(make_project(tmp_path / "many.vantage", items))
    person.press("Ctrl+A")
    person.press("Ctrl+C")
    person.settle()
    names = QGuiApplication.clipboard().text().splitlines()
    assert names == [f"item_{number:05}" for number in range(1, count + 1)]


def test_checks_when_run_then_the_report_shows_what_they_found(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.press("Ctrl+Shift+K")
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    person.settle()
    report = person.window.findChild(OperationReport)
    assert report.figures[0].number == 3
    assert person.window.controller.session is not None
    found = person.window.controller.session.reader.open_flag_counts()
    assert sum(figure.number for figure in report.figures[1:]) <= sum(found.values())
    assert report.tables
    person.press("Escape")


def test_report_when_a_flag_is_double_clicked_then_its_records_are_listed(
    tmp_path: Path, labels: Path, open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = open_window(make_project(tmp_path / "empty.vantage", []))
    report = import_by_hand(person, labels, monkeypatch)
    table = report.tables[0]
    kinds = [table.model().index(at, 1).data() for at in range(table.model().rowCount())]
    table.doubleClicked.emit(table.model().index(kinds.index("Count is not a number"), 0))
    person.settle()
    assert person.library.front == "scene"
    assert person.names() == ["23-00000002"]
    assert not [report for report in person.window.findChildren(OperationReport) if report.isVisible()]


def test_drafting_when_labels_are_there_then_items_appear(
    tmp_path: Path, labels: Path, open_window: Open
) -> None:
    path = make_project(tmp_path / "empty.vantage", [])
    person = open_window(path)
    take_in(person, labels)
    person.click(report_of(person).close_button)
    person.library.batch.draft("aircop", 7)
    person.qtbot.waitUntil(lambda: len(person.names()) > 0)
    person.settle()
    with Session.open(path) as other:
        assert other.reader.items.count(ItemQuery()) == person.library.listing().model.rowCount() > 5


def test_drafting_when_the_items_are_counted_first_then_the_dialog_names_them_and_adds_none(
    tmp_path: Path, labels: Path, open_window: Open
) -> None:
    path = make_project(tmp_path / "empty.vantage", [])
    person = open_window(path)
    take_in(person, labels)
    person.click(report_of(person).close_button)
    person.window.registry.run("project.draft")
    person.qtbot.waitUntil(lambda: person.window.findChild(DraftDialog) is not None)
    dialog = person.window.findChild(DraftDialog)
    assert dialog is not None
    person.qtbot.waitUntil(dialog.isActiveWindow)
    person.click(dialog.count)
    rows = [dialog.tasks.item(at) for at in range(dialog.tasks.count())]
    person.qtbot.waitUntil(lambda: all(" new" in row.text() for row in rows))
    with Session.open(path) as other:
        assert other.reader.items.count(ItemQuery()) == 0
    assert any("without an item" in row.text() for row in rows)
    assert " × " in dialog.reasons.text() or "Every subject" in dialog.reasons.text()
    # Counts are no input: Escape closes without a question.
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    person.qtbot.waitUntil(lambda: not isValid(dialog))


def test_release_when_written_then_the_report_names_folder_and_digest(
    tmp_path: Path, project: Path, open_window: Open
) -> None:
    from annotator.commands.releases import CreateRelease

    person = open_window(project)
    person.library.batch.release(
        CreateRelease(out=tmp_path / "out", export_format="native", include_flagged=True)
    )
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    assert report.figures[0].number > 0
    assert (tmp_path / "out").is_dir()
    person.click(report.close_button)


def test_media_when_looked_for_then_the_report_counts_them(project: Path, open_window: Open) -> None:
    person = open_window(project)
    person.library.batch.find_media()
    person.qtbot.waitUntil(lambda: person.window.findChild(OperationReport) is not None)
    report = person.window.findChild(OperationReport)
    assert [figure.number for figure in report.figures] == [0, 2, 0, 0]
    person.click(report.close_button)


def test_long_list_when_scrolled_by_keys_then_the_record_follows(tmp_path: Path, open_window: Open) -> None:
    items = [make_item(number) for number in range(3000)]
    person = open_window(make_project(tmp_path / "long.vantage", list(items)))
    person.press("Ctrl+End")
    person.settle()
    assert person.library.inspector.name.text() == "item_02999"
    assert person.window.top_bar.record.text() == "item_02999"
    person.press("Ctrl+Home")
    for _ in range(5):
        person.press("Down")
    person.settle()
    assert person.library.inspector.name.text() == "item_00005"


def test_folder_when_dropped_without_a_project_then_one_is_asked_for_and_the_import_offered(
    tmp_path: Path, labels: Path, open_window: Open
) -> None:
    person = open_window()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(labels.parent))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    welcome = person.window.findChild(Welcome)
    welcome.dropEvent(QDropEvent(QPointF(40, 40), Qt.DropAction.CopyAction, data, left, none))
    sheet = person.window.findChild(NewProjectDialog)
    sheet.folder_field.setText(str(tmp_path))
    sheet.name.setText("harbour")
    person.click(sheet.main)
    person.qtbot.waitUntil(lambda: person.window.findChild(ImportWizard) is not None)
    go(person, person.window.findChild(ImportWizard))
    report_of(person)
    with Session.open(tmp_path / "harbour.vantage") as made:
        assert made.reader.counts()["event_label"] == 4
