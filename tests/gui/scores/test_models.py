"""Models that read replies and grade free texts in the real window, over real HTTP on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QApplication

from annotator.domain.profile import ModelProfile
from annotator.jobs.profile_file import write_profiles
from annotator.progress import Progress
from annotator.scoring.judged_scores import JudgedScores, JudgeFigures, RequestFigures
from annotator.scoring.score_report import ScoreOrder, SourceFile, score_sources
from annotator.user_profile import config_folder
from models.model_catalog import InstalledModels
from tests.cut_texts import cut_texts
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.release.samples import spatialuav_item
from tests.unit.scoring.released import made_release, write_lines
from widgets.action_registry import ActionRegistry
from widgets.scores.ask_models_dialog import AskModelsDialog
from widgets.scores.models_pane import ModelsPane
from widgets.scores.workspace import ScoresWorkspace
from widgets.settings import Settings

KEY = "The drone climbs."


def reply_of(body: dict[str, Any]) -> str:
    """Read 'the second one' as B; grade a text that names the climb with 5 and any other with 1."""
    text = texts_of(body)
    if "BEGIN REFERENCE" in text:
        return "5" if "It climbs" in text else "1"
    return "B" if "the second one" in text else "none"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=reply_of) as opened:
        chat = ModelProfile(
            name="helper",
            adapter="openai",
            model="judge-1",
            base_url=opened.base_url,
            tries=1,
            in_flight=1,
            timeout_s=PATIENCE_S,
            price_in=10,
            price_out=10,
        )
        write_profiles(config_folder(), [chat, ModelProfile(name="probe", adapter="probe")])
        yield opened


def open_at(open_scores: Open, scored: Scored, *replies: str) -> tuple[WindowPerson, ScoresWorkspace]:
    """Score a model ``own`` with these replies to the counting questions, whose keys are A, B, C, D …"""
    rows = [{"item": f"OC_{n:04}", "prediction": text} for n, text in enumerate(replies)]
    write_lines(Path(scored.file("own")), rows)
    person = open_scores()
    person.window.controller.make_catalogue = InstalledModels
    return person, score(person, scored, "own")


def dialog_of(person: WindowPerson) -> AskModelsDialog:
    """Open the dialog with its key, pressed twice at once, and wait until the requests are counted."""
    person.window.registry.run("scores.ask_models")
    person.press("Shift+J")
    found = [one for one in person.window.findChildren(AskModelsDialog) if one.isVisible()]
    assert len(found) == 1
    person.settle()
    return found[-1]


def ask(person: WindowPerson, *, reader: str = "", judge: str = "", limit: str = "") -> str:
    """Choose models in the dialog, press its button, and return what it said before."""
    dialog = dialog_of(person)
    for box, name in ((dialog.reader, reader), (dialog.judge, judge)):
        box.setCurrentIndex(box.findData(name))
    person.settle()
    dialog.limit.setText(limit)
    counted = dialog.estimate.text()
    dialog.main.click()
    person.settle()
    person.window.activateWindow()
    return counted


def test_models_when_one_reads_replies_then_the_scores_follow_and_nothing_is_sent_twice(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    person, workspace = open_at(open_scores, scored, "A", "I mean the second one", "hard to say")
    assert workspace.report is not None
    assert workspace.report.models[0].tables.overall.exact_pct == pytest.approx(100 / 3)
    person.press("J")
    assert "2 replies cannot be read" in workspace.page.models.note.text()
    counted = ask(person, reader="helper")
    assert counted.startswith(
        "2 replies cannot be read by rules. 0 are answered already; 2 requests are left: at most 0.0"
    )
    assert workspace.report.models[0].tables.overall.exact_pct == pytest.approx(200 / 3)
    assert "1 read by a model" in workspace.page.coverage.text()
    text = workspace.page.models.reader.text()
    assert text.startswith("helper (judge-1, prompt read_reply 1) reads: an answer in 1 reply; none in 1;")
    assert "2 requests sent (cost 0.0" in text
    assert workspace.page.tabs["texts"].text() == "Unreadable replies 1  U"
    person.press("F5")
    assert len(server.calls) == 2
    assert "2 replies kept from before" in workspace.page.models.reader.text()
    assert workspace.report.models[0].coverage.read_by_model == 1
    # Kept for this project and person: the next window scores with what the model has said before.
    assert workspace.setup.choice.reader == "helper"


@pytest.mark.slow
def test_models_when_people_settle_a_reply_then_their_word_counts_and_the_agreement_is_said(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    person, workspace = open_at(open_scores, scored, "A", "I mean the second one", "hard to say")
    ask(person, reader="helper")
    person.press("U")
    person.press("C")
    person.qtbot.waitUntil(lambda: workspace.page.texts.table.text is None)
    person.settle()
    assert workspace.report is not None
    coverage = workspace.report.models[0].coverage
    assert (coverage.settled, coverage.read_by_model) == (1, 1)
    assert "People have settled 1 of them; the model says the same about 0.0%" in (
        workspace.page.models.reader.text()
    )
    assert len(server.calls) == 2


@pytest.mark.slow
def test_models_when_one_grades_free_texts_then_grades_stand_beside_the_scores(
    open_scores: Open, scored: Scored, server: ChatServer, tmp_path: Path
) -> None:
    items = [
        spatialuav_item(name=f"M_{n}", task="motion_understanding", answer_format="free_text", answer_key=KEY)
        for n in range(2)
    ]
    path = tmp_path / "texts"
    path.mkdir()
    folder = made_release(path, *items)
    rows = [{"item": "M_0", "prediction": "It climbs"}, {"item": "M_1", "prediction": "It lands"}]
    write_lines(Path(scored.file("own")), rows)
    person = open_scores()
    person.window.controller.make_catalogue = InstalledModels
    workspace = person.window.slots["scores"].workspace.scores
    assert workspace is not None
    workspace.setup.take([str(folder), scored.file("own")])
    person.settle()
    assert workspace.report is not None
    before = workspace.report.models[0].tables.overall
    assert "2 free texts. 0 are answered already; 2 requests are left" in ask(person, judge="helper")
    person.press("J")
    table = workspace.page.models.table
    assert table.texts.rows[0] == ("own", "All tasks", "2", "2", "60.0", "60.0", "0", "0")
    assert table.texts.rows[1][1] == "Motion understanding"
    assert workspace.report.models[0].tables.overall == before
    assert workspace.page.models.judge.text().startswith("helper (judge-1, prompt grade_reply 1).")


@pytest.mark.slow
def test_models_when_the_server_refuses_then_says_so_and_the_scores_stay(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    person, workspace = open_at(open_scores, scored, "A", "I mean the second one", "hard to say")
    server.behave(Behaviour(status=401), times=99)
    ask(person, reader="helper")
    assert workspace.report is not None
    assert workspace.report.models[0].tables.overall.exact_pct == pytest.approx(100 / 3)
    trouble = workspace.page.models.problem_label
    expected = f"2 requests have failed. http://127.0.0.1:{server.port} does not accept the API key (401)."
    assert trouble.text() == expected
    person.press("F5")
    assert trouble.text() == expected, "the reason must not vanish"
    workspace.setup.take([scored.file("poor")])
    person.settle()
    assert trouble.text() == "", "the requests were about other predictions"
    workspace.setup.change(files=workspace.setup.choice.files[:1])
    person.settle()
    server.behave_as_usual()
    ask(person, reader="helper")
    assert trouble.text() == ""
    assert workspace.report.models[0].coverage.read_by_model == 1


@pytest.mark.slow
def test_models_when_the_limit_is_too_low_then_nothing_is_sent_and_the_limit_is_named(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    person, workspace = open_at(open_scores, scored, "A", "I mean the second one")
    ask(person, reader="helper", limit="0")
    assert server.calls == []
    assert workspace.page.models.problem_label.text() == (
        "1 request was not sent. The cost limit is reached. Ask again with a higher limit."
    )
    dialog = dialog_of(person)
    assert dialog.reader.currentData() == "helper"
    dialog.limit.setText("much")
    assert not dialog.main.isEnabled()
    dialog.leave()


@pytest.mark.slow
def test_models_when_asking_is_cancelled_then_replies_so_far_are_kept_and_count(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    replies = ("A", "I mean the second one", *(f"unsure {n}" for n in range(6)))
    person, workspace = open_at(open_scores, scored, *replies)
    server.behave(Behaviour())
    server.behave(Behaviour(delay_s=2 * PATIENCE_S), times=99)
    dialog = dialog_of(person)
    dialog.reader.setCurrentIndex(dialog.reader.findData("helper"))
    person.settle()
    dialog.main.click()
    # One request at a time: the first is answered when the second arrives.
    person.qtbot.waitUntil(lambda: len(server.calls) == 2)
    person.qtbot.waitUntil(lambda: "Asking helper · 1 of 7" in workspace.scoring.status.text())
    workspace.scoring.cancel.click()
    assert workspace.scoring.status.text().startswith("Waiting for the replies")
    person.settle()
    assert workspace.report is not None
    assert workspace.report.models[0].coverage.read_by_model == 1
    assert "6 without a reply of the model" in workspace.page.models.reader.text()
    assert len(server.calls) == 2


@pytest.mark.slow
def test_models_when_the_profile_is_gone_then_says_so_and_the_dialog_offers_others(
    open_scores: Open, scored: Scored, server: ChatServer
) -> None:
    person, workspace = open_at(open_scores, scored, "A", "I mean the second one")
    ask(person, reader="helper")
    write_profiles(config_folder(), [])
    person.press("F5")
    assert "There is no model 'helper'." in person.window.banner.headline.text()
    dialog = dialog_of(person)
    assert dialog.reader.currentData() == ""
    assert "None of your models answers questions in text." in dialog.estimate.text()
    dialog.main.click()
    person.settle()
    assert workspace.report is not None
    assert workspace.setup.choice.reader == ""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_models_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, server: ChatServer, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person, _workspace = open_at(open_scores, scored, "A", "I mean the second one", "hard to say")
    ask(person, reader="helper", judge="helper")
    for key in ("J", "U", "T"):
        person.press(key)
        assert cut_texts(person.window) == []
    dialog = dialog_of(person)
    assert cut_texts(dialog) == []
    assert QApplication.focusWidget() is dialog.reader
    dialog.leave()


def test_pane_when_another_release_is_scored_then_failures_of_requests_about_the_former_are_gone(
    scored: Scored, registry: ActionRegistry, qtbot: PatientBot
) -> None:
    order = ScoreOrder(release=str(scored.release), sources=(SourceFile(path=scored.file("good")),))
    requests = RequestFigures(
        sent=2, cached=0, failed=2, not_sent=0, cost_micro=0, message="Refused.", worst_micro=0
    )
    judge = JudgeFigures(name="helper", profile="helper", prompt="p", models=(), requests=requests)
    judged = JudgedScores(judge=judge)
    report = msgspec.structs.replace(score_sources(order, progress=Progress()), judged=judged)
    pane = ModelsPane(registry=registry)
    qtbot.addWidget(pane)
    pane.show_report(report, is_asked=True)
    pane.show_report(report, is_asked=False)
    assert pane.problem_label.text() == "2 requests have failed. Refused."
    pane.show_report(msgspec.structs.replace(report, release_sha256="b" * 64), is_asked=False)
    assert pane.problem_label.text() == ""
