from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QDoubleValidator, QIntValidator, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from annotator.command_summary import TEMPLATES, CommandSummary
from annotator.domain import answers
from annotator.domain.failure_titles import FAILURE_TITLES
from annotator.domain.run_condition import CONDITION_TITLES, KIND_TITLES
from annotator.importers.registry import IMPORTERS
from annotator.quality.checks import CHECKS
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import GATES
from annotator.scoring.forms import FORMS
from widgets import display_text, field_text, qt_translations
from widgets.key_bindings import shown
from widgets.translation import (
    catalogue,
    join_texts,
    language,
    mark,
    set_language,
    system_language,
    tr,
    trn,
)

WIDGETS = Path(__file__).resolve().parents[2] / "widgets"
# Qt calls whose text is seen or heard by people.
SPEAKING = {
    "QLabel",
    "QPushButton",
    "QCheckBox",
    "QRadioButton",
    "label",
    "caption",
    "chip",
    "setText",
    "setToolTip",
    "setPlaceholderText",
    "setAccessibleName",
    "setWindowTitle",
    "addItem",
    "addMenu",
    "add_heading",
    "add_text",
}
# Signs that are the same in every language.
SIGNS = re.compile(r"^[^A-Za-z]*$")


def calls() -> list[tuple[Path, ast.Call, str]]:
    """List the calls in the window's code with the name of what is called."""
    found = []
    for path in sorted(WIDGETS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                found.append((path, node, name))
    return found


def sources() -> set[str]:
    """Return every English text that the window's code translates."""
    found = set()
    for _path, call, name in calls():
        at = {"tr": 0, "mark": 0, "_": 0, "trn": 1}.get(name)
        if at is not None and len(call.args) > at and isinstance(call.args[at], ast.Constant):
            found.add(call.args[at].value)  # type: ignore[attr-defined]
    return found | registered_titles()


def registered_titles() -> set[str]:
    """Return the English titles of the registries, and the sentences of commands."""
    summaries = {template.many for code, template in TEMPLATES.items() if code != "text"}
    registries = (CHECKS, EXPORTERS, FORMS, GATES, IMPORTERS, answers.formats())
    titles = {entry.title for registry in registries for entry in registry.values()}
    of_runs = {*KIND_TITLES.values(), *CONDITION_TITLES.values(), *FAILURE_TITLES.values()}
    of_gates = {gate.counted for gate in GATES.values()}
    return titles | summaries | of_runs | of_gates


def slots(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_sources_when_read_from_the_code_then_are_many() -> None:
    assert len(sources()) > 300


def test_chinese_when_compared_with_the_code_then_lacks_nothing() -> None:
    assert sorted(sources() - set(catalogue("zh"))) == []


def test_chinese_when_compared_with_the_code_then_holds_nothing_unused() -> None:
    assert sorted(set(catalogue("zh")) - sources()) == []


def test_chinese_of_every_text_then_has_the_same_slots_and_words_of_its_own() -> None:
    same_in_both = {
        "{n} of {total}",
        "{done} of {total}",
        "{button} (Enter)",
        "{what}, {time}",
        "{what}: {value}",
    }
    texts = catalogue("zh")
    assert [text for text, translated in texts.items() if slots(translated) != slots(text)] == []
    bare = {text for text, translated in texts.items() if not re.search(r"[\u4e00-\u9fff]", translated)}
    assert bare == same_in_both


def test_texts_that_people_see_when_written_in_the_code_then_go_through_tr() -> None:
    bare = [
        f"{path.name}:{call.lineno} {call.args[0].value!r}"  # type: ignore[attr-defined]
        for path, call, name in calls()
        if name in SPEAKING and call.args and isinstance(call.args[0], ast.Constant)
        if isinstance(call.args[0].value, str) and not SIGNS.match(call.args[0].value)
    ]
    assert bare == []


def test_tr_when_chinese_is_spoken_then_gives_chinese_and_english_again_after() -> None:
    assert tr("Library") == "Library"
    set_language("zh")
    assert language() == "zh"
    assert tr("Library") == "资料库"
    set_language("en")
    assert tr("Library") == "Library"


def test_tr_when_a_value_looks_like_a_slot_then_it_stays_as_it_is() -> None:
    assert tr("Reason: {reason}", reason="{n} and {reason}") == "Reason: {n} and {reason}"


def test_trn_when_one_or_many_then_chooses_the_form() -> None:
    assert trn("Reject {n} item", "Reject {n} items", n=1) == "Reject 1 item"
    assert trn("Reject {n} item", "Reject {n} items", n=1200) == "Reject 1,200 items"
    set_language("zh")
    assert trn("Reject {n} item", "Reject {n} items", n=1) == "驳回 1 道题目"


def test_set_language_when_unknown_then_speaks_english() -> None:
    set_language("xx")
    assert language() == "en"


def test_set_language_when_none_is_chosen_then_speaks_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getlocale", lambda: ("zh_CN", "UTF-8"))
    assert system_language() == "zh"
    set_language("")
    assert language() == "zh"


def test_mark_when_called_then_gives_the_text_back() -> None:
    assert mark("Library") == "Library"


@pytest.mark.parametrize(
    ("summary", "english", "chinese"),
    [
        (CommandSummary.of("reject_items", count=3), "Reject 3 items", "驳回 3 道题目"),
        (CommandSummary.of("reject_items", count=1), "Reject 1 item", "驳回 1 道题目"),
        (CommandSummary.of("import_file", name="{count}.json"), "Import {count}.json", "导入 {count}.json"),
        (
            CommandSummary.of("add_media", count=1200, name="a"),
            "Add 1,200 media files of a",
            "添加 a 的 1,200 个媒体文件",
        ),
        (CommandSummary.of("of_a_later_version", count=3), "Of a later version", "Of a later version"),
        (CommandSummary.of_text("Import a.json"), "Import a.json", "Import a.json"),
    ],
)
def test_command_summary_text_when_the_language_changes_then_is_in_that_language(
    summary: CommandSummary, english: str, chinese: str
) -> None:
    assert (display_text.command_summary_text(summary), str(summary)) == (english, english)
    set_language("zh")
    assert display_text.command_summary_text(summary) == chinese


def test_qt_when_chinese_is_spoken_then_its_own_words_are_chinese_until_english_is(
    qapp: QApplication,
) -> None:
    def word() -> str:
        return QCoreApplication.translate("QLineEdit", "&Copy")

    set_language("zh")
    qt_translations.install_qt_translations()
    qt_translations.install_qt_translations()
    assert word().startswith("复制")
    set_language("en")
    qt_translations.install_qt_translations()
    assert word() == "&Copy"


@pytest.mark.parametrize("turn", ["first", "second"])
def test_key_names_when_the_test_before_spoke_chinese_then_are_english(qapp: QApplication, turn: str) -> None:
    native = QKeySequence("Space").toString(QKeySequence.SequenceFormat.NativeText)
    assert native == "Space", f"in the {turn} turn"
    set_language("zh")
    qt_translations.install_qt_translations()


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_menu_when_a_shortcut_has_the_enter_key_then_it_is_called_as_on_buttons(
    qapp: QApplication, spoken: str
) -> None:
    set_language(spoken)
    qt_translations.install_qt_translations()
    shortcut = QKeySequence("Ctrl+Return")
    assert shortcut.toString(QKeySequence.SequenceFormat.NativeText) == "Ctrl+Enter"
    assert shown("Ctrl+Return") == "Ctrl+Enter"
    # What is stored keeps its name.
    assert shortcut.toString() == "Ctrl+Return"


@pytest.mark.parametrize("system", ["de_DE", "en_US", "zh_CN"])
def test_numbers_when_the_system_writes_them_otherwise_then_fields_take_those_of_the_window(
    qtbot: QtBot, system: str
) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale(system))
    qt_translations.install_qt_translations()
    share, count = QLineEdit(), QLineEdit()
    for field in (share, count):
        qtbot.addWidget(field)
    share.setValidator(QDoubleValidator(0.0, 1.0, 4, share))
    count.setValidator(QIntValidator(1, 100_000, count))
    found = {}
    for field, texts in ((share, ("0.25", "0,25")), (count, ("1000", "1,000", "1.000"))):
        for text in texts:
            field.setText(text)
            found[text] = field.hasAcceptableInput()
    QLocale.setDefault(before)
    assert [text for text, is_taken in found.items() if is_taken] == ["0.25", "1000"]


def test_lists_when_joined_then_have_the_commas_of_the_language() -> None:
    assert join_texts(["a", "b"]) == "a, b"
    set_language("zh")
    assert join_texts(text for text in ("甲", "乙")) == "甲、乙"
    assert field_text.value_text("tags", ["甲", "乙"]) == "甲、乙"
