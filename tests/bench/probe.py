"""One piece of work in a process of its own, for what must be measured from a fresh start.

``python -m tests.bench.probe open | bare | idle | work [PROJECT [FOLDER]]``
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.session import Session
from tests.bench.bare import BarePages
from tests.bench.clock import timed
from tests.bench.export import export_native
from tests.bench.queries import FILTERS, SEARCHES
from tests.bench.saving import some_edits

EDITS = 50


def open_project(path: Path) -> None:
    """Open a project and read the first page of its items, with their number."""
    with Session.open(path) as session:
        session.reader.item_page(ItemQuery())
        session.reader.item_count(ItemQuery())


def open_bare(path: Path) -> None:
    """Open a bare connection and read a page."""
    with BarePages(path) as pages:
        pages.page(0)


def work(path: Path, *, out: Path) -> None:
    """Do what a day holds: lists, facets, searches, scrolling over everything, edits, an export."""
    with Session.open(path) as session:
        reader = session.reader
        for query in (*FILTERS, *SEARCHES):
            reader.item_page(query)
            reader.item_count(query)
            reader.item_facets(query)
        reader.item_numbers(ItemQuery())
        for edit in some_edits(reader, count=EDITS):
            session.execute(edit).result()
        export_native(reader, out=out, progress=Progress())
    shutil.rmtree(out)


def main(arguments: list[str]) -> None:
    """Do what the first argument says; prints the seconds of what is timed."""
    what, *rest = arguments
    paths = [Path(text) for text in rest]
    if what == "open":
        print(timed(open_project, *paths))
    elif what == "bare":
        print(timed(open_bare, *paths))
    elif what == "work":
        work(paths[0], out=paths[1])


if __name__ == "__main__":
    main(sys.argv[1:])
