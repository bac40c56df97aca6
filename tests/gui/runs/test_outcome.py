"""What is decided about a run: policies over stored answers, disagreements, and doing what follows."""

from __future__ import annotations

from threading import Event

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.domain.item import Item
from annotator.domain.run import Run
from annotator.domain.work import Claim
from annotator.progress import Progress
from annotator.quality.policy import DEFAULT_POLICY, USUAL_POLICIES, Policy
from annotator.quality.predictions import ItemPredictions
from annotator.session import Session
from tests.gui.runs.conftest import ONE, TWO, Person, Work
from tests.patience import PATIENCE_S
from widgets.amount_field import AmountField
from widgets.run_text import micro, money, share
from widgets.runs.blind_panel import BlindPanel
from widgets.runs.consensus_panel import ConsensusPanel
from widgets.runs.decision_panel import DecisionPanel
from widgets.runs.outcome import BlindOutcome, GuessingLoss, collect_run_predictions, losses_of_design
from widgets.runs.outcome_pane import OutcomePane
from widgets.runs.policy_choice import PolicyChoice, loss_text
from widgets.runs.run_page import OUTCOME


def opened_outcome(person: Person) -> OutcomePane:
    person.press("O")
    return person.runs.page.outcome


def blind_part(pane: OutcomePane) -> BlindPanel:
    assert isinstance(pane.part, BlindPanel)
    return pane.part


def blind_outcome(pane: OutcomePane) -> BlindOutcome:
    outcome = blind_part(pane).outcome
    assert outcome is not None
    return outcome


def consensus_part(pane: OutcomePane) -> ConsensusPanel:
    assert isinstance(pane.part, ConsensusPanel)
    return pane.part


def states(person: Person) -> dict[str, str]:
    return {one.name: one.state for one in person.session.reader.records(Item)}


def flagged(person: Person) -> list[tuple[str, str]]:
    names = {one.id: one.name for one in person.session.reader.records(Item)}
    flags = [flag for item in names for flag in person.session.reader.flags_of(item)]
    return sorted((names[flag.target], flag.kind) for flag in flags if flag.state == "open")


def test_policy_when_another_is_chosen_then_decides_again_from_what_was_said(
    person: Person, work: Work
) -> None:
    run = work.begin("One", "Two")
    work.answer(run, say=lambda claim: "B" if claim.model == "One" else "A")
    person.open(run)
    pane = opened_outcome(person)
    before, policy = blind_outcome(pane).report, blind_part(pane).policy
    # A stored run that names no policy keeps the one that was the default when it was started.
    assert policy.policy().kind == "all"
    assert (before.guessed, before.kept) == (0, 5)
    policy.buttons["any"].setChecked(True)
    person.settle()
    report = blind_outcome(pane).report
    assert (report.guessed, report.kept) == (5, 0)
    assert policy.effects["any"].text() == "5 of 5"
    assert policy.effects["all"].text() == "0 of 5"
    assert policy.losses["any"].text() == "75.0 %"
    assert policy.losses["all"].text() == "25.0 %"
    assert pane.main.text() == "Return 5 items (Enter)"


def test_outcome_when_enter_is_pressed_then_is_done_as_one_step_to_undo(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B")
    person.open(run)
    pane = opened_outcome(person)
    blind_part(pane).filtered.setChecked(True)
    assert pane.main.text() == "Filter 3 items (Enter)"
    assert QApplication.focusWidget() is pane
    person.press("Return")
    assert pane.applied.text() == "Applied: 3 items filtered."
    assert sorted(name for name, state in states(person).items() if state == "filtered") == [
        "item_00001",
        "item_00003",
        "item_00004",
    ]
    person.window.controller.undo()
    person.settle()
    assert set(states(person).values()) == {"drafted"}
    assert pane.applied.text() == ""


def test_outcome_when_some_answers_are_missing_then_items_stay_undecided(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B", count=2)
    work.answer(run, count=1, kind="unparsed")
    person.open(run)
    pane = opened_outcome(person)
    report = blind_outcome(pane).report
    assert (report.guessed, report.kept, report.undecided) == (1, 1, 3)


def test_consensus_when_models_agree_against_the_key_then_flags_the_items(person: Person, work: Work) -> None:
    run = work.begin("One", "Two", kind="consensus")
    work.answer(run, say=lambda claim: "B")
    person.open(run)
    pane = opened_outcome(person)
    assert pane.main.text() == "Flag 2 items (Enter)"
    person.press("Return")
    assert flagged(person) == [
        ("item_00002", "consensus_against_key"),
        ("item_00005", "consensus_against_key"),
    ]


def test_consensus_when_one_model_was_asked_then_says_that_a_second_is_needed_and_flags_nothing(
    person: Person, work: Work
) -> None:
    run = work.begin("One", kind="consensus")
    work.answer(run, say=lambda claim: "B")
    person.open(run)
    pane = opened_outcome(person)
    assert "5 items not judged: each needs answers of at least 2 models, and 1 was asked." in (
        pane.summary.text()
    )
    assert (pane.main.text(), pane.main.isEnabled()) == ("Flag 0 items (Enter)", False)
    assert pane.reason.text() == "No item to flag: a consensus needs answers of at least 2 models."
    person.press("Return")
    assert pane.applied.text() == ""


def test_consensus_when_no_model_disagrees_any_more_then_flags_are_closed_and_then_nothing_is_left(
    person: Person, work: Work
) -> None:
    third = msgspec.structs.replace(ONE, name="Three", model="three")
    work.session.runs.save_profiles({one.name: one for one in (ONE, TWO, third)})
    run = work.begin("One", "Two", "Three", kind="consensus")
    work.answer(run, say=lambda claim: "A" if claim.model == "Three" else "B")
    person.open(run)
    pane = opened_outcome(person)
    part = consensus_part(pane)
    part.agreeing.setText("2")
    person.settle()
    assert part.count() == 2
    pane.apply()
    person.settle()
    assert len(flagged(person)) == 2
    part.agreeing.setText("3")
    person.settle()
    assert part.count() == 0
    assert (pane.main.text(), pane.main.isEnabled()) == ("Update earlier flags (Enter)", True)
    pane.apply()
    person.settle()
    assert flagged(person) == []
    assert (pane.main.isEnabled(), pane.reason.text()) == (False, "No item to flag.")
    person.window.controller.undo()
    person.settle()
    assert pane.main.isEnabled()


def test_consensus_when_some_items_have_too_few_answers_then_they_are_no_kept_ones(
    person: Person, work: Work
) -> None:
    run = work.begin("One", "Two", kind="consensus")
    work.answer(run, say=lambda claim: "B", count=3)
    work.session.runs.cancel(run.id).result()
    person.open(run)
    pane = opened_outcome(person)
    groups = consensus_part(pane).groups()
    assert [(text, len(ids)) for text, ids in groups] == [
        ("Show 1 doubtful item", 1),
        ("Show 2 kept items", 2),
        ("Show 2 items not judged", 2),
    ]
    assert "2 items not judged, 0 of 2 models answered: a request was not answered." in pane.summary.text()
    assert not person.runs.page.plot.menu.isVisible()


def test_consensus_when_fewer_have_to_agree_then_doubts_more(person: Person, work: Work) -> None:
    def say(claim: Claim) -> str:
        return "B" if claim.model != "Three" else "A"

    third = msgspec.structs.replace(ONE, name="Three", model="three")
    work.session.runs.save_profiles({one.name: one for one in (ONE, TWO, third)})
    run = work.begin("One", "Two", "Three", kind="consensus")
    work.answer(run, say=say)
    person.open(run)
    pane = opened_outcome(person)
    part = consensus_part(pane)
    assert part.outcome is not None
    assert part.outcome.report.disagreements["consensus_against_key"] == 0
    part.agreeing.setText("2")
    person.settle()
    assert part.outcome is not None
    assert part.outcome.report.disagreements["consensus_against_key"] == 2


def test_policy_choice_when_laid_out_then_has_a_row_for_every_kind(qtbot: QtBot) -> None:
    made = PolicyChoice()
    qtbot.addWidget(made)
    assert made.policy() == DEFAULT_POLICY == Policy(kind="calibrated", alpha=0.02)
    assert made.policies().keys() == made.buttons.keys()
    assert next(iter(made.buttons)) == DEFAULT_POLICY.kind
    made.choose(Policy(kind="at_least", models=3))
    assert made.policy() == Policy(kind="at_least", models=3)
    made.choose(Policy(kind="mean", margin=0.35))
    assert made.policy() == Policy(kind="mean", margin=0.35)
    assert made.policy("at_least").models == 3
    made.choose(Policy(kind="calibrated", alpha=0.01))
    assert (made.policy().kind, made.policy().alpha) == ("calibrated", 0.01)
    assert set(made.policies()) == {one.kind for one in USUAL_POLICIES}


def test_outcome_when_the_run_goes_on_then_what_was_chosen_stays(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B", count=2)
    person.open(run)
    pane = opened_outcome(person)
    blind_part(pane).policy.buttons["any"].setChecked(True)
    blind_part(pane).filtered.setChecked(True)
    person.settle()
    work.answer(run, say=lambda claim: "B")
    person.look()
    assert blind_outcome(pane).policy.kind == "any"
    assert blind_outcome(pane).report.guessed == 3
    assert blind_part(pane).filtered.isChecked()


def test_outcome_when_predictions_arrive_while_it_is_read_then_is_read_again(
    person: Person, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B", count=2)
    person.open(run)
    has_read, may_return = Event(), Event()

    def read(session: Session, run: Run, progress: Progress) -> list[ItemPredictions]:
        found = collect_run_predictions(session, run, progress=progress)
        has_read.set()
        may_return.wait(timeout=PATIENCE_S)
        return found

    monkeypatch.setattr(DecisionPanel, "read", staticmethod(read))
    page = person.runs.page
    page.choose_tab(OUTCOME)
    assert has_read.wait(timeout=PATIENCE_S)
    work.answer(run, say=lambda claim: "B")
    person.window.slots["runs"].watch.refresh()
    person.qtbot.settle(person.window.slots["runs"].watch.is_settled)
    may_return.set()
    person.settle()
    assert blind_outcome(page.outcome).report.undecided == 0


def test_outcome_when_an_answer_of_a_cancelled_run_arrives_then_is_read_again(
    person: Person, work: Work
) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B", count=2)
    claims = work.claim(run, model="One", count=1)
    work.session.runs.cancel(run.id).result()
    person.open(run)
    pane = opened_outcome(person)
    assert blind_outcome(pane).report.undecided == 3
    work.record(claims, say=lambda claim: "B")
    person.look()
    assert blind_outcome(pane).report.undecided == 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.4375, "43.8 %"), (0.0625, "6.3 %"), (0.25**4, "0.4 %"), (0.0, "0.0 %"), (1.0, "100.0 %")],
)
def test_share_when_told_then_rounds_as_papers_do(value: float, expected: str) -> None:
    assert share(value) == expected


@pytest.mark.parametrize(
    ("told", "expected"), [(0, "0.00"), (1234, "0.0012"), (420_000, "0.42"), (12_000_000, "12.00")]
)
def test_money_when_told_then_is_in_the_currency(told: int, expected: str) -> None:
    assert money(told) == expected


@pytest.mark.parametrize(("text", "expected"), [("", None), ("0", 0), ("2.5", 2_500_000), ("1,000", 10**9)])
def test_amount_when_written_then_is_millionths(text: str, expected: int | None) -> None:
    assert micro(text) == expected


@pytest.mark.parametrize("text", ["much", "-1", "nan", "1e99"])
def test_amount_when_it_is_none_then_the_field_says_so(text: str, qtbot: QtBot) -> None:
    field = AmountField("Limit", amount_micro=2_500_000)
    qtbot.addWidget(field)
    assert field.text() == "2.5"
    assert field.is_sound
    field.setText(text)
    assert not field.is_sound


def test_unread_when_it_counts_as_not_right_then_items_are_decided(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run, say=lambda claim: "B", count=2)
    work.answer(run, kind="unparsed")
    person.open(run)
    pane = opened_outcome(person)
    assert blind_outcome(pane).report.undecided == 3
    blind_part(pane).unread.setChecked(True)
    person.settle()
    report = blind_outcome(pane).report
    assert (report.guessed, report.kept, report.undecided) == (1, 4, 0)
    command = blind_part(pane).command()
    assert command is not None
    assert command.policy.counts_unread
    assert blind_part(pane).policy.effects["any"].text() == "1 of 5"


def test_loss_when_models_are_asked_in_rotations_then_both_ends_are_told(person: Person, work: Work) -> None:
    run = work.begin("One", rotations=0)
    work.answer(run, say=lambda claim: "B")
    person.open(run)
    pane = opened_outcome(person)
    policy = blind_part(pane).policy
    # Two options, each item asked in both orders: guessed anew 1/4, guessed once 1/2.
    assert policy.losses["every_rotation"].text() == "25.0 – 50.0 %"
    told = policy.losses["every_rotation"].toolTip()
    assert told.startswith("25.0 % if each answer is an independent guess; 50.0 % if a model guesses once")
    policy.buttons["every_rotation"].setChecked(True)
    person.settle()
    assert "Random guessing would remove 25.0 – 50.0 % of the good items." in pane.summary.text()


@pytest.mark.parametrize(
    ("anew", "once", "expected"),
    [
        (0.25, 0.25, "25.0 %"),
        (0.5, 0.05, "5.0 – 50.0 %"),
        (0.12, 0.1201, "12.0 %"),
        (0.09, 0.1, "9.0 – 10.0 %"),
    ],
)
def test_loss_when_told_then_is_one_share_or_the_two_that_it_lies_between(
    anew: float, once: float, expected: str
) -> None:
    assert loss_text(GuessingLoss(guessed_anew=anew, guessed_once=once)) == expected


def test_losses_of_design_when_four_options_then_are_as_computed_by_hand() -> None:
    policies = {"every_rotation": Policy(kind="every_rotation"), "all": Policy(kind="all")}
    losses = losses_of_design(policies, models=2, attempts=4, options=4)  # type: ignore[arg-type]
    one = 1 / 4**4
    assert losses["every_rotation"].guessed_anew == pytest.approx(1 - (1 - one) ** 2)
    assert losses["every_rotation"].guessed_once == pytest.approx(1 - (3 / 4) ** 2)
    # More than half of four answers: three or four of them.
    assert losses["all"].guessed_anew == pytest.approx(((4 * 3 + 1) / 256) ** 2)
    assert losses["all"].guessed_once == pytest.approx(1 / 16)
