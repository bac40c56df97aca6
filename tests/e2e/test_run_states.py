"""What the window and the command say of a run, beside a worker process and a server over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.domain.query import ItemQuery
from annotator.domain.run import Run
from annotator.domain.work import RunProgress
from annotator.quality.policy import Policy
from annotator.session import Session
from main import main
from tests.e2e.conftest import Open, Person
from tests.e2e.test_runs import awaited, workspace
from tests.servers.chat_server import Behaviour, ChatServer, Json
from tests.windows import make_item, make_project
from widgets import theme
from widgets.run_text import price_warning
from widgets.runs import predictions_table
from widgets.runs.blind_panel import BlindPanel
from widgets.runs.limit_dialog import CancelDialog
from widgets.runs.new_run_dialog import NewRunDialog
from widgets.runs.run_list import BAR_PX
from widgets.runs.run_model import COST, DURATION, KIND, NAME, PROGRESS, STARTED, STATE, text_of
from widgets.runs.unfinished_runs import QuitDialog

COUNT, ANSWERED = 80, 30
HANGS = Behaviour(delay_s=3600.0)
REFUSALS = (Behaviour(status=400, body=b"{}"), Behaviour(status=422, body=b"{}"))
"""By turns: after some equal failures in a row a run stops."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    items = [make_item(number, answer_key="AB"[number % 2]) for number in range(1, COUNT + 1)]
    return make_project(tmp_path / "pilot.vantage", [*items])


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Serve an endpoint that answers a few calls, and then no more."""
    with ChatServer(behaviour=HANGS) as made:
        made.behave(Behaviour(), times=ANSWERED)
        yield made


@pytest.fixture
def person(open_window: Open, project: Path, server: ChatServer) -> Person:
    """Open the window at its runs, with a model that nobody stated a price of."""
    opened = open_window(project)
    served = ModelProfile(
        name="Served", adapter="openai", model="m", base_url=server.base_url, in_flight=2, tries=1
    )
    session_of(opened).runs.save_profiles({"Served": served})
    opened.press("Ctrl+5")
    opened.settle()
    return opened


def session_of(person: Person) -> Session:
    found = person.window.controller.session
    assert found is not None
    return found


def start(
    person: Person,
    *,
    action: str = "runs.new_blind",
    models: Sequence[str] = (),
    without: Sequence[str] = (),
) -> None:
    """Start a run with the endpoint and further models, without some."""
    person.window.registry.run(action)
    sheet = awaited(person, NewRunDialog)
    assert isinstance(sheet, NewRunDialog)
    for name, box in sheet.models.boxes.items():
        if box.isEnabled() and box.isChecked() != (name in {"Served", *models} - {*without}):
            person.click(box)
    # What the models said decides alone: the texts of these items say nothing.
    sheet.policy.choose(Policy(kind="all"))
    person.qtbot.waitUntil(sheet.main.isEnabled)
    endpoints = [name for name in sheet.models.chosen() if name != "Text probe"]
    assert price_warning(endpoints) in sheet.estimate.text()
    person.click(sheet.main)


def refuse(server: ChatServer, *, times: int) -> None:
    """Let the server refuse the next calls."""
    for number in range(times):
        server.behave(REFUSALS[number % len(REFUSALS)], times=1)


def open_outcome(person: Person) -> None:
    """Open the outcome of the newest run."""
    if not workspace(person).page.isVisible():
        person.press("Return", at=workspace(person).list)
        person.settle()
    person.press("O", at=workspace(person).page.predictions.table)
    person.settle()


def awaited_run(person: Person, *, is_there: Callable[[Run, RunProgress], bool]) -> str:
    """Wait until the window shows the newest run so, and return its id."""
    watch = person.window.slots["runs"].watch
    assert watch is not None

    def is_shown() -> bool:
        rows = watch.statuses.rows if watch.statuses is not None else ()
        return bool(rows) and is_there(rows[0].run, rows[0].progress)

    person.qtbot.waitUntil(is_shown)
    person.settle()
    assert watch.statuses is not None
    return watch.statuses.rows[0].run.id


def cells(person: Person, *columns: int) -> list[str]:
    return [text_of(workspace(person).list.runs.rows[0], column) for column in columns]


def bar_ends(person: Person) -> float:
    """Return where the bar of the first run ends on the screen, 0 to 1."""
    table = workspace(person).list
    table.viewport().repaint()
    rect = table.visualRect(table.runs.index(0, PROGRESS))
    image = table.viewport().grab().toImage()
    ratio = image.devicePixelRatio()
    line = theme.current().color("line")
    row = [
        image.pixelColor(round((rect.x() + 8 + x) * ratio), round(rect.center().y() * ratio))
        for x in range(BAR_PX)
    ]
    return sum(color != line for color in row) / BAR_PX


@pytest.mark.slow
def test_run_when_cancelled_half_way_then_list_page_bars_and_verb_say_what_was_answered(
    person: Person, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    start(person)
    run = awaited_run(
        person, is_there=lambda _run, progress: progress.done == ANSWERED and progress.in_flight > 0
    )
    assert cells(person, NAME, KIND, STATE, PROGRESS, COST) == [
        "Blind filter 1", "Blind filter", "Running", "30 of 80", "unknown price"
    ]  # fmt: skip
    assert all(cells(person, STARTED, DURATION))
    assert person.window.top_bar.running.text() == "1 run: Running"
    assert person.window.status_bar.runs.text() == "Blind filter 1 · Running · 30 of 80"
    assert told(project, capfd)["condition"] == "running"
    person.press("Del", at=workspace(person).list)
    sheet = awaited(person, CancelDialog)
    assert isinstance(sheet, CancelDialog)
    assert sheet.focusWidget() is sheet.keep_button
    person.press("Return", at=sheet.keep_button)
    person.settle()
    found = session_of(person).reader.runs.get(run)
    assert found is not None
    assert found.state == "running"
    person.press("Del", at=workspace(person).list)
    sheet = awaited(person, CancelDialog)
    assert isinstance(sheet, CancelDialog)
    person.click(sheet.main)
    awaited_run(person, is_there=lambda shown, _progress: shown.state == "cancelled")
    assert cells(person, STATE, PROGRESS) == ["Cancelled", "30 of 80"]
    assert bar_ends(person) == pytest.approx(ANSWERED / COUNT, abs=0.03)
    assert not person.window.top_bar.running.isVisible()
    person.press("Return", at=workspace(person).list)
    person.settle()
    page = workspace(person).page
    assert (page.name.text(), page.state.text()) == ("Blind filter 1", "Cancelled")
    verb = told(project, capfd)
    assert (verb["condition"], verb["progress"]["done"], verb["title"]) == (
        "cancelled",
        ANSWERED,
        "Blind filter 1",
    )


@pytest.mark.slow
def test_run_when_no_worker_is_there_then_waits_and_the_failed_ones_are_called_so(
    person: Person, project: Path, server: ChatServer, capfd: pytest.CaptureFixture[str]
) -> None:
    refuse(server, times=COUNT - ANSWERED)
    start(person)
    awaited_run(person, is_there=lambda run, _progress: run.state == "done")
    assert cells(person, STATE, PROGRESS) == ["Done with errors", "30 of 80"]
    refuse(server, times=COUNT)
    start(person, action="runs.new_consensus")
    run = awaited_run(person, is_there=lambda run, _progress: run.kind == "consensus" and run.state == "done")
    assert cells(person, NAME, STATE, PROGRESS) == ["Consensus 1", "Failed", "0 of 80"]
    assert bar_ends(person) == 0.0
    # A worker that ended with its work is none: the run waits for another one.
    session_of(person).runs.retry_failed(run).result()
    awaited_run(person, is_there=lambda run, _progress: run.state == "running")
    assert cells(person, STATE) == ["Waiting (no worker)"]
    assert person.window.top_bar.running.text() == "1 run: Waiting (no worker)"
    assert told(project, capfd)["condition"] == "waiting"


@pytest.mark.slow
def test_window_when_closed_during_a_run_then_says_what_becomes_of_it_and_the_next_one_continues_it(
    open_window: Open, person: Person, project: Path, server: ChatServer
) -> None:
    session = session_of(person)
    served = session.runs.profiles()["Served"]
    session.runs.save_profiles({"Served": msgspec.structs.replace(served, timeout_s=2.0)})
    start(person)
    awaited_run(person, is_there=lambda _run, progress: progress.done >= ANSWERED)
    person.window.close()
    asked = awaited(person, QuitDialog)
    assert isinstance(asked, QuitDialog)
    assert asked.focusWidget() is asked.keep_button
    texts = " ".join(one.text() for one in asked.findChildren(QLabel))
    assert "Blind filter 1 · Running · 30 of 80" in texts
    assert "The worker completes the requests in progress, then it stops." in texts
    person.press("Return", at=asked.keep_button)
    assert person.window.isVisible()
    person.window.close()
    asked = awaited(person, QuitDialog)
    assert isinstance(asked, QuitDialog)
    person.click(asked.main)
    assert not person.window.isVisible()
    later = open_window(project)
    later.qtbot.waitUntil(later.window.banner.isVisible)
    assert later.window.banner.headline.text() == "1 unfinished run waits for a worker: Blind filter 1."
    server.behave(Behaviour(), times=COUNT)
    person.click(later.window.banner.offer_button)
    awaited_run(later, is_there=lambda run, progress: run.state == "done" and progress.done > ANSWERED)


@pytest.mark.slow
def test_project_when_closed_during_a_run_then_the_window_says_what_becomes_of_it(person: Person) -> None:
    start(person)
    awaited_run(person, is_there=lambda _run, progress: progress.done >= ANSWERED)
    person.window.registry.run("project.close")
    person.settle()
    assert person.window.banner.isVisible()
    assert person.window.banner.headline.text() == "Runs in progress stop: Blind filter 1."
    assert not person.window.top_bar.running.isVisible()


@pytest.mark.slow
def test_outcome_when_the_run_is_not_over_then_apply_is_off_with_the_reason_beside_it(person: Person) -> None:
    start(person)
    run = awaited_run(person, is_there=lambda _run, progress: progress.done == ANSWERED)
    open_outcome(person)
    pane = workspace(person).page.outcome
    assert not pane.main.isEnabled()
    assert pane.reason.isVisible()
    assert pane.reason.text() == (
        "The run is not over (Running). Wait until it ends, or cancel it to use the answers so far."
    )
    session_of(person).runs.cancel(run).result()
    awaited_run(person, is_there=lambda shown, _progress: shown.state == "cancelled")
    assert pane.main.isEnabled()
    assert not pane.reason.isVisible()


@pytest.mark.slow
def test_outcome_when_read_then_rows_and_groups_lead_to_their_items_before_apply(
    person: Person, server: ChatServer
) -> None:
    server.behave(Behaviour(), times=COUNT - ANSWERED)
    start(person)
    awaited_run(person, is_there=lambda run, _progress: run.state == "done")
    person.press("Return", at=workspace(person).list)
    person.settle()
    table = workspace(person).page.predictions.table
    table.choose_row(4)
    person.settle()
    person.press("Return", at=table)
    person.settle()
    assert person.window.workspace == "library"
    assert person.names() == ["item_00005"]
    person.press("Ctrl+5")
    person.settle()
    open_outcome(person)
    pane = workspace(person).page.outcome
    assert "Accuracy: 50.0 % of 80 answers (95 % Wilson interval 39.3 – 60.7 %" in pane.summary.text()
    guessed_text = "Show 40 guessed items"
    person.click(next(one for one in pane.findChildren(QPushButton) if one.text() == guessed_text))
    person.settle()
    assert person.names() == [f"item_{number:05}" for number in range(2, COUNT + 1, 2)]
    session = session_of(person)
    assert not any(session.reader.flags_of(item.id) for item in session.reader.records(Item))
    person.press("Ctrl+5")
    person.settle()
    person.press("Return", at=pane)
    person.settle()
    person.click(next(one for one in pane.findChildren(QPushButton) if one.text() == guessed_text))
    person.settle()
    inspector = person.library.inspector
    inspector.choose_tab(2)
    person.settle()
    history = [one.text() for one in inspector.history.findChildren(QLabel)]
    assert "Flag raised: Answered without images" in history
    assert session.actor.name in history


@pytest.mark.slow
def test_outcome_when_one_model_cannot_be_read_then_says_how_many_items_rest_on_the_other(
    person: Person, server: ChatServer, tmp_path: Path
) -> None:
    server.behave(Behaviour(), times=COUNT - ANSWERED)
    with ChatServer(answer=lambda body: "I cannot tell.") as other:
        session = session_of(person)
        profiles = session.runs.profiles()
        mute = ModelProfile(name="Mute", adapter="openai", model="m", base_url=other.base_url)
        session.runs.save_profiles(profiles | {"Mute": mute})
        start(person, models=("Mute",))
        awaited_run(person, is_there=lambda run, _progress: run.state == "done")
    open_outcome(person)
    pane = workspace(person).page.outcome
    part = pane.part
    assert isinstance(part, BlindPanel)
    part.policy.choose(Policy(kind="any"))
    person.settle()
    assert "40 items decided by 1 of 2 models: a reply could not be read." in pane.summary.text()


@pytest.mark.slow
def test_probe_when_it_has_answered_then_each_item_shows_its_answer_in_the_run_and_as_evidence(
    person: Person,
) -> None:
    start(person, models=("Text probe",), without=("Served",))
    awaited_run(person, is_there=lambda run, _progress: run.state == "done")
    person.press("Return", at=workspace(person).list)
    person.settle()
    table = workspace(person).page.predictions.table
    assert table.predictions.rowCount() == COUNT
    pane = workspace(person).page.predictions
    pane.search.setText("item_0001")
    person.settle()
    assert table.predictions.rowCount() == 10
    pane.search.clear()
    person.settle()
    table.choose_row(6)
    person.settle()
    row = table.predictions.row(6)
    assert row is not None
    assert row.job.name == "item_00007"
    told = [predictions_table.text_of(row, column) for column in range(7)]
    assert told[2] == "Answered"
    assert told[3] in {"A", "B"}
    assert told[5] in {"✓ right", "✗ wrong"}
    person.press("Return", at=table)
    person.settle()
    library = person.library
    library.inspector.choose_tab(3)
    person.settle()
    texts = [one.text() for one in library.inspector.evidence.findChildren(QLabel)]
    assert "hashed n-grams" in texts
    assert f"{told[3]}   {told[5]}" in texts


@pytest.mark.slow
def test_run_when_the_window_is_chinese_then_no_code_and_no_english_stands_in_reasons_flags_and_errors(
    person: Person, server: ChatServer
) -> None:
    person.window.set_language("zh")
    person.settle()
    server.behave(Behaviour(status=400, body=b"{}"), times=5)
    server.behave(Behaviour(), times=COUNT)
    with ChatServer(answer=mumble) as other:
        session = session_of(person)
        halting = ModelProfile(name="Halting", adapter="openai", model="m", base_url=other.base_url)
        session.runs.save_profiles(session.runs.profiles() | {"Halting": halting})
        start(person, models=("Halting",))
        awaited_run(person, is_there=lambda run, _progress: run.state == "done")
    open_outcome(person)
    page = workspace(person).page
    texts = [page.outcome.summary.text(), page.outcome.main.text()]
    person.press("Return", at=page.outcome)
    person.settle()
    texts += [flag_text for item in flagged_items(person) for flag_text in card_texts(person, item)]
    assert any("不看图像也答对" in text for text in texts)
    assert any("盲筛未定" in text for text in texts)
    person.press("Ctrl+5")
    person.settle()
    person.press("E", at=page.outcome)
    person.settle()
    texts += [one.text() for one in page.failures.findChildren(QLabel)]
    texts += [one.text() for one in page.facts.findChildren(QLabel)]
    # Names, addresses, the name of the method and units stay as they are.
    names = re.compile(
        rf"Served|Halting|{re.escape(server.base_url)}|http://[\d.:]+|Wilson|API|URL|JSON|OpenAI|px|Enter|root",
        re.IGNORECASE,
    )
    english = [text for text in texts if re.search(r"[A-Za-z]{3,}", names.sub("", text))]
    assert not english, "\n".join(english)


def mumble(body: Json) -> str:
    """Answer the questions about the first pictures, and none of the others."""
    return "A" if re.search(r"picture \d\?", json.dumps(body)) else "I cannot tell."


def flagged_items(person: Person) -> list[str]:
    """Return the name of an item with each kind of flag."""
    reader = session_of(person).reader
    kinds = {flag.kind: item.name for item in reader.records(Item) for flag in reader.flags_of(item.id)}
    assert set(kinds) == {"blind_guessed", "blind_undecided"}
    return list(kinds.values())


def card_texts(person: Person, name: str) -> list[str]:
    """Return what the flag cards of an item say."""
    person.window.show_workspace("library")
    person.library.show_query(ItemQuery(text=name))
    person.settle()
    inspector = person.library.inspector
    inspector.choose_tab(1)
    person.settle()
    return [one.text() for one in inspector.flags.cards[0].findChildren(QLabel) if one.text()]


def told(project: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Return what the verb says of the newest run."""
    capfd.readouterr()
    assert main(["runs", "list", str(project), "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capfd.readouterr().out)["runs"]
    return found[0]
