from __future__ import annotations

import pytest
from PySide6.QtGui import QFontDatabase

from widgets.display_probe import chinese_font


def test_chinese_font_when_none_has_the_characters_then_is_empty(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFontDatabase, "families", lambda *_: ["DejaVu Sans"])
    families = QFontDatabase.families()
    assert families == ["DejaVu Sans"]
    monkeypatch.setattr("widgets.display_probe._has_characters", lambda family: family == "Two")
    assert chinese_font() == ""
    monkeypatch.setattr(QFontDatabase, "families", lambda *_: ["One", "Two"])
    assert chinese_font() == "Two"
