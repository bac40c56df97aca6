"""Records unhandled exceptions of all threads and crashes in native code in the log."""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from annotator.diagnostics.crash_report import CrashReport
from annotator.diagnostics.log_file import OWN_LOGGERS, LogFile, log_folder

Listener = Callable[[CrashReport], None]
REPEATS_LOGGED = frozenset({10, 100, 1_000, 10_000, 100_000})
"""An exception in a paint event comes 60 times a second: repeats are counted, not written."""
log = logging.getLogger(__name__)


class CrashMonitor:
    """The hooks of one process; ``install`` once, before anything else runs.

    Args:
        process: ``window``, or the verb of the command line.
        folder: Folder of the log, by default that of the platform.

    Attributes:
        listener: Called with each report, on the thread of the exception; must not block.
    """

    def __init__(self, process: str, *, folder: Path | None = None) -> None:
        self.listener: Listener | None = None
        self._process = process
        self._folder = folder or log_folder()
        self._file: LogFile | None = None
        self._terminal: logging.Handler | None = None
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._is_reporting = threading.local()

    @property
    def log_path(self) -> Path | None:
        """The log file, None where it cannot be written."""
        return self._file.path if self._file is not None else None

    def install(self) -> None:
        """Start logging, and hook unhandled exceptions of the process."""
        self._start_logging()
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        sys.unraisablehook = self._on_unraisable

    def uninstall(self) -> None:
        """Undo ``install``."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        sys.unraisablehook = sys.__unraisablehook__
        root = logging.getLogger()
        for handler in (self._file, self._terminal):
            if handler is not None:
                root.removeHandler(handler)
        if self._file is not None:
            self._file.disable_fault_handler()
            self._file = None
        for name in OWN_LOGGERS:
            logging.getLogger(name).setLevel(logging.NOTSET)

    def record(self, error: BaseException, *, thread: str = "") -> CrashReport:
        """Write an unhandled exception to the log, tell the listener, and return the report."""
        name = thread or threading.current_thread().name
        report = CrashReport.of(error, process=self._process, thread=name)
        with self._lock:
            self._counts[report.signature] += 1
            count = self._counts[report.signature]
        if count == 1:
            log.critical("Unhandled exception in thread %s", name, exc_info=error)
        elif count in REPEATS_LOGGED:
            log.critical("Unhandled exception repeated %d times: %s", count, report.signature)
        self._tell_listener(report)
        return report

    def _start_logging(self) -> None:
        root = logging.getLogger()
        # Without a handler of its own for the terminal, a warning would only be in the file.
        self._terminal = logging.StreamHandler()
        self._terminal.setLevel(logging.WARNING)
        self._terminal.addFilter(lambda record: record.name != __name__)
        root.addHandler(self._terminal)
        for name in OWN_LOGGERS:
            logging.getLogger(name).setLevel(logging.INFO)
        try:
            self._file = LogFile(self._folder)
            self._file.enable_fault_handler()
        except OSError as error:
            logging.getLogger("annotator").warning("The log cannot be written (%s)", type(error).__name__)
            self._file = None
            return
        root.addHandler(self._file)

    def _tell_listener(self, report: CrashReport) -> None:
        # An exception in the listener itself would otherwise be reported for ever.
        if self.listener is None or getattr(self._is_reporting, "now", False):
            return
        self._is_reporting.now = True
        try:
            self.listener(report)
        except Exception:
            log.exception("The crash report could not be shown")
        finally:
            self._is_reporting.now = False

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        sys.__excepthook__(kind, error, trace)
        if isinstance(error, Exception):
            self.record(error)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        threading.__excepthook__(args)
        if isinstance(args.exc_value, Exception):
            self.record(args.exc_value, thread=args.thread.name if args.thread else "")

    def _on_unraisable(self, args: sys.UnraisableHookArgs) -> None:
        """Log what a destructor or callback raised; the program continues, so no dialog is shown."""
        sys.__unraisablehook__(args)
        if args.exc_value is not None:
            log.error("Exception ignored by Python", exc_info=args.exc_value)
