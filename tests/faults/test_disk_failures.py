"""The disk is full, or refuses one operation, anywhere in a verb: words, and nothing half."""

from __future__ import annotations

from pathlib import Path

from tests.faults.disk_faults import ALL, BROKEN, FULL, WRITES, FaultyDisk, needs_compiler
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.verbs import CASES, VerbCase, VerbTrials, counts_of, make_material

NAMES = ", ".join(case.name for case in CASES)
INTERNAL_ERROR = 4


def fail_and_repeat(
    case: VerbCase, number: int, verbs: VerbTrials, row: FaultRow, *, act: int, of: int, more: int
) -> None:
    """Run a verb on a disk that refuses operations, look at what is there, and run it again."""
    where = verbs.place(case, number, of=of)
    words = f"{case.name}, operation {where} of {verbs.usual(case, of=of).operations} refused with {act}"
    at = verbs.renew()
    ended = verbs.disk.run(*case.arguments(at), under=at, at=where, act=act, more=more, of=of)
    row.tried += 1
    row.expect(ended.failed > 0, f"{words}: nothing failed")
    row.expect(0 <= ended.status < INTERNAL_ERROR, f"{words}: {ended.status} {ended.err[-400:]}")
    row.expect("Traceback" not in ended.err, f"{words}: {ended.err[-400:]}")
    if ended.status in {0, 1}:
        row.add("ended well all the same")
        row.expect(case.is_met(at), f"{words}: ended with 0 and is not done")
        is_done = counts_of(at / case.project) == verbs.usual(case, of=of).after
        row.expect(is_done, f"{words}: ended with 0 and other counts")
    else:
        row.add("ended with words")
        row.expect(ended.err.strip(), f"{words}: no words")
    verbs.look(case, words)
    verbs.repeat(case, words)


@needs_compiler
@trials(short=60, full=1_000, limit_s=60)
def test_verb_when_the_disk_is_full_from_any_write_on_then_says_so_and_nothing_is_half(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = f"The disk is full from one of the writes of a verb on: {NAMES}"
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(make_material(tmp_path, disk), tmp_path / "work", disk, row)
        for number in trials:
            case, place = CASES[number % len(CASES)], 1 + number // len(CASES)
            fail_and_repeat(case, place, verbs, row, act=FULL, of=WRITES, more=-1)


@needs_compiler
@trials(short=60, full=1_000, limit_s=60)
def test_verb_when_one_operation_fails_then_says_so_or_goes_on_and_nothing_is_half(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = f"One write, sync, truncation or change of a name in a verb fails: {NAMES}"
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(make_material(tmp_path, disk), tmp_path / "work", disk, row)
        for number in trials:
            case, place = CASES[number % len(CASES)], 1 + number // len(CASES)
            fail_and_repeat(case, place, verbs, row, act=BROKEN, of=ALL, more=0)
