"""The window is killed while somebody types and comments: what it called saved is there."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import ModuleType
from typing import IO

import annotator
import widgets
from annotator.domain.comment import Comment
from annotator.domain.item import Item
from annotator.session import Session
from tests.faults import edited_window
from tests.faults.fault_rows import FaultRow, Trials, fault_row, trials
from tests.unit.store.making import events, problems
from tests.windows import make_item, make_project

PROGRAM = Path(edited_window.__file__)
MOST_EDITS = 25
"""Edits after which a window is killed at the latest."""
KILLS_OF_A_PROJECT = 25
"""After so many kills the next project begins: what is looked at after each kill grows with the edits."""


def modules_of(package: ModuleType) -> list[str]:
    """Return the names of the modules of a package, and of those below it."""
    folder = Path(package.__path__[0])
    return [".".join(file.relative_to(folder.parent).with_suffix("").parts) for file in folder.rglob("*.py")]


@contextmanager
def edited(project: Path, start: int) -> Iterator[tuple[ForkServerProcess, IO[str]]]:
    """Open the window of a project in a process that has its modules already; give it, and what it prints."""
    reading, writing = CONTEXT.Pipe(duplex=False)
    window = CONTEXT.Process(target=edited_window.work_until_killed, args=(project, str(start), writing))
    window.start()
    # Else what the window prints has no end when it has ended.
    writing.close()
    try:
        with open(reading.fileno(), closefd=False, encoding="utf-8") as lines:
            yield window, lines
    finally:
        window.kill()
        window.join()
        reading.close()


CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["sqlite_utils", edited_window.__name__, *modules_of(annotator), *modules_of(widgets)]
)


def edit_until_killed(project: Path, start: int, *, chance: random.Random) -> list[str]:
    """Open a window, kill it during an edit, and return what it called saved."""
    edits, pause_s = chance.randint(1, MOST_EDITS), chance.random() / 50
    with edited(project, start) as (window, lines):
        saved = [line.strip() for line, _ in zip(lines, range(edits), strict=False)]
        assert len(saved) == edits, f"The window ended by itself: {window.exitcode}"
        threading.Event().wait(pause_s)
        window.kill()
        # What it printed between the last line and its end.
        return [*saved, *(line.strip() for line in lines if line.endswith("\n"))]


def look_for(saved: list[str], project: Path, row: FaultRow) -> None:
    """Note what is not there of the edits that were called saved."""
    with Session.open(project) as session:
        comments = {comment.text for comment in session.reader.records(Comment)}
        names = {item.name for item in session.reader.records(Item)}
    questions = {json.loads(value) for (value,) in events(project, "value", "field='question'")}
    positions = {"comment": comments, "item": names, "question": questions}
    for line in saved:
        kind, _, text = line.partition(" ")
        row.add("edits acknowledged")
        row.expect(text in positions[kind], f"lost: {line}")


@trials(short=15, full=500, limit_s=70)
def test_window_when_killed_during_edits_then_opens_again_with_every_edit_that_it_called_saved(
    tmp_path: Path, trials: Trials
) -> None:
    chance = random.Random(trials.count)
    with fault_row("The window is killed (kill -9) during edits", test=__file__, trials=trials) as row:
        for number in trials:
            project = tmp_path / f"{number // KILLS_OF_A_PROJECT}.vantage"
            if not number % KILLS_OF_A_PROJECT:
                make_project(project, [make_item(number) for number in range(3)])
            saved = edit_until_killed(project, number, chance=chance)
            row.tried += 1
            look_for(saved, project, row)
            row.faults.extend(f"{found}" for found in problems(project))
