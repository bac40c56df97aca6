"""Documents as PDF, with Chinese texts, and with equal bytes for equal documents (docs/adr/0022)."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from reportlab.graphics.shapes import Circle, Drawing, Line, Rect
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import CondPageBreak, KeepTogether, Paragraph, SimpleDocTemplate, Table, TableStyle

from annotator.release.document import Document, DocumentTable, Mark, Section, shown_text
from annotator.report.html import place_on

LATIN, BOLD, CHINESE = "Vera", "VeraBd", "STSong-Light"
"""Vera is embedded; the third one is a predefined font of PDF, which readers replace by one of their own."""
NO_GLYPH = "□"
MARGIN, GAP = 42.0, 9.0
WIDTH = A4[0] - 2 * MARGIN
PLOT_WIDTH, PLOT_HEIGHT = 84.0, 8.0
SIZE = 7.5
NARROWEST, WIDEST = 96.0, 220.0
"""Points of a column of texts, before the columns share what is there."""
TEXT, DIM, LINE, ACCENT = map(HexColor, ("#1d2126", "#626b76", "#d9dde2", "#2f6db3"))
STYLES = {
    "title": ParagraphStyle("title", fontName=BOLD, fontSize=15, leading=19, textColor=TEXT, spaceAfter=6),
    "lead": ParagraphStyle("lead", fontName=LATIN, fontSize=8, leading=11, textColor=DIM, spaceAfter=2),
    "section": ParagraphStyle(
        "section",
        fontName=BOLD,
        fontSize=11,
        leading=14,
        textColor=TEXT,
        spaceBefore=14,
        spaceAfter=4,
        keepWithNext=1,
    ),
    "text": ParagraphStyle("text", fontName=LATIN, fontSize=8, leading=11, textColor=TEXT, spaceAfter=3),
    "table": ParagraphStyle(
        "table",
        fontName=BOLD,
        fontSize=8,
        leading=11,
        textColor=TEXT,
        spaceBefore=7,
        spaceAfter=2,
        keepWithNext=1,
    ),
    "cell": ParagraphStyle("cell", fontName=LATIN, fontSize=SIZE, leading=9.5, textColor=TEXT),
    "number": ParagraphStyle(
        "number", fontName=LATIN, fontSize=SIZE, leading=9.5, textColor=TEXT, alignment=TA_RIGHT
    ),
    "head": ParagraphStyle("head", fontName=LATIN, fontSize=SIZE, leading=9.5, textColor=DIM),
    "number head": ParagraphStyle(
        "number head", fontName=LATIN, fontSize=SIZE, leading=9.5, textColor=DIM, alignment=TA_RIGHT
    ),
}
KEPT_ROWS = 12
"""A table up to this long is not divided between pages."""
KEPT_HEIGHT = 120.0
"""Points that a page must have left for the beginning of a longer one."""


def pdf_of(document: Document) -> bytes:
    """Return a document as PDF."""
    _glyphs()
    file = io.BytesIO()
    title = shown_text(document.title)
    # Invariant: neither a time nor a random id.
    made = SimpleDocTemplate(
        file,
        pagesize=A4,
        **dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), MARGIN),
        title=title,
        author="Vantage",
        lang=document.language,
        invariant=1,
    )
    footer = partial(_draw_footer, title)
    made.build(list(_flowables(document)), onFirstPage=footer, onLaterPages=footer)
    return file.getvalue()


@cache
def _glyphs() -> frozenset[int]:
    """Register the fonts and return the characters of the embedded one."""
    for name in (LATIN, BOLD):
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    pdfmetrics.registerFontFamily(LATIN, normal=LATIN, bold=BOLD, italic=LATIN, boldItalic=BOLD)
    pdfmetrics.registerFont(UnicodeCIDFont(CHINESE))
    return frozenset(pdfmetrics.getFont(LATIN).face.charToGlyph)


def _draw_footer(title: str, canvas: Any, document: Any) -> None:  # noqa: ANN401 - reportlab has no types
    line = Paragraph(_markup(f"{title}  ·  {document.page}"), STYLES["lead"])
    line.wrap(WIDTH, MARGIN)
    line.drawOn(canvas, MARGIN, MARGIN / 2)


def _flowables(document: Document) -> Iterator[Any]:
    yield _paragraph(document.title, "title")
    yield from (_paragraph(text, "lead") for text in document.lead)
    for section in document.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[Any]:
    above = [_paragraph(section.title, "section"), *(_paragraph(text, "text") for text in section.texts)]
    for table in section.tables:
        parts = [*above, *_table(table)]
        above = []
        if len(table.rows) <= KEPT_ROWS:
            yield KeepTogether(parts)
        else:
            yield from (CondPageBreak(KEPT_HEIGHT), *parts)
    if above:
        yield KeepTogether(above)


def _table(table: DocumentTable) -> Iterator[Any]:
    if table.title:
        yield _paragraph(table.title, "table")
    rows = table.shown
    widths = _widths(table, rows)
    head = [
        _paragraph(name, "number head" if at in table.numeric else "head")
        for at, name in enumerate(table.head)
    ]
    body = [[_cell(cell, table, at) for at, cell in enumerate(row)] for row in rows]
    if table.plot:
        widths.append(PLOT_WIDTH + GAP)
        head.append("")
        # Marks are those of all rows, of which the first are shown.
        for row, mark in zip(body, table.marks, strict=False):
            row.append(_plot(table, mark))
    style = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("VALIGN", (0, 0), (-1, 0), "BOTTOM"),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, LINE),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), GAP),
        ("TOPPADDING", (0, 0), (-1, -1), 1),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
    ]
    yield Table([head, *body], colWidths=widths, repeatRows=1, hAlign="LEFT", style=TableStyle(style))
    yield from (_paragraph(note, "lead") for note in table.notes)


def _cell(text: str, table: DocumentTable, column: int) -> Any:  # noqa: ANN401 - reportlab has no types
    return _paragraph(text, "number" if column in table.numeric else "cell")


def _widths(table: DocumentTable, rows: Sequence[Sequence[str]]) -> list[float]:
    """Return the widths of the columns, points: numbers as they are, and texts share what is left."""
    wanted = [
        max(_text_width(text) for text in (head, *(row[at] for row in rows))) + GAP + 1
        for at, head in enumerate(table.head)
    ]
    free = WIDTH - (PLOT_WIDTH + GAP if table.plot else 0)
    texts = [at for at in range(len(wanted)) if at not in table.numeric]
    for at in texts:
        wanted[at] = min(wanted[at], WIDEST)
    _shrink(wanted, texts, free=free)
    over = sum(wanted) - free
    return [width * free / sum(wanted) for width in wanted] if over > 0 else wanted


def _shrink(widths: list[float], texts: Sequence[int], *, free: float) -> None:
    """Make columns of texts as narrow as it takes to fit, by the same share of what each can give."""
    over = sum(widths) - free
    flexible = sum(widths[at] - NARROWEST for at in texts if widths[at] > NARROWEST)
    if over > 0 and flexible > 0:
        share = min(1.0, over / flexible)
        for at in texts:
            widths[at] -= max(0.0, widths[at] - NARROWEST) * share


def _text_width(text: str) -> float:
    return float(sum(pdfmetrics.stringWidth(part, font, SIZE) for font, part in _runs(text)))


def _plot(table: DocumentTable, mark: Mark) -> Any:  # noqa: ANN401 - reportlab has no types
    drawing, middle = Drawing(PLOT_WIDTH, PLOT_HEIGHT), PLOT_HEIGHT / 2
    if table.plot == "interval":
        drawing.add(Line(0, middle, PLOT_WIDTH, middle, strokeColor=LINE, strokeWidth=0.5))
    if (not mark.value and table.plot == "bar") or mark.value is None:
        return drawing
    at = place_on(table, mark.value) * PLOT_WIDTH
    if table.plot == "bar":
        drawing.add(Rect(0, 1, at, PLOT_HEIGHT - 2, fillColor=ACCENT, strokeColor=None))
        return drawing
    if mark.low is not None and mark.high is not None:
        low, high = (place_on(table, end) * PLOT_WIDTH for end in (mark.low, mark.high))
        drawing.add(Line(low, middle, high, middle, strokeColor=ACCENT, strokeWidth=1))
    drawing.add(Circle(at, middle, 2, fillColor=ACCENT, strokeColor=None))
    return drawing


def _paragraph(text: str, style: str) -> Any:  # noqa: ANN401 - reportlab has no types
    return Paragraph(_markup(shown_text(text)), STYLES[style])


def _markup(text: str) -> str:
    """Return a text as markup of reportlab that shows it as it is, Chinese in a font that has it."""
    return "".join(
        escape(part) if font == LATIN else f'<font name="{font}">{escape(part)}</font>'
        for font, part in _runs(text)
    )


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text with the font of each; a character that no font has is shown as a box."""
    shown = ((_font_of(sign), sign) for sign in text)
    for font, signs in groupby(shown, key=lambda pair: pair[0] or CHINESE):
        yield font, "".join(sign if own else NO_GLYPH for own, sign in signs)


@cache
def _font_of(sign: str) -> str:
    """Return the font that has a character, "" if none has it."""
    if ord(sign) in _glyphs():
        return LATIN
    try:
        sign.encode("gbk")
    except UnicodeEncodeError:
        return ""
    return CHINESE
