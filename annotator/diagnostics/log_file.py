"""The rotating log file, shared by the window, the workers and the command line."""

from __future__ import annotations

import faulthandler
import logging
import os
import time
from pathlib import Path
from typing import BinaryIO

import platformdirs

from annotator.diagnostics.redaction import redact
from annotator.diagnostics.traceback_text import format_exception

FILE_NAME = "vantage.log"
MAX_BYTES = 1_000_000
KEPT_FILES = 4
"""Rotated files beside the current one: ``vantage.log.1`` is the newest."""
STALE_LOCK_S = 60.0
"""A rotation takes milliseconds: an older lock was left by a process that was killed."""
OWN_LOGGERS = ("annotator", "models", "widgets")
"""Logged from INFO; libraries from WARNING, because some log every request with its URL."""
FATAL = "Fatal Python error"
"""How ``faulthandler`` begins the report of a crash in native code."""


def log_folder() -> Path:
    """Return the folder of the log; ``VANTAGE_LOG`` overrides the default of the platform."""
    return Path(os.environ.get("VANTAGE_LOG") or platformdirs.user_log_dir("vantage", appauthor=False))


def count_fatal_errors(folder: Path) -> int:
    """Count the crashes in native code that the log and its rotated files hold.

    Raises:
        OSError: A file cannot be read.
    """
    files = [file for file in folder.glob(f"{FILE_NAME}*") if file.suffix != ".lock"]
    return sum(file.read_bytes().count(FATAL.encode()) for file in files)


class RedactingFormatter(logging.Formatter):
    """Formats a record without secrets, folder names, and values of exceptions."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and the traceback of its exception below it."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(record.created))
        origin = f"{record.process} {record.threadName}"
        text = f"{at} {record.levelname} {origin} {record.name}: {redact(record.getMessage())}"
        error = record.exc_info[1] if record.exc_info else None
        return f"{text}\n{format_exception(error)}" if error is not None else text


class LogFile(logging.Handler):
    """Appends records to a file that several processes share, and rotates it by size.

    The file is opened for each record: a process that kept it open would go on writing to a rotated
    file, and on Windows would prevent the rotation.

    Args:
        folder: Created if it is missing.
        max_bytes: Size from which the file is rotated.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        super().__init__()
        self.path = folder / FILE_NAME
        self._max_bytes = max_bytes
        self._fault_file: BinaryIO | None = None
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.setFormatter(RedactingFormatter())
        self.append("")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; a full disk must not stop the program."""
        try:
            text = self.format(record) + "\n"
            if self.path.stat().st_size + len(text) > self._max_bytes:
                self.rotate()
            self.append(text)
        except Exception:  # noqa: BLE001 - logging reports a failing handler by itself
            self.handleError(record)

    def append(self, text: str) -> None:
        """Write text to the end of the file.

        Raises:
            OSError: The file cannot be written.
        """
        content = text.encode("utf-8", errors="backslashreplace")
        # O_APPEND: records of two processes never overwrite each other.
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, content)
        finally:
            os.close(file)

    def rotate(self) -> None:
        """Rename the file and its predecessors; skipped while another process does so."""
        lock = self.path.with_suffix(".lock")
        if not _acquire(lock):
            return
        try:
            # Another process may have rotated the file between the check of the size and the lock.
            if self.path.stat().st_size > self._max_bytes // 2:
                self._rename_files()
        except OSError:
            # Windows refuses while another process has the file open: the next record tries again.
            return
        finally:
            lock.unlink(missing_ok=True)

    def enable_fault_handler(self) -> None:
        """Write crashes in native code to the file, with the stacks of all threads."""
        self._fault_file = self.path.open("ab", buffering=0)
        faulthandler.enable(file=self._fault_file, all_threads=True)

    def disable_fault_handler(self) -> None:
        """Undo ``enable_fault_handler``."""
        if self._fault_file is not None:
            faulthandler.disable()
            self._fault_file.close()
            self._fault_file = None

    def _rename_files(self) -> None:
        has_handler = self._fault_file is not None
        self.disable_fault_handler()
        try:
            for number in range(KEPT_FILES, 0, -1):
                older = self.path.with_name(f"{FILE_NAME}.{number}")
                newer = self.path.with_name(f"{FILE_NAME}.{number - 1}") if number > 1 else self.path
                if newer.exists():
                    newer.replace(older)
        finally:
            self.append("")
            if has_handler:
                self.enable_fault_handler()


def _acquire(lock: Path) -> bool:
    try:
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        try:
            if time.time() - lock.stat().st_mtime > STALE_LOCK_S:
                lock.unlink()
        except FileNotFoundError:
            # Another process was quicker.
            pass
        return False
    except OSError:
        return False
    return True
