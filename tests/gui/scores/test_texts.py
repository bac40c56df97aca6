"""Unreadable replies in the real window: settled by keys, for one item or all, taken back, scored again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from annotator.domain.settled_text import SettledText
from tests.cut_texts import cut_texts
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score
from tests.gui.scores.scored_models import UNREADABLE
from widgets.scores.workspace import ScoresWorkspace
from widgets.settings import Settings
from widgets.text_prompt import TextPrompt


def write(scored: Scored, replies: dict[str, str]) -> None:
    """Write predictions of a model ``own``."""
    rows = [{"item": item, "prediction": text} for item, text in replies.items()]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    Path(scored.file("own")).write_text(lines, encoding="utf-8")


def listed(workspace: ScoresWorkspace) -> list[tuple[str, str, int]]:
    return [(one.text, one.item, one.same_text) for one in workspace.page.texts.table.replies.texts]


def settled(person: WindowPerson) -> set[tuple[str, str, str]]:
    return {(one.item, one.text, one.answer) for one in person.session.reader.records(SettledText)}


def press(person: WindowPerson, key: str, *, left: int, workspace: ScoresWorkspace) -> None:
    """Press a key, and wait until as many replies are left."""
    person.press(key)
    person.qtbot.waitUntil(lambda: len(listed(workspace)) == left)
    person.settle()


def test_replies_when_settled_by_letter_then_the_scores_follow_and_undo_takes_it_back(
    open_scores: Open, scored: Scored
) -> None:
    write(scored, {"OC_0000": UNREADABLE, "OC_0001": UNREADABLE, "OC_0002": "maybe", "OC_0003": "D"})
    person = open_scores()
    workspace = score(person, scored, "own")
    assert workspace.page.tabs["texts"].text() == "Unreadable replies 3  U"
    person.press("U")
    pane = workspace.page.texts
    assert listed(workspace) == [
        (UNREADABLE, "OC_0000", 2), (UNREADABLE, "OC_0001", 2), ("maybe", "OC_0002", 1),
    ]  # fmt: skip
    assert QApplication.focusWidget() is pane.table
    assert (pane.reply.text(), pane.models.text()) == (UNREADABLE, "own")
    assert pane.question.text() == "How many cars can be seen in the picture of UAV1?"
    press(person, "A", left=2, workspace=workspace)
    assert settled(person) == {("OC_0000", UNREADABLE, "A")}
    assert pane.table.text is not None
    assert pane.table.text.item == "OC_0001"
    assert workspace.report is not None
    (model,) = workspace.report.models
    assert (model.tables.overall.exact_pct, model.coverage.settled) == (50.0, 1)
    assert "1 settled by people" in workspace.page.coverage.text()
    press(person, "Ctrl+Z", left=3, workspace=workspace)
    assert settled(person) == set()
    assert workspace.report.models[0].tables.overall.exact_pct == 25.0


def test_replies_when_settled_for_all_items_then_all_with_the_text_leave_the_list(
    open_scores: Open, scored: Scored
) -> None:
    write(scored, {"OC_0000": UNREADABLE, "OC_0001": UNREADABLE, "OC_0002": "maybe"})
    person = open_scores()
    workspace = score(person, scored, "own")
    person.press("U")
    person.press("Y")
    assert workspace.page.texts.for_all.isChecked()
    assert workspace.page.texts.for_all.text() == "For all 2 replies with this text  Y"
    press(person, "0", left=1, workspace=workspace)
    assert settled(person) == {("", UNREADABLE, "")}
    assert not workspace.page.texts.for_all.isChecked()
    assert workspace.report is not None
    assert workspace.report.models[0].coverage.settled == 2


def test_reply_when_its_answer_is_no_letter_then_is_typed_in_the_editor_of_the_format(
    open_scores: Open, scored: Scored
) -> None:
    write(
        scored, {"direction_recognition_0000": "behind the tower", "region_recognition_0000": "three, four"}
    )
    person = open_scores()
    workspace = score(person, scored, "own")
    person.press("U")
    pane = workspace.page.texts
    assert pane.table.text is not None
    assert pane.table.text.answer_format == "clock"
    person.press("Return")
    person.press("8")
    person.press("Return")
    person.qtbot.waitUntil(lambda: len(listed(workspace)) == 1)
    person.settle()
    assert settled(person) == {("direction_recognition_0000", "behind the tower", "8 o'clock")}
    assert QApplication.focusWidget() is pane.table
    assert workspace.report is not None
    assert workspace.report.models[0].tables.overall.exact_pct == 50.0


def test_replies_when_all_are_settled_then_says_so(open_scores: Open, scored: Scored) -> None:
    write(scored, {"OC_0000": UNREADABLE})
    person = open_scores()
    workspace = score(person, scored, "own")
    person.press("U")
    press(person, "B", left=0, workspace=workspace)
    assert workspace.page.texts.note.text() == "Every reply can be read or is settled."
    assert workspace.page.tabs["texts"].text() == "Unreadable replies  U"
    assert not person.window.registry.can_run("scores.no_answer")


def test_replies_when_settled_for_all_then_only_items_of_the_same_format_are_reached(
    open_scores: Open, scored: Scored
) -> None:
    write(scored, {"OC_0000": "none", "OC_0001": "none", "direction_recognition_0000": "none"})
    person = open_scores()
    workspace = score(person, scored, "own")
    person.press("U")
    # The texts of one format stay together; each counts those of its format.
    assert {(item, count) for _, item, count in listed(workspace)} == {
        ("OC_0000", 2), ("OC_0001", 2), ("direction_recognition_0000", 1),
    }  # fmt: skip
    assert listed(workspace)[0][1] == "OC_0000"
    person.press("Y")
    press(person, "0", left=1, workspace=workspace)
    (decision,) = person.session.reader.records(SettledText)
    assert (decision.item, decision.answer_format) == ("", "option_letter")
    assert [item for _, item, _ in listed(workspace)] == ["direction_recognition_0000"]
    assert workspace.report is not None
    assert workspace.report.models[0].coverage.settled == 2


def test_settled_replies_when_listed_then_one_is_changed_or_withdrawn(
    open_scores: Open, scored: Scored
) -> None:
    write(scored, {"OC_0000": UNREADABLE, "OC_0001": UNREADABLE, "OC_0002": "maybe"})
    person = open_scores()
    workspace = score(person, scored, "own")
    pane = workspace.page.settled
    person.press("I")
    assert pane.note.text().startswith("No reply is settled.")
    assert not person.window.registry.can_run("scores.withdraw_settled")
    person.press("U")
    press(person, "A", left=2, workspace=workspace)
    person.press("I")
    assert workspace.page.tabs["settled"].text() == "Settled replies 1  I"
    cells = pane.table.decisions
    assert [cells.index(0, column).data() for column in range(4)] == [
        UNREADABLE, "A", "OC_0000", "All models",
    ]  # fmt: skip
    assert QApplication.focusWidget() is pane.table
    person.press("Return")
    dialog = person.window.findChild(TextPrompt)
    assert dialog is not None
    dialog.field.setPlainText("C")
    dialog.main.click()
    person.settle()
    assert settled(person) == {("OC_0000", UNREADABLE, "C")}
    person.qtbot.waitUntil(lambda: cells.index(0, 1).data() == "C")
    person.window.activateWindow()
    pane.table.setFocus()
    press(person, "Shift+Del", left=3, workspace=workspace)
    assert settled(person) == set()
    person.qtbot.waitUntil(lambda: cells.rowCount() == 0)
    press(person, "Ctrl+Z", left=2, workspace=workspace)
    assert settled(person) == {("OC_0000", UNREADABLE, "C")}
    person.qtbot.waitUntil(lambda: cells.rowCount() == 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_settled_replies_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    write(scored, {"OC_0000": UNREADABLE, "OC_0001": UNREADABLE, "OC_0002": "maybe"})
    person = open_scores()
    workspace = score(person, scored, "own")
    person.press("U")
    person.press("Y")
    press(person, "A", left=1, workspace=workspace)
    person.press("I")
    assert cut_texts(person.window) == []
