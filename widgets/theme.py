"""Colours and type of the window: tokens by name, one style sheet made from them.

Everything that paints asks for tokens here at the moment it paints, so that a change of theme is one call.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from string import Template
from typing import Literal, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

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
        bg: Ground behind pictures.
        surface: Ground of panels and lists.
        raised: Ground of what is chosen, hovered or pressed.
        line: Lines of 1 px that divide, borders of controls.
        text: Ink.
        text_dim: Ink of what may be overlooked.
        accent: The one colour of choice and of the main action.
        on_accent: Ink on ``accent``.
        good: Ink of what is right or done.
        warn: Ink of what should be looked at.
        bad: Ink of what somebody must decide.
        focus: Frame of what the keyboard is at.
        warn_ground: Ground of chips in ``warn``.
        bad_ground: Ground of chips in ``bad``.
        good_ground: Ground of chips in ``good``.
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
"""Ink and ground that painters put together; the style sheet's own pairs are read from it."""

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
    """Return ``dark`` or ``light`` for a choice; anything else follows the system, which may say nothing."""
    if choice in NAMES:
        return choice
    scheme = QGuiApplication.styleHints().colorScheme()
    return "light" if scheme == Qt.ColorScheme.Light else "dark"


def apply(choice: str) -> Theme:
    """Apply a theme to the whole application.

    Args:
        choice: ``dark``, ``light``, or "" to follow the system.
    """
    _CURRENT["name"] = resolve(choice)
    theme = current()
    application = cast("QApplication", QApplication.instance())
    application.setFont(font("body"))
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme))
    return theme


def style_sheet(theme: Theme) -> str:
    """Return the Qt style sheet of a theme."""
    template = Template(resources.path("themes/window.qss").read_text(encoding="utf-8"))
    tokens = {field.name: getattr(theme, field.name) for field in fields(theme)}
    # An image in a style sheet is a file in colours of its own, hence one for each theme.
    marks = resources.path("themes/marks").as_posix()
    return template.substitute(
        tokens, marks=marks, mono=", ".join(f'"{family}"' for family in mono_families())
    )


def palette(theme: Theme) -> QPalette:
    """Return the palette of a theme, for what the style sheet does not reach."""
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
    for place, value in (grounds | raised | inks | others).items():
        made.setColor(place, QColor(value))
    for place in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, place, QColor(theme.text_dim))
    return made


def font(role: Role) -> QFont:
    """Return the type of a role: 13 px body, 11 px labels, 20 px big numbers; digits of one width."""
    sizes = {"label": 11, "big": 20, "mono_small": 11, "mono": 12}
    made = QFont()
    made.setFamilies(mono_families() if role.startswith("mono") else ui_families())
    made.setPixelSize(sizes.get(role, 13))
    made.setWeight(QFont.Weight.DemiBold if role == "strong" else QFont.Weight.Normal)
    # Digits of one width, so that counts and times do not jump; fonts without the feature ignore it.
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


@cache
def _system_family(kind: QFontDatabase.SystemFont) -> str:
    # Fontconfig answers with an alias such as "Sans Serif"; the font behind it is what must come first.
    return QFontInfo(QFontDatabase.systemFont(kind)).family()


def ui_families() -> list[str]:
    """Return the system's UI font, then fonts that can write Chinese."""
    return [_system_family(QFontDatabase.SystemFont.GeneralFont), *_chinese_families()]


def mono_families() -> list[str]:
    """Return fonts of one width, then fonts that can write Chinese."""
    fixed = _system_family(QFontDatabase.SystemFont.FixedFont)
    return [fixed, "DejaVu Sans Mono", "Consolas", "Menlo", *_chinese_families()]


def _chinese_families() -> list[str]:
    # Without a named family fontconfig may pick the Japanese shapes of the same characters.
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
