"""Texts shortened to their place are measured once per font, width and side that gives way."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics, QImage, QPainter

from widgets import elided_texts, theme
from widgets.elided_texts import ElidedTexts
from widgets.theme import Role

NAME = "a_long_name_of_an_item_0000001"


class CountingPainter(QPainter):
    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.measured = 0

    def fontMetrics(self) -> QFontMetrics:
        self.measured += 1
        return super().fontMetrics()


def shortened(
    texts: ElidedTexts, painter: CountingPainter, *, font: Role, width_px: int, in_middle: bool = False
) -> str:
    painter.setFont(theme.font(font))
    return texts.text(painter, NAME, font=font, width_px=width_px, gives_way_in_middle=in_middle)


@pytest.mark.usefixtures("qapp")
def test_text_when_painted_again_then_is_measured_only_for_another_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = QImage(10, 10, QImage.Format.Format_RGB32)
    painter, texts = CountingPainter(image), ElidedTexts()
    first = shortened(texts, painter, font="body", width_px=80)
    assert first.endswith("…")
    assert shortened(texts, painter, font="body", width_px=80) == first
    assert painter.measured == 1
    assert len(shortened(texts, painter, font="body", width_px=120)) > len(first)
    assert shortened(texts, painter, font="body", width_px=80, in_middle=True).endswith("1")
    assert shortened(texts, painter, font="mono", width_px=80) != first
    assert shortened(texts, painter, font="body", width_px=2000) == NAME
    assert painter.measured == 5
    monkeypatch.setattr(elided_texts, "MOST_KEPT", 5)
    assert shortened(texts, painter, font="body", width_px=81)
    assert shortened(texts, painter, font="body", width_px=80) == first
    assert painter.measured == 7
    painter.end()
