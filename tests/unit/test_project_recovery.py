"""What can be done with projects that cannot be opened; as a person without rights, in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.errors import EnvironmentFailure, UserError
from annotator.project_recovery import explain_failure
from annotator.session import Session
from annotator.store.project_file import is_older
from tests.processes import as_ordinary_user
from tests.windows import make_project

REPO = Path(__file__).resolve().parents[2]
READER = """
import json, sys
from pathlib import Path
from annotator.commands.findings import RecordFindings
from annotator.errors import VantageError
from annotator.project_recovery import explain_failure
from annotator.session import Session
path = Path(sys.argv[1])
try:
    Session.open(path)
except VantageError as error:
    failure = explain_failure(path, error)
with Session.open_for_reading(path) as session:
    items = session.reader.counts()["item"]
    try:
        session.execute(RecordFindings()).result()
    except VantageError as error:
        refusal = str(error)
print(json.dumps([failure.error.message, failure.can_read, items, refusal]))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "of ours").mkdir()
    return make_project(tmp_path / "of ours" / "pilot.vantage")


@pytest.mark.skipif(sys.platform != "linux", reason="takes the rights of root away with setpriv")
@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_project_when_not_writable_then_is_read_and_nothing_is_written_beside_it(
    project: Path, what: str
) -> None:
    folder = project.parent
    if what != "folder":
        project.chmod(0o444)
    if what != "file":
        folder.chmod(0o555)
    before = project.read_bytes()
    done = subprocess.run(
        as_ordinary_user([sys.executable, "-c", READER, str(project)]),
        cwd=REPO,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    message, can_read, items, refusal = json.loads(done.stdout)
    assert message == f"{project} is read-only: the file or its folder is not writable."
    assert (can_read, items) == (True, 3)
    assert refusal.startswith("The project is open for reading.")
    assert project.read_bytes() == before
    if what != "file":
        assert [path.name for path in folder.iterdir()] == ["pilot.vantage"]


def test_failure_when_the_project_is_damaged_then_names_its_backups_newest_first(project: Path) -> None:
    with Session.open(project) as session:
        made = [session.backup(reason=reason) for reason in ("timer", "before undo")]
    project.write_bytes(b"no project at all")
    failure = explain_failure(project, UserError("It is broken."))
    assert [backup.path for backup in failure.backups] == [backup.path for backup in made[::-1]]
    assert not failure.can_read


def test_backup_when_restored_then_is_a_project_of_its_own_beside_the_damaged_one(project: Path) -> None:
    with Session.open(project) as session:
        backup = session.backup(reason="timer")
        root = session.media_root
    project.write_bytes(b"no project at all")
    failure = explain_failure(project, UserError("It is broken."))
    restored = [failure.restore(backup) for _ in range(2)]
    stamp = backup.made_at.strftime("%Y%m%d-%H%M%S")
    assert [path.name for path in restored] == [
        f"pilot-restored-{stamp}.vantage",
        f"pilot-restored-{stamp}-2.vantage",
    ]
    with Session.open(restored[0]) as session:
        assert session.reader.counts()["item"] == 3
        assert session.media_root == root


def test_backup_when_it_cannot_be_copied_then_says_so_and_leaves_nothing(project: Path) -> None:
    with Session.open(project) as session:
        backup = session.backup(reason="timer")
    failure = explain_failure(project, UserError("It is broken."))
    before = sorted(project.parent.iterdir())
    backup.path.unlink()
    with pytest.raises(EnvironmentFailure, match="could not be copied"):
        failure.restore(backup)
    assert sorted(project.parent.iterdir()) == before


def test_project_when_of_this_version_then_is_not_older(project: Path) -> None:
    assert not is_older(project)
