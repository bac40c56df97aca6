"""One piece of work in a process of its own, for what must be measured from a fresh start.

``python -m tests.bench.probe open | bare | idle | work | verify | backup | stats | undo [PROJECT [FOLDER]]``
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.release.statistics import statistics
from annotator.session import Session
from annotator.store.backups import make_backup
from annotator.store.verification_process import verify_in_processes
from tests.bench.bare import BarePages
from tests.bench.clock import timed
from tests.bench.export import export_native
from tests.bench.material import GenerateItems
from tests.bench.queries import FILTERS, SEARCHES
from tests.bench.saving import some_edits

EDITS = 50


def open_project(path: Path) -> None:
    """Open a project and read the first page of its items, with their number."""
    with Session.open(path) as session:
        session.reader.items.page(ItemQuery())
        session.reader.items.count(ItemQuery())


def open_bare(path: Path) -> None:
    """Open a bare connection and read a page."""
    with BarePages(path) as pages:
        pages.page(0)


def work(path: Path, *, out: Path) -> None:
    """Do what a day holds: lists, facets, searches, scrolling over everything, edits, an export."""
    with Session.open(path) as session:
        reader = session.reader
        for query in (*FILTERS, *SEARCHES):
            reader.items.page(query)
            reader.items.count(query)
            reader.items.facets(query)
        reader.items.numbers(ItemQuery())
        for edit in some_edits(reader, count=EDITS):
            session.execute(edit).result()
        export_native(reader, out=out, progress=Progress())
    shutil.rmtree(out)


def verify(path: Path) -> None:
    """Verify a project that is sound."""
    found = list(verify_in_processes(path, progress=Progress()))
    if found:
        raise SystemExit(f"verify found {len(found)} problems, first: {found[0].message}")


def back_up(path: Path) -> None:
    """Make a backup and delete it."""
    make_backup(path, reason="bench", progress=Progress()).path.unlink()


def count(path: Path) -> None:
    """Count a project, as the command ``stats`` does."""
    with Session.open(path) as session:
        statistics(session.reader, progress=Progress())


def undo_edits(path: Path) -> None:
    """Undo what was done after the command that made the items: other figures edit them."""
    with Session.open(path) as session:
        while (
            newest := session.reader.log.next_undo(session.actor.id)
        ) and newest.name != GenerateItems.__name__:
            session.undo().result()


def undo(path: Path) -> None:
    """Undo the command that made the items of a project."""
    with Session.open(path) as session:
        session.undo().result()


WHOLE: dict[str, Callable[[Path], None]] = {"verify": verify, "backup": back_up, "stats": count, "undo": undo}
"""What is done with a whole project."""


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
    elif what in WHOLE:
        if what == "undo":
            undo_edits(*paths)
        before = sum(os.times()[:4])
        print(timed(WHOLE[what], *paths), sum(os.times()[:4]) - before)


if __name__ == "__main__":
    main(sys.argv[1:])
