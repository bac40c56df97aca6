"""Verbs are killed in any of their operations on files: nothing is half, and the same verb ends well then."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from signal import SIGKILL

from tests.faults.disk_faults import NAMES, SYNCS, FaultyDisk, needs_compiler
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.verbs import CASES, PROJECTS, FaultPosition, VerbCase, VerbTrials, make_material

OLD_FILES = sorted(PROJECTS.glob("version-*.vantage.gz"))


def kill_and_repeat(location: FaultPosition, verbs: VerbTrials, row: FaultRow) -> bool:
    """Kill a verb in one of its operations, look at what is there, and run it again.

    Returns:
        Whether it was killed: it may have fewer operations.
    """
    case, at = location.case, verbs.renew()
    text = f"{location} of {verbs.usual(case, of=location.of).operations}: killed"
    ended = verbs.disk.run(*case.arguments(at), under=at, at=location.number, of=location.of)
    is_killed = ended.status == -SIGKILL
    row.tried += is_killed
    row.expect(is_killed or ended.status in {0, 1}, f"{text}: ended with {ended.status}")
    verbs.look(case, text)
    verbs.repeat(case, text)
    return is_killed


@needs_compiler
@trials(short=60, full=2_500, limit_s=75)
def test_verb_when_killed_in_any_operation_then_nothing_is_half_and_it_can_be_repeated(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = "A verb is killed in one of its operations on files: " + ", ".join(case.name for case in CASES)
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(make_material(tmp_path, disk), tmp_path / "work", disk, row)
        verbs.disturb_each(partial(kill_and_repeat, verbs=verbs, row=row), trials)


@needs_compiler
@trials(quick=3, short=90, full=500, limit_s=45)
def test_migration_when_killed_in_any_operation_then_the_project_opens_as_before_or_after(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    material = tmp_path / "material"
    material.mkdir()
    cases = []
    for file in reversed(OLD_FILES):
        name = file.name.removesuffix(".gz")
        (material / name).write_bytes(gzip.decompress(file.read_bytes()))
        cases.append(VerbCase(name, lambda at, name=name: ("stats", at / name), project=name))  # type: ignore[misc]
    fault = f"The migration of a project is killed, from each of {len(OLD_FILES)} older schemas"
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(material, tmp_path / "work", disk, row)
        kill = partial(kill_and_repeat, verbs=verbs, row=row)
        if trials.form != "quick":
            # Before the time of the row begins.
            for case in cases:
                verbs.usual(case)
        each: Iterator[bool] = map(kill, verbs.sample(cases, range(trials.count)))
        if trials.form == "full":
            # Each step of a migration ends with a sync or a change of a name.
            each = chain(verbs.walk(cases, kill, of=SYNCS | NAMES), each)
        for _ in trials.in_time(each):
            pass
