"""What the blind filter decided, done to items: flags, states, evidence, and all of it taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from annotator.commands.apply_blind import GUESSED, UNDECIDED, ApplyBlind, ItemOutcome, Outcome
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.command import CommandRecord
from annotator.domain.flag import Flag
from annotator.domain.item import Item, ItemState
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.work import JobPlan
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.blind import decide_all
from annotator.quality.policy import Policy
from annotator.quality.predictions import ItemPrediction, ItemPredictionKind, ItemPredictions
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from tests.item_fields import SetItemField
from tests.unit.release.samples import aircop_item, fill, release
from tests.unit.store.making import an_item, created, write

ALL, ANY = Policy(kind="all"), Policy(kind="any")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        yield opened


def entered(session: Session, state: ItemState = "drafted") -> Item:
    item = an_item(state=state, answer_key="A")
    write(session, created("item", item))
    return item


def apply(
    session: Session,
    item: Item,
    answers: Sequence[bool | None],
    *,
    policy: Policy = ALL,
    outcome: Outcome = "author",
    run: str = "r",
    include_settled: bool = False,
    names: str = "m",
) -> list[ItemOutcome]:
    found = session.reader.get(Item, item.id)
    item = found if isinstance(found, Item) else item
    predictions = tuple(
        ItemPrediction(
            model=f"{names}{n}", kind="error" if right is None else "answer", answer="A", is_right=right
        )
        for n, right in enumerate(answers)
    )
    item_predictions = ItemPredictions(item=item, chance=0.25, predictions=predictions)
    command = ApplyBlind(
        run=run,
        decided=decide_all([item_predictions], policy),
        policy=policy,
        outcome=outcome,
        include_settled=include_settled,
    )
    session.execute(command).result()
    return command.outcomes


def state(session: Session, item: Item) -> str:
    found = session.reader.get(Item, item.id)
    assert found is not None
    return found.state


def flag(session: Session, item: Item, kind: str = GUESSED) -> Flag:
    (found,) = [one for one in session.reader.flags_of(item.id) if one.kind == kind]
    return found


@pytest.mark.parametrize(
    ("before", "outcome", "after", "done"),
    [
        ("drafted", "author", "drafted", "flagged"),
        ("in_refinement", "author", "drafted", "returned"),
        ("refined", "author", "drafted", "returned"),
        ("in_refinement", "filtered", "filtered", "filtered"),
        ("accepted", "filtered", "accepted", "left"),
        ("flagged", "author", "flagged", "left"),
        ("rejected", "filtered", "rejected", "left"),
    ],
)
def test_apply_when_guessed_then_the_item_goes_where_its_state_allows(
    session: Session, before: ItemState, outcome: Outcome, after: str, done: str
) -> None:
    item = entered(session, before)
    (told,) = apply(session, item, [True, True], outcome=outcome)
    assert (told.done, state(session, item)) == (done, after)
    assert bool(session.reader.flags_of(item.id)) == (done != "left")


def test_apply_when_undone_and_done_again_then_all_of_it_follows(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True], outcome="filtered")
    session.undo().result()
    assert state(session, item) == "in_refinement"
    assert session.reader.flags_of(item.id) == []
    session.redo().result()
    assert state(session, item) == "filtered"
    assert flag(session, item).evidence["state_before"] == "in_refinement"


def test_apply_when_done_twice_then_changes_nothing(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True], outcome="filtered")
    before = session.reader.log.event_total()
    apply(session, item, [True, True], outcome="filtered")
    assert session.reader.log.event_total() == before
    assert flag(session, item).evidence["state_before"] == "in_refinement"


def test_apply_when_another_policy_keeps_it_then_the_state_of_before_comes_back(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, False], policy=ANY, outcome="filtered")
    (told,) = apply(session, item, [True, False], policy=ALL, outcome="filtered")
    assert (told.done, state(session, item)) == ("restored", "in_refinement")
    assert flag(session, item).state == "resolved"
    # And once more with the first policy: the same state of before, not 'filtered'.
    apply(session, item, [True, False], policy=ANY, outcome="filtered")
    assert flag(session, item).evidence["state_before"] == "in_refinement"


def test_apply_when_an_accepted_item_comes_back_with_another_open_flag_then_waits_for_its_reviewer(
    session: Session,
) -> None:
    item = entered(session, "accepted")
    apply(session, item, [True, False], policy=ANY, outcome="filtered", include_settled=True)
    other = Flag(id=new_id(), entity="item", target=item.id, kind="option_style", raised_by="check")
    write(session, created("flag", other))
    (told,) = apply(session, item, [True, False], policy=ALL, outcome="filtered", include_settled=True)
    assert (told.done, state(session, item)) == ("restored", "flagged")


@pytest.mark.parametrize(("question", "restored"), [("", "accepted"), ("Which car turns?", "refined")])
def test_apply_when_an_accepted_item_comes_back_then_is_accepted_only_as_it_was(
    session: Session, question: str, restored: str
) -> None:
    item = entered(session, "accepted")
    apply(session, item, [True, False], policy=ANY, outcome="filtered", include_settled=True)
    if question:
        session.execute(SetItemField(item=item.id, field="question", value=question)).result()
    (told,) = apply(session, item, [True, False], policy=ALL, outcome="filtered", include_settled=True)
    assert (told.done, state(session, item)) == ("restored", restored)


def test_apply_when_filtered_after_sent_back_then_remembers_the_first_state(session: Session) -> None:
    item = entered(session, "refined")
    apply(session, item, [True, True], outcome="author")
    apply(session, item, [True, True], outcome="filtered")
    assert flag(session, item).evidence["state_before"] == "refined"
    apply(session, item, [True, False])
    assert state(session, item) == "refined"


def test_apply_when_somebody_moved_the_item_on_then_taking_back_leaves_it_there(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True], outcome="filtered")
    session.execute(ChangeState(items=(item.id,), state="drafted")).result()
    apply(session, item, [True, False])
    assert state(session, item) == "drafted"


def test_apply_when_a_person_dismissed_the_same_reason_then_leaves_the_item(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True])
    session.execute(ChangeState(items=(item.id,), state="in_refinement")).result()
    dismissed = DecideFlags(flags=(flag(session, item).id,), state="dismissed", resolution="luck")
    session.execute(dismissed).result()
    (told,) = apply(session, item, [True, True])
    assert (told.done, state(session, item)) == ("left", "in_refinement")
    # One more model that is right is another reason.
    (told,) = apply(session, item, [True, True, True])
    assert (told.done, flag(session, item).state) == ("returned", "open")


def test_apply_when_undecided_then_notes_it_until_it_is_decided(session: Session) -> None:
    item = entered(session)
    apply(session, item, [True, None])
    noted = flag(session, item, UNDECIDED)
    assert (noted.state, noted.severity) == ("open", "note")
    assert noted.message == "The blind filter is undecided. 1 of 2 requests: a request failed."
    apply(session, item, [True, False])
    assert flag(session, item, UNDECIDED).state == "resolved"


@pytest.mark.parametrize("kind", ["error", "unasked"])
def test_apply_when_no_model_was_heard_then_says_nothing_of_the_item(
    session: Session, kind: ItemPredictionKind
) -> None:
    item, other = entered(session), entered(session)
    silent = tuple(ItemPrediction(model=name, kind=kind) for name in ("m0", "m1"))
    item_predictions = [
        ItemPredictions(item=item, chance=0.25, predictions=silent),
        ItemPredictions(
            item=other, chance=0.25, predictions=(*silent, ItemPrediction(model="m2", kind="unparsed"))
        ),
    ]
    session.execute(ApplyBlind(run="r", decided=decide_all(item_predictions, ALL), policy=ALL)).result()
    assert session.reader.flags_of(item.id) == []
    assert [one.kind for one in session.reader.flags_of(other.id)] == [UNDECIDED]


def test_apply_when_no_model_is_heard_any_more_then_what_was_found_stands(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True])
    before = session.reader.log.event_total()
    assert apply(session, item, [None, None]) == []
    assert session.reader.log.event_total() == before


def entered_run(session: Session, item: Item, end: str) -> str:
    """Enter a run with one open question, bring it to an end, and return its id."""
    run = Run(id=new_id(), kind="blind", models=("m0",))
    queue = WorkQueue.open(session.path)
    queue.runs.plan(run, [JobPlan(request_key=bytes(32), model="m0", target=item.id)], progress=Progress())
    ends: dict[str, Callable[[], None]] = {
        "paused": lambda: queue.runs.pause(run.id),
        "stopped": lambda: queue.stop_run(run.id, "no server"),
        "cancelled": lambda: queue.runs.cancel(run.id),
    }
    if end in ends:
        ends[end]()
    queue.close()
    assert [one.state for one in session.reader.runs.all()] == [end]
    return run.id


@pytest.mark.parametrize("end", ["running", "paused", "stopped"])
def test_apply_when_the_run_may_bring_more_then_decides_nothing(session: Session, end: str) -> None:
    item = entered(session)
    with pytest.raises(UserError, match=f"The run is {end}"):
        apply(session, item, [True, True], run=entered_run(session, item, end))
    assert session.reader.flags_of(item.id) == []


def test_apply_when_the_run_was_cancelled_then_decides_on_what_was_answered(session: Session) -> None:
    item = entered(session)
    (told,) = apply(session, item, [True, True], run=entered_run(session, item, "cancelled"))
    assert told.done == "flagged"


def test_apply_when_the_item_is_gone_then_passes_it_over(session: Session) -> None:
    item = an_item(answer_key="A")
    assert apply(session, item, [True, True]) == []


def test_apply_when_settled_items_are_included_then_accepted_ones_are_touched_and_rejected_ones_not(
    session: Session,
) -> None:
    accepted, rejected = entered(session, "accepted"), entered(session, "rejected")
    apply(session, accepted, [True], include_settled=True)
    apply(session, rejected, [True], include_settled=True)
    assert (state(session, accepted), state(session, rejected)) == ("drafted", "rejected")


def released(session: Session, folder: Path, state: ItemState) -> tuple[Item, str]:
    """Return an item that a release holds, and the release's name."""
    item = aircop_item(state=state, answer_key="A")
    fill(session, item)
    return item, f"aircop {release(session, folder, 'aircop').manifest.sha256[:12]}"


@pytest.mark.parametrize("before", ["drafted", "refined", "accepted", "flagged"])
@pytest.mark.parametrize("outcome", ["author", "filtered"])
def test_apply_when_a_release_holds_the_item_then_flags_it_and_leaves_its_state(
    session: Session, tmp_path: Path, before: ItemState, outcome: Outcome
) -> None:
    item, name = released(session, tmp_path / "out", before)
    (told,) = apply(session, item, [True, True], outcome=outcome)
    assert (told.done, state(session, item)) == ("released", before)
    raised = flag(session, item)
    assert (raised.state, raised.severity) == ("open", "warning")
    assert raised.evidence["releases"] == [name]
    assert raised.message == told.reason
    assert told.reason.endswith(
        f"Release {name} contains it and does not change: decide before the next release."
    )


def test_apply_when_a_release_holds_the_item_and_it_is_done_twice_then_changes_nothing(
    session: Session, tmp_path: Path
) -> None:
    item, _ = released(session, tmp_path / "out", "accepted")
    apply(session, item, [True, True], outcome="filtered")
    before = session.reader.log.event_total()
    apply(session, item, [True, True], outcome="filtered")
    assert session.reader.log.event_total() == before


def test_apply_when_a_dismissed_item_is_released_since_then_the_flag_stays_dismissed(
    session: Session, tmp_path: Path
) -> None:
    item = aircop_item(answer_key="A")
    fill(session, item)
    apply(session, item, [True, True])
    dismissed = DecideFlags(flags=(flag(session, item).id,), state="dismissed", resolution="luck")
    session.execute(dismissed).result()
    release(session, tmp_path / "out", "aircop")
    (told,) = apply(session, item, [True, True])
    assert (told.done, flag(session, item).state) == ("left", "dismissed")


def test_apply_when_a_person_rejected_a_released_item_then_leaves_it(
    session: Session, tmp_path: Path
) -> None:
    item, _ = released(session, tmp_path / "out", "drafted")
    session.execute(ChangeState(items=(item.id,), state="rejected", reason="Too easy.")).result()
    (told,) = apply(session, item, [True, True], include_settled=True)
    assert (told.done, session.reader.flags_of(item.id)) == ("left", [])


def test_apply_when_released_items_are_included_then_are_filtered_and_their_releases_told(
    session: Session, tmp_path: Path
) -> None:
    item, name = released(session, tmp_path / "out", "accepted")
    (told,) = apply(session, item, [True, True], outcome="filtered", include_settled=True)
    assert (told.done, state(session, item)) == ("filtered", "filtered")
    assert flag(session, item).evidence["releases"] == [name]
    apply(session, item, [True, False])
    assert state(session, item) == "accepted"


def test_apply_when_the_words_are_others_than_those_released_then_goes_on_as_with_any_item(
    session: Session, tmp_path: Path
) -> None:
    item, _ = released(session, tmp_path / "out", "drafted")
    session.execute(SetItemField(item=item.id, field="question", value="How many lorries?")).result()
    (told,) = apply(session, item, [True, True], outcome="filtered")
    assert (told.done, state(session, item)) == ("filtered", "filtered")
    assert flag(session, item).evidence["releases"] == []


@pytest.mark.parametrize(
    ("answers", "names", "after"),
    [
        # The same models again: they do not guess it any more.
        ([True, False], "m", "in_refinement"),
        # Others: what the first ones know stays known.
        ([False, False], "n", "filtered"),
        # Errors say nothing.
        ([None, None], "m", "filtered"),
        ([False, None], "m", "filtered"),
    ],
    ids=["same", "others", "errors", "one error"],
)
def test_apply_when_another_run_finds_nothing_then_only_the_same_models_take_it_back(
    session: Session, answers: list[bool | None], names: str, after: str
) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, True], outcome="filtered")
    apply(session, item, answers, outcome="filtered", run="later", names=names)
    assert state(session, item) == after
    assert flag(session, item).evidence["run"] == "r"


@pytest.mark.parametrize(("field", "value"), [("question", "How many lorries?"), ("answer_key", "B")])
def test_apply_when_the_item_was_mended_since_then_other_models_take_it_back(
    session: Session, field: str, value: str
) -> None:
    item = entered(session, "refined")
    apply(session, item, [True, True])
    session.execute(SetItemField(item=item.id, field=field, value=value)).result()
    apply(session, item, [False], run="later", names="n")
    assert flag(session, item).state == "resolved"


def test_apply_when_another_policy_knows_too_little_then_takes_back_and_says_so(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, None], policy=ANY, outcome="filtered")
    (told,) = apply(session, item, [True, None], policy=ALL, outcome="filtered")
    assert (told.done, state(session, item)) == ("restored", "in_refinement")
    assert "too little is known" in flag(session, item).resolution
    assert flag(session, item, UNDECIDED).state == "open"
    apply(session, item, [True, None], policy=ANY, outcome="filtered")
    assert flag(session, item).evidence["state_before"] == "in_refinement"


def test_apply_when_a_person_resolved_the_flag_since_then_it_is_not_taken_for_restored(
    session: Session,
) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, False], policy=ANY, outcome="filtered")
    apply(session, item, [True, False], policy=ALL, outcome="filtered")
    found = flag(session, item)
    assert found.evidence["restored"] == found.resolution
    before = session.reader.log.event_total()
    apply(session, item, [True, False], policy=ALL, outcome="filtered")
    assert session.reader.log.event_total() == before
    for state_now in ("open", "resolved"):
        decided = DecideFlags(flags=(found.id,), state=state_now, resolution="The question is new.")
        session.execute(decided).result()
    (told,) = apply(session, item, [True, False], policy=ALL, outcome="filtered")
    assert told.done == "restored"


def test_apply_when_an_earlier_version_restored_the_item_then_is_known_by_its_text(session: Session) -> None:
    item = entered(session, "in_refinement")
    apply(session, item, [True, False], policy=ANY, outcome="filtered")
    text = "By the policy now chosen it was not guessed."
    session.execute(DecideFlags(flags=(flag(session, item).id,), state="resolved", resolution=text)).result()
    assert apply(session, item, [True, False], policy=ALL, outcome="filtered") == []


def test_apply_when_unread_replies_count_as_misses_then_the_log_and_the_evidence_say_so(
    session: Session,
) -> None:
    item = entered(session)
    apply(session, item, [True], policy=Policy(kind="all", counts_unread=True))
    assert flag(session, item).evidence["unread_as_miss"] is True
    commands = [one for one in session.reader.records(CommandRecord) if one.name == "ApplyBlind"]
    assert [one.details["unread_as_miss"] for one in commands] == [True]
