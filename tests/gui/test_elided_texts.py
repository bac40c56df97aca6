"""Texts shortened to their place are laid out once per font, width and side that gives way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter

from widgets import elided_texts, theme
from widgets.elided_texts import ElidedTexts
from widgets.theme import Role

NAME = "a_long_name_of_an_item_0000001"
TEXTS = (NAME, "Which UAV sees the red car best?", "<b>x</b> &amp; y", "1,234", "哪一架无人机看得最清楚")
ROW = QRect(10, 4, 160, 28)
SIDES = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class CountingPainter(QPainter):
    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.measured = 0

    def fontMetrics(self) -> QFontMetrics:
        self.measured += 1
        return super().fontMetrics()


def make_image() -> QImage:
    image = QImage(ROW.width() + 30, ROW.height() + 8, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    return image


def paint(
    texts: ElidedTexts, painter: QPainter, *, font: Role = "body", width_px: int, in_middle: bool = False
) -> None:
    painter.setFont(theme.font(font))
    texts.paint(painter, QRect(0, 0, width_px, 28), NAME, font=font, gives_way_in_middle=in_middle)


@pytest.mark.usefixtures("qapp")
def test_text_when_painted_again_then_is_measured_only_for_another_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = make_image()
    painter, texts = CountingPainter(image), ElidedTexts()
    for _turn in range(2):
        paint(texts, painter, width_px=80)
    assert painter.measured == 1
    paint(texts, painter, width_px=120)
    paint(texts, painter, width_px=80, in_middle=True)
    paint(texts, painter, font="mono", width_px=80)
    paint(texts, painter, width_px=2000)
    assert painter.measured == 5
    monkeypatch.setattr(elided_texts, "MOST_KEPT", 5)
    paint(texts, painter, width_px=81)
    paint(texts, painter, width_px=80)
    assert painter.measured == 7
    painter.end()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("font", ["body", "mono", "label"])
@pytest.mark.parametrize("is_at_right", [False, True])
def test_text_when_painted_then_each_pixel_is_as_qt_draws_the_text_itself(
    text: str, font: Role, is_at_right: bool
) -> None:
    expected, image, texts = make_image(), make_image(), ElidedTexts()
    with QPainter(expected) as painter:
        painter.setFont(theme.font(font))
        painter.setPen(QColor("white"))
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, ROW.width())
        painter.drawText(ROW, int(SIDES[is_at_right]), elided)
    with QPainter(image) as painter:
        painter.setFont(theme.font(font))
        painter.setPen(QColor("white"))
        texts.paint(painter, ROW, text, font=font, gives_way_in_middle=True, is_at_right=is_at_right)
    assert image != make_image()
    assert image == expected
