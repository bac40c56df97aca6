from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

import resources
from widgets import theme

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
        theme.wear(name)
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
