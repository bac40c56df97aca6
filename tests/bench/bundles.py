"""Figures of merging: 40 bundles with 100,000 items, beside SQLite entering the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from annotator.domain.actor import Actor
from annotator.domain.record import new_id
from annotator.session import Session
from annotator.store.connection import connect
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.material import GenerateItems

BUNDLES, ITEMS = 40, 2_500
TABLES = ("event", "item", "scene", "medium", "flag")


def measure_bundles(ground: Ground) -> Iterator[Figure]:
    """Merge each bundle into a copy of the project, then all of them once more."""
    ground.begin("merging bundles", rounds=BUNDLES)
    source, target = ground.scratch / "source.vantage", ground.scratch / "target.vantage"
    bundles = list(_bundles(ground, source=source, target=target))
    with Session.open(target) as session:
        merged = _seconds(lambda: session.merge(*bundles).result())
        again = _seconds(lambda: session.merge(*bundles).result())
    bare = _bare_seconds(source, ground.scratch / "bare.db")
    count = BUNDLES * ITEMS
    note = f"{merged:.1f} s, backup included; SQLite alone {bare:.1f} s"
    yield Figure(name="bundle.merge_ratio", value=merged / bare, n=count, note=note)
    yield Figure(name="bundle.again_ratio", value=again / merged, n=count, note=f"{again:.2f} s")


def _bundles(ground: Ground, *, source: Path, target: Path) -> Iterator[Path]:
    """Yield bundles that continue each other, and make the copy that they are merged into."""
    before: Path | None = None
    with Session.create(source, actor=Actor(id=new_id(), name="Ann")) as session:
        for number in range(BUNDLES + 1):
            bundle = ground.scratch / f"{number:02}.bundle"
            session.export_bundle(bundle, since=before)
            if before is None:
                Session.create_from_bundle(target, bundle).close()
            else:
                yield bundle
            before = bundle
            if number < BUNDLES:
                session.execute(GenerateItems(count=ITEMS)).result()
            ground.progress.step()


def _bare_seconds(source: Path, target: Path) -> float:
    """Return the seconds that SQLite takes to enter the rows of log and records, with their indexes."""
    with (
        closing(connect(source, read_only=True)) as project,
        closing(connect(target, read_only=False)) as bare,
    ):
        for table in TABLES:
            select = "SELECT sql FROM sqlite_schema WHERE tbl_name=? AND type<>'trigger' AND sql NOT NULL"
            for (statement,) in project.execute(select, (table,)):
                bare.execute(statement)
        rows = {table: project.execute(f"SELECT * FROM main.{table}").fetchall() for table in TABLES}

        def enter() -> None:
            bare.execute("BEGIN")
            for table, found in rows.items():
                bare.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})", found)
            bare.execute("COMMIT")

        return _seconds(enter)


def _seconds(work: Callable[[], object]) -> float:
    # CPU time: a busy machine must not count.
    began = time.process_time()
    work()
    return time.process_time() - began
