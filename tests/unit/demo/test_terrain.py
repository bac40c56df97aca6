from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotator.demo.terrain import CELLS_PER_M, Material, Rectangle, Terrain, colour_of, shaded

rectangles = st.builds(
    Rectangle,
    x_m=st.floats(5, 15),
    y_m=st.floats(5, 15),
    length_m=st.floats(1, 6),
    width_m=st.floats(1, 6),
    turn_deg=st.floats(-180, 180),
)


@pytest.fixture
def land() -> Terrain:
    return Terrain.empty(width_m=20, depth_m=20, colour=colour_of("336699"))


def test_colour_when_read_then_channels_are_blue_green_red() -> None:
    assert colour_of("336699") == (0x99, 0x66, 0x33)


def test_colour_when_made_lighter_then_it_stays_in_a_byte() -> None:
    assert shaded((10, 200, 255), 1.5) == (15, 255, 255)


# Every cell reaches so far from its centre: the cells of a rectangle cover all that lies further inside, and
# nothing that lies further outside. The rest is the rounding of float32 coordinates.
REACH_M = math.sqrt(0.5) / CELLS_PER_M + 1e-4


@given(plan=rectangles)
@example(plan=Rectangle(x_m=5, y_m=5, length_m=1.25, width_m=1.09375))
def test_window_when_a_rectangle_is_turned_then_its_cells_reach_to_its_edge_and_no_further(
    plan: Rectangle,
) -> None:
    land = Terrain.empty(width_m=20, depth_m=20, colour=(0, 0, 0))
    area_m2 = land.window(plan).inside.sum() / CELLS_PER_M**2
    within = (plan.length_m - 2 * REACH_M) * (plan.width_m - 2 * REACH_M)
    around = (plan.length_m + 2 * REACH_M) * (plan.width_m + 2 * REACH_M)
    assert within <= area_m2 <= around


@pytest.mark.parametrize("turn_deg", [0, 17, 45, -60, 90])
def test_window_when_a_rectangle_moves_across_a_cell_then_its_mean_area_is_its_own(turn_deg: float) -> None:
    land = Terrain.empty(width_m=20, depth_m=20, colour=(0, 0, 0))
    # Steps of a seventh of a cell put no edge on a centre, where rounding would decide.
    steps = [(n + 0.5) / 7 / CELLS_PER_M for n in range(7)]
    areas = [
        land.window(
            Rectangle(x_m=9 + x, y_m=9 + y, length_m=1.25, width_m=1.09375, turn_deg=turn_deg)
        ).inside.sum()
        for x in steps
        for y in steps
    ]
    assert np.mean(areas) / CELLS_PER_M**2 == pytest.approx(1.25 * 1.09375, rel=0.01)


@given(plan=rectangles, along=st.floats(-3, 3), across=st.floats(-3, 3))
def test_part_when_taken_at_an_offset_then_its_centre_is_that_point(
    plan: Rectangle, along: float, across: float
) -> None:
    part = plan.part(along, across, length_m=1, width_m=1)
    assert (part.x_m, part.y_m) == pytest.approx(plan.at(along, across))
    assert part.turn_deg == plan.turn_deg


def test_window_outside_when_asked_then_it_is_empty(land: Terrain) -> None:
    outside = Rectangle(x_m=90, y_m=-40, length_m=2, width_m=2)
    assert land.window(outside).inside.size == 0


def test_fill_when_painted_then_colour_and_material_lie_there_alone(land: Terrain) -> None:
    land.fill(
        Rectangle(x_m=10, y_m=10, length_m=4, width_m=2).corners(), colour=(1, 2, 3), material=Material.WATER
    )
    covered = land.material == Material.WATER
    assert covered.sum() / CELLS_PER_M**2 == pytest.approx(8, rel=0.1)
    assert tuple(land.colour[covered][land.colour[covered].shape[0] // 2]) == (1, 2, 3)
    assert land.is_clear(10, 10, radius_m=0.8, materials=(Material.WATER,))
    assert not land.is_clear(10, 10, radius_m=3, materials=(Material.WATER,))


def test_tile_when_cut_out_then_it_knows_where_it_lies_and_is_a_copy(land: Terrain) -> None:
    land.fill(
        Rectangle(x_m=12, y_m=7, length_m=1, width_m=1).corners(), colour=(9, 9, 9), material=Material.SOIL
    )
    tile = land.tile(west_m=10, north_m=5, east_m=99, south_m=9)
    assert (tile.west_m, tile.north_m) == (10, 5)
    assert tile.body.shape == (4 * CELLS_PER_M, 10 * CELLS_PER_M)
    assert tile.is_clear(12, 7, radius_m=0.3, materials=(Material.SOIL,))
    tile.colour[:] = 0
    assert land.colour.any()


def test_stroke_when_drawn_then_it_has_its_width(land: Terrain) -> None:
    land.stroke([(2, 10), (18, 10)], width_m=2, colour=(0, 0, 0), material=Material.ASPHALT)
    rows = np.flatnonzero((land.material == Material.ASPHALT)[:, 10 * CELLS_PER_M])
    assert len(rows) / CELLS_PER_M == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize(("x_m", "is_there"), [(0.0, True), (19.9, True), (20.1, False), (-0.1, False)])
def test_terrain_when_asked_for_a_point_then_tells_whether_it_holds_it(
    land: Terrain, x_m: float, is_there: bool
) -> None:
    assert land.holds(x_m, 3) is is_there
