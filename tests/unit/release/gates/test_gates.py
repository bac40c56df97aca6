"""Each gate of a release: what fails has a number, and once it is mended the gate holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.findings import RecordFindings
from annotator.commands.forks import ResolveFork
from annotator.commands.media import SetLicence
from annotator.commands.records import DecideFlags
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.query import ItemQuery, MediumQuery
from annotator.domain.run import Prediction, Run
from annotator.domain.source import Source
from annotator.domain.work import JobOutcome, JobPlan
from annotator.progress import Progress
from annotator.release.gates import GATES, GateReport, gate_text
from annotator.release_examination.outlook import look_ahead
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.unit.store.making import ANNA, BEN, a_flag, a_medium, an_item, changed, created, write

NOW = 1_800_000_000.0
ACCEPTED = ItemQuery(states=("accepted",))
MEDIUM = a_medium(id="m1", name="one.jpg", sha256="1" * 64, source="s1")
QUESTIONS = (
    "Which vehicle waits at the crossing?",
    "How many trees line the left bank of the river?",
    "What does the crane carry onto the roof?",
    "Where does the second path end?",
)
TEXTS = ("Red lorry", "Seven", "Beams", "The bus stop")
IMAGES = Source(id="s1", name="images", format="folder", sha256="5" * 64)


def letter_item(n: int, **fields: object) -> Item:
    options = tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", TEXTS, strict=True))
    values = {
        "id": f"i{n}", "name": f"item_{n}", "task": "object_counting", "state": "accepted",
        "options": options, "question": QUESTIONS[n % 4], "answer_key": "ABCD"[n % 4],
        "provenance": Provenance(made_by="rule"), "media": ("m1",),
    }  # fmt: skip
    return an_item(**(values | fields))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Three accepted items and a draft, which no gate looks at, that show one image."""
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        records = [letter_item(n) for n in range(3)] + [letter_item(3, state="drafted")]
        write(
            opened,
            created("source", IMAGES),
            created("medium", MEDIUM),
            *(created("item", item) for item in records),
            created("actor", BEN),
        )
        yield opened


def examined(
    session: Session, gate: str, selection: ItemQuery = ACCEPTED, *, include_flagged: bool = False
) -> GateReport:
    with session.reader.snapshot():
        reports = look_ahead(
            session.reader, selection, include_flagged=include_flagged, progress=Progress()
        ).reports
    assert [report.gate.id for report in reports] == list(GATES)
    return next(report for report in reports if report.gate.id == gate)


def numbers(session: Session, gate: str) -> tuple[str, int, int]:
    result = examined(session, gate).result
    return result.state, result.failing, result.total


def ids(report: GateReport) -> tuple[str, ...]:
    assert isinstance(report.query, ItemQuery)
    return report.query.ids


def answer(session: Session, item: str, person: str) -> None:
    given = (GivenAnswer(item=item, person=person, answer="A"),)
    session.execute(AddResponses(answers=given)).result()


def test_gates_when_nothing_is_released_then_none_fails_and_none_claims_to_hold_for_items(
    session: Session,
) -> None:
    with session.reader.snapshot():
        reports = look_ahead(session.reader, ItemQuery(states=("flagged",)), progress=Progress()).reports
    assert {report.result.state for report in reports} == {"not_applicable", "holds"}
    assert [report.gate.id for report in reports if report.result.state == "holds"] == ["forks"]


def test_flags_when_a_warning_is_open_then_counts_the_item_until_it_is_decided(session: Session) -> None:
    flags = [
        a_flag("i0", id="f0", severity="warning"),
        a_flag("i0", id="f1", severity="warning", kind="other"),
        a_flag("i1", id="f2", severity="note"),
        a_flag("i3", id="f3", severity="warning"),
    ]
    write(session, *(created("flag", flag) for flag in flags))
    report = examined(session, "flags")
    assert (report.result.failing, report.result.total, ids(report)) == (1, 3, ("i0",))
    assert gate_text(report) == "Items with an open error or warning: 1 of 3"
    session.execute(DecideFlags(flags=("f0", "f1"), state="dismissed", resolution="It is right.")).result()
    assert numbers(session, "flags") == ("holds", 0, 3)


def test_flags_when_an_error_withholds_the_item_then_it_does_not_count(session: Session) -> None:
    write(session, created("flag", a_flag("i0", severity="error")))
    assert numbers(session, "flags") == ("holds", 0, 2)
    with session.reader.snapshot():
        reports = look_ahead(session.reader, ACCEPTED, include_flagged=True, progress=Progress()).reports
    assert (reports[0].result.failing, reports[0].result.total) == (1, 3)


def test_forks_when_workstations_changed_an_item_then_counts_until_a_value_is_chosen(
    session: Session, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.vantage-bundle", tmp_path / "b.vantage-bundle"
    session.export_bundle(first, progress=Progress())
    with Session.create_from_bundle(tmp_path / "other.vantage", first, actor=BEN) as other:
        write(other, *changed("item", "i1", question="Ben?"), *changed("item", "i3", question="Ben?"))
        write(session, *changed("item", "i1", question="Anna?"), *changed("item", "i3", question="Anna?"))
        other.export_bundle(second, progress=Progress())
    session.merge(second, progress=Progress()).result()
    # The release withholds forked items unless it includes what is flagged.
    assert numbers(session, "forks") == ("holds", 0, 0)
    report = examined(session, "forks", include_flagged=True)
    # The draft is forked too, and is not released.
    assert (report.result.state, report.result.failing, ids(report)) == ("fails", 1, ("i1",))
    assert report.is_blocking
    fork = session.reader.forks.get("i1", field="question")
    assert fork is not None
    session.execute(ResolveFork(entity_id="i1", field="question", event=fork.values[0].event)).result()
    assert examined(session, "forks", include_flagged=True).result.failing == 0


def test_checks_when_a_warning_is_found_then_counts_until_it_is_dismissed_or_corrected(
    session: Session,
) -> None:
    assert numbers(session, "checks") == ("holds", 0, 0)
    write(session, *changed("item", "i1", question="Which?"), *changed("item", "i3", question="Where?"))
    report = examined(session, "checks")
    assert (report.result.state, report.result.failing, ids(report)) == ("fails", 1, ("i1",))
    session.execute(RecordFindings()).result()
    assert examined(session, "checks").result.failing == 1
    (found,) = (flag.id for flag in session.reader.flags_of("i1"))
    session.execute(DecideFlags(flags=(found,), state="dismissed", resolution="It is clear.")).result()
    assert numbers(session, "checks") == ("holds", 0, 0)


def test_blind_when_models_answered_the_items_as_they_are_then_holds(session: Session) -> None:
    assert numbers(session, "blind") == ("fails", 3, 3)
    asked_blind(session, "i0", "i1", "i2")
    assert numbers(session, "blind") == ("holds", 0, 3)
    write(session, *changed("item", "i1", question="Which other shape stands there?"))
    report = examined(session, "blind")
    assert (report.result.failing, ids(report)) == (1, ("i1",))


def test_blind_when_the_run_saw_the_images_then_does_not_count(session: Session) -> None:
    asked_blind(session, "i0", "i1", "i2", kind="consensus")
    assert numbers(session, "blind") == ("fails", 3, 3)


def test_second_look_when_another_person_answered_the_present_form_then_holds(session: Session) -> None:
    assert numbers(session, "second-look") == ("fails", 3, 3)
    session.use_actor(BEN)
    write(session, *changed("item", "i0", question="Which shape is in the first lane?"))
    for item in ("i0", "i1", "i2"):
        answer(session, item, BEN.id)
    # Ben has worked on the first item.
    report = examined(session, "second-look")
    assert (report.result.failing, report.result.total, ids(report)) == (1, 3, ("i0",))
    answer(session, "i0", "somebody else")
    assert numbers(session, "second-look") == ("holds", 0, 3)
    write(session, *changed("item", "i1", question="Which shape is in the second lane?"))
    assert ids(examined(session, "second-look")) == ("i1",)


def test_letters_when_one_letter_is_always_right_then_names_the_task_until_balanced(session: Session) -> None:
    assert numbers(session, "letters") == ("holds", 0, 1)
    more = [letter_item(n, answer_key="A") for n in range(10, 60)]
    write(session, *(created("item", item) for item in more))
    report = examined(session, "letters")
    assert (report.result.state, report.result.failing, report.result.total) == ("fails", 1, 1)
    assert report.query == ItemQuery(tasks=("aircop/object_counting",))
    edits = (changed("item", item.id, answer_key="ABCD"[n % 4]) for n, item in enumerate(more))
    write(session, *(edit for one in edits for edit in one))
    assert numbers(session, "letters") == ("holds", 0, 1)


def test_media_when_a_file_is_missing_then_counts_its_items_until_it_is_found(session: Session) -> None:
    assert numbers(session, "media") == ("holds", 0, 3)
    missing = a_flag("m1", entity="medium", id="f9", kind="medium_missing", severity="error")
    write(session, created("flag", missing))
    assert numbers(session, "media") == ("fails", 3, 3)
    session.execute(DecideFlags(flags=("f9",), state="resolved", resolution="Found.")).result()
    assert numbers(session, "media") == ("holds", 0, 3)


def test_licences_when_a_source_states_none_then_counts_it_until_it_is_set(session: Session) -> None:
    report = examined(session, "licences")
    assert (report.result.failing, report.result.total) == (1, 1)
    assert report.query == MediumQuery(licences=("",))
    session.execute(SetLicence(media=("m1",), licence="CC BY 4.0")).result()
    assert numbers(session, "licences") == ("holds", 0, 1)


def test_reference_when_the_sample_is_not_answered_then_is_told_and_never_required(session: Session) -> None:
    assert numbers(session, "reference") == ("not_applicable", 0, 0)
    pairs = (("i0", BEN.id), ("i3", BEN.id))
    session.execute(AssignRecords(entity="item", role="reference", pairs=pairs)).result()
    report = examined(session, "reference")
    assert (report.result.state, report.result.failing, report.is_blocking) == ("fails", 1, False)
    answer(session, "i0", BEN.id)
    assert numbers(session, "reference") == ("holds", 0, 1)


def asked_blind(session: Session, *items: str, kind: str = "blind") -> None:
    """Add a finished run of one model that answered items."""
    run = Run(id=f"{len(session.reader.runs.all()):032d}", kind=kind, models=("m",))  # type: ignore[arg-type]
    jobs = [
        JobPlan(
            request_key=hashlib.sha256(f"{run.id}{item}".encode()).digest(),
            model="m",
            target=item,
            spec={"shown": prompt_digest(session.reader.require(Item, item))},
        )
        for item in items
    ]
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, jobs, progress=Progress())
    targets = {job.request_key: job.target for job in jobs}
    for claim in queue.claim("w", run=run.id, model="m", count=len(jobs), now=NOW):
        prediction = Prediction(
            request_key=claim.request_key.hex(),
            kind="answer",
            target=targets[claim.request_key],
            answer="A",
            run=run.id,
        )
        queue.mark_sent([claim], [b"?"])
        queue.record([JobOutcome(claim=claim, prediction=prediction)], now=NOW)
    queue.close()
