"""The rules of releases: a required gate that fails refuses a release unless it is waived with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotator.commands.command import StalePreparationError
from annotator.commands.release_gates import RequireGates, WaiveGate, WithdrawWaiver
from annotator.commands.releases import CreateRelease
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.event import REMOVED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery
from annotator.domain.record import new_id
from annotator.domain.release import Release
from annotator.domain.release_gate import DEFAULT_REQUIRED
from annotator.domain.response import Response
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.run import run_checks
from annotator.release.manifest import MANIFEST, Manifest, verify_release
from annotator.release_examination.outlook import look_ahead
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, label, release
from tests.unit.store.bundles.workstations import item, joined
from tests.unit.store.making import BEN, created, write

ITEMS = [aircop_item(name=f"q{n}", question=f"How many cars are in picture {n}?") for n in range(3)]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, *ITEMS, label())
        yield session


def refused(session: Session, command: object) -> str:
    with pytest.raises(UserError) as caught:
        session.execute(command).result()  # type: ignore[arg-type]
    return f"{caught.value.message} {caught.value.hint}"


def waived(session: Session, failing: int = 3, reason: str = "A pilot release.") -> None:
    command = WaiveGate(gate="second-look", reason=reason, failing=failing, person=session.actor.id)
    session.execute(command).result()


def test_waiver_when_a_file_of_checks_cannot_be_used_then_it_does_not_cover_it(
    session: Session, tmp_path: Path
) -> None:
    session.execute(RequireGates(gates=("checks",))).result()
    session.execute(WaiveGate(gate="checks", reason="A pilot release.", failing=100)).result()
    first = release(session, tmp_path / "first", "aircop").manifest
    assert [gate.state for gate in first.gates or ()] == ["waived"]
    folder = session.path.with_suffix(".checks")
    folder.mkdir()
    (folder / "broken.toml").write_text("id = ", encoding="utf-8")
    said = refused(session, CreateRelease(out=tmp_path / "out", export_format="aircop"))
    assert "p.checks/broken.toml" in said
    with session.reader.snapshot():
        reports = look_ahead(session.reader, ItemQuery(), progress=Progress()).reports
    checks = next(report for report in reports if report.gate.id == "checks")
    assert (checks.unwaivable, checks.result.state, checks.can_be_waived) == (1, "fails", True)


def test_release_when_the_project_has_no_rules_of_its_own_then_only_the_usual_gates_are_in_its_manifest(
    session: Session, tmp_path: Path
) -> None:
    manifest = release(session, tmp_path / "out", "aircop").manifest
    assert [(gate.gate, gate.state) for gate in manifest.gates or ()] == [("forks", "holds")]
    assert tuple(gate.gate for gate in manifest.gates or ()) == DEFAULT_REQUIRED


def test_release_when_a_required_gate_fails_then_is_refused_with_its_number_and_nothing_is_written(
    session: Session, tmp_path: Path
) -> None:
    session.execute(RequireGates(gates=("second-look",))).result()
    told = refused(session, CreateRelease(out=tmp_path / "out", export_format="aircop"))
    assert "fail. Second look is done: fails for 3 of 3." in told
    # The workspace waives for accepted items, and this release takes all.
    assert "in Release" not in told
    assert "waive second-look --states all --reason TEXT" in told
    assert sorted(path.name for path in tmp_path.glob("*out*")) == []
    assert list(session.reader.records(Release)) == []
    # A form without items has none that a gate could be about.
    release(session, tmp_path / "labels", "aircop-labels")


def test_release_when_a_gate_fails_for_accepted_items_then_release_can_waive_it(
    session: Session, tmp_path: Path
) -> None:
    for one in session.reader.records(Item):
        write(session, Edit(entity="item", entity_id=one.id, field="state", value="accepted"))
    session.execute(RequireGates(gates=("second-look",))).result()
    order = CreateRelease(
        out=tmp_path / "out", export_format="aircop", selection=ItemQuery(states=("accepted",))
    )
    told = refused(session, order)
    assert "waive the gate with a reason in Release" in told
    assert "waive second-look --reason TEXT" in told
    told = refused(session, replace(order, include_flagged=True))
    assert "waive second-look --states accepted --include-flagged --reason TEXT" in told


def test_release_when_the_gate_is_waived_then_its_manifest_states_the_number_and_the_reason(
    session: Session, tmp_path: Path
) -> None:
    session.execute(RequireGates(gates=("second-look", "forks"))).result()
    waived(session)
    release(session, tmp_path / "out", "aircop")
    stored = msgspec.json.decode((tmp_path / "out" / MANIFEST).read_bytes(), type=Manifest)
    gates = {gate.gate: gate for gate in stored.gates or ()}
    assert list(gates) == ["forks", "second-look"]
    found = gates["second-look"]
    assert (found.state, found.failing, found.total, found.reason) == ("waived", 3, 3, "A pilot release.")
    (kept,) = session.reader.project.gate_waivers
    assert (kept.person, kept.failing) == (session.actor.id, 3)
    assert kept.waived_at.startswith("20")
    assert verify_release(tmp_path / "out") == []


def test_waiver_when_more_fails_than_it_was_given_for_then_the_gate_fails_again(
    session: Session, tmp_path: Path
) -> None:
    session.execute(RequireGates(gates=("second-look",))).result()
    waived(session, failing=2)
    assert "Second look is done: fails for 3 of 3." in refused(
        session, CreateRelease(out=tmp_path / "out", export_format="aircop")
    )


def test_waiver_when_undone_or_withdrawn_then_the_gate_fails_again(session: Session, tmp_path: Path) -> None:
    session.execute(RequireGates(gates=("second-look",))).result()
    waived(session, reason="First.")
    waived(session, reason="Second.")
    assert [waiver.reason for waiver in session.reader.project.gate_waivers] == ["Second."]
    session.undo().result()
    assert [waiver.reason for waiver in session.reader.project.gate_waivers] == ["First."]
    session.execute(WithdrawWaiver(gate="second-look")).result()
    assert session.reader.project.gate_waivers == ()
    assert "is not waived" in refused(session, WithdrawWaiver(gate="second-look"))
    assert "Second look is done: fails for 3 of 3." in refused(
        session, CreateRelease(out=tmp_path / "out", export_format="aircop")
    )


def test_rules_when_the_input_makes_no_sense_then_it_is_refused_in_words(session: Session) -> None:
    assert "There is no gate 'looks'" in refused(session, RequireGates(gates=("looks",)))
    assert "is informational" in refused(session, RequireGates(gates=("reference",)))
    assert "The reason is empty" in refused(session, WaiveGate(gate="media", reason=" ", failing=1))
    assert "longer than" in refused(session, WaiveGate(gate="media", reason="x" * 501, failing=1))
    assert "does not fail" in refused(session, WaiveGate(gate="media", reason="Known.", failing=0))


def test_verify_when_the_gates_of_a_manifest_contradict_themselves_then_says_so(
    session: Session, tmp_path: Path
) -> None:
    session.execute(RequireGates(gates=("second-look",))).result()
    waived(session)
    manifest = release(session, tmp_path / "out", "aircop").manifest
    (gate,) = manifest.gates or ()
    # With a new seal, as somebody would write it who wants to hide the waiver.
    pretended = msgspec.structs.replace(
        manifest, gates=(msgspec.structs.replace(gate, state="holds", reason=""),)
    )
    (tmp_path / "out" / MANIFEST).write_bytes(pretended.to_bytes())
    assert [problem.message for problem in verify_release(tmp_path / "out")] == [
        "The manifest contradicts itself in the gate second-look."
    ]


def answered(item: Item) -> Response:
    return Response(id=f"r-{item.id}", item=item.id, answer="A", person=BEN.id, shown=prompt_digest(item))


@pytest.mark.parametrize(
    ("gates", "is_withdrawn", "is_refused"),
    [(("second-look",), True, True), (("second-look",), False, False), ((), True, False)],
)
def test_release_when_an_answer_is_withdrawn_while_it_is_written_then_no_manifest_says_that_the_gate_holds(
    session: Session, tmp_path: Path, *, gates: tuple[str, ...], is_withdrawn: bool, is_refused: bool
) -> None:
    given = [answered(item) for item in session.reader.records(Item)]
    write(session, created("actor", BEN), *(created("response", one) for one in given))
    session.execute(RequireGates(gates=gates)).result()
    command = CreateRelease(out=tmp_path / "out", export_format="aircop")
    with session.reader.snapshot():
        command.prepare(session.reader, progress=Progress())
    # One answer more makes no gate fail.
    write(session, created("response", msgspec.structs.replace(given[0], id="more", person="somebody")))
    if is_withdrawn:
        write(session, Edit(entity="response", entity_id=given[0].id, field=REMOVED, value=True))
    expected = pytest.raises(StalePreparationError, match="changed while") if is_refused else nullcontext()
    with expected:
        list(command.plan(session.reader, progress=Progress()))
    command.discard()
    assert (tmp_path / "out").exists() is not is_refused


def test_release_when_a_file_of_own_checks_cannot_be_used_then_the_gate_fails_and_the_file_is_named(
    session: Session, tmp_path: Path
) -> None:
    with session.reader.snapshot():
        found = [one for one in run_checks(session.reader) if one.severity != "note"]
    flags = [
        Flag(
            id=f"f{n}", entity=one.entity, target=one.target, kind=one.check, message=one.message,
            severity=one.severity, state="dismissed", resolution="It is meant so.",
        )
        for n, one in enumerate(found)
    ]  # fmt: skip
    write(session, *(created("flag", one) for one in flags))
    session.execute(RequireGates(gates=("checks",))).result()
    command = CreateRelease(out=tmp_path / "out", export_format="aircop", include_flagged=True)
    folder = session.path.with_suffix(".checks")
    folder.mkdir()
    file = folder / "negation.toml"
    file.write_text('id = "negation"\nlongest = "many"\n', encoding="utf-8")
    assert "fails for 1. Files that cannot be used: p.checks/negation.toml" in refused(session, command)
    file.unlink()
    session.execute(command).result()
    assert (tmp_path / "out").exists()


def test_gates_when_bundles_were_merged_in_another_order_then_they_are_those_of_the_release(
    tmp_path: Path,
) -> None:
    clean, noisy = Medium(id="c" * 32, name="a.jpg"), Medium(id="d" * 32, name="a-noise.jpg")
    options = tuple(
        Option(letter=letter, text=text)
        for letter, text in zip("ABCD", ("Good", "Poor", "Fair", "Bad"), strict=True)
    )

    def judged(name: str, key: str, medium: Medium) -> Item:
        return Item(
            id=new_id(), name=name, task_set="aircop", task="quality_assessment", answer_key=key,
            media=(medium.id,), options=options, question=f"How good is the image {name}?",
        )  # fmt: skip

    ann, bob, one, other = joined(tmp_path, "ann", "bob", "one", "other")
    with ann.open() as session:
        write(session, *(created("medium", medium) for medium in (clean, noisy)))
    # Of two items on the clean image, the later one decides about the copy.
    ann.add(judged("good", "A", clean), judged("copy", "B", noisy))
    for name in ("f1", "f2", "f3", "f4"):
        bob.add(item(name))
    bob.add(judged("poor", "B", clean))
    handed = [ann.bundle(), bob.bundle()]
    one.merge(*handed)
    for bundle in reversed(handed):
        other.merge(bundle)
    found, arrived = [], []
    for station in (one, other):
        with station.open() as session:
            session.execute(RequireGates(gates=("checks",))).result()
            with session.reader.snapshot():
                here = look_ahead(session.reader, ItemQuery(), progress=Progress())
            checks = next(report for report in here.reports if report.gate.id == "checks")
            order = CreateRelease(out=tmp_path / "out", export_format="native")
            found.append((checks.result.failing, refused(session, order)))
            arrived.append([record.name for record in session.reader.records(Item)])
    assert arrived[0] != arrived[1]
    assert found[0] == found[1]
    assert f"Checks are clean: fails for {found[0][0]}." in found[0][1]
