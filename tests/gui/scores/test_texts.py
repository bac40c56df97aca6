"""Unreadable replies in the real window: settled by keys, for one item or all, taken back, scored again."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtWidgets import QApplication

from annotator.domain.settled_text import SettledText
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, score
from tests.gui.scores.scored_models import UNREADABLE
from widgets.scores.workspace import ScoresWorkspace


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
