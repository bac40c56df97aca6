"""The numbers of a release are counted again from the log at its point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.commands.release_gates import RequireGates, WaiveGate
from annotator.commands.releases import ReleaseReport
from annotator.domain.release import Release
from annotator.domain.release_gate import GateResult
from annotator.progress import Progress
from annotator.release_verification import IS_OTHER, compare_with_log
from annotator.session import Session
from annotator.verification import verify_everything
from tests.unit.release.samples import AddRecords, aircop_item, fill, flag, label, release, urbanvideo_item

ITEMS = [aircop_item(name=f"q{n}", question=f"How many {n} cars?", state="accepted") for n in range(3)]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *ITEMS, urbanvideo_item(), label(), flag(ITEMS[2], severity="warning"))
        session.execute(RequireGates(gates=("flags", "forks", "letters"))).result()
        session.execute(WaiveGate(gate="flags", reason="A pilot release.", failing=1)).result()
        yield session


def _compared(session: Session, made: ReleaseReport, **changed: object) -> list[str] | None:
    """Compare a release, with other values in its manifest."""
    manifest = msgspec.structs.replace(made.manifest, **changed)
    (entry,) = session.reader.find(Release)
    with session.reader.snapshot():
        return compare_with_log(session.reader, entry, manifest, progress=Progress())


def test_verify_when_the_project_has_gone_on_then_the_release_is_counted_as_it_was(
    session: Session, tmp_path: Path
) -> None:
    made = release(session, tmp_path / "out", "native")
    session.execute(AddRecords((aircop_item(name="later"), flag(ITEMS[0]), flag(ITEMS[1])))).result()
    report = verify_everything(session, release=tmp_path / "out", progress=Progress())
    assert report.problems == ()
    assert IS_OTHER not in report.notes
    assert _compared(session, made) == []


def test_counts_when_the_manifest_states_others_than_the_log_then_each_is_named(
    session: Session, tmp_path: Path
) -> None:
    made = release(session, tmp_path / "out", "native")
    counts = made.manifest.counts
    assert counts["state"] == {"accepted": 3, "drafted": 1}
    others = {
        **counts,
        "state": {"accepted": 4},
        "entity": counts["entity"] | {"event_label": 7},
        "task": {"aircop/object_counting": 4},
    }
    found = _compared(session, made, counts=others, records=5)
    assert found is not None
    named = [text.split(" value of ")[1].split()[0] for text in found]
    assert named == ["records", "counts.entity", "counts.state", "counts.task"]


def test_gates_when_the_manifest_states_other_numbers_than_the_log_then_is_named(
    session: Session, tmp_path: Path
) -> None:
    made = release(session, tmp_path / "out", "native")
    gates = [*(made.manifest.gates or ())]
    assert [(gate.gate, gate.failing) for gate in gates] == [("flags", 1), ("forks", 0), ("letters", 0)]
    forged: tuple[GateResult, ...] = (msgspec.structs.replace(gates[0], failing=0, state="holds"), *gates[1:])
    found = _compared(session, made, gates=forged)
    assert found == [
        "The manifest states 0 failing in the gate flags; the log at the point of the release has 1."
    ]


def test_counts_when_this_version_withholds_others_then_nothing_is_compared(
    session: Session, tmp_path: Path
) -> None:
    made = release(session, tmp_path / "out", "native")
    withheld = msgspec.structs.replace(made.manifest.withheld, reasons={"check:other": 1})
    assert _compared(session, made, withheld=withheld) is None
