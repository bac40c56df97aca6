"""Projects on full disks and read-only media: what only reads works, and no half or empty file is left."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from annotator.session import Session
from annotator.store.connection import connect, transaction
from tests.patience import PATIENCE_S
from tests.unit.store.making import ANNA, an_item, created, write

REPO = Path(__file__).resolve().parents[2]
OLD = REPO / "tests" / "unit" / "store" / "projects"
READING_VERBS = (
    "stats {p}", "items {p} list", "items {p} duplicates", "verify {p}", "doctor {p}", "progress {p}",
    "backup {p} --list", "comments {p} list", "review {p} list", "gates {p}", "runs list {p}",
    "media {p} health",
)  # fmt: skip
# Runs verbs in one process: a start for each would take a second.
VERBS = """
import contextlib, json, sys, tempfile
from pathlib import Path
from annotator.cli.command_line import run
found = {}
for line in json.loads(sys.argv[1]):
    out, err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = run(line.split(), catalogue=None)
        except SystemExit as end:
            status = end.code
    texts = []
    for file in (out, err):
        # The output of a verb that could not write is discarded.
        with contextlib.suppress(OSError):
            file.seek(0)
            texts.append(file.read())
    found[line] = [status or 0, "".join(texts)]
print("FOUND" + json.dumps(found))
"""


def _can_mount() -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    return not subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode


pytestmark = pytest.mark.skipif(not _can_mount(), reason="needs the right to mount")


def run_verbs(mount: str, *lines: str) -> dict[str, tuple[int, str]]:
    """Run verbs where something is mounted that nobody else sees; return how each ended, and what it said."""
    found = run_mounted(mount, VERBS, json.dumps(lines))
    return {line: (status, text) for line, (status, text) in json.loads(found).items()}


def run_mounted(mount: str, code: str, *arguments: str) -> str:
    """Run Python where something is mounted that nobody else sees; return what it printed after ``FOUND``."""
    # Not exec: what the shell does at its end comes after the verbs.
    command = ["unshare", "-m", "bash", "-c", f'{mount} && "$0" "$@"', sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    _, _, found = done.stdout.partition("FOUND")
    assert found, done.stderr
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "disk" / "p.vantage"
    path.parent.mkdir()
    with Session.create(path, actor=ANNA) as session:
        write(session, *(created("item", an_item(name=f"{n}", question="How many?")) for n in range(5)))
    return path


def read_only(folder: Path) -> str:
    return f"mount -o bind {folder} {folder} && mount -o remount,bind,ro {folder}"


def full(folder: Path, *, content: Path | None = None) -> str:
    """Return the commands that mount a disk of 3 MB, on which not one byte is free."""
    keep = f"cp {content} {folder}/ && " if content else ""
    return (
        f"mount -t tmpfs -o size=3m tmpfs {folder} && {keep}(head -c 4000000 /dev/zero >{folder}/fill; true)"
    )


def files_of(listing: str) -> list[str]:
    """Return the files that ``find`` lists with their sizes."""
    return sorted(line for line in listing.splitlines() if line and not line.endswith("/fill"))


def test_verbs_when_the_medium_is_read_only_then_those_that_read_work_and_others_say_so(
    project: Path, tmp_path: Path
) -> None:
    before = project.read_bytes()
    reading = [verb.format(p=project) for verb in READING_VERBS]
    writing = [f"items {project} set --to-state accepted", f"backup {project}", f"new {project.parent}/q"]
    found = run_verbs(read_only(project.parent), *reading, *writing)
    assert {line: found[line] for line in reading if found[line][0] not in (0, 1)} == {}
    assert "5 items" in found[f"items {project} list"][1]
    assert "No problems" in found[f"verify {project}"][1]
    assert [found[line][0] for line in writing] == [3, 3, 3]
    assert all("writable" in found[line][1] for line in writing)
    assert project.read_bytes() == before
    assert list(project.parent.iterdir()) == [project]


def test_verbs_when_an_older_project_is_on_a_read_only_medium_then_it_is_verified_and_others_say_what_to_do(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    path = disk / "old.vantage"
    path.write_bytes(gzip.decompress((OLD / "version-5.vantage.gz").read_bytes()))
    before = path.read_bytes()
    # Those that need nothing of its tables.
    free = {f"verify {path}", f"doctor {path}"}
    reading = [verb.format(p=path) for verb in READING_VERBS]
    found = run_verbs(read_only(disk), *reading)
    assert {line: found[line] for line in free if found[line][0] not in (0, 1)} == {}
    assert "64 events" in found[f"verify {path}"][1]
    assert "No problems" in found[f"verify {path}"][1]
    assert "of an older version" in found[f"verify {path}"][1]
    others = [found[line] for line in reading if line not in free]
    assert {status for status, _ in others} == {3}
    assert all("older Vantage" in text and "Copy the project" in text for _, text in others)
    assert path.read_bytes() == before
    assert list(disk.iterdir()) == [path]


@pytest.mark.parametrize("is_full", [False, True])
def test_project_when_it_can_only_be_read_then_the_window_offers_that(
    project: Path, tmp_path: Path, *, is_full: bool
) -> None:
    mount, path = read_only(project.parent), project
    if is_full:
        path = tmp_path / "full" / "p.vantage"
        path.parent.mkdir()
        mount = full(path.parent, content=project)
    code = """
import sys
from pathlib import Path
from annotator.errors import VantageError
from annotator.project_recovery import explain_failure
from annotator.session import Session
path = Path(sys.argv[1])
try:
    Session.open(path)
except VantageError as error:
    failure = explain_failure(path, error)
    with Session.open_for_reading(path) as session:
        print("FOUND", failure.can_read, session.reader.counts()["item"])
"""
    assert run_mounted(mount, code, str(path)).split() == ["True", "5"]


def test_verbs_when_newest_changes_are_in_the_log_of_a_read_only_medium_then_say_what_to_copy(
    project: Path,
) -> None:
    with closing(connect(project, read_only=False)) as connection:
        with transaction(connection):
            connection.execute("UPDATE staging SET active_at=0")
            connection.execute("CREATE TABLE filler (n)")
        log = project.with_name("p.vantage-wal")
        kept = shutil.copy(log, project.with_name("kept"))
    # As after a kill, copied without the file of shared memory.
    Path(kept).rename(log)
    found = run_verbs(read_only(project.parent), f"stats {project}")
    status, text = found[f"stats {project}"]
    assert status == 3
    assert "p.vantage-wal" in text
    assert "Copy both files to a writable folder" in text


def test_verbs_when_the_disk_is_full_then_those_that_read_work_and_no_half_file_is_left(
    project: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "full"
    disk.mkdir()
    path = disk / "p.vantage"
    reading = [verb.format(p=path) for verb in READING_VERBS if not verb.startswith("doctor")]
    writing = [
        f"new {disk}/q",
        f"backup {path}",
        f"items {path} set --to-state accepted",
        f"release {path} {disk}/rel --format native",
        f"bundle {path} {disk}/b.vbundle",
        f"items {path} list --csv {disk}/t.csv",
    ]
    listing = tmp_path / "listing"
    end = f"trap 'find {disk} -type f >{listing}' EXIT"
    mount = full(disk, content=project)
    found = run_verbs(f"{mount}; {end}", *reading, *writing)
    assert {line: found[line] for line in reading if found[line][0] not in (0, 1)} == {}
    assert "5 items" in found[f"items {path} list"][1]
    assert {line: found[line] for line in writing if found[line][0] != 3} == {}
    left = [line.rpartition("/")[2] for line in files_of(listing.read_text())]
    assert [name for name in left if name not in {"p.vantage", "p.vantage-wal", "p.vantage-shm"}] == []


IMPORTS = """
import json, sys
from pathlib import Path
from annotator.commands.imports import ImportFiles
from annotator.errors import VantageError
from annotator.session import Session
from tests.faults.test_full_disk import rows_of
path, labels = Path(sys.argv[1]), Path(sys.argv[2])
found = {}
with Session.open(path) as session:
    before = dict(session.reader.counts())
    try:
        session.execute(ImportFiles(paths=(labels,))).result()
    except VantageError as error:
        found["message"] = str(error)
    found["is unchanged"] = dict(session.reader.counts()) == before
    found["backlog"] = rows_of(path)["staging"]
    path.with_name("fill").unlink()
    session.execute(ImportFiles(paths=(labels,))).result()
    found["seen"] = session.reader.counts()["region"]
found["rows"] = rows_of(path)
print("FOUND" + json.dumps(found))
"""


def rows_of(path: Path) -> dict[str, int]:
    """Return how many rows tables have, those included that no reader sees."""
    with closing(connect(path, read_only=True)) as connection:
        count = "SELECT count(*) FROM {}"
        return {
            table: connection.execute(count.format(table)).fetchone()[0] for table in ("region", "staging")
        }


@pytest.mark.slow
def test_import_when_the_disk_gets_full_in_it_then_says_so_and_can_be_repeated_at_once(
    project: Path, tmp_path: Path
) -> None:
    disk, labels, count = tmp_path / "full", tmp_path / "labels.json", 3000
    disk.mkdir()
    boxes = [{"id": n, "image_id": n % 7, "category_id": 1, "bbox": [n % 600, 1, 5, 5]} for n in range(count)]
    images = [{"id": n, "file_name": f"{n}.jpg", "width": 640, "height": 480} for n in range(7)]
    categories = [{"id": 1, "name": "car"}]
    labels.write_text(json.dumps({"images": images, "categories": categories, "annotations": boxes}))
    size = f"mount -t tmpfs -o size=30m tmpfs {disk} && cp {project} {disk}/"
    # Room for some of its transactions.
    filled = f"(head -c 40000000 /dev/zero >{disk}/fill; truncate -s -1500K {disk}/fill)"

    found = json.loads(run_mounted(f"{size} && {filled}", IMPORTS, f"{disk}/p.vantage", str(labels)))

    assert "The disk is full. The project is unchanged." in found["message"]
    assert (found["is unchanged"], found["seen"]) == (True, count)
    # The disk was too full even to delete what was staged: the next import did.
    assert found["backlog"] == 1
    assert found["rows"] == {"region": count, "staging": 0}


def test_project_when_of_an_older_version_on_a_full_disk_then_stays_as_it_is(tmp_path: Path) -> None:
    disk = tmp_path / "full"
    disk.mkdir()
    oldest = min(OLD.glob("*.vantage.gz"))
    before = gzip.decompress(oldest.read_bytes())
    old, kept = tmp_path / "old.vantage", tmp_path / "kept"
    old.write_bytes(before)
    mount = full(disk, content=old)
    found = run_verbs(f"{mount}; trap 'cp {disk}/old.vantage {kept}' EXIT", f"stats {disk}/old.vantage")
    status, text = found[f"stats {disk}/old.vantage"]
    assert status == 3
    assert "disk" in text
    assert kept.read_bytes() == before
