"""Tests whether Qt can open a window; runs in a child process, because Qt aborts the process on failure."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import qVersion
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QGuiApplication

SAMPLE = "题目区域"


def probe_display() -> dict[str, Any]:
    """Return version and platform of Qt, size and scale of the screen, and a font with Chinese glyphs."""
    application = QGuiApplication(["vantage"])
    screen = application.primaryScreen()
    size = screen.size()
    return {
        "qt": qVersion(),
        "platform": application.platformName(),
        "screen": [size.width(), size.height()],
        "scale": screen.devicePixelRatio(),
        "chinese_font": chinese_font(),
    }


def chinese_font() -> str:
    """Return a font family with Chinese glyphs, "" if none is installed."""
    families = QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)
    return next((family for family in families if _has_characters(family)), "")


def _has_characters(family: str) -> bool:
    # A font can claim a writing system and still lack some of its glyphs.
    metrics = QFontMetrics(QFont(family))
    return all(metrics.inFontUcs4(ord(character)) for character in SAMPLE)
