"""Draws plots of scores as SVG files, which need no program but a browser and stay sharp in print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from annotator.scoring.score_plots import HeatMap, SeriesPlot

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")
"""Told apart by people of any colour vision. Source: Okabe and Ito, Color Universal Design (2008)."""
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Of lines, so that more models than colours can be told apart."""
CELL, LABEL_WIDTH, MARGIN, TITLE = 46, 190, 16, 34
RADIUS, BAR_AREA, BAR_LEFT, BAR, LEGEND_ROW = 200, 240, 50, 14, 20
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
Point = tuple[float, float]
_NEGATIVE, _NEUTRAL, _POSITIVE = (33, 102, 172), (247, 247, 247), (178, 24, 43)


def heat_map_svg(plot: HeatMap) -> str:
    """Return a heat map: a coloured square with its number for each value, a dash where there is none."""
    size = len(plot.labels)
    left, top = LABEL_WIDTH, TITLE + LABEL_WIDTH
    parts = [_title(plot.title)]
    for row, label in enumerate(plot.labels):
        middle = CELL * row + CELL / 2
        parts.append(_text(left - 8, top + middle + 4, label, anchor="end"))
        parts.append(_text(left + middle + 4, top - 8, label, angle=-60))
        for column, value in enumerate(plot.values[row]):
            x, y = left + CELL * column, top + CELL * row
            # One scale for both signs, so that 0 is white even where the ends differ.
            fill = "#ffffff" if value is None else _scale_colour(value / max(abs(plot.low), plot.high))
            note = f"{label} / {plot.labels[column]}: {plot.notes[row][column]}"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#cccccc">'
                f"<title>{_escaped(note)}</title></rect>"
            )
            ink = "#ffffff" if value is not None and abs(value) > 0.6 * plot.high else "#222222"
            # Adding 0.0 makes 0.0 of -0.0, which would be printed as -0.00.
            text = "–" if value is None else f"{round(value, 2) + 0.0:.2f}"
            parts.append(_text(x + CELL / 2, y + CELL / 2 + 4, text, anchor="middle", colour=ink))
    return _document(parts, width=left + CELL * size + LABEL_WIDTH, height=top + CELL * size + MARGIN)


def radar_svg(plot: SeriesPlot) -> str:
    """Return a radar plot: an axis for each label, a closed line for each model; gaps where values miss."""
    centre = LABEL_WIDTH + RADIUS, TITLE + 30 + RADIUS
    bottom = centre[1] + RADIUS + 40
    angles = [2 * math.pi * index / len(plot.labels) for index in range(len(plot.labels))]
    parts = [_title(plot.title), *_radar_axes(plot, angles, centre)]
    for number, series in enumerate(plot.series):
        points = [
            None if value is None else _on_axis(centre, angle, (value - plot.low) / (plot.high - plot.low))
            for angle, value in zip(angles, series.values, strict=True)
        ]
        parts += _closed_line(points, number=number)
    parts += _legend([series.name for series in plot.series], x=MARGIN, y=bottom)
    return _document(parts, width=2 * centre[0], height=bottom + LEGEND_ROW * len(plot.series) + MARGIN)


def _radar_axes(plot: SeriesPlot, angles: Sequence[float], centre: Point) -> Iterator[str]:
    for share in QUARTERS[1:]:
        yield _polygon([_on_axis(centre, angle, share) for angle in angles], stroke="#cccccc")
        value = plot.low + share * (plot.high - plot.low)
        above = centre[0] + 3, centre[1] - RADIUS * share - 2
        yield _text(*above, f"{value:g}", size=9, colour="#666666")
    for angle, label in zip(angles, plot.labels, strict=True):
        yield _line(*centre, *_on_axis(centre, angle, 1.0), stroke="#cccccc")
        x, y = _on_axis(centre, angle, 1.11)
        # A label grows away from the circle; at the top and the bottom it is centred.
        side = math.sin(angle)
        yield _text(x, y + 4, label, anchor="middle" if abs(side) < 0.1 else "start" if side > 0 else "end")


def bars_svg(plot: SeriesPlot) -> str:
    """Return groups of bars with their 95 % intervals: a group for each label, a bar for each model."""
    group = BAR * (len(plot.series) + 1)
    right, bottom = BAR_LEFT + group * len(plot.labels), TITLE + 10 + BAR_AREA
    parts = [_title(plot.title)]
    for share in QUARTERS:
        y = bottom - BAR_AREA * share
        parts.append(_line(BAR_LEFT, y, right, y, stroke="#dddddd"))
        value = plot.low + share * (plot.high - plot.low)
        parts.append(_text(BAR_LEFT - 6, y + 4, f"{value:g}", anchor="end", colour="#666666"))
    for index, label in enumerate(plot.labels):
        start = BAR_LEFT + group * index + BAR / 2
        parts.append(_text(start + group / 2 - BAR / 2, bottom + 14, label, angle=40))
        for number in range(len(plot.series)):
            parts += _bar(plot, index, number, x=start + BAR * number, bottom=bottom)
    under = bottom + LABEL_WIDTH * 0.8
    parts += _legend([series.name for series in plot.series], x=MARGIN, y=under)
    height = under + LEGEND_ROW * len(plot.series) + MARGIN
    return _document(parts, width=right + LABEL_WIDTH, height=height)


def _bar(plot: SeriesPlot, index: int, number: int, *, x: float, bottom: float) -> Iterator[str]:
    series, scale = plot.series[number], BAR_AREA / (plot.high - plot.low)
    value, low, high = series.values[index], series.interval_lows[index], series.interval_highs[index]
    if value is None:
        return
    height = (value - plot.low) * scale
    note = _escaped(f"{series.name}, {plot.labels[index]}: {value:.1f}")
    yield (
        f'<rect x="{x:.1f}" y="{bottom - height:.1f}" width="{BAR - 2}" height="{height:.1f}"'
        f' fill="{_colour(number)}"><title>{note}</title></rect>'
    )
    if low is not None and high is not None:
        middle, ends = x + BAR / 2 - 1, [bottom - (end - plot.low) * scale for end in (low, high)]
        yield _line(middle, ends[0], middle, ends[1], stroke="#222222")


def _document(parts: Iterable[str], *, width: float, height: float) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{chr(10).join(parts)}\n</svg>\n'
    )


def _closed_line(points: Sequence[Point | None], *, number: int) -> Iterator[str]:
    """Yield the line through the points of a model, without the parts beside a point that misses."""
    for index, point in enumerate(points):
        following = points[(index + 1) % len(points)]
        if point is not None:
            yield f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.5" fill="{_colour(number)}"/>'
        if point is not None and following is not None:
            yield _line(*point, *following, stroke=_colour(number), dash=_dash(number), width=1.8)


def _legend(names: Sequence[str], *, x: float, y: float) -> Iterator[str]:
    for number, name in enumerate(names):
        at = y + LEGEND_ROW * number
        yield _line(x, at, x + 26, at, stroke=_colour(number), dash=_dash(number), width=4)
        yield _text(x + 34, at + 4, name)


def _on_axis(centre: Point, angle: float, share: float) -> Point:
    """Return the point of an axis, clockwise from the top, at a share of the radius."""
    return centre[0] + RADIUS * share * math.sin(angle), centre[1] - RADIUS * share * math.cos(angle)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _dash(number: int) -> str:
    return DASHES[number // len(COLOURS) % len(DASHES)]


def _scale_colour(share: float) -> str:
    """Return blue for -1, white for 0, red for 1."""
    end, weight = (_POSITIVE if share >= 0 else _NEGATIVE), min(1.0, abs(share))
    channels = (round(middle + (far - middle) * weight) for middle, far in zip(_NEUTRAL, end, strict=True))
    return f"#{''.join(f'{channel:02x}' for channel in channels)}"


def _polygon(points: Iterable[Point], *, stroke: str) -> str:
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{listed}" fill="none" stroke="{stroke}"/>'


def _line(
    x1: float, y1: float, x2: float, y2: float, *, stroke: str, dash: str = "", width: float = 1.0
) -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        f' stroke="{stroke}" stroke-width="{width:g}"{dashed}/>'
    )


def _title(text: str) -> str:
    return _text(MARGIN, MARGIN + 6, text, size=14, weight="bold")


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    angle: float = 0,
    colour: str = "#222222",
    size: int = 11,
    weight: str = "normal",
) -> str:
    turned = f' transform="rotate({angle:g} {x:.1f} {y:.1f})"' if angle else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}"'
        f' fill="{colour}"{turned}>{_escaped(text)}</text>'
    )


def _escaped(text: str) -> str:
    """Return text for XML, which has no form for most control characters."""
    return escape("".join(c if c.isprintable() else " " for c in text))
