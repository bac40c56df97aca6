"""What is typed survives a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.item import Item
from annotator.session import Session
from tests.patience import wait_until
from widgets.refine.typed_texts import SAVE_AFTER_MS

REPO = Path(__file__).resolve().parents[3]
TYPING = """
import sys
from pathlib import Path
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from annotator.session import Session
from widgets.screenshot import wait_until_settled
from widgets.settings import Settings
from widgets.window import build

application = QApplication([])
window = build(Session.open(Path(sys.argv[1])), settings=Settings(Path(sys.argv[2])))
window.show()
wait_until_settled(window)
window.show_workspace("refine")
wait_until_settled(window)
form = window.slots["refine"].workspace.form
form.edit_question()
QTest.keyClicks(form.question, " And of which colour?")
application.exec()
"""


def question_of(path: Path) -> str:
    with Session.open_for_reading(path) as session:
        return next(one for one in session.reader.records(Item) if one.name == "item_00001").question


@pytest.mark.slow
def test_text_when_the_process_is_killed_while_the_field_is_in_use_then_is_stored(
    project: Path, tmp_path: Path
) -> None:
    assert SAVE_AFTER_MS < 1000
    command = [sys.executable, "-c", TYPING, str(project), str(tmp_path / "other.ini")]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(REPO)}
    with subprocess.Popen(command, env=environment, cwd=REPO, stderr=subprocess.DEVNULL) as window:
        try:
            wait_until(lambda: question_of(project).endswith("colour?"), poll_s=0.1)
        finally:
            window.send_signal(signal.SIGKILL)
    assert question_of(project) == "Which region shows the red car? And of which colour?"
