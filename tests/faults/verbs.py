"""Verbs that change a project or write files, and a project on which each of them has something to do."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from annotator.demo.project import PROJECT_FILE, make_demo
from annotator.domain.actor import Actor
from annotator.progress import Progress
from annotator.release.manifest import verify_release
from annotator.session import Session
from annotator.store.connection import connect
from tests.faults.disk_faults import FaultyDisk
from tests.unit.store.making import an_item, created, in_sight, spatialuav_file, write

OLD = Path(__file__).parents[1] / "unit" / "store" / "projects" / "version-5.vantage.gz"
COLLEAGUE = Actor(id="c" * 32, name="Li")
OUT = "release"
RELEASE = ("--format", "native", "--states", "drafted,accepted", "--include-flagged")


@dataclass(frozen=True)
class VerbCase:
    """A verb and what it is given.

    Attributes:
        name: The verb, or what its work is called.
        arguments: Makes its arguments from the folder that the project lies in.
        project: Name of the project's file.
        is_met: What holds once it is done, beyond the counts of the project.
    """

    name: str
    arguments: Callable[[Path], tuple[object, ...]]
    project: str = PROJECT_FILE
    is_met: Callable[[Path], bool] = lambda _folder: True


CASES = (
    VerbCase("import", lambda at: ("import", at / PROJECT_FILE, at / "questions.jsonl")),
    VerbCase(
        "release",
        lambda at: ("release", at / PROJECT_FILE, at / OUT, *RELEASE),
        is_met=lambda at: is_sound_release(at / OUT),
    ),
    VerbCase("backup", lambda at: ("backup", at / PROJECT_FILE)),
    VerbCase("migration", lambda at: ("stats", at / "old.vantage"), project="old.vantage"),
    VerbCase("merge", lambda at: ("merge", at / PROJECT_FILE, at / "li.bundle")),
    VerbCase("check", lambda at: ("check", at / PROJECT_FILE)),
    VerbCase("draft", lambda at: ("draft", at / PROJECT_FILE, "--task-set", "aircop", "--seed", 5)),
    VerbCase("variants", lambda at: ("variants", at / PROJECT_FILE, "--kind", "choice")),
    VerbCase("rebuild", lambda at: ("rebuild", at / PROJECT_FILE)),
    VerbCase(
        "report",
        lambda at: ("report", at / "released", "--project", at / PROJECT_FILE, "--html", at / "report.html"),
        is_met=lambda at: (at / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>"),
    ),
)


def is_sound_release(folder: Path) -> bool:
    """Return whether a folder is a whole release."""
    return folder.is_dir() and not list(verify_release(folder, progress=Progress()))


def make_material(folder: Path, disk: FaultyDisk) -> Path:
    """Make the folder that each trial gets a copy of."""
    at = folder / "material"
    project = make_demo(at, progress=Progress())
    spatialuav_file(at, name="questions", rows=300)
    (at / "old.vantage").write_bytes(gzip.decompress(OLD.read_bytes()))
    bundle_of_colleague(project, folder / "li.vantage", at / "li.bundle", disk)
    ended = disk.run("release", project, at / "released", "--format", "native", under=at)
    assert ended.status in {0, 1}, ended
    for each in (project, at / "old.vantage"):
        with closing(connect(each, read_only=False)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return at


def bundle_of_colleague(project: Path, copy: Path, bundle: Path, disk: FaultyDisk) -> None:
    """Write what somebody else has added to a copy of a project."""
    shutil.copy(project, copy)
    with Session.open(copy, actor=COLLEAGUE) as session:
        write(session, *(created("item", an_item(name=f"of Li {number}")) for number in range(50)))
    ended = disk.run("bundle", copy, bundle, under=copy.parent)
    assert ended.status == 0, ended


def counts_of(project: Path) -> dict[str, int]:
    """Return how many rows each table has that readers see."""
    return {table: len(rows) for table, rows in in_sight(project).items()}


def partial_files(folder: Path) -> list[Path]:
    """Return what is left of files that were being written."""
    return sorted(folder.rglob("*.part*"))
