from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QLineEdit,
    QListWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

import resources
from annotator.session import Session
from tests.windows import make_project
from widgets import theme
from widgets.window import MainWindow

DIM = {"text_dim"}
# What may carry text of any role: panels, and rows that are chosen or hovered.
USUAL_GROUNDS = ("surface", "raised")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def sheet_pairs() -> set[tuple[str, str]]:
    """Read every pair of ink and ground from the style sheet's template."""
    text = resources.path("themes/window.qss").read_text(encoding="utf-8")
    pairs = set()
    for _selector, body in RULE.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
        grounds = re.findall(r"(?<![\w-])background: \$(\w+)", body) or USUAL_GROUNDS
        inks = re.findall(r"(?<![\w-])color: \$(\w+)", body)
        pairs |= {(ink, ground) for ink in inks for ground in grounds}
    return pairs


PAIRS = sorted({*sheet_pairs(), *theme.PAINTED_PAIRS})


def test_sheet_pairs_when_read_then_hold_the_main_button() -> None:
    assert ("on_accent", "accent") in sheet_pairs()
    assert ("text_dim", "raised") in sheet_pairs()


@pytest.mark.parametrize("name", theme.NAMES)
def test_contrast_of_every_pair_in_use_then_can_be_read(name: str) -> None:
    tokens = theme.load(name)
    ratios = {pair: theme.contrast(*(getattr(tokens, token) for token in pair)) for pair in PAIRS}
    assert ("on_accent", "accent") in ratios
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < (3.0 if pair[0] in DIM else 4.5)} == {}


def test_contrast_of_black_on_white_then_is_21() -> None:
    assert theme.contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert theme.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", theme.NAMES)
def test_focus_frame_when_drawn_then_stands_out_from_panels(name: str) -> None:
    tokens = theme.load(name)
    assert theme.contrast(tokens.focus, tokens.surface) >= 3.0
    assert theme.contrast(tokens.focus, tokens.raised) >= 3.0


@pytest.mark.parametrize("name", theme.NAMES)
def test_style_sheet_when_filled_in_then_no_token_is_left_open(name: str) -> None:
    sheet = theme.style_sheet(theme.load(name))
    assert "$" not in sheet
    assert theme.load(name).accent in sheet


def test_themes_when_compared_then_name_the_same_tokens_with_other_colours() -> None:
    dark, light = theme.load("dark"), theme.load("light")
    names = {field.name for field in fields(dark)} - {"name", "bg"}
    assert all(getattr(dark, name) != getattr(light, name) for name in names)


def test_wear_when_light_then_palette_and_painters_follow(qapp: QApplication, qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    for name in ("light", "dark"):
        theme.apply(name)
        assert theme.current().name == name
        assert qapp.palette().window().color() == QColor(theme.load(name).surface)
        assert field.grab().toImage().pixelColor(20, 10) == QColor(theme.load(name).surface)


def test_resolve_when_the_system_says_nothing_then_is_dark(qapp: QApplication) -> None:
    assert theme.resolve("") == "dark"
    assert theme.resolve("light") == "light"


def test_fonts_when_asked_for_then_have_the_sizes_of_the_design(qapp: QApplication) -> None:
    assert theme.font("body").pixelSize() == 13
    assert theme.font("label").pixelSize() == 11
    assert theme.font("big").pixelSize() == 20
    metrics = QFontMetrics(theme.font("mono"))
    assert metrics.horizontalAdvance("iiii") == metrics.horizontalAdvance("WWWW")


def test_icons_when_listed_then_every_file_is_a_line_drawing_without_a_colour_of_its_own() -> None:
    files = sorted(Path(resources.path("icons")).glob("*.svg"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert 'viewBox="0 0 20 20"' in text
        assert set(re.findall(r'(?:stroke|fill)="(#?\w+)"', text)) <= {"none", "currentColor"}, file.name


@pytest.mark.parametrize("name", theme.NAMES)
def test_marks_of_boxes_when_read_then_have_the_ink_of_their_theme(name: str) -> None:
    tokens = theme.load(name)
    for state, ink, ground in (("", "on_accent", "accent"), ("_disabled", "text_dim", "raised")):
        for mark in ("tick", "part"):
            text = resources.path(f"themes/marks/{mark}{state}_{name}.svg").read_text(encoding="utf-8")
            assert re.findall(r"#\w{6}", text) == [getattr(tokens, ink)]
        assert theme.contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 3.0


@pytest.mark.parametrize("is_enabled", [True, False])
@pytest.mark.parametrize("name", theme.NAMES)
def test_box_when_ticked_partly_or_not_then_is_told_by_a_shape(
    name: str, is_enabled: bool, qtbot: QtBot
) -> None:
    theme.apply(name)
    box = QCheckBox("Detected")
    qtbot.addWidget(box)
    box.setTristate(True)
    box.setEnabled(is_enabled)
    shapes = []
    for state in (Qt.CheckState.Unchecked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Checked):
        box.setCheckState(state)
        shown = box.grab(QRect(4, 0, 16, box.height())).toImage()
        inked = QColor(getattr(theme.current(), "on_accent" if is_enabled else "text_dim")).rgb()
        inside = [(x, y) for x in range(3, 13) for y in range(box.height() // 2 - 4, box.height() // 2 + 4)]
        colours = [shown.pixel(x, y) for x, y in inside]
        # Without a shape the ground alone is there, whatever its colour.
        shapes.append(colours.count(inked) if len(set(colours)) > 1 else 0)
    theme.apply("dark")
    assert shapes[0] == 0
    assert min(shapes[1:]) >= 4
    assert shapes[1] != shapes[2]


def test_box_when_the_keyboard_is_at_one_that_is_ticked_then_a_frame_shows_it(qtbot: QtBot) -> None:
    box = QCheckBox("Detected")
    qtbot.addWidget(box)
    box.setChecked(True)
    with qtbot.waitExposed(box):
        box.show()
    box.activateWindow()
    box.clearFocus()
    before = box.grab().toImage()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    middle = QPoint(box.width() // 2, 0)
    assert before.pixelColor(middle) != QColor(theme.current().focus)
    assert box.grab().toImage().pixelColor(middle) == QColor(theme.current().focus)


@pytest.mark.parametrize("name", theme.NAMES)
def test_words_of_an_empty_field_when_shown_then_are_dim_and_not_half_faded(name: str, qtbot: QtBot) -> None:
    theme.apply(name)
    field = QLineEdit()
    qtbot.addWidget(field)
    field.ensurePolished()
    # Left to itself, Qt takes half of the ink of texts: 3.2 to 1 in the light theme.
    shown = field.palette().placeholderText().color().name()
    theme.apply("dark")
    assert shown == theme.load(name).text_dim


@pytest.mark.parametrize("is_selected", [True, False])
def test_list_when_the_keyboard_is_at_a_row_then_a_mark_shows_it(is_selected: bool, qtbot: QtBot) -> None:
    names, other = QListWidget(), QLineEdit()
    names.addItems(["dawn", "rain"])
    if is_selected:
        names.setCurrentRow(0)
    whole = QWidget()
    qtbot.addWidget(whole)
    column = QVBoxLayout(whole)
    column.addWidget(other)
    column.addWidget(names)
    with qtbot.waitExposed(whole):
        whole.show()
    whole.activateWindow()
    ink = QColor(theme.current().accent)

    def has_mark() -> bool:
        middle = names.visualItemRect(names.item(0)).center().y()
        return names.viewport().grab().toImage().pixelColor(0, middle) == ink

    other.setFocus()
    assert not has_mark()
    names.setFocus(Qt.FocusReason.TabFocusReason)
    assert has_mark()


@pytest.mark.allow_messages("does not support raise")
def test_theme_when_changed_with_a_dialog_open_then_all_windows_have_it(
    tmp_path: Path, show_window: Callable[[Session], MainWindow], qtbot: QtBot, qapp: QApplication
) -> None:
    window = show_window(Session.open(make_project(tmp_path / "pilot.vantage")))
    qtbot.waitUntil(window.is_settled)
    window.show_keys()
    (dialog,) = window.findChildren(QDialog)
    QToolTip.showText(window.rect().center(), "Hint", window)
    shown = [one for one in qapp.topLevelWidgets() if one.isVisible() and one.parentWidget() is None]
    assert all(one.styleSheet() for one in shown)
    # An application with a sheet of its own builds each window in nearly twice the time.
    assert qapp.styleSheet() == ""
    for name in ("light", "dark"):
        window.apply_theme(name)
        ground = dialog.grab().toImage().pixelColor(4, 4)
        assert ground == theme.load(name).color("surface")
    dialog.close()
