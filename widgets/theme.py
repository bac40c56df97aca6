"""Colours and fonts of the window: named tokens, and one style sheet that is generated from them.

Painting code reads tokens at paint time, so that one call changes the theme.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from string import Template
from typing import Literal, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

import resources
from widgets.translation import language

NAMES = ("dark", "light")
Role = Literal["body", "strong", "label", "big", "mono", "mono_small"]

ROW = 28
"""Height of a row in a list, px."""


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The tokens of one theme, each ``#rrggbb``.

    Attributes:
        name: ``dark`` or ``light``.
        bg: Background of images.
        surface: Background of panels and lists.
        raised: Background of selected, hovered or pressed elements.
        line: 1 px separators and borders of controls.
        text: Text colour.
        text_dim: Colour of secondary text.
        accent: Colour of the selection and of the main action.
        on_accent: Text colour on ``accent``.
        good: Text colour of correct or completed values.
        warn: Text colour of values that need attention.
        bad: Text colour of errors that need a decision.
        focus: Frame of the focused element.
        warn_ground: Background of chips in ``warn``.
        bad_ground: Background of chips in ``bad``.
        good_ground: Background of chips in ``good``.
    """

    name: str
    bg: str
    surface: str
    raised: str
    line: str
    text: str
    text_dim: str
    accent: str
    on_accent: str
    good: str
    warn: str
    bad: str
    focus: str
    warn_ground: str
    bad_ground: str
    good_ground: str

    def color(self, token: str) -> QColor:
        """Return a token's colour."""
        return QColor(getattr(self, token))


PAINTED_PAIRS: tuple[tuple[str, str], ...] = (
    ("text", "surface"),
    ("text", "raised"),
    ("text_dim", "surface"),
    ("text_dim", "raised"),
    ("good", "surface"),
    ("good", "raised"),
    ("warn", "surface"),
    ("warn", "raised"),
    ("bad", "surface"),
    ("bad", "raised"),
    ("accent", "surface"),
    ("accent", "raised"),
    ("warn", "warn_ground"),
    ("bad", "bad_ground"),
    ("good", "good_ground"),
)
"""Pairs of text and background colours used by painters; those of the style sheet are read from it."""

_CURRENT: dict[str, str] = {"name": "dark"}


@cache
def load(name: str) -> Theme:
    """Read a theme's tokens."""
    with resources.path(f"themes/{name}.toml").open("rb") as file:
        return Theme(name=name, **tomllib.load(file))


def current() -> Theme:
    """Return the current theme."""
    return load(_CURRENT["name"])


def resolve(choice: str) -> str:
    """Return ``dark`` or ``light`` for a setting; any other value follows the system."""
    if choice in NAMES:
        return choice
    scheme = QGuiApplication.styleHints().colorScheme()
    return "light" if scheme == Qt.ColorScheme.Light else "dark"


def apply(choice: str) -> Theme:
    """Apply a theme to the whole application: new windows, and those that are styled already.

    Args:
        choice: ``dark``, ``light``, or "" to follow the system.
    """
    _CURRENT["name"] = resolve(choice)
    theme = current()
    application = cast("QApplication", QApplication.instance())
    application.setFont(font("body"))
    application.setPalette(palette(theme))
    for window in application.topLevelWidgets():
        if window.parentWidget() is None and window.styleSheet():
            style_window(window)
    return theme


def style_window(window: QWidget) -> None:
    """Give a window the style sheet of the current theme; all that has it as a parent inherits the sheet."""
    # The sheet is not the application's: with one, Qt styles a whole subtree again each time that one of its
    # widgets gets a parent, which takes 40 % of the time in which a window is built.
    window.setStyleSheet(style_sheet(current()))


def style_sheet(theme: Theme) -> str:
    """Return the Qt style sheet of a theme."""
    template = Template(resources.path("themes/window.qss").read_text(encoding="utf-8"))
    tokens = {field.name: getattr(theme, field.name) for field in fields(theme)}
    # An image in a style sheet is a file with fixed colours, hence one per theme.
    marks = resources.path("themes/marks").as_posix()
    return template.substitute(
        tokens, marks=marks, mono=", ".join(f'"{family}"' for family in mono_families())
    )


def palette(theme: Theme) -> QPalette:
    """Return the palette of a theme, for elements that the style sheet does not cover."""
    made = QPalette()
    role = QPalette.ColorRole
    grounds = {role.Window: theme.surface, role.Base: theme.surface, role.Button: theme.surface}
    raised = {role.AlternateBase: theme.raised, role.ToolTipBase: theme.raised, role.Midlight: theme.raised}
    inks = {role.WindowText: theme.text, role.Text: theme.text, role.ButtonText: theme.text}
    others = {
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.text_dim,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Link: theme.accent,
        role.Mid: theme.line,
        role.Dark: theme.line,
        role.Accent: theme.accent,
    }
    for position, value in (grounds | raised | inks | others).items():
        made.setColor(position, QColor(value))
    for position in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, position, QColor(theme.text_dim))
    return made


def font(role: Role) -> QFont:
    """Return the font of a role: 13 px body, 11 px labels, 20 px figures; with tabular digits."""
    return QFont(_font(role, language()))


@cache
def _font(role: Role, _language: str) -> QFont:
    # Kept: a copy shares the font engine, which Qt looks up for each new one.
    sizes = {"label": 11, "big": 20, "mono_small": 11, "mono": 12}
    made = QFont()
    made.setFamilies(mono_families() if role.startswith("mono") else ui_families())
    made.setPixelSize(sizes.get(role, 13))
    made.setWeight(QFont.Weight.DemiBold if role == "strong" else QFont.Weight.Normal)
    # Tabular digits, so that counts and times do not jump; fonts without the feature ignore it.
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


@cache
def _system_family(kind: QFontDatabase.SystemFont) -> str:
    # Fontconfig returns an alias such as "Sans Serif"; the font that it resolves to has to come first.
    return QFontInfo(QFontDatabase.systemFont(kind)).family()


def ui_families() -> list[str]:
    """Return the system's UI font, followed by fonts with Chinese glyphs."""
    return [_system_family(QFontDatabase.SystemFont.GeneralFont), *_chinese_families()]


def mono_families() -> list[str]:
    """Return monospaced fonts, followed by fonts with Chinese glyphs."""
    fixed = _system_family(QFontDatabase.SystemFont.FixedFont)
    return [fixed, "DejaVu Sans Mono", "Consolas", "Menlo", *_chinese_families()]


def _chinese_families() -> list[str]:
    # Without a named family, fontconfig may select the Japanese glyph variants.
    names = ["Noto Sans CJK SC", "Microsoft YaHei UI", "PingFang SC", "WenQuanYi Micro Hei"]
    return names if language() == "zh" else names[:1]


def contrast(ink: str, ground: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    Source: WCAG 2.2, definitions of contrast ratio and relative luminance.
    """
    lighter, darker = sorted((_luminance(ink), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(value: str) -> float:
    red, green, blue = (int(value[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
