from __future__ import annotations

import re
import zlib
from base64 import a85decode

import pytest

from annotator.release.document import Document, DocumentTable, Mark, Section
from annotator.report.html import html_of
from annotator.report.pdf import _runs, pdf_of

HOSTILE = "</style><script>alert(1)</script> <para> & \0 \ud800 \u202ex"


def _document(*cells: str, plot: str = "bar") -> Document:
    marks = tuple(Mark(value=float(n), low=0.0, high=2.0) for n in range(len(cells)))
    table = DocumentTable(
        title="Table",
        head=("name", "number"),
        rows=tuple((cell, "1") for cell in cells),
        numeric=frozenset({1}),
        marks=marks,
        plot=plot,  # type: ignore[arg-type]
        high=2.0,
    )
    return Document(title="Title", lead=("lead",), sections=(Section(title="Part", tables=(table,)),))


def _contents(pdf: bytes) -> str:
    """Return the drawing instructions of the pages of a PDF of this library."""
    streams = re.findall(rb"/ASCII85Decode /FlateDecode.*?stream\s*(.*?)~>endstream", pdf, re.DOTALL)
    return "".join(zlib.decompress(a85decode(one)).decode("latin-1") for one in streams)


def test_pdf_when_made_twice_then_is_equal_and_has_no_time() -> None:
    document = _document("one", "二", "three")
    made = pdf_of(document)
    assert made == pdf_of(document)
    assert b"D:2000" in made
    assert not re.search(rb"D:20(?!00)\d\d", made)


@pytest.mark.parametrize("plot", ["bar", "interval", ""])
def test_pdf_when_texts_are_hostile_or_long_then_pages_are_made(plot: str) -> None:
    many = _document(*([HOSTILE, "word " * 20_000, "x" * 100_000, "区" * 5_000, ""] * 60), plot=plot)
    made = pdf_of(many)
    assert made.count(b"/Type /Page\n") > 3 or made.count(b"/Type /Page") > 3
    assert len(made) < 4_000_000


def test_pdf_when_a_text_is_chinese_then_it_is_in_the_predefined_font() -> None:
    made = pdf_of(_document("第3区 area"))
    assert b"/STSong-Light" in made
    assert b"/STSong-Light" not in pdf_of(_document("area"))
    assert "Tj" in _contents(made)


def test_runs_when_no_font_has_a_character_then_a_box_stands_for_it() -> None:
    assert [*_runs("a区 ש")] == [("Vera", "a"), ("STSong-Light", "区"), ("Vera", " "), ("STSong-Light", "□")]


def test_html_when_a_row_has_a_value_then_its_bar_has_that_length() -> None:
    page = html_of(_document("a", "b", "c")).decode()
    assert re.findall(r'class="bar" width="([\d.]+)"', page) == ["0.0", "80.0", "160.0"]
    points = html_of(_document("a", "b", "c", plot="interval")).decode()
    assert re.findall(r'cx="([\d.]+)"', points) == ["3.0", "80.0", "157.0"]
    assert points.count('class="range"') == 3


def test_html_when_read_by_a_parser_then_the_cells_are_the_texts() -> None:
    from html.parser import HTMLParser

    class Cells(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.cells: list[str] = []
            self.tags: set[str] = set()
            self._is_cell = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.add(tag)
            self._is_cell = tag == "td"

        def handle_endtag(self, tag: str) -> None:
            self._is_cell = False

        def handle_data(self, data: str) -> None:
            if self._is_cell:
                self.cells.append(data)

    parser = Cells()
    parser.feed(html_of(_document(HOSTILE)).decode())
    assert parser.cells == ["</style><script>alert(1)</script> <para> & � � x", "1"]
    assert "script" not in parser.tags
    assert "para" not in parser.tags
