from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication

from widgets import icons, theme


def inks(image: QImage) -> set[str]:
    """Return the colours of the pixels that are wholly covered."""
    points = [(x, y) for x in range(image.width()) for y in range(image.height())]
    return {image.pixelColor(x, y).name() for x, y in points if image.pixelColor(x, y).alpha() == 255}


def test_icon_when_painted_then_wears_its_token(qapp: QApplication) -> None:
    image = icons.icon("menu", "warn").pixmap(QSize(40, 40)).toImage()
    assert inks(image) == {QColor(theme.load("dark").warn).name()}


def test_icon_when_the_theme_changes_then_wears_the_new_one(qapp: QApplication) -> None:
    icon = icons.icon("menu", "warn")
    theme.apply("light")
    assert inks(icon.pixmap(QSize(40, 40)).toImage()) == {QColor(theme.load("light").warn).name()}


def test_icon_when_disabled_then_is_fainter_than_when_enabled(qapp: QApplication) -> None:
    icon = icons.icon("menu", "text")
    faint = inks(icon.pixmap(QSize(40, 40), QIcon.Mode.Disabled).toImage())
    assert faint == {QColor(theme.load("dark").line).name()}


def test_icon_when_copied_then_paints_the_same(qapp: QApplication) -> None:
    icon = QIcon(icons.icon("menu", "bad"))
    assert inks(icon.pixmap(QSize(20, 20)).toImage()) == inks(
        icons.icon("menu", "bad").pixmap(QSize(20, 20)).toImage()
    )


def test_icon_when_painted_again_then_its_drawing_is_not_rendered_again(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    draw = icons.draw
    monkeypatch.setattr(icons, "draw", lambda *a, **k: (rendered.append(a[1]), draw(*a, **k)))
    icon, size = icons.icon("menu", "good"), QSize(41, 41)
    first = icon.pixmap(size).toImage()
    assert icon.pixmap(size).toImage() == first
    assert rendered == ["menu"]
    assert icon.pixmap(size, QIcon.Mode.Disabled).toImage() != first
    assert icon.pixmap(QSize(42, 42)).size() == QSize(42, 42)
    assert rendered == ["menu"] * 3
