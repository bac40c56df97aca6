"""Names are the same to the pixel whether drawn letter by letter or put together from digits."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
import pytest

from annotator.domain.region import Box
from annotator.media.name_plates import GROUND, INK, LEFT_PX, SPARE_PX, TOP_PX, NamePlates

NUMBERS = (0, 7, 10, 35, 84, 99, 168, 448, 700, 1935, 3581, 14_406, 123_456)
SIZES = ((640, 1, 0.45), (1920, 2, 0.8), (2700, 3, 1.125), (4000, 4, 4000 / 2400))


def _drawn(text: str, *, width: int, letter: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    (wide, high), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, letter, width)
    plate = np.full((high + below + SPARE_PX, wide + 2 * LEFT_PX, 3), GROUND, np.uint8)
    location = (LEFT_PX, TOP_PX + high)
    cv2.putText(plate, text, location, cv2.FONT_HERSHEY_SIMPLEX, letter, INK, width, lineType=cv2.LINE_AA)
    return plate


@pytest.mark.parametrize(("columns", "width", "letter"), SIZES)
def test_name_when_it_ends_in_a_number_then_it_has_the_pixels_of_one_drawn_letter_by_letter(
    columns: int, width: int, letter: float
) -> None:
    picture = np.zeros((200, columns, 3), np.uint8)
    for number in NUMBERS:
        names = NamePlates(picture, width=width, letter=letter)
        names.write([(f"Region {number}", Box(x1=10, y1=150, x2=20, y2=160))])
        drawn = _drawn(f"Region {number}", width=width, letter=letter)
        bottom = 150 - width
        seen = picture[bottom - drawn.shape[0] : bottom, 10 : 10 + drawn.shape[1]]
        assert np.array_equal(seen, drawn), number


def test_names_when_there_are_thousands_then_only_their_digits_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: Counter[str] = Counter()
    draw = cv2.putText

    def count(picture: object, text: str, *rest: object, **options: object) -> object:
        calls[text] += 1
        return draw(picture, text, *rest, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(cv2, "putText", count)
    names = NamePlates(np.zeros((400, 600, 3), np.uint8), width=1, letter=0.45)
    for number in range(3000):
        names.write([(f"Region {number}", Box(x1=number % 500, y1=number % 350, x2=510, y2=360))])
    assert sum(calls.values()) < 400


def test_name_when_the_picture_is_narrower_or_lower_then_it_stays_inside_and_others_follow() -> None:
    picture = np.zeros((12, 40, 3), np.uint8)
    names = NamePlates(picture, width=1, letter=0.45)
    for text in ("Region 1234", "Region 1235", "7", "North", "Region 3"):
        names.write([(text, Box(x1=0, y1=0, x2=40, y2=12))])
    assert picture.any()


def test_names_when_written_together_then_they_look_as_one_after_the_other_and_covered_ones_are_not_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    corners = rng.uniform((0, 0), (620, 440), (400, 2)).tolist()
    texts = [f"Region {number}" if number % 9 else f"Tower {'NESW'[number % 4]}" for number in range(400)]
    boxes = [Box(x1=x, y1=y, x2=x + 20, y2=y + 20) for x, y in corners]
    ground = rng.integers(0, 256, (480, 640, 3), np.uint8)
    one_by_one, together = ground.copy(), ground.copy()
    names = NamePlates(one_by_one, width=1, letter=0.45)
    for text, box in zip(texts, boxes, strict=True):
        names.write([(text, box)])
    drawn: list[object] = []
    draw = cv2.copyTo

    def count(plate: object, *rest: object) -> object:
        drawn.append(plate)
        return draw(plate, *rest)  # type: ignore[call-overload]

    monkeypatch.setattr(cv2, "copyTo", count)
    NamePlates(together, width=1, letter=0.45).write(list(zip(texts, boxes, strict=True)))
    assert np.array_equal(together, one_by_one)
    assert len(drawn) < len(texts)
