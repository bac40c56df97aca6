"""Predictions in bundles: carried without addresses, entered once, standing still, and refused in words."""

from __future__ import annotations

import hashlib
import json
import warnings
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item, Option
from annotator.domain.probe_answer import PROBE_SET
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.run_condition import condition_of
from annotator.domain.work import JobPlan
from annotator.errors import Cancelled, UserError
from annotator.exchange.carried_predictions import predictions_to_carry
from annotator.exchange.media_exchange import create_from_bundle
from annotator.exchange.merge_report import MergeOutcome, merge_bundles
from annotator.exchange.prediction_exchange import predictions_writer, receive_predictions
from annotator.progress import Progress
from annotator.quality.blind_summary import summarize_blind
from annotator.store.bundles.bundle_file import EVENTS, MANIFEST, read_manifest
from annotator.store.connection import connect
from annotator.store.work import received_runs
from annotator.store.work.queue import WorkQueue
from annotator.store.work.seals import seal_problems
from tests.unit.store.bundles.recorded_runs import SECRET, ask, record_answers
from tests.unit.store.bundles.workstations import Workstation, item, joined
from tests.unit.store.making import created, write
from widgets.library.predictions import read_evidence

OPTIONS = tuple(Option(letter=letter, text=text) for letter, text in zip("ABC", "xyz", strict=True))


@pytest.fixture
def team(tmp_path: Path) -> tuple[Workstation, Workstation, Item]:
    ann, bob = joined(tmp_path, "ann", "bob")
    asked = item("a1", question="Which one?", options=OPTIONS, answer_format="option_letter", answer_key="A")
    ann.add(asked)
    return ann, bob, asked


def export(person: Workstation, *, since: Path | None = None) -> Path:
    target = person.path.with_name(f"{new_id()}.bundle")
    with person.open() as session:
        writer = predictions_writer(session, since=since, progress=Progress())
        session.export_bundle(target, since=since, write_predictions=writer)
    return target


def merge(person: Workstation, *bundles: Path) -> MergeOutcome:
    with person.open() as session:
        return merge_bundles(session, bundles, progress=Progress())


def counts(outcome: MergeOutcome) -> tuple[int, int, int]:
    found = outcome.predictions
    assert found is not None
    return found.runs, found.known, len(found.refused)


def work_rows(person: Workstation) -> dict[str, list[Any]]:
    with closing(connect(person.path, read_only=True)) as connection:
        tables = ("run", "job", "prediction", "event")
        return {name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in tables}


def respoil(bundle: Path, spoil: Callable[[list[Any]], object], *, is_signed_off: bool = True) -> Path:
    """Write a bundle anew whose predictions were changed; the digest follows unless told otherwise."""
    with zipfile.ZipFile(bundle) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries[MANIFEST])
    (run,) = manifest["predictions"]
    name = f"predictions/{run}.jsonl"
    lines = [json.loads(line) for line in entries[name].splitlines()]
    spoil(lines)
    entries[name] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    if is_signed_off:
        manifest["predictions"][run] = hashlib.sha256(entries[name]).hexdigest()
    entries[MANIFEST] = json.dumps(manifest).encode()
    other = bundle.with_name(f"spoiled-{new_id()}.bundle")
    with zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    return other


def test_merge_when_the_bundle_has_predictions_then_a_reviewer_sees_answers_with_reasons(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    run = ask(ann, asked, "B", "C")
    assert counts(merge(bob, export(ann))) == (1, 0, 0)
    with bob.open() as session:
        found = read_evidence(session.reader, asked)
        assert [(one.prediction.answer, one.prediction.text) for one in found] == [
            ("B", "It is red: B."),
            ("C", "It is red: C."),
        ]
        assert {one.is_right for one in found} == {False}
        received = session.reader.runs.get(run.id)
        assert received is not None
        assert [one.run for one in found] == [received, received]
        progress = session.reader.runs.progress(run.id)
        assert condition_of(received, progress, has_worker=False) == "received"
        assert (progress.done, progress.spent_micro) == (2, 0)
    with closing(connect(bob.path, read_only=True)) as connection:
        assert list(seal_problems(connection, progress=Progress())) == []


def test_merge_when_predictions_are_of_a_blind_run_then_the_summary_is_the_same_on_both(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "A", "A", "B", kind="blind")
    merge(bob, export(ann))
    with ann.open() as one, bob.open() as other:
        summary = summarize_blind(one.reader, asked)
        assert summary is not None
        assert summary.right == 2
        assert summarize_blind(other.reader, asked) == summary


def test_export_when_a_profile_names_server_key_path_and_arguments_then_none_of_them_is_in_the_bundle(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "B", "")
    bundle = export(ann)
    with zipfile.ZipFile(bundle) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    merge(bob, bundle)
    stored = repr(work_rows(bob)["run"] + work_rows(bob)["prediction"]).encode()
    for hidden in (SECRET, "TEAM_KEY", "/srv", "--port"):
        assert hidden.encode() not in content
        assert hidden.encode() not in stored
    assert b"qwen-vl" in stored


def test_merge_when_repeated_or_returned_then_adds_nothing(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "B", "C")
    before = work_rows(ann)
    bundle = export(ann)
    merge(bob, bundle)
    rows = work_rows(bob)
    assert counts(merge(bob, bundle)) == (0, 1, 0)
    assert work_rows(bob) == rows
    # A copy of a copy has the same entries, and whoever made the run keeps it as it is.
    returned = export(bob)
    assert read_manifest(returned).predictions == read_manifest(bundle).predictions
    assert counts(merge(ann, returned)) == (0, 1, 0)
    assert {name: work_rows(ann)[name] for name in ("run", "job", "prediction")} == {
        name: before[name] for name in ("run", "job", "prediction")
    }


def test_export_when_an_earlier_bundle_has_the_run_then_only_the_others_are_carried(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, _bob, asked = team
    ask(ann, asked, "B")
    first = export(ann)
    second = ask(ann, asked, "C")
    ask(ann, asked, "C", is_finished=False)
    assert set(read_manifest(export(ann, since=first)).predictions) == {second.id}
    with ann.open() as session:
        found = predictions_to_carry(session.reader)
    assert (found.runs, found.predictions) == (2, 2)
    assert found.size_bytes > 200


def test_received_run_when_resumed_or_retried_then_is_refused_and_stands_still(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    run = ask(ann, asked, "B", "")
    merge(bob, export(ann))
    rows = work_rows(bob)
    with bob.open() as session:
        for step in (session.runs.resume, session.runs.retry_failed):
            with pytest.raises(UserError, match="from elsewhere"):
                step(run.id).result()
        session.runs.pause(run.id).result()
        session.runs.cancel(run.id).result()
        assert session.reader.runs.running() == []
    assert work_rows(bob) == rows


def test_merge_when_stopped_between_two_steps_then_edits_are_saved_meanwhile_and_a_repeat_completes_it(
    team: tuple[Workstation, Workstation, Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "A", "B", "C")
    bundle = export(ann)
    bob.merge(bundle)
    monkeypatch.setattr(received_runs, "BATCH", 1)
    progress = Progress()
    with bob.open() as session:
        # The step after the first job: another record is stored between two transactions.
        steps = iter([lambda: write(session, created("item", item("b1"))), progress.cancel])
        monkeypatch.setattr(progress, "step", lambda *_: (next(steps)(), Progress.step(progress)))
        with pytest.raises(Cancelled):
            receive_predictions(session, [bundle], progress=progress)
        assert session.reader.runs.all() == []
    assert len(bob.content()["item"]) == 2
    assert counts(merge(bob, bundle)) == (1, 0, 0)
    rows = work_rows(bob)
    assert (len(rows["job"]), len(rows["prediction"])) == (3, 3)
    with closing(connect(bob.path, read_only=True)) as connection:
        assert list(seal_problems(connection, progress=Progress())) == []


def test_merge_when_failed_calls_were_answered_since_then_the_answers_are_added_in_any_order(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    run = ask(ann, asked, "B", "")
    early = export(ann)
    with closing(WorkQueue.open(ann.path)) as queue:
        queue.runs.retry_failed(run.id)
        record_answers(queue, run, ("B", "C"))
    late = export(ann)
    merge(bob, early)
    assert counts(merge(bob, late)) == (1, 0, 0)
    assert counts(merge(bob, early)) == (0, 1, 0)
    with bob.open() as session:
        assert [one.answer for one in session.reader.runs.predictions_on(asked.id)] == ["B", "C"]
    with closing(connect(bob.path, read_only=True)) as connection:
        assert list(seal_problems(connection, progress=Progress())) == []


def test_merge_when_a_run_of_the_same_id_has_other_answers_then_it_is_refused_and_the_events_are_merged(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "B")
    bundle = export(ann)
    merge(bob, bundle)
    ann.add(item("a2"))

    def other_answer(lines: list[Any]) -> None:
        lines[1]["prediction"]["answer"] = "A"

    before = work_rows(bob)
    outcome = merge(bob, respoil(export(ann), other_answer))
    assert counts(outcome) == (0, 0, 1)
    assert outcome.added > 0
    assert work_rows(bob)["prediction"] == before["prediction"]


def test_merge_when_an_answer_claims_to_be_of_a_run_of_this_project_then_it_is_attributed_to_its_own(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    merge(bob, ann.bundle())
    own = ask(bob, asked, "A")
    foreign = ask(ann, asked, "B")

    def forge(lines: list[Any]) -> None:
        lines[1]["prediction"]["run"] = own.id

    merge(bob, respoil(export(ann), forge))
    with bob.open() as session:
        found = {one.run: one.answer for one in session.reader.runs.predictions_on(asked.id)}
    assert found == {own.id: "A", foreign.id: "B"}


def test_plan_when_a_received_answer_has_the_same_request_then_the_request_is_still_made(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, bob, asked = team
    run = ask(ann, asked, "B")
    merge(bob, export(ann))
    key = hashlib.sha256(f"{run.id} 0".encode()).digest()
    with closing(WorkQueue.open(bob.path)) as queue:
        plan = JobPlan(request_key=key, model="Qwen", target=asked.id)
        planned = queue.runs.plan(
            Run(id=new_id(), kind="consensus", models=("Qwen",)), [plan], progress=Progress()
        )
    assert planned.cached == 0


def _unknown_field(lines: list[Any]) -> None:
    lines[0]["profiles"]["Qwen"]["base_url"] = SECRET


def _unknown_job_field(lines: list[Any]) -> None:
    lines[1]["request"] = "x"


def _other_model(lines: list[Any]) -> None:
    lines[1]["model"] = "Other"


def _other_target(lines: list[Any]) -> None:
    lines[1]["prediction"]["target"] = "else"


def _open_state(lines: list[Any]) -> None:
    lines[1]["state"] = "waiting"


def _bad_time(lines: list[Any]) -> None:
    lines[0]["created_at"] = "yesterday"


def _other_kind(lines: list[Any]) -> None:
    lines[0]["kind"] = "draft"


def _other_run(lines: list[Any]) -> None:
    lines[0]["id"] = "f" * 32


def _long_answer(lines: list[Any]) -> None:
    lines[1]["prediction"]["answer"] = "B" * 200_000


def _probe_without_guesses(lines: list[Any]) -> None:
    lines[1]["target"] = lines[1]["prediction"]["target"] = PROBE_SET


def _negative_cost(lines: list[Any]) -> None:
    lines[1]["prediction"]["cost_micro"] = -5


def _no_run(lines: list[Any]) -> None:
    del lines[:]


@pytest.mark.parametrize(
    "spoil",
    [
        _unknown_field,
        _unknown_job_field,
        _other_model,
        _other_target,
        _open_state,
        _bad_time,
        _other_kind,
        _other_run,
        _long_answer,
        _probe_without_guesses,
        _negative_cost,
        _no_run,
    ],
)
def test_merge_when_an_entry_is_hostile_then_the_bundle_is_refused_and_nothing_is_entered(
    spoil: Callable[[list[Any]], object], team: tuple[Workstation, Workstation, Item]
) -> None:
    ann, bob, asked = team
    ask(ann, asked, "B")
    before = work_rows(bob)
    outcome = merge(bob, respoil(export(ann), spoil))
    assert len(outcome.problems) == 1
    assert "is not a sound bundle" in outcome.problems[0][1]
    assert work_rows(bob) == before


@pytest.mark.parametrize("what", ["changed", "missing", "twice", "bomb", "line"])
def test_merge_when_an_entry_is_not_that_of_the_manifest_then_nothing_is_entered(
    what: str, team: tuple[Workstation, Workstation, Item]
) -> None:
    ann, bob, asked = team
    run = ask(ann, asked, "B")
    bundle, name = export(ann), f"predictions/{run.id}.jsonl"
    before = work_rows(bob)
    if what == "changed":
        bundle = respoil(bundle, lambda lines: lines[1].update(model="Qwen "), is_signed_off=False)
    with zipfile.ZipFile(bundle) as archive:
        entries = [(entry, archive.read(entry)) for entry in archive.namelist()]
    if what == "missing":
        entries = [(entry, content) for entry, content in entries if entry != name]
    elif what == "twice":
        entries += [one for one in entries if one[0] == name]
    elif what in {"bomb", "line"}:
        size = (300 << 20) if what == "bomb" else (70 << 20)
        entries = [(entry, b" " * size if entry == name else content) for entry, content in entries]
    with warnings.catch_warnings(), zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        # zipfile warns of a second entry of the same name.
        warnings.simplefilter("ignore", UserWarning)
        for entry, content in entries:
            archive.writestr(entry, content)
    outcome = merge(bob, bundle)
    assert len(outcome.problems) == 1
    assert work_rows(bob) == before


def test_manifest_when_there_are_no_predictions_then_earlier_versions_read_it_and_signatures_stay(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, _bob, _asked = team
    bundle = ann.bundle()
    with zipfile.ZipFile(bundle) as archive:
        assert sorted(archive.namelist()) == sorted([EVENTS, MANIFEST])
        assert "predictions" not in json.loads(archive.read(MANIFEST))
    signed = json.loads(read_manifest(bundle).signed_content.removeprefix(b"vantage bundle\n"))
    # Six values and five tables: so it was signed before bundles had predictions.
    assert len(signed) == 11


def test_export_when_a_run_has_what_no_reader_takes_then_says_so_and_writes_no_bundle(
    team: tuple[Workstation, Workstation, Item],
) -> None:
    ann, _bob, asked = team
    ask(ann, asked, "B" * 200_000)
    before = {*ann.path.parent.glob("*bundle*")}
    with pytest.raises(UserError, match="cannot be written"):
        export(ann)
    assert {*ann.path.parent.glob("*bundle*")} == before


def test_new_project_when_made_from_a_bundle_with_predictions_then_has_them(
    team: tuple[Workstation, Workstation, Item], tmp_path: Path
) -> None:
    ann, _bob, asked = team
    ask(ann, asked, "B")
    with create_from_bundle(tmp_path / "new.vantage", export(ann), progress=Progress()) as made:
        assert [one.answer for one in made.reader.runs.predictions_on(asked.id)] == ["B"]
