"""Verbs are killed in any of their operations on files: nothing is half, and the same verb ends well then."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.faults.disk_faults import FaultyDisk, needs_compiler
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.verbs import CASES, PROJECTS, VerbCase, VerbTrials, make_material

OLD_FILES = sorted(PROJECTS.glob("version-*.vantage.gz"))


def kill_and_repeat(case: VerbCase, number: int, verbs: VerbTrials, row: FaultRow) -> None:
    """Kill a verb in one of its operations, look at what is there, and run it again."""
    where = verbs.place(case, number)
    words = f"{case.name}, killed in operation {where} of {verbs.usual(case).operations}"
    at = verbs.renew()
    killed = verbs.disk.run(*case.arguments(at), under=at, at=where)
    row.expect(killed.status == -9, f"{words}: ended with {killed.status}")
    verbs.look(case, words)
    verbs.repeat(case, words)
    row.tried += 1


@needs_compiler
@trials(short=60, full=1_000, limit_s=90)
def test_verb_when_killed_in_any_operation_then_nothing_is_half_and_it_can_be_repeated(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = "A verb is killed in one of its operations on files: " + ", ".join(case.name for case in CASES)
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(make_material(tmp_path, disk), tmp_path / "work", disk, row)
        for number in trials:
            kill_and_repeat(CASES[number % len(CASES)], 1 + number // len(CASES), verbs, row)


@needs_compiler
@trials(quick=3, short=90, full=1_500, limit_s=45)
def test_migration_when_killed_in_any_operation_then_the_project_opens_as_before_or_after(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    material = tmp_path / "material"
    material.mkdir()
    cases = []
    for file in OLD_FILES:
        name = file.name.removesuffix(".gz")
        (material / name).write_bytes(gzip.decompress(file.read_bytes()))
        cases.append(VerbCase(name, lambda at, name=name: ("stats", at / name), project=name))  # type: ignore[misc]
    fault = f"The migration of a project is killed, from each of {len(OLD_FILES)} older schemas"
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(material, tmp_path / "work", disk, row)
        if trials.form != "quick":
            # Before the time of the row begins.
            for case in cases:
                verbs.usual(case)
        for number in trials:
            kill_and_repeat(cases[-1 - number % len(cases)], 1 + number // len(cases), verbs, row)
