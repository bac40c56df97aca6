"""Documents as one HTML file that opens offline: no script, and nothing that is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from annotator.release.document import Document, DocumentTable, Mark, Section, shown_text

PLOT_WIDTH, PLOT_HEIGHT, RADIUS = 160, 12, 3
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""No browser loads or runs anything for this page, whatever a text contains."""
STYLE = """
:root { --text: #1d2126; --dim: #626b76; --line: #d9dde2; --accent: #2f6db3; --ground: #ffffff; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 32px 24px 64px; color: var(--text);
  background: var(--ground); font: 13px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial,
  "Noto Sans CJK SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 22px; margin: 0 0 8px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 32px 0 8px; padding-top: 8px; border-top: 1px solid var(--line); }
h3 { font-size: 13px; margin: 16px 0 4px; overflow-wrap: anywhere; }
p { margin: 0 0 6px; max-width: 76ch; overflow-wrap: anywhere; }
p.note, .lead p { color: var(--dim); }
.lead p { max-width: none; margin: 0 0 2px; }
.tables { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0 48px; }
.tables > div { max-width: 100%; }
nav { margin: 12px 0 0; display: flex; flex-wrap: wrap; gap: 2px 14px; }
a { color: var(--accent); text-decoration: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0 0 6px; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 12px 2px 0; text-align: left; vertical-align: top; unicode-bidi: isolate; }
td { max-width: 44ch; overflow-wrap: anywhere; }
th { color: var(--dim); font-weight: 500; border-bottom: 1px solid var(--line); vertical-align: bottom; }
.n { text-align: right; }
td.n { white-space: nowrap; }
td.plot, th.plot { padding: 2px 0 2px 8px; }
svg { display: block; margin-top: 3px; }
svg .bar, svg .point { fill: var(--accent); }
svg .axis { stroke: var(--line); }
svg .range { stroke: var(--accent); stroke-width: 1.5; }
@media print { body { padding: 0; max-width: none; } nav { display: none; } h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; } }
""".strip()


def html_of(document: Document) -> bytes:
    """Return a document as HTML; texts of others are escaped, so that none becomes markup."""
    return "\n".join(_lines(document)).encode()


def _lines(document: Document) -> Iterator[str]:
    title = _text(document.title)
    yield f'<!DOCTYPE html>\n<html lang="{escape(document.language)}">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>"
    yield '<div class="lead">'
    yield from (f"<p>{_text(text)}</p>" for text in document.lead)
    yield "</div>\n<nav>"
    numbered = list(enumerate(document.sections, 1))
    yield from (f'<a href="#s{n}">{_text(section.title)}</a>' for n, section in numbered)
    yield "</nav>"
    for n, section in numbered:
        yield from _section(section, n)
    yield "</body>\n</html>\n"


def _section(section: Section, number: int) -> Iterator[str]:
    yield f'<section id="s{number}">\n<h2>{_text(section.title)}</h2>'
    yield from (f"<p>{_text(text)}</p>" for text in section.texts)
    if section.tables:
        yield '<div class="tables">'
        for table in section.tables:
            yield from _table(table)
        yield "</div>"
    yield "</section>"


def _table(table: DocumentTable) -> Iterator[str]:
    yield "<div>"
    if table.title:
        yield f"<h3>{_text(table.title)}</h3>"
    plot = '<th class="plot"></th>' if table.plot else ""
    head = "".join(f"<th{_kind(table, at)}>{_text(name)}</th>" for at, name in enumerate(table.head))
    yield f'<div class="wide"><table>\n<thead><tr>{head}{plot}</tr></thead>\n<tbody>'
    marks = table.marks or (None,) * len(table.rows)
    for row, mark in zip(table.shown, marks, strict=False):
        cells = "".join(f"<td{_kind(table, at)}>{escape(cell)}</td>" for at, cell in enumerate(row))
        drawn = f'<td class="plot">{_plot(table, mark)}</td>' if mark is not None else ""
        yield f"<tr>{cells}{drawn}</tr>"
    yield "</tbody>\n</table></div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in table.notes)
    yield "</div>"


def _kind(table: DocumentTable, column: int) -> str:
    return ' class="n"' if column in table.numeric else ""


def _plot(table: DocumentTable, mark: Mark) -> str:
    """Return the plot of a row; its numbers are in the same row."""
    middle = PLOT_HEIGHT / 2
    parts = [f'<path class="axis" d="M0 {middle:g}H{PLOT_WIDTH}"/>'] if table.plot == "interval" else []
    if mark.value is not None and table.plot == "bar":
        width = place_on(table, mark.value) * PLOT_WIDTH
        parts.append(f'<rect class="bar" width="{width:.1f}" y="1" height="{PLOT_HEIGHT - 2}"/>')
    elif mark.value is not None:
        at, low, high = (_point(table, value) for value in (mark.value, mark.low, mark.high))
        if mark.low is not None and mark.high is not None:
            parts.append(f'<path class="range" d="M{low:.1f} {middle:g}H{high:.1f}"/>')
        parts.append(f'<circle class="point" cx="{at:.1f}" cy="{middle:g}" r="{RADIUS}"/>')
    size = f'width="{PLOT_WIDTH}" height="{PLOT_HEIGHT}" viewBox="0 0 {PLOT_WIDTH} {PLOT_HEIGHT}"'
    return f'<svg {size} aria-hidden="true">{"".join(parts)}</svg>'


def _point(table: DocumentTable, value: float | None) -> float:
    return RADIUS + place_on(table, value or 0.0) * (PLOT_WIDTH - 2 * RADIUS)


def place_on(table: DocumentTable, value: float) -> float:
    """Return where a value is in the plot of a table, 0 to 1."""
    width = table.high - table.low
    return min(1.0, max(0.0, (value - table.low) / width)) if width > 0 else 0.0


def _text(text: str) -> str:
    return escape(shown_text(text))
