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
from annotator.release.keys_folder import KEY_LIST
from annotator.release.manifest import read_manifest
from annotator.release.splits import Split, SplitSettings
from annotator.release_verification import IS_OTHER, KEYS_HIDDEN, compare_with_log
from annotator.session import Session
from annotator.verification import verify_everything
from tests.unit.release.samples import AddRecords, aircop_item, fill, flag, label, release, urbanvideo_item
from tests.unit.store.making import a_scene

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


HALVES = (Split(name="dev", share=0.5), Split(name="test", share=0.5))


@pytest.fixture
def hiding(tmp_path: Path) -> Iterator[Session]:
    """Give a project with a release whose answer keys are hidden, in ``out``, and what came after it."""
    with Session.create(tmp_path / "h.vantage") as session:
        positions = [a_scene(name=f"s{n}") for n in range(8)]
        asked = [
            aircop_item(name=f"q{n}", question=f"How many {n} cars?", state="accepted", scene=scene.id)
            for n, scene in enumerate(positions)
        ]
        fill(session, *positions, *asked)
        session.execute(RequireGates(gates=("flags", "letters"))).result()
        release(
            session, tmp_path / "out", "native", splits=SplitSettings(splits=HALVES, hidden=("dev", "test"))
        )
        session.execute(AddRecords((aircop_item(name="later"), flag(asked[0])))).result()
        yield session


def test_verify_when_a_release_hides_answer_keys_then_it_is_counted_again_with_their_folder(
    hiding: Session, tmp_path: Path
) -> None:
    report = verify_everything(hiding, release=tmp_path / "out", progress=Progress())
    assert report.problems == ()
    assert not {KEYS_HIDDEN, IS_OTHER} & {*report.notes}
    (tmp_path / "out-keys").rename(tmp_path / "elsewhere")
    report = verify_everything(hiding, release=tmp_path / "out", progress=Progress())
    assert report.problems == ()
    assert KEYS_HIDDEN in report.notes
    named = verify_everything(
        hiding, release=tmp_path / "out", keys=tmp_path / "elsewhere", progress=Progress()
    )
    assert named.problems == ()
    assert KEYS_HIDDEN not in named.notes


def test_hidden_keys_when_they_or_the_counts_differ_from_the_log_then_each_is_named(
    hiding: Session, tmp_path: Path
) -> None:
    folder, manifest = tmp_path / "out-keys", read_manifest(tmp_path / "out")
    lines = [msgspec.json.decode(line) for line in (folder / KEY_LIST).read_bytes().splitlines()]
    lines[0]["answer_key"] = "another"
    (folder / KEY_LIST).write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    manifest = msgspec.structs.replace(manifest, records=manifest.records + 1)
    (entry,) = hiding.reader.find(Release)
    with hiding.reader.snapshot():
        found = compare_with_log(hiding.reader, entry, manifest, keys=folder, progress=Progress())
    assert found == [
        "The manifest states another value of records than the log at the point of the release.",
        "1 hidden answer keys differ from the log at the point of the release.",
    ]
