"""The write-ahead log is cut at each commit, a byte before it, and one after: whole commits stay."""

from __future__ import annotations

import os
import random
import shutil
from bisect import bisect_right
from pathlib import Path

from annotator.domain.item import Item
from annotator.errors import VantageError
from annotator.session import Session
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.test_flips import flip_byte
from tests.unit.store.making import an_item, created, problems, write

OFFSETS = (-1, 0, 1)


def write_commits(folder: Path, count: int) -> tuple[Path, list[int]]:
    """Write a project with a commit for each item; return a copy as after a crash, and where commits end."""
    path, crashed = folder / "p.vantage", folder / "crashed" / "p.vantage"
    crashed.parent.mkdir()
    log, ends = path.with_name("p.vantage-wal"), []
    with Session.create(path) as session:
        for number in range(count):
            # Of different lengths, so that a commit is one page of the log or several.
            write(
                session, created("item", an_item(name=f"{number}", question="Where? " * (number * 97 % 900)))
            )
            ends.append(log.stat().st_size)
        shutil.copy(path, crashed)
        shutil.copy(log, crashed.parent)
    # The log was not begun anew meanwhile: it has all commits.
    assert ends == sorted(set(ends))
    return crashed, ends


def copy_of(crashed: Path, folder: Path) -> tuple[Path, Path]:
    """Return a new copy of a project and of its log."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(crashed.parent, folder)
    return folder / crashed.name, folder / f"{crashed.name}-wal"


def names_in(path: Path) -> list[int]:
    """Return the items that a project has when it is opened."""
    with Session.open(path) as session:
        return sorted(int(item.name) for item in session.reader.records(Item))


def look_at_cut(crashed: Path, folder: Path, size: int, *, whole: int, row: FaultRow) -> None:
    """Open a copy whose log is cut, and note where it has other items than those of whole commits."""
    path, log = copy_of(crashed, folder)
    os.truncate(log, size)
    names = names_in(path)
    row.tried += 1
    row.expect(names == list(range(whole)), f"log of {size} bytes: {len(names)} items instead of {whole}")
    row.faults.extend(f"log of {size} bytes: {found}" for found in problems(path))


@trials(quick=2, short=40, full=200)
def test_log_when_cut_at_any_commit_then_the_project_has_each_whole_commit_and_is_sound(
    tmp_path: Path, trials: Trials
) -> None:
    crashed, ends = write_commits(tmp_path, trials.count)
    fault = "The write-ahead log is cut at a commit, one byte before it and one after"
    with fault_row(fault, test=__file__, trials=trials) as row:
        row.planned = trials.count * len(OFFSETS)
        for number in trials:
            for offset in OFFSETS:
                whole = number + (offset >= 0)
                look_at_cut(crashed, tmp_path / "cut", ends[number] + offset, whole=whole, row=row)
            row.add("commits")


@trials(quick=4, short=60, full=300, limit_s=20)
def test_log_when_any_bit_is_flipped_then_the_project_has_each_commit_before_it_and_is_sound(
    tmp_path: Path, trials: Trials
) -> None:
    chance = random.Random(trials.count)
    crashed, ends = write_commits(tmp_path, 30)
    with fault_row("One bit of the write-ahead log is flipped", test=__file__, trials=trials) as row:
        for _ in trials:
            path, log = copy_of(crashed, tmp_path / "flipped")
            at = flip_byte(log, chance)
            row.tried += 1
            try:
                names = names_in(path)
            except VantageError:
                # All of a young project is in its log, which its first bytes make valid or not.
                row.add("refused with words")
                continue
            whole = bisect_right(ends, at)
            row.expect(names == list(range(whole)), f"byte {at}: {len(names)} items instead of {whole}")
            row.faults.extend(f"byte {at}: {found}" for found in problems(path))
