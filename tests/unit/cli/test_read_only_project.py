"""Commands on a project that nobody may write, in a process that respects the permissions of files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.flag import Flag
from annotator.session import Session
from tests.processes import as_ordinary_user
from tests.unit.cli.conftest import Verb

REPO = Path(__file__).resolve().parents[3]
READING = (
    ("stats", "{project}"),
    ("items", "{project}", "list"),
    ("runs", "list", "{project}"),
    ("verify", "{project}"),
    ("check", "{project}"),
)
PROGRAM = """
import contextlib, io, json, sys
from annotator.cli.command_line import run
said = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run([*arguments, "--json"], catalogue=None)
    said.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(said))
"""


def run_each(commands: list[list[str]]) -> list[tuple[int, str, str]]:
    done = subprocess.run(
        as_ordinary_user([sys.executable, "-c", PROGRAM, json.dumps(commands)]),
        cwd=REPO,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(one) for one in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.skipif(sys.platform != "linux", reason="takes the rights of root away with setpriv")
def test_reading_commands_when_the_project_is_not_writable_then_do_their_work(
    project: Path, labels: Path, verb: Verb
) -> None:
    folder = project.parent
    assert verb("import", project, labels).status == 0
    assert verb("draft", project, "--task-set", "aircop").status == 0
    with Session.open(project) as session:
        items, flags = session.reader.counts()["item"], list(session.reader.records(Flag))
    before = project.read_bytes()
    project.chmod(0o444)
    folder.chmod(0o555)
    commands = [[part.format(project=project) for part in command] for command in READING]
    commands.append(["draft", str(project), "--task-set", "aircop"])
    try:
        *said, drafted = run_each(commands)
    finally:
        folder.chmod(0o755)
    assert [status for status, _out, _err in said] == [0, 0, 0, 0, said[-1][0]]
    assert said[-1][0] in (0, 1)
    stats, listed, _runs, verified, checked = (json.loads(out) for _status, out, _err in said)
    assert items > 0
    assert len(listed["items"]) == items
    assert verified["ok"]
    assert (checked["items"], checked["stored"]) == (items, False)
    assert "The project is not writable: the findings are not stored as flags." in said[-1][2]
    # What has to write is still refused, with the reason.
    assert drafted[0] == 3
    assert "is read-only" in drafted[2]
    assert project.read_bytes() == before
    project.chmod(0o644)
    assert stats == verb("stats", project, "--json").json
    with Session.open(project) as session:
        assert list(session.reader.records(Flag)) == flags
    assert verb("check", project, "--json").json["stored"]
