"""The gate before ``accepted``: whatever command tries it, and by whom."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from annotator.commands.command import Command
from annotator.commands.forks import ResolveFork
from annotator.commands.item_batches import EditItems, RebalanceLetters
from annotator.commands.item_edits import SetAnswerKey, SetQuestion
from annotator.commands.item_states import ChangeState
from annotator.commands.projects import SetReviewRules
from annotator.commands.records import DecideFlags
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.project import SeparateAcceptance
from annotator.domain.query import ItemQuery
from annotator.errors import UserError
from annotator.exchange.merge_report import merge_bundles
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, a_flag, an_item, changed, created, write

BY_RULE = Provenance(made_by="rule")
OPTIONS = tuple(Option(letter=letter, text=f"{letter} text") for letter in "ABCD")


def an_item_to_accept(name: str = "item_1", **fields: object) -> Item:
    values = {
        "task": "object_counting",
        "state": "refined",
        "question": "Which?",
        "options": OPTIONS,
        "answer_key": "B",
    }
    return an_item(**{"id": name, "name": name, "provenance": BY_RULE, **values, **fields})


def accept(*names: str) -> ChangeState:
    return ChangeState(items=names or ("item_1",), state="accepted")


def state(session: Session, name: str = "item_1") -> str:
    return session.reader.require(Item, name).state


def refusal(session: Session, command: Command) -> str:
    with pytest.raises(UserError) as error:
        session.execute(command).result()
    return str(error.value)


WAYS: dict[str, Callable[[Session], object]] = {
    "one item": lambda session: session.execute(accept()).result(),
    "a batch": lambda session: session.execute(accept("item_0", "item_1")).result(),
    "any other command": lambda session: write(session, *changed("item", "item_1", state="accepted")),
    "with an edit": lambda session: write(
        session, *changed("item", "item_1", question="What?", state="accepted")
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("severity", ["error", "warning"])
@pytest.mark.parametrize("before", ["refined", "flagged"])
def test_accept_when_a_flag_is_open_then_is_refused_in_words_and_changes_nothing(
    session: Session, way: str, severity: str, before: str
) -> None:
    write(
        session,
        created("item", an_item_to_accept("item_0")),
        created("item", an_item_to_accept(state=before)),
        created("flag", a_flag("item_1", id="f1", severity=severity)),
    )
    with pytest.raises(UserError) as error:
        WAYS[way](session)
    assert str(error.value) == (
        "item_1 cannot be accepted: open flags: 1 (doubt). "
        "Decide the flags in Review, or resolve or dismiss each of them; then accept the item."
    )
    assert (state(session, "item_0"), state(session)) == ("refined", before)
    session.execute(DecideFlags(flags=("f1",), state="dismissed", resolution="It is right.")).result()
    WAYS[way](session)
    assert state(session) == "accepted"


def test_accept_when_only_notes_are_open_then_is_allowed(session: Session) -> None:
    write(session, created("item", an_item_to_accept()), created("flag", a_flag("item_1", severity="note")))
    session.execute(accept()).result()
    assert state(session) == "accepted"


def test_accept_when_the_command_closes_the_last_flag_itself_then_is_allowed(session: Session) -> None:
    write(session, created("item", an_item_to_accept()), created("flag", a_flag("item_1", id="f1")))
    write(session, *changed("item", "item_1", state="accepted"), *changed("flag", "f1", state="dismissed"))
    assert state(session) == "accepted"


def test_accept_when_redone_past_a_flag_that_came_since_then_is_refused(session: Session, path: Path) -> None:
    write(session, created("item", an_item_to_accept()))
    session.execute(accept()).result()
    session.undo().result()
    with Session.open(path, actor=BEN) as other:
        write(other, created("flag", a_flag("item_1", id="f1")))
    with pytest.raises(UserError, match="cannot be accepted: open flags: 1"):
        session.redo().result()
    assert state(session) == "refined"


def send_back() -> ChangeState:
    return ChangeState(items=("item_1",), state="in_refinement", reason="look again")


def test_undo_when_it_brings_back_an_accepted_item_with_a_new_flag_then_it_is_refined_and_in_the_queue(
    session: Session, path: Path
) -> None:
    write(session, created("item", an_item_to_accept()))
    session.execute(accept()).result()
    session.execute(send_back()).result()
    with Session.open(path, actor=BEN) as other:
        write(other, created("flag", a_flag("item_1", id="f1")))
    session.undo().result()
    assert state(session) == "refined"
    assert session.reader.reviews.case(Item, "item_1") is not None
    session.undo().result()
    assert state(session) == "refined"


@pytest.mark.parametrize("is_imported", [False, True])
@pytest.mark.parametrize("is_edited", [False, True])
def test_undo_when_it_brings_back_an_accepted_item_then_is_accepted_only_as_it_was(
    session: Session, path: Path, is_edited: bool, is_imported: bool
) -> None:
    """An item that was imported as accepted has no acceptance in the log."""
    write(session, created("item", an_item_to_accept(state="accepted" if is_imported else "refined")))
    if not is_imported:
        session.execute(accept()).result()
    session.execute(send_back()).result()
    if is_edited:
        with Session.open(path, actor=BEN) as other:
            other.execute(SetAnswerKey(item="item_1", text="C")).result()
    session.undo().result()
    item = session.reader.require(Item, "item_1")
    assert (item.state, item.answer_key) == (("refined", "C") if is_edited else ("accepted", "B"))


def test_undo_when_only_the_order_of_options_has_changed_then_the_item_is_accepted_again(
    session: Session, path: Path
) -> None:
    names = tuple(f"n{n}" for n in range(8))
    write(session, *(created("item", an_item_to_accept(name)) for name in names))
    session.execute(accept(*names)).result()
    session.execute(replace(send_back(), items=names)).result()
    with Session.open(path, actor=BEN) as other:
        other.execute(RebalanceLetters(items=names, seed=3)).result()
    session.undo().result()
    assert {state(session, name) for name in names} == {"accepted"}
    assert len({item.answer_key for item in session.reader.records(Item)}) > 1


def test_undo_when_an_edit_was_accepted_since_by_another_then_the_item_is_refined(
    session: Session, path: Path
) -> None:
    write(session, created("item", an_item_to_accept()))
    session.execute(SetAnswerKey(item="item_1", text="C")).result()
    with Session.open(path, actor=BEN) as other:
        other.execute(accept()).result()
    session.undo().result()
    item = session.reader.require(Item, "item_1")
    assert (item.answer_key, item.state) == ("B", "refined")


def test_redo_when_the_accepted_item_has_changed_since_then_is_refused_in_words(
    session: Session, path: Path
) -> None:
    write(session, created("item", an_item_to_accept()))
    session.execute(accept()).result()
    session.undo().result()
    with Session.open(path, actor=BEN) as other:
        other.execute(SetAnswerKey(item="item_1", text="C")).result()
    with pytest.raises(UserError, match="item_1 cannot be accepted: it has changed since"):
        session.redo().result()
    assert state(session) == "refined"


@pytest.fixture
def workstations(session: Session, path: Path) -> Iterator[tuple[Session, Session]]:
    """Give one project on two workstations."""
    write(session, created("item", an_item_to_accept()))
    copy = path.parent / "copy.vantage"
    session.backup(reason="copy")
    session.close()
    shutil.copy(path, copy)
    with Session.open(path, actor=ANNA) as one, Session.open(copy, actor=BEN) as other:
        yield one, other


def merge(one: Session, other: Session, folder: Path) -> None:
    bundle = folder / "b.vantage-bundle"
    other.export_bundle(bundle, progress=Progress())
    one.merge(bundle, progress=Progress()).result()


def test_merge_when_an_accepted_item_gets_a_flag_then_stays_accepted_and_is_in_the_queue(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    one.execute(accept()).result()
    write(other, created("flag", a_flag("item_1", id="f1")))
    merge(one, other, path.parent)
    assert state(one) == "accepted"
    case = one.reader.reviews.case(Item, "item_1")
    assert case is not None
    assert (case.state, case.kinds) == ("accepted", ("doubt",))
    # A release leaves flagged items out unless it is told otherwise: it counts them by this facet.
    assert one.reader.items.count(ItemQuery(states=("accepted",), flags=("*",))) == 1


def test_merge_when_an_accepted_item_was_edited_unseen_then_both_copies_have_it_refined_again(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    one.execute(accept()).result()
    other.execute(SetAnswerKey(item="item_1", text="C")).result()
    for _ in range(2):
        merge(one, other, path.parent)
        merge(other, one, path.parent)
        for session in (one, other):
            item = session.reader.require(Item, "item_1")
            assert (item.state, item.answer_key, session.reader.forks.all()) == ("refined", "C", [])
    # Who accepts the present form does so for both.
    one.execute(accept()).result()
    merge(other, one, path.parent)
    merge(one, other, path.parent)
    assert (state(one), state(other)) == ("accepted", "accepted")


def test_merge_when_it_sets_an_accepted_item_back_then_its_report_names_it(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    one.execute(accept()).result()
    other.execute(SetAnswerKey(item="item_1", text="C")).result()
    bundle = path.parent / "b.vantage-bundle"
    other.export_bundle(bundle, progress=Progress())
    name = one.reader.require(Item, "item_1").name
    assert merge_bundles(one, [bundle], progress=Progress()).set_back == (name,)
    # The same again sets nothing back.
    assert merge_bundles(one, [bundle], progress=Progress()).set_back == ()


def test_merge_when_both_copies_find_the_edit_at_once_then_they_agree_without_a_fork(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    one.execute(accept()).result()
    other.execute(SetAnswerKey(item="item_1", text="C")).result()
    bundles = {
        session: path.parent / f"{number}.vantage-bundle" for number, session in enumerate((one, other))
    }
    for session, bundle in bundles.items():
        session.export_bundle(bundle, progress=Progress())
    one.merge(bundles[other], progress=Progress()).result()
    other.merge(bundles[one], progress=Progress()).result()
    assert (state(one), state(other)) == ("refined", "refined")
    merge(one, other, path.parent)
    merge(other, one, path.parent)
    assert (state(one), state(other), one.reader.forks.all(), other.reader.forks.all()) == (
        "refined",
        "refined",
        [],
        [],
    )


def test_merge_when_an_accepted_item_changes_in_what_nobody_accepts_then_stays_accepted(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    one.execute(accept()).result()
    write(other, *changed("item", "item_1", view="UAV1"))
    merge(one, other, path.parent)
    assert (state(one), one.reader.require(Item, "item_1").view) == ("accepted", "UAV1")


def test_merge_when_a_command_changed_an_accepted_item_and_left_it_accepted_then_it_stays_so(
    workstations: tuple[Session, Session], path: Path
) -> None:
    """As where regions are renumbered that the question names."""
    one, other = workstations
    one.execute(accept()).result()
    write(one, *changed("item", "item_1", question="Which is Region 2?"))
    merge(other, one, path.parent)
    assert (state(one), state(other)) == ("accepted", "accepted")
    one.execute(send_back()).result()
    one.undo().result()
    assert state(one) == "accepted"


def test_fork_when_another_key_is_chosen_for_an_accepted_item_then_it_is_refined(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    other.execute(SetAnswerKey(item="item_1", text="C")).result()
    one.execute(SetQuestion(item="item_1", text="Which car?")).result()
    one.execute(SetAnswerKey(item="item_1", text="A")).result()
    one.execute(accept()).result()
    merge(one, other, path.parent)
    assert state(one) == "accepted"
    (fork,) = one.reader.forks.all()
    (chosen,) = [value.event for value in fork.values if value.value == '"C"']
    one.execute(ResolveFork(entity_id="item_1", field="answer_key", event=chosen)).result()
    assert (state(one), one.reader.require(Item, "item_1").answer_key) == ("refined", "C")


def test_accept_when_the_item_is_forked_then_is_refused_until_a_value_is_chosen(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    for session, key in ((one, "A"), (other, "C")):
        session.execute(SetAnswerKey(item="item_1", text=key)).result()
    merge(one, other, path.parent)
    assert "workstations have changed its answer_key independently" in refusal(one, accept())
    (fork,) = one.reader.forks.all()
    command = ResolveFork(entity_id="item_1", field="answer_key", event=fork.values[0].event)
    one.execute(command).result()
    one.execute(SetReviewRules(separate_acceptance="off")).result()
    one.execute(accept()).result()
    assert state(one) == "accepted"


def test_accept_when_a_flag_was_decided_differently_then_is_refused_until_that_is_chosen(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    write(one, created("flag", a_flag("item_1", id="f1")))
    merge(other, one, path.parent)
    write(other, *changed("flag", "f1", state="resolved"))
    write(one, *changed("flag", "f1", state="dismissed"))
    merge(one, other, path.parent)
    assert "item_1 cannot be accepted: workstations have changed its flag state independently" in refusal(
        one, accept()
    )
    (fork,) = one.reader.forks.all()
    one.execute(ResolveFork(entity_id="f1", field="state", event=fork.values[0].event)).result()
    one.execute(accept()).result()
    assert state(one) == "accepted"


@pytest.mark.parametrize("is_undone_between", [False, True])
def test_author_when_a_fork_was_decided_then_is_who_wrote_the_chosen_value(
    workstations: tuple[Session, Session], path: Path, is_undone_between: bool
) -> None:
    anna, ben = workstations
    anna.execute(SetReviewRules(separate_acceptance="on")).result()
    anna.execute(SetAnswerKey(item="item_1", text="A")).result()
    ben.execute(SetAnswerKey(item="item_1", text="C")).result()
    merge(ben, anna, path.parent)
    for again in range(1 + is_undone_between):
        if again:
            ben.undo().result()
        (fork,) = ben.reader.forks.all()
        (chosen,) = [value.event for value in fork.values if value.value == '"A"']
        ben.execute(ResolveFork(entity_id="item_1", field="answer_key", event=chosen)).result()
    merge(anna, ben, path.parent)
    assert "by the person who wrote or edited it last" in refusal(anna, accept())
    ben.execute(accept()).result()
    assert state(ben) == "accepted"


def test_fork_when_the_chosen_state_is_accepted_then_the_gate_decides(
    workstations: tuple[Session, Session], path: Path
) -> None:
    one, other = workstations
    other.execute(accept()).result()
    one.execute(ChangeState(items=("item_1",), state="rejected", reason="Two are right.")).result()
    merge(one, other, path.parent)
    write(one, created("flag", a_flag("item_1", id="f1")))
    (fork,) = one.reader.forks.all()
    (chosen,) = [value.event for value in fork.values if value.value == '"accepted"']
    command = ResolveFork(entity_id="item_1", field="state", event=chosen)
    assert "item_1 cannot be accepted: open flags: 1" in refusal(one, command)
    write(one, *changed("flag", "f1", state="dismissed"))
    one.execute(command).result()
    assert state(one) == "accepted"


@pytest.mark.parametrize(
    ("rule", "persons", "is_refused"),
    [("auto", 1, False), ("auto", 2, True), ("on", 1, True), ("off", 2, False)],
)
def test_accept_when_the_person_wrote_the_item_last_then_the_setting_decides(
    session: Session, path: Path, rule: SeparateAcceptance, persons: int, is_refused: bool
) -> None:
    write(session, created("item", an_item_to_accept()))
    if persons == 2:
        with Session.open(path, actor=BEN) as other:
            write(other, *changed("item", "item_1", view="UAV1"))
    if rule != "auto":
        session.execute(SetReviewRules(separate_acceptance=rule)).result()
    session.execute(SetQuestion(item="item_1", text="Which car?")).result()
    limit = session.reader.reviews.acceptance_limit("item_1", person=session.actor.id)
    assert limit == ("own_item" if is_refused else "none")
    if not is_refused:
        session.execute(accept()).result()
        return
    assert session.reader.reviews.acceptance_limit("item_1", person=BEN.id) == "own_edits"
    assert refusal(session, accept()) == (
        "item_1 cannot be accepted by the person who wrote or edited it last. "
        "Ask another person to accept it, or allow it in the review rules: "
        "Review > Review rules, or vantage review PROJECT rules."
    )
    with Session.open(path, actor=BEN) as other:
        other.execute(accept()).result()
    assert state(session) == "accepted"


@pytest.fixture
def team(session: Session, path: Path) -> Iterator[tuple[Session, Session]]:
    """Give two people who work in one project where nobody accepts the own items."""
    write(session, created("item", an_item_to_accept()))
    session.execute(SetReviewRules(separate_acceptance="on")).result()
    with Session.open(path, actor=BEN) as other:
        yield session, other


def test_author_when_the_item_was_drafted_by_rule_then_its_drafter_may_accept_it(
    team: tuple[Session, Session],
) -> None:
    anna, _ben = team
    anna.execute(accept()).result()
    assert state(anna) == "accepted"


def test_author_when_the_item_was_made_by_hand_then_is_its_maker(team: tuple[Session, Session]) -> None:
    anna, ben = team
    write(anna, created("item", an_item_to_accept("own", provenance=Provenance())))
    assert "own cannot be accepted" in refusal(anna, accept("own"))
    ben.execute(accept("own")).result()


def test_author_when_another_person_edited_it_since_then_is_that_person(
    team: tuple[Session, Session],
) -> None:
    anna, ben = team
    anna.execute(SetQuestion(item="item_1", text="Which car?")).result()
    ben.execute(SetAnswerKey(item="item_1", text="C")).result()
    assert "item_1 cannot be accepted" in refusal(ben, accept())
    anna.execute(accept()).result()


def test_author_when_the_edit_was_undone_then_is_the_one_before(team: tuple[Session, Session]) -> None:
    anna, ben = team
    ben.execute(SetQuestion(item="item_1", text="Which car?")).result()
    anna.execute(SetQuestion(item="item_1", text="Which van?")).result()
    anna.undo().result()
    assert "item_1 cannot be accepted" in refusal(ben, accept())
    anna.execute(accept()).result()


def test_author_when_a_batch_moved_the_letters_then_is_not_who_ran_it(team: tuple[Session, Session]) -> None:
    anna, ben = team
    write(anna, *(created("item", an_item_to_accept(f"n{n}")) for n in range(8)))
    ben.execute(RebalanceLetters(items=tuple(f"n{n}" for n in range(8)), seed=3)).result()
    ben.execute(accept(*(f"n{n}" for n in range(8)))).result()


def test_author_when_the_item_was_accepted_since_and_sent_back_then_anybody_may_accept_it_again(
    team: tuple[Session, Session],
) -> None:
    anna, ben = team
    anna.execute(SetQuestion(item="item_1", text="Which car?")).result()
    ben.execute(accept()).result()
    anna.execute(ChangeState(items=("item_1",), state="in_refinement", reason="by mistake")).result()
    anna.execute(ChangeState(items=("item_1",), state="refined")).result()
    anna.execute(accept()).result()
    assert state(anna) == "accepted"


def test_author_when_the_item_is_edited_and_accepted_at_once_then_is_refused(
    team: tuple[Session, Session],
) -> None:
    anna, _ben = team
    with pytest.raises(UserError, match="by the person who wrote or edited it last"):
        write(anna, *changed("item", "item_1", question="Which?!", state="accepted"))
    assert anna.reader.require(Item, "item_1").question == "Which?"


def test_edit_when_an_accepted_item_changes_then_it_is_no_longer_accepted(
    team: tuple[Session, Session],
) -> None:
    anna, ben = team
    ben.execute(accept()).result()
    anna.execute(EditItems(edits=(SetQuestion(item="item_1", text="Which car?"),))).result()
    assert state(anna) == "in_refinement"


def test_rules_when_set_then_are_one_undo_step_and_empty_phrases_are_refused(session: Session) -> None:
    command = SetReviewRules(separate_acceptance="on", phrases=(" Two options are right. ",))
    session.execute(command).result()
    project = session.reader.project
    assert (project.separate_acceptance, project.review_phrases) == ("on", ("Two options are right.",))
    session.undo().result()
    assert msgspec.structs.replace(project, separate_acceptance="auto", review_phrases=()) == (
        session.reader.project
    )
    assert "A phrase is empty." in refusal(session, replace(command, phrases=("",)))
    assert "There are more than 9 phrases." in refusal(session, replace(command, phrases=("x",) * 10))
