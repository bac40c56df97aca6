from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.diagnostics.log_file import (
    FATAL,
    KEPT_FILES,
    STALE_LOCK_S,
    LogFile,
    count_fatal_errors,
    log_folder,
)
from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]
WRITER = """
import logging, sys
from pathlib import Path
from annotator.diagnostics.log_file import LogFile
handler = LogFile(Path(sys.argv[1]), max_bytes=20_000)
for number in range(500):
    handler.emit(logging.LogRecord(sys.argv[2], logging.INFO, "", 0, "record %d", (number,), None))
"""


def record(message: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, None) if error else None
    return logging.LogRecord("annotator.store", logging.ERROR, "", 0, message, args, info)


def test_log_folder_when_the_variable_is_set_then_is_that_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert log_folder().name in {"log", "Logs", "vantage"}
    monkeypatch.setenv("VANTAGE_LOG", str(tmp_path))
    assert log_folder() == tmp_path


def test_record_when_written_then_is_one_line_without_folders_and_keys(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "log")
    handler.emit(record("cannot read %s with %s", "/data/li/a.json", "sk-proj1abcdefghijklmnop"))
    (line,) = handler.path.read_text(encoding="utf-8").splitlines()
    assert line.endswith("ERROR " + line.split("ERROR ")[1])
    assert line.endswith("MainThread annotator.store: cannot read a.json with ***")


def test_record_when_it_has_an_exception_then_the_log_has_no_message_of_it(tmp_path: Path) -> None:
    handler = LogFile(tmp_path)
    handler.emit(record("failed", error=KeyError("the red car")))
    assert handler.path.read_text(encoding="utf-8").endswith(
        "failed\nTraceback (most recent call last):\nKeyError\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no permission bits")
def test_log_when_made_then_only_its_owner_can_read_it(tmp_path: Path) -> None:
    handler = LogFile(tmp_path / "log")
    assert (handler.path.stat().st_mode & 0o777, handler.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_log_when_full_then_is_rotated_and_the_oldest_goes(tmp_path: Path) -> None:
    handler = LogFile(tmp_path, max_bytes=300)
    for number in range(40):
        handler.emit(record("record number %03d", number))
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["vantage.log", *(f"vantage.log.{number}" for number in range(1, KEPT_FILES + 1))]
    assert "number 039" in handler.path.read_text(encoding="utf-8")
    assert all(file.stat().st_size <= 300 for file in tmp_path.iterdir())


def test_log_when_two_processes_write_and_rotate_then_no_record_is_cut(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], cwd=REPO) for name in ("first", "second")]
    assert [writer.wait(timeout=PATIENCE_S) for writer in writers] == [0, 0]
    files = [file for file in tmp_path.iterdir() if file.suffix != ".lock"]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines
    assert [line for line in lines if not line.rpartition(": record ")[2].isdigit()] == []
    newest = (tmp_path / "vantage.log").read_text(encoding="utf-8") + (tmp_path / "vantage.log.1").read_text(
        encoding="utf-8"
    )
    assert "record 499" in newest


def test_rotation_when_another_process_holds_the_lock_then_is_left_to_it(tmp_path: Path) -> None:
    handler = LogFile(tmp_path, max_bytes=10)
    lock = tmp_path / "vantage.lock"
    lock.touch()
    handler.emit(record("one"))
    handler.emit(record("two"))
    assert not (tmp_path / "vantage.log.1").exists()
    stale = lock.stat().st_mtime - 2 * STALE_LOCK_S
    os.utime(lock, (stale, stale))
    handler.emit(record("three"))
    handler.emit(record("four"))
    assert (tmp_path / "vantage.log.1").exists()
    assert not lock.exists()


def test_fault_handler_when_the_file_was_rotated_then_writes_to_the_new_one(tmp_path: Path) -> None:
    script = (
        "import faulthandler, sys; from pathlib import Path\n"
        "from annotator.diagnostics.log_file import LogFile\n"
        "handler = LogFile(Path(sys.argv[1])); handler.enable_fault_handler()\n"
        "handler.append('x' * 600_000); handler.rotate(); faulthandler._sigsegv()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, tmp_path],
        cwd=REPO,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode != 0
    assert FATAL in (tmp_path / "vantage.log").read_text(encoding="utf-8")
    assert count_fatal_errors(tmp_path) == 1


def test_record_when_the_disk_refuses_then_the_program_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = LogFile(tmp_path / "log")
    monkeypatch.setattr(logging, "raiseExceptions", False)
    handler.path.unlink()
    handler.path.parent.rmdir()
    handler.emit(record("one"))
    assert not handler.path.exists()
