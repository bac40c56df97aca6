from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from annotator.cli.command_line import run
from annotator.doctor.check_result import CheckResult
from annotator.doctor.project import check_project
from annotator.progress import Progress
from annotator.session import Session
from annotator.store.backup_content import ContentCheck, note_check
from annotator.store.backups import make_backup
from annotator.store.schema import USER_VERSION


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "pilot.vantage"
    Session.create(path).close()
    return path


def results(path: Path) -> dict[str, CheckResult]:
    return {result.name: result for result in check_project(path)}


def test_project_when_whole_then_tells_version_and_asks_for_a_backup(project: Path) -> None:
    found = results(project)
    assert found["Project"].status == "ok"
    assert f"version {USER_VERSION}" in found["Project"].detail
    assert found["Media files"].detail == "none"
    assert (found["Backups"].status, found["Backups"].fix) == ("warning", f'vantage backup "{project}"')
    make_backup(project, reason="by hand", progress=Progress())
    assert results(project)["Backups"].status == "ok"


def test_project_when_checked_then_its_bytes_are_as_before(project: Path) -> None:
    before = project.read_bytes()
    results(project)
    assert project.read_bytes() == before


def test_project_when_a_page_is_damaged_then_names_the_newest_backup(project: Path) -> None:
    backup = make_backup(project, reason="by hand", progress=Progress())
    content = bytearray(project.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8192] = b"\xff" * 8192
    project.write_bytes(content)
    found = results(project)["Project"]
    assert found.status == "error"
    assert str(backup.path) in found.fix


def test_project_when_a_backup_is_damaged_then_says_so_and_names_another(project: Path) -> None:
    good, bad = (make_backup(project, reason="by hand", progress=Progress()).path for _ in range(2))
    found = bad.stat()
    damaged = ContentCheck(state="damaged", size_bytes=found.st_size, modified_ns=found.st_mtime_ns)
    note_check(bad, damaged)
    backups = results(project)["Backups"]
    assert (backups.status, backups.detail.endswith("; 1 damaged")) == ("warning", True)
    content = bytearray(project.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 8192] = b"\xff" * 8192
    project.write_bytes(content)
    assert str(good) in results(project)["Project"].fix


def test_project_when_missing_or_no_project_then_says_what_to_do(tmp_path: Path) -> None:
    assert results(tmp_path / "no.vantage")["Project"].detail.endswith("does not exist.")
    (tmp_path / "text.vantage").write_text("text" * 500, encoding="utf-8")
    found = results(tmp_path / "text.vantage")["Project"]
    assert (found.status, found.fix) == ("error", "Choose a .vantage file.")


def test_project_when_of_an_older_version_then_is_not_updated(tmp_path: Path) -> None:
    stored = Path(__file__).parents[1] / "store" / "projects"
    (oldest, *_) = sorted(stored.glob("*.vantage.gz"))
    path = tmp_path / "old.vantage"
    with gzip.open(oldest) as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    before = path.read_bytes()
    found = results(path)["Project"]
    assert found.status == "ok"
    assert "opening it creates a backup and updates the file" in found.detail
    assert path.read_bytes() == before


def test_project_when_media_files_are_missing_then_names_the_verb(project: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "UAV1.png"), np.zeros((8, 8, 3), np.uint8))
    assert run(["media", str(project), "add", str(pictures)]) == 0
    assert results(project)["Media files"].detail == "1 found"
    shutil.rmtree(pictures)
    assert run(["media", str(project), "health"]) == 1
    found = results(project)["Media files"]
    assert found.status == "warning"
    assert " missing" in found.detail
    assert found.fix == f'vantage media "{project}" health'
