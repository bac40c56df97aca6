from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRect, QSize

from widgets.stage.arrangement import Layout, PixelGrid, arrange, layouts_for, pixel_grid

SHAPE = QSize(1280, 720)
WIDE = QSize(1600, 900)


def placed(layout: Layout, count: int, *, space: QSize = WIDE, main: int = 0) -> list[QRect]:
    return arrange(space, [SHAPE] * count, layout=layout, main=main)


def columns_of(positions: list[QRect]) -> int:
    return len({rect.left() for rect in positions})


def rows_of(positions: list[QRect]) -> int:
    return len({rect.top() for rect in positions})


@pytest.mark.parametrize(
    ("layout", "columns", "rows"),
    [("best", 2, 2), ("row", 4, 1), ("column", 1, 4), ("columns-2", 2, 2), ("columns-3", 3, 2)],
)
def test_views_when_their_layout_is_fixed_then_stand_so(layout: Layout, columns: int, rows: int) -> None:
    positions = placed(layout, 4)
    assert (columns_of(positions), rows_of(positions)) == (columns, rows)


def test_views_when_one_is_in_front_then_it_is_largest_and_the_others_are_a_strip() -> None:
    positions = placed("front", 4, main=2)
    areas = [rect.width() * rect.height() for rect in positions]
    assert areas[2] > 4 * max(areas[:2] + areas[3:])
    assert all(not one.intersects(other) for one in positions for other in positions if one is not other)
    strip = [positions[at] for at in (0, 1, 3)]
    assert columns_of(strip) == 1 or rows_of(strip) == 1
    united = positions[0].united(positions[1]).united(positions[2]).united(positions[3])
    assert united == QRect(0, 0, 1600, 900)


def test_views_when_one_is_in_front_of_a_tall_room_then_the_strip_lies_below() -> None:
    positions = placed("front", 3, space=QSize(700, 1100))
    assert positions[0].width() == 700
    assert positions[1].top() == positions[2].top() > positions[0].bottom()


@pytest.mark.parametrize(
    ("count", "layouts"),
    [
        (0, ("best",)),
        (1, ("best",)),
        (2, ("best", "row", "column", "front")),
        (3, ("best", "row", "column", "columns-2", "front")),
        (6, ("best", "row", "column", "columns-2", "columns-3", "front")),
    ],
)
def test_layouts_when_there_are_so_many_views_then_are_those_that_differ(
    count: int, layouts: tuple[Layout, ...]
) -> None:
    assert layouts_for(count) == layouts


def test_layout_when_it_needs_more_views_then_counts_as_the_best() -> None:
    assert placed("columns-3", 2) == placed("best", 2)
    assert arrange(WIDE, [], layout="front") == []
    assert placed("front", 2, main=7) == placed("front", 2, main=1)


@pytest.mark.parametrize("layout", ["best", "row", "column", "columns-2", "columns-3", "front"])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 1.75, 2.0, 3.0])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_views_when_the_screen_is_scaled_then_stand_on_its_whole_pixels_with_even_gaps(
    layout: Layout, ratio: float, count: int
) -> None:
    grid = pixel_grid(ratio, x=61, y=33)
    positions = arrange(QSize(1237, 811), [SHAPE] * count, layout=layout, grid=grid)
    for rect in positions:
        for edge, corner in (
            (rect.left(), 61), (rect.left() + rect.width(), 61),
            (rect.top(), 33), (rect.top() + rect.height(), 33),
        ):  # fmt: skip
            assert ((edge + corner) * ratio).is_integer()
        assert QRect(0, 0, 1237, 811).contains(rect)
    gaps = {
        right.left() - left.right() - 1
        for left, right in pairwise(sorted(positions, key=lambda one: (one.top(), one.left())))
        if left.top() == right.top()
    }
    assert len(gaps) <= 1
    assert all(2 <= gap <= 4 for gap in gaps)


def test_grid_when_the_scale_is_no_quarter_then_is_that_of_the_window() -> None:
    assert pixel_grid(1.37) == PixelGrid()
    assert pixel_grid(1.25, x=3, y=5) == PixelGrid(step=4, x=3, y=5)
