"""Verbs that change a project or write files, and a project on which each of them has something to do."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotator.demo.project import PROJECT_FILE, make_demo
from annotator.domain.actor import Actor
from annotator.progress import Progress
from annotator.release.manifest import verify_release
from annotator.session import Session
from annotator.store.backup_thinning import thin_backups
from annotator.store.connection import connect
from tests.faults.disk_faults import ALL, FaultyDisk
from tests.faults.fault_rows import FaultRow, Trials
from tests.unit.store.making import an_item, created, problems, spatialuav_file, visible_state, write

PROJECTS = Path(__file__).parents[1] / "unit" / "store" / "projects"
COLLEAGUE = Actor(id="c" * 32, name="Li")
OUT = "release"
SMALL = "small.vantage"
"""For verbs that write every page of a project: an operation each."""
STRIDE = 0.6180339887
"""Share of the operations between two trials of a verb."""
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
    VerbCase("import", lambda at: ("import", at / SMALL, at / "questions.jsonl"), project=SMALL),
    VerbCase(
        "release",
        lambda at: ("release", at / PROJECT_FILE, at / OUT, *RELEASE),
        is_met=lambda at: is_sound_release(at / OUT),
    ),
    VerbCase("backup", lambda at: ("backup", at / SMALL), project=SMALL),
    VerbCase("migration", lambda at: ("stats", at / "old.vantage"), project="old.vantage"),
    VerbCase("merge", lambda at: ("merge", at / SMALL, at / "li.bundle"), project=SMALL),
    VerbCase("check", lambda at: ("check", at / PROJECT_FILE)),
    VerbCase("draft", lambda at: ("draft", at / PROJECT_FILE, "--task-set", "aircop", "--seed", 5)),
    VerbCase("variants", lambda at: ("variants", at / PROJECT_FILE, "--kind", "choice")),
    VerbCase("rebuild", lambda at: ("rebuild", at / SMALL), project=SMALL),
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
    project, small = make_demo(at, progress=Progress()), at / SMALL
    spatialuav_file(at, name="questions", rows=30)
    with Session.create(small) as session:
        write(session, *(created("item", an_item(name=f"{number}")) for number in range(12)))
    (at / "old.vantage").write_bytes(gzip.decompress((PROJECTS / "version-5.vantage.gz").read_bytes()))
    bundle_of_colleague(small, folder / "li.vantage", at / "li.bundle", disk)
    ended = disk.run("release", project, at / "released", "--format", "native", under=at)
    assert ended.status in {0, 1}, ended
    for each in (project, small, at / "old.vantage"):
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
    return {table: len(rows) for table, rows in visible_state(project).items()}


def partial_files(folder: Path) -> list[Path]:
    """Return what is left of files that were being written."""
    return sorted(folder.rglob("*.part*"))


@dataclass(frozen=True)
class FaultPosition:
    """An operation of a verb on files.

    Attributes:
        case: The verb.
        number: Of the operation, from 1.
        of: Which kinds of operations are counted.
    """

    case: VerbCase
    number: int
    of: int = ALL

    def __str__(self) -> str:
        return f"{self.case.name}, operation {self.number}"


@dataclass(frozen=True)
class Usual:
    """What a verb does where nothing fails: its operations on files, and the counts before and after."""

    operations: int
    before: dict[str, int]
    after: dict[str, int]


Disturb = Callable[[FaultPosition], bool]
"""Has a fault happen in an operation of a verb; returns whether the verb came to it."""


class VerbTrials:
    """Runs verbs on copies of a project, with a fault in the middle, and looks at what became of them.

    What has the same bytes as after an earlier fault is not looked at again.

    Args:
        material: Folder with the project as it is before each trial.
        folder: Where the copies are.
        disk: Runs the verbs.
        row: Where faults are noted.
    """

    def __init__(self, material: Path, folder: Path, disk: FaultyDisk, row: FaultRow) -> None:
        self._material, self.folder, self.disk, self.row = material, folder, disk, row
        self._known: dict[tuple[str, int], Usual] = {}
        self._seen: set[tuple[str, str]] = set()

    def renew(self) -> Path:
        """Return the folder with the project as it was."""
        shutil.rmtree(self.folder, ignore_errors=True)
        return Path(shutil.copytree(self._material, self.folder))

    def usual(self, case: VerbCase, *, of: int = ALL) -> Usual:
        """Return what a verb does; only some kinds of operations are counted."""
        if (case.name, of) not in self._known:
            project = self.renew() / case.project
            Session.open(project).close()
            before = counts_of(project)
            self.renew()
            ended = self.disk.run(*case.arguments(self.folder), under=self.folder, of=of)
            assert ended.status in {0, 1}, ended
            assert case.is_met(self.folder)
            assert problems(project) == []
            self._known[case.name, of] = Usual(ended.operations, before, counts_of(project))
        return self._known[case.name, of]

    def sample(
        self, cases: Iterable[VerbCase], numbers: Iterable[int], *, of: int = ALL
    ) -> Iterator[FaultPosition]:
        """Return operations to disturb, a verb after the other, spread over all operations of each."""
        each = list(cases)
        for number in numbers:
            case = each[number % len(each)]
            share = (1 + number // len(each)) * STRIDE % 1
            yield FaultPosition(case, 1 + int(share * self.usual(case, of=of).operations), of)

    def walk(self, cases: Iterable[VerbCase], disturb: Disturb, *, of: int = ALL) -> Iterator[bool]:
        """Disturb each operation of each verb, and those beyond until the verb ends undisturbed.

        The operations come in an order that is spread evenly over all of them at each moment, so that a walk
        that is stopped has come equally far with each verb and each part of it.
        """
        each = list(cases)
        positions = [
            FaultPosition(case, number, of)
            for case in each
            for number in range(1, 1 + self.usual(case, of=of).operations)
        ]
        self.row.planned += len(positions)
        for location in sorted(positions, key=lambda location: location.number * STRIDE % 1):
            if disturb(location):
                yield True
            else:
                self.row.planned -= 1
        for case in each:
            number = 1 + self.usual(case, of=of).operations
            while disturb(FaultPosition(case, number, of)):
                self.row.planned += 1
                number += 1
                yield True
            self.row.add("verbs walked to their end")

    def disturb_each(self, disturb: Disturb, trials: Trials, *, of: int = ALL) -> None:
        """Disturb each operation of the verbs; in the short form, some of each."""
        if trials.form == "full":
            self.row.planned = 0
            each: Iterator[bool] = self.walk(CASES, disturb, of=of)
        else:
            each = map(disturb, self.sample(CASES, trials, of=of))
        for _ in trials.in_time(each):
            pass

    def look(self, case: VerbCase, text: str) -> None:
        """Note what is half, or not sound, after a verb was disturbed."""
        project, out, usual = self.folder / case.project, self.folder / OUT, self.usual_of(case)
        Session.open(project).close()
        if self._is_new(case, [project, *project.parent.glob(f"{project.name}-wal")]):
            self.row.expect(counts_of(project) in [usual.before, usual.after], f"{text}: half of it is there")
            self.row.faults.extend(f"{text}: {found}" for found in problems(project))
        if out.exists():
            self.row.expect(is_sound_release(out), f"{text}: the release is not whole")
            shutil.rmtree(out)

    def _is_new(self, case: VerbCase, files: Iterable[Path]) -> bool:
        digest = hashlib.sha256()
        for file in sorted(files):
            # Names of partial files have numbers of processes and times in them.
            digest.update(re.sub(r"[0-9a-f]*[0-9][0-9a-f]*", "#", file.name).encode() + file.read_bytes())
        before = len(self._seen)
        self._seen.add((case.name, digest.hexdigest()))
        return len(self._seen) > before

    def usual_of(self, case: VerbCase) -> Usual:
        """Return what is known of a verb, whichever operations were counted."""
        return next(usual for (name, _), usual in self._known.items() if name == case.name)

    def repeat(self, case: VerbCase, text: str) -> None:
        """Run a verb once more, without a fault, and note what is not as it has to be."""
        project, expect = self.folder / case.project, self.row.expect
        if not self._is_new(case, (file for file in self.folder.rglob("*") if file.is_file())):
            return
        for left in partial_files(self.folder):
            # As if a day later: a young one may be of a process that is still at it.
            os.utime(left, (0, 0))
        ended = self.disk.run(*case.arguments(self.folder), under=self.folder)
        thin_backups(project, now=datetime.now(UTC))
        is_done = ended.status in {0, 1} and case.is_met(self.folder)
        expect(is_done, f"{text}: cannot be repeated: {ended.err[-300:]}")
        expect(counts_of(project) == self.usual_of(case).after, f"{text}: other counts when repeated")
        self.row.faults.extend(f"{text}, repeated: {found}" for found in problems(project))
        left = [path.name for path in partial_files(self.folder)]
        expect(not left, f"{text}: left {left}")
