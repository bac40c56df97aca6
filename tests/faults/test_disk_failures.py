"""The disk is full, or refuses one operation, anywhere in a verb: words, and nothing half."""

from __future__ import annotations

from pathlib import Path

from tests.faults.disk_faults import ALL, BROKEN, FULL, WRITES, FaultyDisk, needs_compiler
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.faults.verbs import CASES, FaultPosition, VerbTrials, counts_of, make_material

NAMES = ", ".join(case.name for case in CASES)
INTERNAL_ERROR = 4


def fail_and_repeat(
    location: FaultPosition, verbs: VerbTrials, row: FaultRow, *, act: int, more: int
) -> bool:
    """Run a verb on a disk that refuses operations, look at what is there, and run it again.

    Returns:
        Whether an operation was refused: the verb may have fewer.
    """
    case, at, usual = location.case, verbs.renew(), verbs.usual(location.case, of=location.of)
    text = f"{location} of {usual.operations} refused with {act}"
    ended = verbs.disk.run(
        *case.arguments(at), under=at, at=location.number, act=act, more=more, of=location.of
    )
    row.tried += ended.failed > 0
    row.expect(0 <= ended.status < INTERNAL_ERROR, f"{text}: {ended.status} {ended.err[-400:]}")
    row.expect("Traceback" not in ended.err, f"{text}: {ended.err[-400:]}")
    if ended.status in {0, 1}:
        row.add("ended well all the same", int(ended.failed > 0))
        row.expect(case.is_met(at), f"{text}: ended with 0 and is not done")
        row.expect(counts_of(at / case.project) == usual.after, f"{text}: ended with 0 and other counts")
    else:
        row.add("ended with words")
        row.expect(ended.err.strip(), f"{text}: no words")
    verbs.look(case, text)
    verbs.repeat(case, text)
    return ended.failed > 0


def fail_each(
    fault: str, disk: FaultyDisk, folder: Path, trials: Trials, *, act: int, of: int, more: int
) -> None:
    """Have each operation of the verbs refused, or some of each, and keep the row."""
    with fault_row(fault, test=__file__, trials=trials) as row:
        verbs = VerbTrials(make_material(folder, disk), folder / "work", disk, row)

        def disturb(location: FaultPosition) -> bool:
            return fail_and_repeat(location, verbs, row, act=act, more=more)

        verbs.disturb_each(disturb, trials, of=of)


@needs_compiler
@trials(short=60, full=2_500, limit_s=60)
def test_verb_when_the_disk_is_full_from_any_write_on_then_says_so_and_nothing_is_half(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = f"The disk is full from one of the writes of a verb on: {NAMES}"
    fail_each(fault, disk, tmp_path, trials, act=FULL, of=WRITES, more=-1)


@needs_compiler
@trials(short=60, full=2_500, limit_s=60)
def test_verb_when_one_operation_fails_then_says_so_or_goes_on_and_nothing_is_half(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = f"One write, sync, truncation or change of a name in a verb fails: {NAMES}"
    fail_each(fault, disk, tmp_path, trials, act=BROKEN, of=ALL, more=0)
