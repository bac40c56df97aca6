"""The window is killed while somebody types and comments: what it called saved is there."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

from annotator.domain.comment import Comment
from annotator.session import Session
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.unit.store.making import events, problems
from tests.windows import make_item, make_project

PROGRAM = Path(__file__).with_name("edited_window.py")
MOST_EDITS = 25
"""Edits after which a window is killed at the latest."""


def edit_until_killed(project: Path, start: int, *, chance: random.Random) -> list[str]:
    """Open a window, kill it during an edit, and return what it called saved."""
    edits, pause_s = chance.randint(1, MOST_EDITS), chance.random() / 50
    command = [sys.executable, str(PROGRAM), str(project), str(start)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as window:
        assert window.stdout is not None
        assert window.stderr is not None
        try:
            saved = [line.strip() for line, _ in zip(window.stdout, range(edits), strict=False)]
            assert len(saved) == edits, window.stderr.read()
            threading.Event().wait(pause_s)
        finally:
            window.kill()
        # What it printed between the last line and its end.
        return [*saved, *(line.strip() for line in window.stdout if line.endswith("\n"))]


def look_for(saved: list[str], project: Path, row: FaultRow) -> None:
    """Note what is not there of the edits that were called saved."""
    with Session.open(project) as session:
        comments = {comment.text for comment in session.reader.records(Comment)}
    texts = {json.loads(value) for (value,) in events(project, "value", "field='question'")}
    for line in saved:
        kind, _, text = line.partition(" ")
        row.add("edits acknowledged")
        row.expect(text in (comments if kind == "comment" else texts), f"lost: {line}")


@trials(short=15, full=500, limit_s=80)
def test_window_when_killed_during_edits_then_opens_again_with_every_edit_that_it_called_saved(
    tmp_path: Path, trials: Trials
) -> None:
    project = make_project(tmp_path / "p.vantage", [make_item(number) for number in range(3)])
    chance = random.Random(trials.count)
    with fault_row("The window is killed (kill -9) during edits", test=__file__, trials=trials) as row:
        for number in trials:
            saved = edit_until_killed(project, number, chance=chance)
            row.tried += 1
            look_for(saved, project, row)
            row.faults.extend(f"{found}" for found in problems(project))
