"""The write-ahead log is cut at each commit, a byte before it, and one after: whole commits stay."""

from __future__ import annotations

import shutil
from pathlib import Path

from annotator.domain.item import Item
from annotator.session import Session
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
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


def look_at_cut(crashed: Path, folder: Path, size: int, *, whole: int, row: FaultRow) -> None:
    """Open a copy whose log is cut, and note where it has other items than those of whole commits."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(crashed.parent, folder)
    path = folder / crashed.name
    with path.with_name(f"{path.name}-wal").open("r+b") as log:
        log.truncate(size)
    with Session.open(path) as session:
        names = sorted(int(item.name) for item in session.reader.records(Item))
    row.tried += 1
    row.expect(names == list(range(whole)), f"log of {size} bytes: {len(names)} items instead of {whole}")
    row.faults.extend(f"log of {size} bytes: {found}" for found in problems(path))


@trials(quick=2, short=40, full=600)
def test_log_when_cut_at_any_commit_then_the_project_has_each_whole_commit_and_is_sound(
    tmp_path: Path, trials: Trials
) -> None:
    crashed, ends = write_commits(tmp_path, trials.count)
    fault = "The write-ahead log is cut at a commit, one byte before it and one after"
    with fault_row(fault, test=__file__, trials=trials) as row:
        for number in trials:
            for offset in OFFSETS:
                whole = number + (offset >= 0)
                look_at_cut(crashed, tmp_path / "cut", ends[number] + offset, whole=whole, row=row)
            row.add("commits")
