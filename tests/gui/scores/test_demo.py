"""The demo project: its items are released, and predictions made of their keys are scored in the window."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.releases import CreateRelease
from annotator.demo.project import make_demo
from annotator.domain.item import Item
from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.session import Session
from tests.cut_texts import cut_texts
from tests.guards import Messages
from tests.guards_qt import PatientBot
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import shown
from tests.unit.scoring.released import write_lines
from tests.windows import NO_SIZE_HINTS
from widgets.settings import Settings
from widgets.window import build


@pytest.mark.slow  # The pictures of the demo are rendered first.
def test_demo_when_released_then_its_predictions_are_scored_by_task(
    tmp_path: Path, settings: Settings, guard_messages: Messages, qtbot: PatientBot
) -> None:
    guard_messages.allow(NO_SIZE_HINTS)
    session = Session.open(make_demo(tmp_path / "demo", progress=Progress()))
    command = CreateRelease(
        out=tmp_path / "out", export_format="native", selection=ItemQuery(), include_flagged=True
    )
    session.execute(command).result()
    assert command.report is not None
    items = [one for one in session.reader.records(Item) if one.state != "rejected" and one.answer_key]
    right = [{"item": one.name, "prediction": one.answer_key} for one in items]
    wrong = [{"item": one.name, "prediction": "l**k"} for one in items]
    files = (
        write_lines(tmp_path / "right.jsonl", right),
        write_lines(tmp_path / "half.jsonl", [*right[::2], *wrong[1::2]]),
    )
    window = build(session, settings=settings)
    qtbot.addWidget(window)
    window.resize(1280, 720)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    person = WindowPerson(window, qtbot, workspace="scores")
    workspace = shown(person)
    workspace.setup.take([str(tmp_path / "out"), *map(str, files)])
    person.settle()
    assert workspace.report is not None
    best, half = workspace.report.models
    assert best.tables.overall.exact_pct == 100.0
    assert half.tables.overall.exact_pct == pytest.approx(50.0, abs=1.0)
    assert len(best.tables.tasks) > 3
    assert cut_texts(window) == []
    window.close()
