"""Where the rays of a camera end.

All rays over one line on the ground share one upright profile of the land, so the land is sampled once
per profile, from near to far, and each sample is entered at the slopes under which the camera sees it;
the first entry at a slope is what a ray of that slope meets. A table of these first entries is made for
each quarter of the horizon that the image needs, on projective coordinates (see ``_Quarter``) in which
an image's lines stay straight. Rays then read the table and find their exact end between two samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.demo.camera import Camera, Size
from annotator.demo.layers import Layers
from annotator.demo.rays import Hits, Rays, axes_of
from annotator.demo.spans import NONE, Spans, enter_spans
from annotator.demo.terrain import CELLS_PER_M

Array = NDArray[Any]
Positions = tuple[Array, Array]

_NEAREST_M = 0.12
_FINEST_STEP_M = 0.08
_MOST_SAMPLES = 30_000
_LATTICE = 65
_MARGINS = (1.125, 1.5, 4.0)
"""How far beside a quarter points of the lattice may lie, since its rays may lie between them."""
_STRAIGHT_DOWN = -1.0e6
_BLOCK = 1 << 16
"""Samples that are worked on at once, so that they stay in the processor's cache."""
_HALVINGS = 4
_SIDE_M = 0.16
"""Height within a cell from which it is a side: the steepest roofs rise by half of that."""
_LEVEL_TOLERANCE_M = 0.002


class Tracer:
    """Follows the rays of one camera over one land."""

    def __init__(self, layers: Layers, *, camera: Camera, size_px: Size) -> None:
        self._layers, self._camera, self._size_px = layers, camera, size_px

    def trace(self, rays: Rays) -> Hits:
        """Return where rays end; they must pass through the camera's image."""
        if self._is_forward:
            return self._profiles(0).trace(rays)
        quarter = _quarter_of(rays)
        hits = Hits.empty(len(quarter))
        for number in range(4):
            here = np.flatnonzero(quarter == number)
            if len(here):
                hits.fill(here, self._profiles(number).trace(rays.of(here)))
        return hits

    @cached_property
    def _lattice(self) -> tuple[Rays, Rays, Rays]:
        """Rays at places all over the image, and the rays one pixel right of and below them."""
        width, height = self._size_px
        x, y = (np.linspace(0, n, _LATTICE, dtype=np.float32) for n in (width, height))
        one, right, below = (
            Rays.through(self._camera, x=x[None, :] + dx, y=y[:, None] + dy, size_px=self._size_px)
            for dx, dy in ((0, 0), (1, 0), (0, 1))
        )
        return one, right, below

    @cached_property
    def _is_forward(self) -> bool:
        """True where one quarter, widened, has room for all rays."""
        rays = self._lattice[0]
        ahead = float(rays.ahead.min())
        return ahead > 0 and float(np.abs(rays.right / rays.ahead).max()) < 2.2

    @cached_property
    def _known(self) -> dict[int, _Profiles]:
        return {}

    def _profiles(self, number: int) -> _Profiles:
        if number not in self._known:
            quarter = _Quarter.of(self._lattice, camera=self._camera, number=number, wide=self._is_forward)
            self._known[number] = _Profiles(self._layers, camera=self._camera, quarter=quarter)
        return self._known[number]


@dataclass(frozen=True, kw_only=True)
class _Quarter:
    """A quarter of the horizon, and the coordinates of its table.

    A ray with the level parts ``major`` (along the quarter's axis) and ``minor`` and the rise ``up`` has
    the coordinates u = minor / major, and v = tan(elevation in the plane of axis and zenith - middle).

    Attributes:
        turn: Quarter turns to the right from the heading.
        cos: Cosine of the middle elevation.
        sin: Sine of it.
        first_u: u of the first column.
        step_u: From column to column.
        columns: Number of columns.
        first_v: v of the first row.
        step_v: From row to row.
        rows: Number of rows.
        lowest: Least rise over run of a ray.
        highest: Greatest rise over run of a ray.
        border: float64 (2, n), columns and rows of the image's border; empty where the whole quarter is
            shown.
    """

    turn: int
    cos: float
    sin: float
    first_u: float
    step_u: float
    columns: int
    first_v: float
    step_v: float
    rows: int
    lowest: float
    highest: float
    border: Array

    @classmethod
    def of(cls, lattice: tuple[Rays, Rays, Rays], *, camera: Camera, number: int, wide: bool) -> _Quarter:
        """Return the quarter with as many rows and columns as the image has there."""
        rays, right, below = (_turned(rays, number) for rays in lattice)
        inside = _inside(rays, wide=wide)
        slopes = rays[2][inside] / rays[0][inside]
        has_nadir = not wide and bool((rays[2] < 0).all())
        lowest = _STRAIGHT_DOWN if has_nadir else float(slopes.min())
        highest = float(slopes.max())
        middle = (np.arctan(lowest) + np.arctan(highest)) / 2
        if wide:
            middle = np.radians(camera.tilt_deg - 90.0)
        cos, sin = float(np.cos(middle)), float(np.sin(middle))
        positions = [_uv(*(part[inside] for part in r), cos=cos, sin=sin) for r in (rays, right, below)]
        steps = _steps(*positions)
        us = _range_of(positions[0][0], wide=wide)
        vs = [(s * cos - sin) / (cos + s * sin) for s in (lowest, highest)]
        border = _border(positions[0], firsts=(us[0], vs[0]), steps=steps) if wide else np.empty((2, 0))
        return cls(
            turn=number, cos=cos, sin=sin, first_u=us[0], step_u=steps[0], first_v=vs[0], step_v=steps[1],
            columns=int((us[1] - us[0]) / steps[0]) + 2, rows=int((vs[1] - vs[0]) / steps[1]) + 2,
            lowest=lowest, highest=highest, border=border,
        )  # fmt: skip

    def columns_between(self, first_row: float, last_row: float) -> Array:
        """Return the columns that the image has in some rows."""
        column, row = self.border
        # The border is known at points; rows between two of them need those on both sides.
        margin = self.rows * 2.5 / _LATTICE
        here = (row >= first_row - margin) & (row <= last_row + margin)
        if not here.any():
            return np.arange(0 if column.size else self.columns)
        first, last = column[here].min() - 3, column[here].max() + 4
        return np.arange(max(0, int(first)), min(self.columns, int(last)))


def _steps(here: Positions, right: Positions, below: Positions) -> tuple[float, float]:
    """Return the steps of u and v that are fine enough for nearly all pixels of the image."""
    u, v = (float(np.quantile(np.hypot(right[k] - here[k], below[k] - here[k]), 0.02)) for k in (0, 1))
    return u, v


def _range_of(u: Array, *, wide: bool) -> tuple[float, float]:
    """Return the least and largest u of a quarter."""
    first, last = float(u.min()), float(u.max())
    if not wide and (first > _MARGINS[0] or last < -_MARGINS[0]):
        # Only a sliver of the image lies here, between the lattice's points: the quarter's whole width.
        return min(first, -_MARGINS[0]), max(last, _MARGINS[0])
    return first, last


def _border(positions: Positions, *, firsts: tuple[float, float], steps: tuple[float, float]) -> Array:
    """Return columns and rows of the lattice's outer points, float64 (2, n)."""
    is_outer = np.ones((_LATTICE, _LATTICE), bool)
    is_outer[1:-1, 1:-1] = False
    parts = zip(positions, firsts, steps, strict=True)
    return np.stack([(part.reshape(is_outer.shape)[is_outer] - first) / step for part, first, step in parts])


def _inside(rays: tuple[Array, Array, Array], *, wide: bool) -> Array:
    """Return which points of the lattice tell about a quarter: those in it and a little beside it."""
    ahead = rays[0] > 1e-6
    beside = (ahead & (np.abs(rays[1]) <= rays[0] * margin) for margin in _MARGINS)
    return ahead if wide else next((inside for inside in beside if inside.any()), ahead)


class _Profiles:
    """The first thing on every ray of a quarter, as a table over u and v."""

    def __init__(self, layers: Layers, *, camera: Camera, quarter: _Quarter) -> None:
        self._layers, self._camera, self._quarter = layers, camera, quarter
        along, across = axes_of(camera, quarter.turn)
        self._along, self._across = along.astype(np.float32), across.astype(np.float32)
        self._origin = np.array(layers.cell_at(camera.x_m, camera.y_m), np.float32)
        self._runs_m = self._samples()
        self._table = self._first_entries()

    def trace(self, rays: Rays) -> Hits:
        """Return where rays of this quarter end."""
        major, minor, up = _turned(rays, self._quarter.turn)
        u, v = _uv(major, minor, up, cos=self._quarter.cos, sin=self._quarter.sin)
        entry = self._looked_up(u, v)
        slope = up / major
        low, high = self._interval(entry)
        is_met = entry != NONE
        is_crown = (entry & 1 == 0) & is_met
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = np.where(slope < 0, -np.float32(self._camera.altitude_m) / slope, np.float32(np.inf))
        run = np.where(is_met, high, beyond)
        is_side = is_crown.copy()
        here = np.flatnonzero(is_met)
        run[here], is_side[here] = self._ends(u[here], slope[here], low[here], high[here], is_crown[here])
        depth = run / major
        finite = np.where(np.isfinite(run), run, 0)
        column, row = self._cells(u, finite)
        height = np.where(np.isfinite(run), self._camera.altitude_m + slope * finite, 0).astype(np.float32)
        return Hits(
            column=column, row=row, height_m=height, depth_m=depth, is_crown=is_crown, is_side=is_side
        )

    def _looked_up(self, u: Array, v: Array) -> Array:
        q = self._quarter
        column = np.rint((u - np.float32(q.first_u)) * np.float32(1 / q.step_u)).astype(np.int32)
        row = np.rint((v - np.float32(q.first_v)) * np.float32(1 / q.step_v)).astype(np.int32)
        np.clip(column, 0, q.columns - 1, out=column)
        np.clip(row, 0, q.rows - 1, out=row)
        row *= np.int32(q.columns)
        return np.asarray(self._table.take(row + column))

    def _interval(self, entry: Array) -> tuple[Array, Array]:
        number = np.minimum(entry >> 1, len(self._runs_m) - 1)
        before = np.concatenate([[0], self._runs_m[:-1]]).astype(np.float32)
        return before.take(number), self._runs_m.take(number)

    def _ends(self, u: Array, slope: Array, low: Array, high: Array, is_crown: Array) -> tuple[Array, Array]:
        """Return how far rays run to their end, and whether that is a side."""
        altitude = np.float32(self._camera.altitude_m)
        run, is_side = high.copy(), np.ones(len(high), bool)
        column, row = self._cells(u, high)
        # A ray that ends on a level top ends where it falls to that height.
        top = self._layers.solid_at(column, row)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = (top - altitude) / slope
        # The table knows rays to half a row, which on level ground is the farther the flatter a ray falls.
        slack = (high - low) * (1 - 1 / np.minimum(slope, -1e-4))
        is_level = ~is_crown & (level >= low - slack) & (level <= high + slack) & (slope < 0)
        np.copyto(run, level, where=is_level)
        is_level &= np.abs(self._layers.solid_at(*self._cells(u, run)) - top) < _LEVEL_TOLERANCE_M
        is_side[is_level] = False
        rest = np.flatnonzero(~is_level)
        run[rest], is_side[rest] = self._halved(u[rest], slope[rest], low[rest], high[rest], is_crown[rest])
        return run, is_side

    def _halved(
        self, u: Array, slope: Array, low: Array, high: Array, is_crown: Array
    ) -> tuple[Array, Array]:
        """Return where rays enter, found by halving the interval in which they do."""
        altitude = np.float32(self._camera.altitude_m)
        # The table knows rays to half a row: they may enter a little before or after the interval.
        slack = (high - low) * (1 + 1 / np.maximum(np.abs(slope), np.float32(0.1)))
        is_before, is_after = (
            self._is_inside(u, run, altitude + slope * run, is_crown) == inside
            for run, inside in ((low, True), (high, False))
        )
        low, high = (
            np.where(is_before, low - slack, np.where(is_after, high, low)),
            np.where(is_before, low, np.where(is_after, high + slack, high)),
        )
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_inside = self._is_inside(u, middle, altitude + slope * middle, is_crown)
            low, high = np.where(is_inside, low, middle), np.where(is_inside, middle, high)
        # Between both ends the land is as good as straight.
        above, below = (
            altitude + slope * run - self._layers.solid_at(*self._cells(u, run)) for run in (low, high)
        )
        is_straight = ~is_crown & (above > 0) & (below <= 0)
        share = above / np.where(is_straight, above - below, 1)
        end = np.where(is_straight, low + (high - low) * share, high)
        top = self._layers.highest_around(*self._cells(u, end))
        return end, is_crown | (top - (altitude + slope * end) > _SIDE_M)

    def _is_inside(self, u: Array, run: Array, height: Array, is_crown: Array) -> Array:
        column, row = self._cells(u, run)
        inside = self._layers.solid_at(column, row) >= height
        crowns = np.flatnonzero(is_crown)
        base, top = self._layers.crown_at(column[crowns], row[crowns])
        inside[crowns] = (base <= height[crowns]) & (height[crowns] <= top)
        return inside

    def _cells(self, u: Array, run: Array) -> tuple[Array, Array]:
        """Return the cells, column and row, over which rays are after a run along the axis."""
        scale, along, across = np.float32(CELLS_PER_M), self._along, self._across
        run = run * scale
        return (
            self._origin[0] + run * (along[0] + u * across[0]),
            self._origin[1] + run * (along[1] + u * across[1]),
        )

    def _samples(self) -> Array:
        """Return the runs, rising, at which the land is looked at: float32 (n), metres."""
        q, layers, altitude = self._quarter, self._layers, self._camera.altitude_m
        near, far = _NEAREST_M, layers.reach_m(self._camera.x_m, self._camera.y_m)
        if q.lowest < 0:
            near = max(near, (altitude - layers.highest_m) / -q.lowest)
        if q.highest < 0:
            far = min(far, (altitude - layers.lowest_m) / -q.highest * 1.02 + 1.0)
        runs: list[float] = []
        run = near
        while run < far and len(runs) < _MOST_SAMPLES:
            runs.append(run)
            run += max(_FINEST_STEP_M, q.step_v * float(np.hypot(run, altitude)))
        return np.array([*runs, max(far, near)], np.float32)

    def _first_entries(self) -> Array:
        """Return the table, flat: twice the number of the first sample on a ray, 1 more if it is solid."""
        q = self._quarter
        # Row 0 takes what lies below the image and is cut off.
        solid = np.full((q.rows + 1) * q.columns, NONE, np.uint16)
        spans = []
        per_block = max(1, _BLOCK // q.columns)
        # From far to near: of several writes to one place the last one stays.
        for stop in range(len(self._runs_m), 0, -per_block):
            number = np.arange(stop - 1, max(0, stop - per_block) - 1, -1)
            columns = self._shown_columns(self._runs_m[number[-1]], self._runs_m[number[0]])
            u = np.float32(q.first_u) + columns.astype(np.float32) * np.float32(q.step_u)
            positions = self._cells(u[None, :], self._runs_m[number, None])
            self._enter_solid(solid, positions, number=number, columns=columns)
            spans.append(self._crown_spans(positions, number=number, columns=columns))
        table = solid.reshape(q.rows + 1, q.columns)[1:]
        # What is solid reaches down to the ground: it hides all slopes below its top.
        table = np.minimum.accumulate(table[::-1], axis=0)[::-1].copy()
        enter_spans(table, Spans.joined(spans))
        return table.ravel()

    def _shown_columns(self, near_m: float, far_m: float) -> Array:
        """Return the columns of which the image shows things between two runs."""
        q, layers, altitude = self._quarter, self._layers, self._camera.altitude_m
        heights = np.array((layers.lowest_m, layers.highest_m), np.float32) - np.float32(altitude)
        rows = self._row_of(heights[:, None], np.array((near_m, far_m), np.float32)[None, :])
        return q.columns_between(float(rows.min()), float(rows.max()))

    def _enter_solid(
        self, table: Array, positions: tuple[Array, Array], *, number: Array, columns: Array
    ) -> None:
        q = self._quarter
        above = self._layers.solid_at(*positions)
        above -= np.float32(self._camera.altitude_m)
        at = np.floor(self._row_of(above, self._runs_m[number, None])).astype(np.int32) + 1
        np.clip(at, 0, q.rows, out=at)
        at *= np.int32(q.columns)
        at += columns
        table[at.ravel()] = np.repeat((2 * number + 1).astype(np.uint16), len(columns))

    def _crown_spans(self, positions: tuple[Array, Array], *, number: Array, columns: Array) -> Spans:
        """Return the slopes between the undersides and the tops of what hangs over the ground."""
        q, altitude = self._quarter, np.float32(self._camera.altitude_m)
        has_crown = self._layers.has_crown(*positions)
        found = np.flatnonzero(has_crown)
        line, at = np.divmod(found, len(columns))
        base, top = self._layers.crown_at(*(position.ravel()[found] for position in positions))
        # Where the sample before is in the crown, too, so is all between both.
        goes_on = np.concatenate([has_crown[1:], np.ones_like(has_crown[:1])]).ravel()[found]
        runs = self._runs_m[number[line]]
        before = np.where(goes_on, self._runs_m[np.maximum(number[line] - 1, 0)], runs)
        low, high = ([self._row_of(edge - altitude, run) for run in (before, runs)] for edge in (base, top))
        lower = np.ceil(np.minimum(*low)).clip(0, q.rows).astype(np.int32)
        upper = np.floor(np.maximum(*high)).clip(-1, q.rows - 1).astype(np.int32)
        # Before the first sample there is what is at it: right below a camera over a crown, or above it.
        is_first = number[line] == 0
        lower[is_first & (top < altitude)], upper[is_first & (base > altitude)] = 0, q.rows - 1
        shown = np.flatnonzero(upper >= lower)
        entry = (2 * number[line[shown]]).astype(np.uint16)
        return Spans(column=columns[at[shown]], lower=lower[shown], upper=upper[shown], entry=entry)

    def _row_of(self, above: Array, runs: Array) -> Array:
        """Return the table's row, with fractions, of things seen at a height over the camera."""
        q = self._quarter
        cos, sin = np.float32(q.cos), np.float32(q.sin)
        down = runs * cos + above * sin
        # At a right angle to the middle and beyond it there is no tangent; it is above all rows or below.
        is_seen = down > 1e-4
        v = (above * cos - runs * sin) / np.where(is_seen, down, 1)
        v = np.where(is_seen, v, np.where(above > 0, np.float32(1e6), np.float32(-1e6)))
        return np.asarray((v - np.float32(q.first_v)) * np.float32(1 / q.step_v)).clip(-10, q.rows + 10)


def _uv(major: Array, minor: Array, up: Array, *, cos: float, sin: float) -> tuple[Array, Array]:
    c, s = np.float32(cos), np.float32(sin)
    return minor / major, (up * c - major * s) / (major * c + up * s)


def _quarter_of(rays: Rays) -> Array:
    """Return quarter turns to the right from the heading to the axis next to each ray."""
    is_along = np.abs(rays.ahead) >= np.abs(rays.right)
    return np.where(is_along, np.where(rays.ahead >= 0, 0, 2), np.where(rays.right >= 0, 1, 3))


def _turned(rays: Rays, turn: int) -> tuple[Array, Array, Array]:
    """Return the parts of rays along and across a quarter's axis, and upwards."""
    ahead, right = rays.ahead, rays.right
    major, minor = ((ahead, right), (right, -ahead), (-ahead, -right), (-right, ahead))[turn]
    # A ray straight down has no direction on the ground; any will do.
    return np.where(np.abs(major) < 1e-7, np.float32(1e-7), major), minor, rays.up
