"""The list of runs, the page of one, and what is done to it."""

from __future__ import annotations

import dataclasses
import importlib
import time
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from annotator.domain.query import ItemQuery
from annotator.domain.run import MICRO, Prediction
from annotator.domain.work import CallFailure, Claim, FailureCount, JobOutcome
from annotator.jobs.supervisor import Supervisor, WorkerState
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.runs.conftest import KEYS, Person, Work
from widgets import run_text
from widgets.bridge import Bridge
from widgets.column_table import EDGE_PX
from widgets.paged_model import PAGE
from widgets.report_dialog import ReportDialog
from widgets.runs import run_page, run_status
from widgets.runs.compare_dialog import CompareDialog
from widgets.runs.failure_list import FailureList
from widgets.runs.limit_dialog import AllLimitsDialog, CancelDialog, LimitDialog
from widgets.runs.new_run_dialog import NewRunDialog
from widgets.runs.predictions_table import ANSWER, ITEM, MODEL, RIGHT, STATUS, PredictionsModel
from widgets.runs.run_controller import RunController
from widgets.runs.run_model import COST, ERRORS, KIND, MODELS, NAME, PROGRESS, STATE, text_of, token_of
from widgets.runs.run_page import ERRORS as ERRORS_TAB
from widgets.runs.run_status import read_run_statuses
from widgets.shortcut_help import ShortcutHelp
from widgets.translation import set_language


@pytest.fixture
def begun_workers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each wish for a worker in the place of starting a process."""
    wishes: list[str] = []
    monkeypatch.setattr(RunController, "start_worker", lambda self: wishes.append(self.run))
    return wishes


def test_standing_when_nothing_changed_then_is_not_read_again(session: Session, work: Work) -> None:
    before = read_run_statuses(session.reader, before=None, is_confirmed=session.runs.is_confirmed)
    assert before is not None
    assert before.rows == ()
    assert read_run_statuses(session.reader, before=before, is_confirmed=session.runs.is_confirmed) is None


@pytest.mark.parametrize(("has_own_worker", "condition"), [(False, "waiting"), (True, "running")])
def test_standing_when_the_own_worker_starts_then_the_run_does_not_wait_for_one(
    session: Session, work: Work, has_own_worker: bool, condition: str
) -> None:
    work.begin("One")
    statuses = read_run_statuses(
        session.reader,
        before=None,
        is_confirmed=session.runs.is_confirmed,
        has_own_worker=has_own_worker,
    )
    assert statuses is not None
    assert [row.condition for row in statuses.rows] == [condition]


def test_standing_when_a_day_ends_then_nothing_was_spent_today(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(session.reader.runs), "spending", lambda _reader: {"2026-01-01": 5})
    monkeypatch.setattr(run_status, "_today", lambda: "2026-01-01")
    before = read_run_statuses(session.reader, before=None, is_confirmed=session.runs.is_confirmed)
    assert before is not None
    assert before.spent_today == 5
    monkeypatch.setattr(run_status, "_today", lambda: "2026-01-02")
    after = read_run_statuses(session.reader, before=before, is_confirmed=session.runs.is_confirmed)
    assert after is not None
    assert (after.spent_today, after.spent) == (0, 5)


def test_standing_when_a_run_is_over_then_is_not_counted_again(session: Session, work: Work) -> None:
    work.answer(work.begin("One"))
    first = read_run_statuses(session.reader, before=None, is_confirmed=session.runs.is_confirmed)
    assert first is not None
    work.begin("Two")
    second = read_run_statuses(session.reader, before=first, is_confirmed=session.runs.is_confirmed)
    assert second is not None
    assert second.running == 1
    assert second.rows[1] is first.rows[0]


def test_workspace_when_there_is_no_run_then_offers_the_first_steps(person: Person) -> None:
    empty = person.runs.empty
    assert empty.isVisible()
    assert [step.text() for step in empty.steps] == [
        "New blind filter…",
        "New consensus…",
        "New evaluation…",
        "New detection…",
        "New drafting by model…",
        "Models…",
    ]
    assert QApplication.focusWidget() is empty.steps[0]
    assert not person.window.top_bar.running.isVisible()


def test_workspace_when_enter_is_pressed_at_a_first_step_then_takes_it(person: Person) -> None:
    person.press("Return")
    person.qtbot.waitUntil(lambda: person.window.findChild(NewRunDialog) is not None)
    sheet = person.window.findChild(NewRunDialog)
    assert sheet is not None
    assert sheet.kind.currentData() == "blind"
    person.settle()


def test_list_when_a_run_goes_on_then_says_how_far_it_is(person: Person, work: Work) -> None:
    run = work.begin("One", "Two", limit_micro=5 * MICRO)
    work.answer(run, count=2)
    work.fail(run)
    work.begin("Two")
    work.show_worker()
    person.look()
    assert person.runs.list.isVisible()
    row = person.runs.list.runs.rows[1]
    told = [text_of(row, column) for column in (NAME, KIND, MODELS, STATE, PROGRESS, COST, ERRORS)]
    assert told == [
        "Blind filter 1",
        "Blind filter",
        "One, Two",
        "Running",
        "4 of 10",
        "0.00 of 5.00 + unknown price",
        "1 failed",
    ]
    table = person.runs.list
    assert table.columnWidth(COST) >= table.fontMetrics().horizontalAdvance(told[5]) + 2 * EDGE_PX
    assert person.window.top_bar.running.text() == "2 runs: Running 2"
    assert person.window.top_bar.running.isVisible()
    assert person.window.status_bar.runs.text() == "Blind filter 2 · Running · 2 of 5"


def test_list_when_a_newer_run_comes_then_the_keyboard_stays_at_its_run(person: Person, work: Work) -> None:
    first = work.begin("One")
    person.look()
    work.begin("Two")
    person.look()
    assert [row.run.models for row in person.runs.list.runs.rows] == [("Two",), ("One",)]
    assert person.runs.list.run_at_hand() == first.id


def test_run_when_opened_and_left_by_keys_then_the_list_is_back(person: Person, work: Work) -> None:
    run = work.begin("One")
    person.look()
    person.runs.take_keyboard()
    person.press("Return")
    assert person.runs.page.isVisible()
    assert person.runs.page.run is not None
    assert person.runs.page.run.id == run.id
    person.press("Esc")
    assert person.runs.list.isVisible()
    assert not person.window.registry.can_run("runs.back")


def test_plot_when_another_run_is_opened_before_it_is_created_then_is_not_that_of_the_first(
    person: Person, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle, running = work.begin("One"), work.begin("Two")
    work.answer(running)
    work.session.runs.cancel(idle.id).result()
    created_later: list[Callable[[], None]] = []

    class LaterTimer:
        """Keeps what would be called after other events of the same turn."""

        @staticmethod
        def singleShot(_ms: int, _context: object, call: Callable[[], None]) -> None:
            created_later.append(call)

    monkeypatch.setattr(run_page, "QTimer", LaterTimer)
    person.open(running)
    person.open(idle)
    for call in created_later:
        call()
    person.settle()
    page = person.runs.page
    assert created_later
    assert page.plot is None or not page.plot.isVisible()

    person.open(running)
    assert page.plot is not None
    assert page.plot.isVisible()


def test_predictions_when_answered_then_say_who_was_right(person: Person, work: Work) -> None:
    run = work.begin("One", "Two")
    work.answer(run, say=lambda claim: "B" if claim.model == "One" else "A")
    person.open(run)
    told = list(
        zip(person.rows(ITEM), person.rows(MODEL), person.rows(ANSWER), person.rows(RIGHT), strict=True)
    )
    assert len(told) == 10
    for name, model, answer, right in told:
        assert answer == ("B" if model == "One" else "A")
        key = KEYS[int(name[-1]) - 1]
        assert right == ("✓ right" if answer == key else "✗ wrong")


def test_predictions_when_filtered_then_only_those_are_there(person: Person, work: Work) -> None:
    run = work.begin("One", "Two")
    work.answer(run, count=1)
    work.answer(run, count=1, kind="unparsed")
    person.open(run)
    pane = person.runs.page.predictions
    pane.show_kind("unparsed")
    person.settle()
    assert person.rows(STATUS) == ["Unreadable"] * 2
    pane.show_kind("")
    pane.model.setCurrentIndex(1)
    person.settle()
    assert person.rows(MODEL) == ["One"] * 5
    pane.search.setText("00003")
    person.settle()
    assert person.rows(ITEM) == ["item_00003"]
    assert pane.count.text() == "1"


def test_predictions_when_chosen_then_shows_words_and_reply_as_plain_text(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run)
    person.open(run)
    view = person.runs.page.predictions.view
    assert view.detail is not None
    assert view.detail.reply == b'{"choices": []}'
    assert view.detail.request == b'{"text": "Which?"}'
    (text_label,) = [part for part in _labels(view) if "clearly" in part.text()]
    assert text_label.text() == "The answer is A, <b>clearly</b>."
    assert text_label.textFormat() == Qt.TextFormat.PlainText


def test_details_when_another_prediction_or_run_is_shown_then_begin_at_their_top(
    person: Person, work: Work
) -> None:
    one, two = (work.begin("One", seed=seed) for seed in (1, 2))
    work.answer(one, say=lambda claim: f"A {claim.target}" + " and on" * 2000, count=4)
    person.window.resize(960, 600)
    person.open(one)
    page = person.runs.page
    table, view = page.predictions.table, page.predictions.view
    positions = (view.verticalScrollBar(), page.facts.verticalScrollBar())
    person.qtbot.waitUntil(lambda: all(bar.maximum() > 0 for bar in positions))
    for bar in positions:
        bar.setValue(bar.maximum())
    work.answer(one, count=1)
    person.look()
    assert all(bar.value() > 0 for bar in positions), "an answer must not move what is read"
    table.choose_row(1)
    person.settle()
    assert view.verticalScrollBar().value() == 0
    person.open(two)
    assert page.facts.verticalScrollBar().value() == 0


def test_page_when_calls_were_lost_then_says_what_answers_cost_and_that_the_rest_is_a_maximum(
    person: Person, work: Work
) -> None:
    run = work.begin("One")
    answered, lost, waiting = work.claim(run, model="One", count=3)
    cut = CallFailure(kind="cut", message="The reply is cut.")
    again = CallFailure(kind="timeout", message="No reply.", retry_at=work.moment + 10_000.0)
    work.queue.record(
        [
            JobOutcome(claim=answered, prediction=_prediction(answered, "answer"), cost_micro=1_980_000),
            JobOutcome(claim=lost, prediction=_prediction(lost, "error"), failure=cut, cost_micro=6_320_000),
            JobOutcome(claim=waiting, prediction=None, failure=again, cost_micro=6_320_000),
        ],
        now=work.moment,
    )
    person.open(run)
    person.settle()
    texts = [part.text() for part in _labels(person.runs.page.facts)]
    assert texts[texts.index("Cost") + 1].startswith("14.62")
    assert texts[texts.index("– answers") + 1] == "1.98"
    assert texts[texts.index("– lost calls") + 1].startswith("12.64: ")
    assert texts[texts.index("Errors") + 1] == "1 failed · 1 to retry"


def test_page_when_answers_have_no_token_counts_then_says_that_their_cost_is_a_maximum(
    person: Person, work: Work
) -> None:
    run = work.begin("Two")
    counted, uncounted = work.claim(run, model="Two", count=2)
    known = msgspec.structs.replace(_prediction(counted, "answer"), prompt_tokens=1_200, completion_tokens=3)
    worst_micro = uncounted.worst_micro
    assert worst_micro
    work.queue.record(
        [
            JobOutcome(claim=counted, prediction=known, cost_micro=1_980_000),
            JobOutcome(claim=uncounted, prediction=_prediction(uncounted, "answer"), cost_micro=worst_micro),
        ],
        now=work.moment,
    )
    person.open(run)
    person.settle()
    texts = [part.text() for part in _labels(person.runs.page.facts)]
    assert texts[texts.index("Cost") + 1].startswith(run_text.money(1_980_000 + worst_micro))
    assert texts[texts.index("– answers") + 1] == "1.98"
    assert (
        texts[texts.index("– answers without token counts") + 1] == f"at most {run_text.money(worst_micro)}"
    )
    assert "– lost calls" not in texts


def _prediction(claim: Claim, kind: str) -> Prediction:
    return Prediction(
        request_key=claim.request_key.hex(),
        kind=kind,  # type: ignore[arg-type]
        target=claim.target,
        run=claim.run,
    )


def test_page_when_more_is_answered_then_keeps_up_in_the_widgets_that_it_has(
    person: Person, work: Work
) -> None:
    run = work.begin("One")
    person.open(run)
    assert person.rows(STATUS) == ["Not answered yet"] * 5
    page = person.runs.page
    facts, details = _labels(page.facts), _labels(page.predictions.view)
    work.answer(run, count=2)
    person.look()
    person.settle()
    assert {*facts} <= {*_labels(page.facts)}
    assert {*details} <= {*_labels(page.predictions.view)}
    assert any(part.text() == "2 of 5" for part in facts)
    # The panel of the outcome is expensive and waits for its tab.
    assert page.outcome.part is None
    assert person.rows(STATUS) == ["Answered"] * 2 + ["Not answered yet"] * 3
    assert sum(person.runs.page.plot.pace.counts) == 2


def test_table_when_of_any_size_then_asks_only_for_what_is_looked_at(
    session: Session, bridge: Bridge, work: Work, qtbot: PatientBot
) -> None:
    run = work.begin("One")
    numbers = [job.number for job in session.reader.runs.jobs_at(range(1000))]
    asked: list[int] = []
    model = PredictionsModel(session=session, bridge=bridge)
    model.rows_arrived.connect(lambda: asked.append(1))
    model.show_numbers(np.array([*numbers, *range(10**6, 10**6 + 100_000)], dtype=np.int64))
    assert model.rowCount() == 100_000 + len(numbers)
    assert model.row(0) is None
    qtbot.settle(model.is_settled)
    found = model.row(0)
    assert found is not None
    assert found.job.target in work.names()
    assert len(asked) == 1
    assert model.index_of(10**6 + 5) == len(numbers) + 5
    assert model.row(PAGE * 500) is None
    assert run.models == ("One",)


def test_errors_when_calls_failed_then_have_a_sample_and_advice(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.fail(run, count=2, kind="key", text="401: no such key")
    person.open(run)
    person.press("E")
    page = person.runs.page
    assert page.tabs[ERRORS_TAB].isChecked()
    assert page.failures.failures is not None
    assert [(one.kind, one.count, one.sample) for one in page.failures.failures] == [
        ("key", 2, "401: no such key")
    ]
    assert run_text.failure_advice("key") in [part.text() for part in _labels(page.failures)]
    (button,) = page.failures.findChildren(QPushButton)
    button.click()
    person.settle()
    assert person.rows(STATUS) == ["Error"] * 2


def test_errors_when_the_requests_were_repeated_then_no_predictions_are_offered(qtbot: PatientBot) -> None:
    failures = FailureList()
    qtbot.addWidget(failures)
    failures.show_failures([FailureCount(kind="server", count=3, sample="500", left=0)])
    assert "3 times" in [part.text() for part in _labels(failures)]
    assert not failures.findChildren(QPushButton)


def test_keys_when_pressed_in_the_list_then_pause_and_resume(
    person: Person, work: Work, begun_workers: list[str]
) -> None:
    run = work.begin("One")
    person.look()
    person.runs.take_keyboard()
    person.press("P")
    found = person.session.reader.runs.get(run.id)
    assert found is not None
    assert found.state == "paused"
    assert not person.window.registry.can_run("runs.pause")
    person.press("R")
    found = person.session.reader.runs.get(run.id)
    assert found is not None
    assert found.state == "running"
    assert begun_workers == [run.id]


def test_retry_when_something_failed_then_it_waits_again(
    person: Person, work: Work, begun_workers: list[str]
) -> None:
    run = work.begin("One")
    work.answer(run, count=4)
    work.fail(run)
    person.look()
    person.runs.take_keyboard()
    person.press("F")
    progress = person.session.reader.runs.progress(run.id)
    assert (progress.failed, progress.waiting) == (0, 1)
    assert begun_workers == [run.id]


def test_cancel_when_confirmed_then_the_rest_is_left_out(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run, count=2)
    person.look()
    person.runs.take_keyboard()
    person.press("Del")
    sheet = person.window.findChild(CancelDialog)
    assert sheet is not None
    assert (sheet.main.text(), sheet.keep_button.text()) == ("Cancel run", "Keep running (Enter)")
    person.press("Return")
    assert person.session.reader.runs.progress(run.id).cancelled == 0
    person.press("Del")
    sheet = person.window.findChild(CancelDialog)
    assert sheet is not None
    sheet.main.click()
    person.settle()
    progress = person.session.reader.runs.progress(run.id)
    assert (progress.done, progress.cancelled) == (2, 3)
    row = person.runs.list.runs.rows[0]
    assert [text_of(row, column) for column in (STATE, PROGRESS)] == ["Cancelled", "2 of 5"]


def test_limit_when_changed_then_the_run_has_it(person: Person, work: Work) -> None:
    run = work.begin("One")
    person.look()
    person.runs.take_keyboard()
    person.press("L")
    sheet = person.window.findChild(LimitDialog)
    assert sheet is not None
    assert sheet.price.isVisible()
    assert sheet.price.text().startswith("The price of One is unknown, and cost limits do not cover it.")
    sheet.limit.setText("a lot")
    assert not sheet.main.isEnabled()
    sheet.limit.setText("2.50")
    sheet.main.click()
    person.settle()
    found = person.session.reader.runs.get(run.id)
    assert found is not None
    assert found.limit_micro == 2_500_000


def test_limits_of_all_when_set_then_are_kept_and_shown(person: Person, work: Work) -> None:
    work.begin("One")
    person.look()
    person.window.registry.run("runs.limits")
    sheet = person.window.findChild(AllLimitsDialog)
    assert sheet is not None
    sheet.day.setText("3")
    sheet.main.click()
    person.settle()
    assert person.session.reader.runs.spending_limits() == {"day": 3 * MICRO}


def test_compare_when_answers_changed_then_lists_them(person: Person, work: Work) -> None:
    first = work.begin("One")
    work.answer(first, say=lambda claim: "B")
    names = work.names()
    second = work.begin("Two")
    work.answer(second, say=lambda claim: "A" if names[claim.target] == "item_00002" else "B")
    person.open(second)
    person.press("C")
    sheet = person.window.findChild(CompareDialog)
    assert sheet is not None
    sheet.main.click()
    person.qtbot.waitUntil(lambda: person.window.findChild(ReportDialog) is not None)
    report = person.window.findChild(ReportDialog)
    assert report is not None
    assert [(figure.number, figure.title) for figure in report.figures] == [
        (5, "answered by both"),
        (4, "same answer"),
        (1, "different answer"),
    ]
    assert "item_00002\tA\t✗ B (1/1)\t✓ A (1/1)" in report.tables[1].text()


def test_worker_when_nobody_works_then_the_window_says_so_and_offers_one(
    person: Person, work: Work, begun_workers: list[str]
) -> None:
    work.begin("One")
    person.look()
    assert person.runs.worker_text.text() == "No worker is running. The runs wait."
    assert person.runs.work.isVisible()
    person.runs.work.click()
    assert begun_workers == [person.runs.list.run_at_hand()]


def test_workspace_when_chinese_is_spoken_then_is_chinese_and_still_there(person: Person, work: Work) -> None:
    work.begin("One")
    person.look()
    person.window.set_language("zh")
    person.settle()
    assert person.runs.list.isVisible()
    assert text_of(person.runs.list.runs.rows[0], STATE) == "等待中（无工作进程）"
    set_language("en")


def test_project_when_closed_then_the_page_of_the_place_is_back(person: Person, work: Work) -> None:
    work.begin("One")
    person.look()
    person.window.controller.close_project()
    person.settle()
    assert person.window.slots["runs"].workspace is None
    assert not person.window.top_bar.running.isVisible()
    assert not person.window.registry.can_run("runs.new")


def test_library_when_asked_for_from_a_page_then_shows_items(person: Person, work: Work) -> None:
    person.runs.items_requested.emit(ItemQuery(tasks=("object_counting",)))
    person.settle()
    assert person.window.workspace == "library"
    assert person.window.library is not None
    assert person.window.library.listings["item"].query == ItemQuery(tasks=("object_counting",))


def test_evidence_when_models_spoke_then_stands_beside_the_item(person: Person, work: Work) -> None:
    def say(claim: Claim) -> str:
        return "B" if claim.model == "One" else "A"

    run = work.begin("One", "Two")
    work.answer(run, say=say)
    person.window.show_workspace("library")
    library = person.window.library
    assert library is not None
    library.show_list("item")
    library.listings["item"].find(ItemQuery(), row=1)
    person.settle()
    library.inspector.choose_tab(3)
    person.settle()
    assert library.inspector.tabs[3].text() == "Evidence 2"
    told = [part.text() for part in _labels(library.inspector.evidence)]
    assert {"One", "Two", "B   ✗ wrong", "A   ✓ right", "1 of 2 answers are correct"} <= set(told)


def _labels(parent: QWidget) -> list[QLabel]:
    return parent.findChildren(QLabel)


def test_key_page_when_opened_among_runs_then_their_keys_stand_at_the_top(person: Person, work: Work) -> None:
    work.begin("One")
    person.look()
    person.runs.take_keyboard()
    person.press("F1")
    page = person.window.findChild(ShortcutHelp)
    assert page is not None
    captions = {
        part.text(): part.mapTo(page, part.rect().topLeft())
        for part in _labels(page)
        if part.property("role") == "caption"
    }
    assert min(captions, key=lambda text: (captions[text].x(), captions[text].y())) == "RUNS"
    assert not {"STAGE", "IMAGE", "VIDEO"} & captions.keys()


def test_worker_when_it_said_that_it_ended_then_is_not_counted(person: Person, work: Work) -> None:
    work.begin("One")
    for worker, text in (("one", "works"), ("two", "works"), ("three", "ended")):
        work.queue.record_worker(worker, pid=1, host="a", now=time.time(), status=text)
    person.look()
    statuses = person.window.slots["runs"].watch.statuses  # type: ignore[union-attr]
    assert statuses is not None
    assert statuses.workers == 2
    for worker in ("one", "two"):
        work.queue.record_worker(worker, pid=1, host="a", now=time.time(), status="ended")
    person.look()
    assert person.runs.worker_text.text() == "No worker is running. The runs wait."
    assert person.runs.work.isVisible()


@pytest.mark.parametrize(
    ("state", "message", "tone"),
    [
        (WorkerState(condition="running", pid=7), "A worker is running (process 7).", "dim"),
        (
            WorkerState(condition="running", pid=7, last_output="GPU 1: out of memory"),
            "A worker is running (process 7). GPU 1: out of memory",
            "warn",
        ),
        (
            WorkerState(condition="resting", last_output="No driver.\nIt ended with status 3."),
            "The worker stopped and is restarting. No driver. It ended with status 3.",
            "warn",
        ),
        (
            WorkerState(condition="refused", last_output="No <b>disk</b>."),
            "The worker cannot run. No <b>disk</b>.",
            "bad",
        ),
    ],
)
def test_worker_when_it_has_said_something_then_the_page_shows_its_last_words(
    person: Person, work: Work, monkeypatch: pytest.MonkeyPatch, state: WorkerState, message: str, tone: str
) -> None:
    work.begin("One")
    run_controller = person.window.slots["runs"].run_controller
    assert run_controller is not None
    assert person.session.runs.worker.state() == WorkerState()
    monkeypatch.setattr(Supervisor, "state", lambda self: state)
    person.look()
    assert person.runs.worker_text.text() == message
    assert person.runs.worker_text.property("role") == tone


def test_worker_when_only_one_that_has_ended_is_heard_of_then_nothing_is_said(
    person: Person, work: Work
) -> None:
    work.answer(work.begin("One"))
    person.look()
    statuses = person.window.slots["runs"].watch.statuses  # type: ignore[union-attr]
    assert statuses is not None
    person.runs._show_worker(dataclasses.replace(statuses, workers=1))
    assert person.runs.worker_text.text() == ""


def test_list_when_a_priced_run_has_spent_nothing_then_does_not_call_it_free(
    person: Person, work: Work
) -> None:
    work.begin("Two")
    work.begin("One")
    person.look()
    assert [text_of(row, COST) for row in person.runs.list.runs.rows] == [
        "unknown price",
        "0.00",
    ]


def test_limit_when_the_run_is_over_then_is_not_offered(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.answer(run)
    person.open(run)
    assert not person.window.registry.can_run("runs.limit")
    assert person.window.registry.can_run("runs.compare")


def test_list_when_a_run_stopped_by_itself_then_says_why_in_its_row(person: Person, work: Work) -> None:
    run = work.begin("One")
    work.fail(run)
    person.look()
    (row,) = person.runs.list.runs.rows
    assert (text_of(row, ERRORS), token_of(row, ERRORS)) == ("1 failed", "bad")
    work.queue.stop_run(run.id, "The model is not installed.\nInstall it.")
    person.look()
    (row,) = person.runs.list.runs.rows
    assert (text_of(row, ERRORS), token_of(row, ERRORS)) == (
        "The model is not installed. Install it.",
        "warn",
    )


def test_page_when_nothing_is_asked_of_the_window_then_is_built_before_a_run_is_opened(
    person: Person, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    importlib.import_module("pyqtgraph")
    run = work.begin("One")
    work.answer(run, count=2)
    person.look()
    page = person.runs.page
    person.qtbot.waitUntil(lambda: person.runs._preparing is not None and person.runs._preparing.is_done)
    assert not page.isVisible()
    assert page.run is None
    assert page.plot is not None
    parts = [one for one in page.findChildren(QWidget) if not page.plot.isAncestorOf(one)]
    assert len(parts) > 50
    assert all(one.testAttribute(Qt.WidgetAttribute.WA_WState_Polished) for one in parts)

    made: list[str] = []
    monkeypatch.setattr(page, "make_plot", lambda: made.append("plot"))
    person.open(run)
    assert made == []
    assert page.plot.isVisible()
    assert "2 of 5" in " ".join(one.text() for one in page.facts.findChildren(QLabel))


def test_page_when_a_run_was_opened_before_all_is_built_then_the_rest_is_built_all_the_same(
    person: Person, work: Work
) -> None:
    importlib.import_module("pyqtgraph")
    run = work.begin("One")
    work.answer(run, count=2)
    person.open(run)
    person.qtbot.waitUntil(lambda: person.runs._preparing is not None and person.runs._preparing.is_done)
    assert person.runs.page.plot is not None
    assert person.runs.page.plot.isVisible()
    assert person.runs.page.run == work.session.reader.runs.get(run.id)
