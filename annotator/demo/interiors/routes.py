"""Ways through a floor plan, as TopViewRS draws them, and what is true about each."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.interiors.catalogue import catalogue
from annotator.demo.interiors.drawing import Image, Scale
from annotator.demo.interiors.floor_plan import Area, FloorPlan
from annotator.domain.map_path import TURN_DEG
from annotator.media.map_drawing import draw_map_path

Point = tuple[float, float]

_DOUBTFUL_DEG = 6.0
"""Annotators disagree about bends near the limit, so such routes are rejected."""
_TRIES = 30
_CELLS_PER_M = 10
_CLEARANCE_M, _LEAST_CLEARANCE_M = 0.22, 0.12
"""Between a way and what stands: as it is sought, and as it may be once its corners were cut."""
_STRAIGHTENED_M = (0.28, 0.18, 0.1)
"""How far the corners of a way may be cut, the roundest line that touches nothing first."""
_LEAST_LEG_M = 0.7
_STEPS = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A change of direction.

    Attributes:
        at: Where, metres.
        action: ``left turn`` or ``right turn``.
        angle_deg: Clockwise as seen on the map, -180 to 180.
    """

    at: Point
    action: str
    angle_deg: float


@dataclass(frozen=True, kw_only=True)
class Route:
    """A way through a plan.

    Attributes:
        points: Corners of it, metres, two or more.
        rooms: Numbers of the rooms that it passes, in order, each stay once.
        turns: Its changes of direction over 30 degrees.
    """

    points: tuple[Point, ...]
    rooms: tuple[int, ...]
    turns: tuple[Turn, ...]

    @property
    def heading_deg(self) -> float:
        """Direction from start to end, clockwise from the top of the map, 0 to 360."""
        (x1, y1), (x2, y2) = self.points[0], self.points[-1]
        return float(np.degrees(np.arctan2(x2 - x1, y1 - y2)) % 360)


def find_route(plan: FloorPlan, *, start: int, end: int, seed: int) -> Route | None:
    """Return a way on free floor from one room to another, None where no clear one is found.

    Args:
        plan: The plan.
        start: Number of the room where it begins.
        end: Number of the room where it ends.
        seed: Seed of the two places in them.
    """
    clearance_m = _clearances(plan)
    free, passable = clearance_m >= _CLEARANCE_M, clearance_m >= _LEAST_CLEARANCE_M
    rng = np.random.default_rng((seed, start, end, *plan.name.encode()))
    for _ in range(_TRIES):
        cells = [_free_cell(free, plan.rooms[number].area, rng) for number in (start, end)]
        way = _shortest(free, *cells)
        if way is not None:
            # As few corners as nothing stands in the way of: the turns of a route of many short legs are
            # counted differently by different annotators.
            lines = (_straightened(way, within_m=within_m) for within_m in _STRAIGHTENED_M)
            points = next((line for line in lines if _keeps_to(passable, line)), None)
            if points and not any(abs(abs(angle) - TURN_DEG) < _DOUBTFUL_DEG for _, angle in _bends(points)):
                return Route(points=points, rooms=tuple(_rooms_on(plan, points)), turns=tuple(_turns(points)))
    return None


def draw_route(image: Image, route: Route, *, scale: Scale) -> Image:
    """Return a map with a way drawn into it after TopViewRS's rules: triangle, arrows, star.

    Args:
        image: The map, uint8 (rows, columns, 3), blue green red; it stays as it is.
        route: The way.
        scale: The map's scale.
    """
    drawn = np.ascontiguousarray(image[..., ::-1])
    draw_map_path(drawn, [scale.point(*p) for p in route.points])
    return drawn[..., ::-1]


def _clearances(plan: FloorPlan) -> NDArray[Any]:
    """Return how far each cell of floor is from walls and furniture: float (rows, columns), metres."""
    shape = (round(plan.depth_m * _CELLS_PER_M), round(plan.width_m * _CELLS_PER_M))
    free = np.zeros(shape, np.uint8)
    half = catalogue().wall_m / 2
    for area in (*(room.area.grown(-half) for room in plan.rooms), *(door.area for door in plan.doors)):
        free[_cells(area)] = 1
    for thing in plan.objects:
        if catalogue().objects[thing.category].height_m >= 0.1:
            free[_cells(thing.area)] = 0
    # Padded: what lies outside of the plan is no floor.
    cells = cv2.distanceTransform(np.pad(free, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    return np.asarray(cells / _CELLS_PER_M)


def _keeps_to(passable: NDArray[np.bool_], points: Sequence[Point]) -> bool:
    """Return whether a line stays on passable cells: one that cuts corners may lead through a sofa."""
    for one, two in itertools.pairwise(np.array(points) * _CELLS_PER_M):
        shares = np.linspace(0, 1, max(2, 4 * int(np.hypot(*(two - one)))))[:, None]
        columns, rows = (one + shares * (two - one)).astype(np.int64).T
        if not passable[rows, columns].all():
            return False
    return True


def _cells(area: Area) -> tuple[slice, slice]:
    x1, y1, x2, y2 = (round(v * _CELLS_PER_M) for v in (area.x1, area.y1, area.x2, area.y2))
    return slice(max(0, y1), y2), slice(max(0, x1), x2)


def _free_cell(free: NDArray[np.bool_], area: Area, rng: np.random.Generator) -> tuple[int, int]:
    """Return a free cell of a room, row and column, near its middle."""
    # Away from the walls: a way that begins in a corner is mostly corner.
    rows, columns = _cells(area.grown(-0.5))
    y, x = np.nonzero(free[rows, columns])
    pick = int(rng.integers(len(x)))
    return int(y[pick]) + rows.start, int(x[pick]) + columns.start


def _shortest(
    free: NDArray[np.bool_], start: tuple[int, int], end: tuple[int, int]
) -> list[tuple[int, int]] | None:
    """Return the cells of a shortest way over free cells. Source: Dijkstra, 1959, with 8 neighbours."""
    # Numbers of cells in one flat list, with an edge that is not free: five times faster than pairs.
    width = free.shape[1] + 2
    is_free = np.pad(free, 1).ravel().tolist()
    steps = [(down * width + across, (across * across + down * down) ** 0.5) for across, down in _STEPS]
    first, last = ((row + 1) * width + column + 1 for row, column in (start, end))
    costs, before = [np.inf] * len(is_free), [-1] * len(is_free)
    costs[first] = 0.0
    open_cells = [(0.0, first)]
    while open_cells:
        cost, cell = heapq.heappop(open_cells)
        if cell == last:
            return [(number // width - 1, number % width - 1) for number in _traced(before, last)]
        # Found a shorter way to it since it was put in the heap.
        if cost > costs[cell]:
            continue
        for step, length in steps:
            near = cell + step
            if is_free[near] and cost + length < costs[near]:
                costs[near], before[near] = cost + length, cell
                heapq.heappush(open_cells, (cost + length, near))
    return None


def _traced(before: list[int], end: int) -> list[int]:
    way = [end]
    while before[way[-1]] >= 0:
        way.append(before[way[-1]])
    return way[::-1]


def _straightened(way: list[tuple[int, int]], *, within_m: float) -> tuple[Point, ...]:
    """Return the corners of a way, those that lie nearer than a short leg to the last one left out."""
    line = np.array([(column + 0.5, row + 0.5) for row, column in way], np.float32) / _CELLS_PER_M
    corners = cv2.approxPolyDP(line[:, None], within_m, closed=False)[:, 0].tolist()
    kept = [corners[0]]
    for corner in corners[1:-1]:
        # Two bends half a metre apart are one turn to an annotator, and two to a program.
        if min(_length(kept[-1], corner), _length(corner, corners[-1])) >= _LEAST_LEG_M:
            kept.append(corner)
    return tuple((round(x, 2), round(y, 2)) for x, y in [*kept, corners[-1]])


def _length(one: Sequence[float], two: Sequence[float]) -> float:
    return float(np.hypot(one[0] - two[0], one[1] - two[1]))


def _rooms_on(plan: FloorPlan, points: tuple[Point, ...]) -> Iterator[int]:
    last = None
    for one, two in itertools.pairwise(points):
        for share in np.linspace(0, 1, max(2, int(_length(one, two) * 20))):
            room = plan.room_at(*(np.array(one) + share * (np.array(two) - one)).tolist())
            if room is not None and room != last:
                yield room
                last = room


def _bends(points: tuple[Point, ...]) -> Iterator[tuple[Point, float]]:
    """Yield each corner with its change of direction, clockwise as seen on the map, degrees."""
    for one, two, three in zip(points, points[1:], points[2:], strict=False):
        before, after = np.subtract(two, one), np.subtract(three, two)
        cross = float(before[0] * after[1] - before[1] * after[0])
        # y runs down on a map, so a positive angle is clockwise.
        yield two, float(np.degrees(np.arctan2(cross, float(before @ after))))


def _turns(points: tuple[Point, ...]) -> Iterator[Turn]:
    for at, angle in _bends(points):
        if abs(angle) > TURN_DEG:
            yield Turn(at=at, action="right turn" if angle > 0 else "left turn", angle_deg=angle)
