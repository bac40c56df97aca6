from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from annotator.commands.releases import CreateRelease
from annotator.domain import task_set_files
from annotator.domain.query import ItemQuery
from annotator.draft.rules import RULES
from annotator.release.preview import ReleasePreview
from tests.guards import Messages
from tests.unit.domain.test_task_set_catalogue import ROOFTOPS
from tests.windows import NO_SIZE_HINTS
from widgets import theme
from widgets.action_registry import ActionRegistry
from widgets.action_search import SYNONYMS, fuzzy_score
from widgets.actions import ACTION_TABLE, ACTIONS, BY_ID
from widgets.command_palette import CommandPalette
from widgets.dialog import MARGIN, FormDialog
from widgets.draft_dialog import DraftDialog
from widgets.key_bindings import chosen_keys
from widgets.key_editor import KeyEditor, KeyField
from widgets.library.tag_dialog import TagDialog
from widgets.new_release.release_dialog import ReleaseDialog
from widgets.report_dialog import LEAST_TEXT_PX, ReportDialog, ReportFigure, ReportSection, ReportTable
from widgets.settings import Settings
from widgets.shortcut_help import ShortcutHelp
from widgets.text_prompt import LinePrompt, TextPrompt
from widgets.translation import set_language


class Owner:
    """Stands in for the window and notes what it is asked to do."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def show_workspace(self, name: str) -> None:
        self.done.append(name)

    def apply_theme(self, name: str) -> None:
        self.done.append(name)


@pytest.fixture
def window(qtbot: QtBot, guard_messages: Messages) -> QWidget:
    guard_messages.allow(NO_SIZE_HINTS)
    made = QWidget()
    made.resize(1280, 720)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    return made


@pytest.fixture
def field(window: QWidget) -> QLineEdit:
    made = QLineEdit(window)
    made.show()
    made.setFocus()
    return made


def test_sheet_when_escape_is_pressed_then_the_keyboard_is_back_where_it_was(
    window: QWidget, field: QLineEdit, qtbot: QtBot
) -> None:
    sheet = FormDialog(window, width=400, title="Question")
    button = sheet.add_buttons("Do it")
    sheet.open(button)
    qtbot.waitUntil(button.hasFocus)
    with qtbot.waitSignal(sheet.finished):
        qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    qtbot.waitUntil(field.hasFocus)


def test_sheet_when_tab_is_pressed_at_its_end_then_the_keyboard_stays_on_it(
    window: QWidget, field: QLineEdit, qtbot: QtBot
) -> None:
    sheet = FormDialog(window, width=400)
    button = sheet.add_buttons("Do it")
    sheet.open(button)
    qtbot.keyClick(button, Qt.Key.Key_Tab)
    focus = sheet.focusWidget()
    assert isinstance(focus, QPushButton)
    assert focus.text() == "Cancel"
    qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert sheet.focusWidget() is button
    sheet.reject()


def test_dialog_when_its_window_is_small_then_fits_into_it(window: QWidget) -> None:
    window.resize(700, 500)
    dialog = FormDialog(window, width=1200, height=900)
    dialog.open()
    assert (dialog.width(), dialog.height()) == (700 - MARGIN.width(), 500 - MARGIN.height())
    dialog.reject()


def test_dialog_when_opened_then_is_modal_for_its_window_and_gone_when_closed(
    window: QWidget, qtbot: QtBot
) -> None:
    dialog = FormDialog(window, width=400)
    dialog.open()
    assert dialog.windowModality() == Qt.WindowModality.WindowModal
    dialog.reject()
    qtbot.waitUntil(lambda: not isValid(dialog))


def make_words(window: QWidget, **values: object) -> TextPrompt:
    usual = {"title": "Reject", "explanation": "They stay.", "placeholder": "Why?", "button": "Reject"}
    return TextPrompt(window, **(usual | values))  # type: ignore[arg-type]


def test_words_when_enter_is_pressed_then_are_handed_over(window: QWidget, qtbot: QtBot) -> None:
    sheet = make_words(window)
    sheet.open(sheet.field)
    assert not sheet.main.isEnabled()
    qtbot.keyClicks(sheet.field, "  two keys ")
    with qtbot.waitSignal(sheet.answered) as answered:
        qtbot.keyClick(sheet.field, Qt.Key.Key_Return)
    assert answered.args == ["two keys"]
    assert not sheet.isVisible()


def test_words_when_shift_enter_is_pressed_then_the_line_breaks(window: QWidget, qtbot: QtBot) -> None:
    sheet = make_words(window)
    sheet.open(sheet.field)
    qtbot.keyClicks(sheet.field, "one")
    qtbot.keyClick(sheet.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(sheet.field, "two")
    assert sheet.text().split() == ["one", "two"]
    assert sheet.isVisible()
    sheet.reject()


def test_name_when_typed_and_pasted_then_is_one_line_that_enter_hands_over(
    window: QWidget, qtbot: QtBot
) -> None:
    sheet = LinePrompt(window, title="User name", explanation="", placeholder="", button="Change name")
    sheet.open(sheet.field)
    assert not sheet.main.isEnabled()
    sheet.field.insert("Ada\nLovelace ")
    qtbot.keyClick(sheet.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert sheet.text() == "Ada Lovelace"
    assert not any("new line" in one.text() for one in sheet.findChildren(QLabel))
    if sheet.isVisible():
        qtbot.keyClick(sheet.field, Qt.Key.Key_Return)
    assert not sheet.isVisible()


def test_words_when_none_are_needed_then_enter_answers_at_once(window: QWidget, qtbot: QtBot) -> None:
    sheet = make_words(window, may_be_empty=True, text="night, rain")
    sheet.open(sheet.field)
    with qtbot.waitSignal(sheet.answered) as answered:
        qtbot.keyClick(sheet.field, Qt.Key.Key_Return)
    assert answered.args == ["night, rain"]


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("imp", "Import files…", "Show all components"),
        ("di", "Draft items by rule", "Undo: Items"),
        ("undo", "Undo", "Run checks"),
    ],
)
def test_fuzzy_score_when_letters_begin_words_then_is_higher(typed: str, better: str, worse: str) -> None:
    assert fuzzy_score(typed, better) > fuzzy_score(typed, worse)


def test_fuzzy_score_when_a_letter_is_missing_then_is_nothing() -> None:
    assert fuzzy_score("xyz", "Import files…") == 0.0
    assert fuzzy_score("", "Import files…") > 0.0
    assert fuzzy_score("导入", "导入文件…") > 0.0


def test_palette_when_letters_are_typed_then_enter_does_the_best_choice(
    window: QWidget, registry: ActionRegistry, qtbot: QtBot
) -> None:
    owner = Owner()
    registry.connect_owner("window", owner)
    palette = CommandPalette(window, registry=registry, search=None)
    palette.open(palette.field)
    qtbot.keyClicks(palette.field, "light")
    assert palette.model.choices[0].text == "Light theme"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert owner.done == ["light"]
    assert not palette.isVisible()


def test_palette_when_down_is_pressed_then_the_next_choice_is_done(
    window: QWidget, registry: ActionRegistry, qtbot: QtBot
) -> None:
    owner = Owner()
    registry.connect_owner("window", owner)
    palette = CommandPalette(window, registry=registry, search=None)
    palette.open(palette.field)
    qtbot.keyClicks(palette.field, "theme")
    second = palette.model.choices[1].text
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert owner.done == [{"Dark theme": "dark", "Light theme": "light", "System theme": ""}[second]]


def test_palette_when_opened_then_offers_every_action_but_those_that_move_the_keyboard(
    window: QWidget, registry: ActionRegistry
) -> None:
    palette = CommandPalette(window, registry=registry, search=None)
    palette.open(palette.field)
    left_out = {"help.palette", "go.inspect", "go.next_pane", "go.next_tab"}
    offered = {choice.action_id for choice in palette.model.choices}
    assert offered == {action.id for action in ACTIONS} - left_out
    palette.reject()


def test_palette_when_an_action_cannot_run_then_enter_does_nothing(
    window: QWidget, registry: ActionRegistry, qtbot: QtBot
) -> None:
    palette = CommandPalette(window, registry=registry, search=None)
    palette.open(palette.field)
    qtbot.keyClicks(palette.field, "import files")
    assert not palette.model.choices[0].is_possible
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.reject()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("language", {"view.english", "view.chinese"}),
        ("语言", {"view.english", "view.chinese"}),
        ("中文", {"view.chinese"}),
        ("theme", {"view.dark", "view.light", "view.system"}),
        ("主题", {"view.dark", "view.light", "view.system"}),
        ("export", {"project.export_bundle"}),
        ("publish", {"project.release"}),
        ("license", {"media.licence"}),
        ("导入", {"project.import"}),
        ("undo", {"edit.undo"}),
        ("person", {"app.person"}),
        ("version", {"help.about"}),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_palette_when_another_word_is_typed_then_finds_the_action_first_in_both_languages(
    window: QWidget, settings: Settings, qtbot: QtBot, typed: str, found: set[str], language: str
) -> None:
    set_language(language)
    registry = ActionRegistry(ACTION_TABLE, chosen_keys(settings, table=ACTION_TABLE))
    registry.set_there("project", True)
    palette = CommandPalette(window, registry=registry, search=None)
    palette.field.setText(typed)
    assert {choice.action_id for choice in palette.model.choices[: len(found)]} == found
    palette.reject()
    registry.deleteLater()


def test_palette_when_two_actions_fit_then_whole_words_and_enabled_ones_come_first(
    window: QWidget, registry: ActionRegistry
) -> None:
    palette = CommandPalette(window, registry=registry, search=None)
    palette.field.setText("light")
    texts = [choice.text for choice in palette.model.choices]
    assert texts[0] == "Light theme"
    palette.field.setText("re")
    possible = [choice.is_possible for choice in palette.model.choices if "re" in choice.text.casefold()]
    assert possible[0]
    palette.field.setText("restore")
    assert palette.model.choices[0].action_id == "item.restore"
    palette.reject()


def test_synonyms_when_listed_then_are_of_actions_that_exist() -> None:
    assert {*SYNONYMS} <= {*BY_ID}


def test_palette_when_nothing_fits_then_the_words_can_be_searched(
    window: QWidget, registry: ActionRegistry, qtbot: QtBot
) -> None:
    searched: list[str] = []
    palette = CommandPalette(window, registry=registry, search=searched.append)
    palette.open(palette.field)
    qtbot.keyClicks(palette.field, "parking 7")
    assert [choice.text for choice in palette.model.choices] == ["Search the list for “parking 7”"]
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert searched == ["parking 7"]


def test_key_page_when_opened_then_names_the_keys_that_work_everywhere(
    window: QWidget, registry: ActionRegistry
) -> None:
    page = ShortcutHelp(window, registry=registry, workspace="Library")
    page.open(page.area)
    texts = [label.text() for label in page.findChildren(QLabel)]
    assert "Shortcuts: Library" in texts
    keys = [registry.key(a.id) for a in ACTIONS if a.key and a.menu and a.context == "window"]
    assert [key for key in keys if key not in texts] == []
    page.reject()


def test_key_editor_when_keys_collide_then_says_so_and_cannot_be_saved(
    window: QWidget, registry: ActionRegistry, settings: Settings, qtbot: QtBot
) -> None:
    editor = KeyEditor(window, registry=registry, settings=settings)
    editor.open(editor.search)
    editor.fields["view.filters"].setKeySequence(QKeySequence("Ctrl+Z"))
    assert editor.warning.text() == "“Undo” and “Show / hide left panel” have the same shortcut."
    assert not editor._save.isEnabled()
    editor.fields["view.filters"].setKeySequence(QKeySequence("Ctrl+Y"))
    assert not editor.warning.isVisible()
    editor._save.click()
    assert registry.key("view.filters") == "Ctrl+Y"
    assert chosen_keys(settings, table=ACTION_TABLE)["view.filters"] == "Ctrl+Y"


def test_key_editor_when_searched_then_shows_the_actions_that_fit(
    window: QWidget, registry: ActionRegistry, settings: Settings, qtbot: QtBot
) -> None:
    editor = KeyEditor(window, registry=registry, settings=settings)
    editor.open(editor.search)
    qtbot.keyClicks(editor.search, "theme")
    shown = {name for name, field in editor.fields.items() if not field.isHidden()}
    assert shown == {"view.dark", "view.light", "view.system"}
    editor.reject()


def test_key_editor_when_reset_then_every_key_is_as_delivered(
    window: QWidget, registry: ActionRegistry, settings: Settings
) -> None:
    settings.keep("keys/edit.undo", "Alt+Z")
    editor = KeyEditor(window, registry=registry, settings=settings)
    assert editor.fields["edit.undo"].keySequence() == QKeySequence("Alt+Z")
    editor._on_defaults_clicked()
    editor._save.click()
    assert chosen_keys(settings, table=ACTION_TABLE) == {action.id: action.key for action in ACTIONS}


def _task_texts(dialog: DraftDialog) -> list[str]:
    return [dialog.tasks.item(at).text() for at in range(dialog.tasks.count())]


def test_draft_when_a_task_set_lies_beside_the_project_then_it_is_offered(
    window: QWidget, tmp_path: Path
) -> None:
    folder = tmp_path / "city.tasksets"
    folder.mkdir()
    own = ROOFTOPS.replace('drafted_by = "manual"', 'drafted_by = "aircop.counting"')
    (folder / "rooftops.toml").write_text(own, encoding="utf-8")
    sheet = DraftDialog(window, project=tmp_path / "city.vantage", chosen="rooftops")
    assert sheet.task_set.currentText() == "Rooftop survey"
    assert {"Roof Material", "Solar Roofs"} <= set(_task_texts(sheet))


def test_draft_when_opened_then_offers_the_sets_that_rules_can_draft(window: QWidget, qtbot: QtBot) -> None:
    sheet = DraftDialog(window, project=Path("none.vantage"))
    sheet.open(sheet.main)
    offered = [sheet.task_set.itemData(at) for at in range(sheet.task_set.count())]
    sets = {set_id: task_set_files.builtin(set_id) for set_id in task_set_files.builtin_ids()}
    ruled = {name for name, each in sets.items() if any(task.drafted_by in RULES for task in each.tasks)}
    assert set(offered) == ruled
    sheet.task_set.setCurrentIndex(offered.index("aircop"))
    assert "Object Counting" in _task_texts(sheet)
    sheet.seed.clear()
    assert not sheet.main.isEnabled()
    qtbot.keyClicks(sheet.seed, "seven 7")
    with qtbot.waitSignal(sheet.submitted) as accepted:
        sheet.main.click()
    assert accepted.args is not None
    assert accepted.args[:2] == ["aircop", 7]
    assert "object_counting" in accepted.args[2]


def test_draft_when_tasks_are_unchecked_then_only_the_others_are_drafted(
    window: QWidget, qtbot: QtBot
) -> None:
    sheet = DraftDialog(window, project=Path("none.vantage"), chosen="spatialuav")
    sheet.open(sheet.main)
    for at in range(sheet.tasks.count()):
        if "Region" not in sheet.tasks.item(at).text():
            sheet.tasks.item(at).setCheckState(Qt.CheckState.Unchecked)
    with qtbot.waitSignal(sheet.submitted) as accepted:
        sheet.main.click()
    assert accepted.args == ["spatialuav", 0, ("region_recognition",)]


def test_draft_when_no_task_is_checked_then_nothing_can_be_drafted(window: QWidget) -> None:
    sheet = DraftDialog(window, project=Path("none.vantage"), chosen="spatialuav")
    for at in range(sheet.tasks.count()):
        sheet.tasks.item(at).setCheckState(Qt.CheckState.Unchecked)
    assert not sheet.main.isEnabled()


LISTED = ReleasePreview(states={"accepted": 2}, excluded={})
EVERYTHING = ReleasePreview(states={"drafted": 5, "accepted": 2}, excluded={"rejected": 2})


@pytest.fixture
def open_release(
    window: QWidget, settings: Settings, tmp_path: Path
) -> Iterator[Callable[..., ReleaseDialog]]:
    opened: list[ReleaseDialog] = []

    def open_one(*, everything: ReleasePreview = EVERYTHING, query: ItemQuery | None = None) -> ReleaseDialog:
        sheet = ReleaseDialog(
            window,
            settings=settings,
            project=tmp_path / "pilot.vantage",
            project_id="1",
            query=query or ItemQuery(),
            everything=everything,
            listed=LISTED if query else everything,
        )
        sheet.open(sheet.main)
        opened.append(sheet)
        return sheet

    yield open_one
    for sheet in opened:
        if isValid(sheet):
            sheet.reject()


def test_release_when_accepted_then_is_the_command_with_what_was_chosen(
    open_release: Callable[..., ReleaseDialog], settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    query = ItemQuery(states=("accepted",))
    sheet = open_release(query=query)
    sheet.export_format.setCurrentIndex(sheet.export_format.findData("spatialuav"))
    assert sheet.folder.text() == str(tmp_path / "pilot-spatialuav")
    sheet.filtered.setChecked(True)
    sheet.flagged.setChecked(True)
    with qtbot.waitSignal(sheet.submitted) as accepted:
        sheet.main.click()
    wanted = CreateRelease(
        out=tmp_path / "pilot-spatialuav", export_format="spatialuav", include_flagged=True, selection=query
    )
    assert accepted.args == [wanted]
    assert settings.text("release/export_format") == "spatialuav"


def test_release_when_no_filter_is_set_then_only_all_can_be_chosen(
    open_release: Callable[..., ReleaseDialog],
) -> None:
    sheet = open_release()
    assert not sheet.filtered.isEnabled()
    assert sheet.all.isChecked()
    sheet.folder.clear()
    assert not sheet.main.isEnabled()


def test_release_when_the_window_is_chinese_then_its_sentences_end_as_chinese_ones(
    open_release: Callable[..., ReleaseDialog],
) -> None:
    set_language("zh")
    assert open_release().summary.text() == "发布将包含 2 道题目：已接受 2。 不会发布：已驳回 2。"


def test_release_when_opened_then_takes_accepted_items_and_counts_drafts_before_it_takes_them(
    open_release: Callable[..., ReleaseDialog], qtbot: QtBot
) -> None:
    sheet = open_release()
    assert sheet.summary.text() == "The release takes 2 items: Accepted 2. Never released: Rejected 2."
    sheet.states["drafted"].setChecked(True)
    assert sheet.summary.text().startswith("The release takes 7 items: Drafted 5, Accepted 2.")
    with qtbot.waitSignal(sheet.submitted) as accepted:
        sheet.main.click()
    assert accepted.args[0].selection == ItemQuery(states=("drafted", "accepted"))


def test_release_when_items_have_forks_then_they_count_only_where_they_are_included(
    open_release: Callable[..., ReleaseDialog],
) -> None:
    sheet = open_release(
        everything=ReleasePreview(states={"accepted": 2}, excluded={}, forked={"accepted": 1})
    )
    assert sheet.all.text() == "All 3 items"
    said = "The release takes 2 items: Accepted 2. 1 item with a fork is withheld."
    assert (sheet.summary.text(), sheet.states["accepted"].text()) == (said, "Accepted  2")
    sheet.flagged.setChecked(True)
    said = "The release takes 3 items: Accepted 3."
    assert (sheet.summary.text(), sheet.states["accepted"].text()) == (said, "Accepted  3")
    sheet.flagged.setChecked(False)
    assert sheet.states["accepted"].text() == "Accepted  2"


def test_release_when_nothing_is_accepted_then_says_so_and_offers_the_states_that_exist(
    open_release: Callable[..., ReleaseDialog],
) -> None:
    sheet = open_release(everything=ReleasePreview(states={"drafted": 5}, excluded={}))
    assert sheet.summary.text() == "No item is accepted. Select the states to release."
    assert not sheet.main.isEnabled()
    assert [state for state, box in sheet.states.items() if box.isEnabled()] == ["drafted"]
    sheet.states["drafted"].setChecked(True)
    assert sheet.main.isEnabled()


def test_release_when_the_format_holds_labels_then_offers_no_states_of_items(
    open_release: Callable[..., ReleaseDialog], qtbot: QtBot
) -> None:
    sheet = open_release(everything=ReleasePreview(states={"drafted": 5}, excluded={}))
    sheet.export_format.setCurrentIndex(sheet.export_format.findData("aircop-labels"))
    assert sheet.summary.text() == "This format contains all event labels."
    assert not sheet.states["drafted"].isEnabled()
    with qtbot.waitSignal(sheet.submitted) as accepted:
        sheet.main.click()
    assert accepted.args[0].selection == ItemQuery()


@pytest.fixture
def report(window: QWidget) -> Iterator[ReportDialog]:
    opened: list[int] = []
    rows = (("a.json", "3", "key\tis <b>odd</b>"), ("a.json", "12", "no options"))
    section = ReportSection(
        title="Rejected", columns=("File", "Line", "What"), rows=rows, open_row=opened.append
    )
    figures = [
        ReportFigure(number=421, title="records"),
        ReportFigure(number=2, title="rejected", tone="bad"),
    ]
    made = ReportDialog(window, title="Import finished", subtitle="", figures=figures, sections=[section])
    made.open(made.close_button)
    made.opened_rows = opened  # type: ignore[attr-defined]
    yield made
    if isValid(made):
        made.reject()


def test_report_when_the_table_is_copied_then_the_clipboard_has_lines_with_tabs(report: ReportDialog) -> None:
    report.tables[0].copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines == ["File\tLine\tWhat", "a.json\t3\tkey is <b>odd</b>", "a.json\t12\tno options"]


def test_report_when_rows_are_selected_then_only_those_are_copied(report: ReportDialog, qtbot: QtBot) -> None:
    report.tables[0].selectRow(1)
    qtbot.keyClick(report.tables[0], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == ["File\tLine\tWhat", "a.json\t12\tno options"]


def test_report_when_a_row_is_double_clicked_then_it_is_opened(report: ReportDialog) -> None:
    table = report.tables[0]
    table.doubleClicked.emit(table.model().index(1, 0))
    assert report.opened_rows == [1]  # type: ignore[attr-defined]


def test_report_when_numbers_stand_in_a_column_then_they_stand_right(report: ReportDialog) -> None:
    model = report.tables[0].model()
    sides = [model.data(model.index(0, at), Qt.ItemDataRole.TextAlignmentRole) for at in range(3)]
    assert [bool(side & Qt.AlignmentFlag.AlignRight) for side in sides] == [False, True, False]


def test_report_when_enter_is_pressed_then_is_put_away(report: ReportDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(report.finished):
        qtbot.keyClick(report.close_button, Qt.Key.Key_Return)


def test_sheet_when_enter_is_pressed_at_a_button_then_that_one_is_pressed(
    window: QWidget, qtbot: QtBot
) -> None:
    sheet = FormDialog(window, width=300)
    pressed: list[str] = []
    main = sheet.add_buttons("Freeze")
    main.clicked.connect(lambda: pressed.append("Freeze"))
    sheet.open(main)
    qtbot.keyClick(main, Qt.Key.Key_Return)
    assert pressed == ["Freeze"]
    cancel = next(part for part in sheet.findChildren(QPushButton) if part is not main)
    cancel.setFocus()
    with qtbot.waitSignal(sheet.finished):
        qtbot.keyClick(cancel, Qt.Key.Key_Enter)
    assert pressed == ["Freeze"]


def test_sheet_when_enter_is_held_down_then_no_button_is_pressed(window: QWidget, qtbot: QtBot) -> None:
    sheet = FormDialog(window, width=300)
    pressed: list[bool] = []
    main = sheet.add_buttons("Freeze")
    main.clicked.connect(lambda: pressed.append(True))
    sheet.open(main)
    held = QKeyEvent(
        QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", autorep=True
    )
    QApplication.sendEvent(main, held)
    assert pressed == []
    sheet.reject()


def sides(table: ReportTable) -> list[bool]:
    """Tell of each column whether its texts and its heading stand right."""
    model, role = table.model(), Qt.ItemDataRole.TextAlignmentRole
    found = []
    for at in range(model.columnCount()):
        cell = bool(model.data(model.index(0, at), role) & Qt.AlignmentFlag.AlignRight)
        head = model.headerData(at, Qt.Orientation.Horizontal, role)
        assert bool(head & Qt.AlignmentFlag.AlignRight) == cell
        found.append(cell)
    return found


def test_table_when_shares_sizes_and_probabilities_stand_in_it_then_they_stand_right(qtbot: QtBot) -> None:
    rows = (
        ("Counting", "12.5 %", "1e-05", "1,204 kB", "–", "3.5 km", "0.42 of 5"),
        ("Causal", "–", "0.31", "12.1 MB", "–", "2", "1"),
    )
    table = ReportTable(ReportSection(title="By task", columns=tuple("abcdefg"), rows=rows))
    qtbot.addWidget(table)
    assert sides(table) == [False, True, True, True, False, False, False]


def test_table_when_its_last_column_is_numbers_then_the_first_takes_the_rest(qtbot: QtBot) -> None:
    numbers = ReportTable(ReportSection(title="a", columns=("Reason", "Items"), rows=(("odd", "3"),)))
    texts = ReportTable(ReportSection(title="a", columns=("Items", "Reason"), rows=(("3", "odd"),)))
    for table in (numbers, texts):
        qtbot.addWidget(table)
        table.resize(600, 100)
        table.show()
    widths = [[table.columnWidth(at) for at in (0, 1)] for table in (numbers, texts)]
    assert [narrow < 100 for narrow in (widths[0][1], widths[1][0])] == [True, True]
    assert [wide > 500 for wide in (widths[0][0], widths[1][1])] == [True, True]


def test_table_when_texts_are_wider_than_it_then_the_last_column_is_shortened_and_a_tip_has_all(
    qtbot: QtBot,
) -> None:
    why = "it is longest by 71 characters; " * 8
    table = ReportTable(ReportSection(title="a", columns=("Item", "Reason"), rows=(("N1", why),)))
    qtbot.addWidget(table)
    table.show()
    for width in (700, 400, 900):
        table.resize(width, 100)
        assert table.horizontalHeader().length() == table.viewport().width()
    assert table.textElideMode() == Qt.TextElideMode.ElideRight
    assert why.strip() in table.model().index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    # Narrower than a few words no column becomes: then the table scrolls.
    table.resize(120, 100)
    assert table.columnWidth(1) == LEAST_TEXT_PX


def test_tags_when_listed_then_rows_are_as_high_as_those_of_any_list(window: QWidget) -> None:
    sheet = TagDialog(window, tags=[("dawn",), ()], known=["rain"])
    sheet.open(sheet.field)
    assert [sheet.list.visualItemRect(sheet.list.item(at)).height() for at in range(2)] == [theme.ROW] * 2
    sheet.reject()


def test_table_when_the_keyboard_is_at_it_then_its_row_has_a_mark(window: QWidget, qtbot: QtBot) -> None:
    table = ReportTable(
        ReportSection(title="a", columns=("Items", "Why"), rows=(("3", "odd"), ("4", "even")))
    )
    table.setParent(window)
    table.show()
    window.setFocus()
    ink = QColor(theme.current().focus)

    def marked() -> list[bool]:
        shown = table.viewport().grab().toImage()
        return [shown.pixelColor(0, at * theme.ROW + theme.ROW // 2) == ink for at in range(2)]

    assert marked() == [False, False]
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert marked() == [True, False]
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert marked() == [False, True]


def test_key_editor_when_tab_is_pressed_then_leads_on_and_shows_where_the_keyboard_is(
    window: QWidget, registry: ActionRegistry, settings: Settings, qtbot: QtBot
) -> None:
    editor = KeyEditor(window, registry=registry, settings=settings)
    editor.open(editor.search)
    fields = list(editor.fields.values())
    frames = []
    for field in fields[:3]:
        while QApplication.focusWidget() is not field:
            before = QApplication.focusWidget()
            qtbot.keyClick(before, Qt.Key.Key_Tab)
            assert QApplication.focusWidget() is not before
        shown = [one.grab().toImage().pixelColor(one.width() // 2, 0).name() for one in fields[:3]]
        frames.append([colour == theme.current().focus for colour in shown])
    assert frames == [[at == index for at in range(3)] for index in range(3)]
    for _field in range(3):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is editor.search
    assert editor._keys() == chosen_keys(settings, table=ACTION_TABLE)
    assert [line.height() for line in fields[0].findChildren(QLineEdit)] == [fields[0].height()]
    editor.reject()


def test_palette_when_chinese_is_spoken_then_english_words_are_found_too(
    window: QWidget, settings: Settings, qtbot: QtBot
) -> None:
    set_language("zh")
    registry = ActionRegistry(ACTION_TABLE, chosen_keys(settings, table=ACTION_TABLE))
    palette = CommandPalette(window, registry=registry, search=None)
    palette.open(palette.field)
    for typed in ("english", "英文"):
        palette.field.setText(typed)
        assert palette.model.choices[0].text == "英文"
    palette.reject()
    editor = KeyEditor(window, registry=registry, settings=settings)
    editor.search.setText("dark theme")
    assert [name for name, field in editor.fields.items() if not field.isHidden()] == ["view.dark"]
    editor.reject()
    registry.deleteLater()


def test_sheet_when_what_had_the_keyboard_is_gone_then_still_closes(window: QWidget, qtbot: QtBot) -> None:
    field = QLineEdit(window)
    field.show()
    field.setFocus()
    sheet = FormDialog(window, width=300)
    sheet.open()
    field.deleteLater()
    qtbot.waitUntil(lambda: not isValid(field))
    with qtbot.waitSignal(sheet.finished):
        sheet.reject()


def test_key_field_when_only_a_modifier_was_pressed_then_keeps_its_key_and_else_takes_the_new_one(
    window: QWidget, field: QLineEdit, qtbot: QtBot
) -> None:
    key = KeyField("Ctrl+N", name="New project…")
    key.setParent(window)
    key.show()
    key.setFocus()
    qtbot.keyPress(key, Qt.Key.Key_Alt, Qt.KeyboardModifier.AltModifier)
    field.setFocus()
    assert key.keySequence() == QKeySequence("Ctrl+N")
    key.setFocus()
    qtbot.keyClick(key, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    field.setFocus()
    assert key.keySequence() == QKeySequence("Ctrl+J")
    key.clear()
    key.setFocus()
    field.setFocus()
    assert key.keySequence().isEmpty()
