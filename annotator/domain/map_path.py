"""A navigation path on a top-view map: its turns, its heading, and the rooms that it passes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.domain.topview_map import MapPart, Point, TopViewMap

TURN_DEG = 30.0
"""A larger change of direction is a turn. Source: TopViewRS, dynamic action counting."""
DOUBTFUL_DEG = 6.0
"""Annotators disagree about bends so near to the limit."""
REVERSAL_DEG = 150.0
"""A larger change of direction goes back; whether to the left or to the right cannot be seen."""
SHORTEST_LEG = 0.025
"""Corners nearer to each other than this share of the map's diagonal look like one."""
SHORTEST_STAY = 0.03
"""A path that has less than this share of the diagonal in a room only touches it."""
LONGEST_GAP = 0.05
"""So much of a path, as a share of the diagonal, may lie in no room: in a wall or a door."""
_STEPS = 500
"""Steps along a path of the length of the diagonal."""


@dataclass(frozen=True, kw_only=True)
class PathTurn:
    """A change of direction of more than ``TURN_DEG``.

    Attributes:
        at: Its corner, image pixels.
        angle_deg: Clockwise as seen on the map, -180 to 180.
    """

    at: Point
    angle_deg: float

    @property
    def side(self) -> str:
        """The side to which it turns: ``left`` or ``right``."""
        return "right" if self.angle_deg > 0 else "left"


@dataclass(frozen=True, kw_only=True)
class MapPath:
    """A path whose turns are beyond doubt.

    Attributes:
        points: Its corners, image pixels, two or more, no two in a row the same.
        turns: In order.
    """

    points: tuple[Point, ...]
    turns: tuple[PathTurn, ...]

    @property
    def heading_deg(self) -> float:
        """Direction from the start to the end, clockwise from the top of the map, 0 to 360."""
        (x1, y1), (x2, y2) = self.points[0], self.points[-1]
        return math.degrees(math.atan2(x2 - x1, y1 - y2)) % 360

    @property
    def reach_px(self) -> float:
        """Distance between the start and the end."""
        return math.dist(self.points[0], self.points[-1])


def read_path(points: Iterable[Point], *, diagonal_px: float) -> MapPath | str:
    """Return a path with its turns, or why they are in doubt.

    Args:
        points: Its corners, image pixels.
        diagonal_px: Length of the map's diagonal.
    """
    corners = tuple(point for point, _ in itertools.groupby(points))
    if len(corners) < 2:
        return "the path has only one point"
    bends = list(_bends(corners))
    if doubt := _doubt(corners, [angle for _, angle in bends], shortest_px=SHORTEST_LEG * diagonal_px):
        return doubt
    turns = (PathTurn(at=at, angle_deg=angle) for at, angle in bends if abs(angle) > TURN_DEG)
    return MapPath(points=corners, turns=tuple(turns))


def _doubt(corners: Sequence[Point], angles: Sequence[float], *, shortest_px: float) -> str:
    """Return why the turns of a path are in doubt, "" if they are not."""
    if any(abs(abs(angle) - TURN_DEG) < DOUBTFUL_DEG for angle in angles):
        return "a bend of the path is close to the limit of a turn"
    if any(abs(angle) > REVERSAL_DEG for angle in angles):
        return "the path turns back; left and right are in doubt"
    if any(math.dist(*leg) < shortest_px for leg in itertools.pairwise(corners)):
        return "two corners of the path are close together"
    return "the path bends gradually; its turns cannot be counted" if _bends_gradually(angles) else ""


def rooms_passed(path: MapPath, content: TopViewMap) -> list[MapPart] | str:
    """Return the rooms that a path passes, in order, each stay once, or why they are in doubt."""
    stays = _stays(path, content)
    rooms = _merged([(room, count) for room, count in stays if room is not None])
    if not rooms:
        return "the path lies in no room"
    if any(room is None and count > LONGEST_GAP * _STEPS for room, count in stays):
        return "a part of the path lies in no room"
    if any(count < SHORTEST_STAY * _STEPS for _, count in rooms):
        return "the path only touches a room"
    return [room for room, _ in rooms]


def _stays(path: MapPath, content: TopViewMap) -> list[tuple[MapPart | None, int]]:
    """Return the rooms along a path, None outside of all, each with its number of steps in a row."""
    stays: list[tuple[MapPart | None, int]] = []
    for at in _points_along(path.points, step_px=content.diagonal_px / _STEPS):
        room = content.room_at(at)
        if stays and stays[-1][0] is room:
            stays[-1] = room, stays[-1][1] + 1
        else:
            stays.append((room, 1))
    return stays


def _merged(stays: Sequence[tuple[MapPart, int]]) -> list[tuple[MapPart, int]]:
    """Return stays with those in one room, which a gap has parted, as one."""
    groups = itertools.groupby(stays, key=lambda stay: stay[0].region)
    found = []
    for _, group in groups:
        parts = list(group)
        found.append((parts[0][0], sum(count for _, count in parts)))
    return found


def _bends(corners: Sequence[Point]) -> Iterator[tuple[Point, float]]:
    """Yield each inner corner with its change of direction, degrees, clockwise as seen on the map."""
    for one, two, three in zip(corners, corners[1:], corners[2:], strict=False):
        before = two[0] - one[0], two[1] - one[1]
        after = three[0] - two[0], three[1] - two[1]
        cross = before[0] * after[1] - before[1] * after[0]
        # y runs down on a map, so a positive angle is clockwise.
        yield two, math.degrees(math.atan2(cross, before[0] * after[0] + before[1] * after[1]))


def _bends_gradually(angles: Sequence[float]) -> bool:
    """Return whether several small bends to one side add up to a turn."""
    small = [0.0 if abs(angle) > TURN_DEG else angle for angle in angles]
    runs = (list(group) for _, group in itertools.groupby(small, key=lambda angle: (angle > 0) - (angle < 0)))
    return any(len(run) > 1 and abs(sum(run)) > TURN_DEG - DOUBTFUL_DEG for run in runs)


def _points_along(points: Sequence[Point], *, step_px: float) -> Iterator[Point]:
    """Yield points along a line, about one every step."""
    for one, two in itertools.pairwise(points):
        count = max(1, round(math.dist(one, two) / step_px))
        for number in range(count):
            share = number / count
            yield one[0] + share * (two[0] - one[0]), one[1] + share * (two[1] - one[1])
    yield points[-1]
