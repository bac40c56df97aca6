"""Verbs are killed in any of their operations on files: nothing is half, and the same verb ends well then."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotator.session import Session
from annotator.store.backups import thin_backups
from tests.faults.disk_faults import FaultyDisk, needs_compiler
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.verbs import (
    CASES,
    OUT,
    VerbCase,
    counts_of,
    is_sound_release,
    make_material,
    partial_files,
)
from tests.unit.store.making import problems

STRIDE = 0.6180339887
"""Share of the operations between two trials of a verb: any number of trials is spread over all of them."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FaultyDisk]:
    with FaultyDisk(tmp_path) as disk:
        yield disk


class Undisturbed:
    """What each verb does where nothing fails."""

    def __init__(self, material: Path, folder: Path, disk: FaultyDisk) -> None:
        self._material, self._folder, self._disk = material, folder, disk
        self._known: dict[str, tuple[int, dict[str, int], dict[str, int]]] = {}

    def fresh(self) -> Path:
        """Return a folder with the project as it was."""
        shutil.rmtree(self._folder, ignore_errors=True)
        return Path(shutil.copytree(self._material, self._folder))

    def of(self, case: VerbCase) -> tuple[int, dict[str, int], dict[str, int]]:
        """Return how many operations a verb does, and the counts of its project before and after."""
        if case.name not in self._known:
            at = self.fresh()
            Session.open(at / case.project).close()
            before = counts_of(at / case.project)
            at = self.fresh()
            ended = self._disk.run(*case.arguments(at), under=at)
            assert ended.status in {0, 1}, ended
            assert case.is_met(at)
            assert problems(at / case.project) == []
            self._known[case.name] = (ended.operations, before, counts_of(at / case.project))
        return self._known[case.name]


def kill_and_repeat(case: VerbCase, number: int, usual: Undisturbed, disk: FaultyDisk, row: FaultRow) -> None:
    """Kill a verb in one of its operations, look at what is there, and run it again."""
    operations, before, after = usual.of(case)
    at, where = usual.fresh(), 1 + int(number * STRIDE % 1 * operations)
    project, words = at / case.project, f"{case.name}, killed in operation {where} of {operations}"
    killed = disk.run(*case.arguments(at), under=at, at=where)
    row.expect(killed.status == -9, f"{words}: ended with {killed.status}")
    Session.open(project).close()
    row.expect(counts_of(project) in [before, after], f"{words}: half of it is there")
    row.faults.extend(f"{words}: {found}" for found in problems(project))
    if (at / OUT).exists():
        row.expect(is_sound_release(at / OUT), f"{words}: the release is not whole")
        shutil.rmtree(at / OUT)
    for left in partial_files(at):
        # As if a day later: a young one may be of a process that is still at it.
        os.utime(left, (0, 0))
    again = disk.run(*case.arguments(at), under=at)
    thin_backups(project, now=datetime.now(UTC))
    row.expect(again.status in {0, 1} and case.is_met(at), f"{words}: cannot be repeated: {again}")
    row.expect(counts_of(project) == after, f"{words}: other counts when repeated")
    row.faults.extend(f"{words}, repeated: {found}" for found in problems(project))
    row.expect(not partial_files(at), f"{words}: left {[left.name for left in partial_files(at)]}")


@needs_compiler
@trials(short=60, full=1_000, limit_s=150)
def test_verb_when_killed_in_any_operation_then_nothing_is_half_and_it_can_be_repeated(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    usual = Undisturbed(make_material(tmp_path, disk), tmp_path / "work", disk)
    fault = "A verb is killed in one of its operations on files: " + ", ".join(case.name for case in CASES)
    with fault_row(fault, test=__file__, trials=trials) as row:
        for number in trials:
            kill_and_repeat(CASES[number % len(CASES)], 1 + number // len(CASES), usual, disk, row)
            row.tried += 1
