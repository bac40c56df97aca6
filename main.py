"""Vantage: opens the window, or runs a command without one."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

BEGAN = time.perf_counter()
if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # While modules are imported Ctrl+C has nothing to tidy up, and ends without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
if __name__ == "__main__":
    # For child processes, which would import a file of the current folder that is named like a module.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    if sys.flags.safe_path:
        # This folder is then missing on the path, too.
        sys.path.insert(0, str(Path(__file__).resolve().parent))
    # Before NumPy is imported, and for child processes. Matrices are small here, and where other programs use
    # the processors, threads of OpenBLAS wait for each other in loops: 16 times the processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# ruff: noqa: E402 - the clock of --time-start runs before anything is imported
import argparse
import gc
import json
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from annotator.doctor.package_imports import missing_package_text

try:
    from annotator.cli import VERBS, is_misspelt_verb
    from annotator.diagnostics.crash_monitor import CrashMonitor
    from annotator.errors import EnvironmentFailure, VantageError
except ImportError as missing:
    if text := missing_package_text(missing):
        sys.stderr.write(f"{text}\n")
        raise SystemExit(3) from None
    raise

if TYPE_CHECKING:
    from annotator.model_api import ModelCatalog
    from annotator.progress import Progress
    from widgets.window import MainWindow

FAILED, ENVIRONMENT_FAILURE, INTERNAL_ERROR = 2, 3, 4


def start(arguments: Sequence[str] | None = None) -> int:
    """Run Vantage as a process of its own: unhandled exceptions and native crashes are written to the log.

    Args:
        arguments: As in ``main``.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    monitor = CrashMonitor(given[0] if given and given[0] in VERBS else "window")
    monitor.install()
    try:
        return main(given, monitor=monitor)
    except Exception as error:  # noqa: BLE001 - the last place that can record it
        if isinstance(error, ImportError) and (reason := missing_package_text(error)):
            monitor.record(error)
            print(reason, file=sys.stderr)
            return ENVIRONMENT_FAILURE
        sys.__excepthook__(type(error), error, error.__traceback__)
        monitor.record(error)
        where = f" The log is {monitor.log_path}." if monitor.log_path else ""
        print(f"Internal error in Vantage.{where}", file=sys.stderr)
        return INTERNAL_ERROR


def main(arguments: Sequence[str] | None = None, *, monitor: CrashMonitor | None = None) -> int:
    """Run Vantage and return the exit status of the process.

    Args:
        arguments: Command-line arguments after ``main.py``; those of this process by default.
        monitor: Reports crashes; the window shows them.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    is_verb = bool(given) and (given[0] in VERBS or is_misspelt_verb(given[0]))
    if is_verb or given[:1] in (["-h"], ["--help"], ["--version"]):
        from annotator.cli.command_line import run

        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run(given, catalogue=_catalogue)
    try:
        return open_window(_window_parser().parse_args(given), monitor=monitor)
    except VantageError as error:
        print(error, file=sys.stderr)
        return ENVIRONMENT_FAILURE if isinstance(error, EnvironmentFailure) else FAILED


def _catalogue() -> ModelCatalog:
    from models.model_catalog import InstalledModels

    return InstalledModels()


def build(project: Path | None = None) -> MainWindow:
    """Create the window with a project or the start page; the caller shows it.

    A project that is not open at once is opened while the window is shown: one that has to be upgraded, which
    takes long, or one that cannot be opened, whose page says why and what can be done.
    """
    from PySide6.QtWidgets import QApplication

    from annotator.project_recovery import explain_failure
    from annotator.session import Session
    from annotator.store.project_file import is_older
    from models.model_catalog import InstalledModels
    from widgets import window

    if QApplication.instance() is None:
        QApplication(["vantage"])
    session, failure, is_awaited = None, None, False
    try:
        is_awaited = project is not None and is_older(project)
        session = Session.open(project) if project and not is_awaited else None
    except VantageError as error:
        failure = error
    if session:
        session.start_backups()
    made = window.build(session, make_demo=make_demo)
    # A class of a module: child processes get it by its name.
    made.controller.make_catalogue = InstalledModels
    if project and failure:
        made.controller.opener.show_failure(explain_failure(project, failure))
    elif project and is_awaited:
        made.controller.open_at(str(project))
    return made


def demo_folder() -> Path:
    """Return the folder of the demo project of the user."""
    from annotator.user_profile import data_folder

    return data_folder() / "demo"


def _made_demo() -> Path | None:
    """Return the demo project of the user, None where it has not been made yet."""
    project = demo_folder() / "demo.vantage"
    return project if project.is_file() else None


def make_demo(progress: Progress) -> Path:
    """Make the small demo project where there is none, and return its path."""
    from annotator.demo.project import make_demo as make

    return make(demo_folder(), progress=progress, size="small")


def open_window(options: argparse.Namespace, *, monitor: CrashMonitor | None = None) -> int:
    """Show the window until it is closed; with ``--screenshot`` only until it is painted."""
    if options.probe:
        return _probe(options.probe)
    from PySide6.QtWidgets import QApplication

    from widgets.cycle_collector import CycleCollector
    from widgets.idle_work import IdleWork

    _exempt_modules_from_collection()
    project = _made_demo() if options.demo else options.project
    window = build(project)
    IdleWork(window, CycleCollector(window))
    if monitor is not None:
        show_crashes(window, monitor)
    if options.demo and project is None:
        window.controller.open_demo()
    if options.screenshot:
        return _take_screenshot(window, options)
    window.show()
    if not options.time_start:
        window.people.ask_first_name()
    else:
        from widgets.screenshot import call_when_painted

        call_when_painted(window, partial(_tell_start, window))
    return QApplication.exec()


def show_crashes(window: MainWindow, monitor: CrashMonitor) -> None:
    """Have the window show unhandled exceptions of all threads, and Qt log its messages."""
    from widgets.qt_messages import log_qt_messages

    log_qt_messages()
    window.crashes.log_path = monitor.log_path
    monitor.listener = window.crashes.report


def _probe(name: str) -> int:
    try:
        if name == "display":
            from widgets.display_probe import probe_display as probe
        else:
            from models.device_probe import probe_models as probe
    except ImportError as error:
        print(error, file=sys.stderr)
        return ENVIRONMENT_FAILURE
    print(json.dumps(probe()))
    return 0


def _exempt_modules_from_collection() -> None:
    """Exempt the modules of the window from garbage collection: they are never freed."""
    import widgets.window  # noqa: F401 - loaded now, so that it is exempt

    # A full collection walks every object: of 116,000 in a window these are 72,000, a late frame. What
    # stays as long as a project is open is exempted later, and until it is closed (widgets/idle_work.py).
    gc.freeze()


def _tell_start(window: MainWindow) -> None:
    print(f"{time.perf_counter() - BEGAN:.3f}", flush=True)
    window.close_now()


def _take_screenshot(window: MainWindow, options: argparse.Namespace) -> int:
    from widgets.screenshot import save_screenshot

    failure = window.controller.opener.failure
    if failure is not None:
        window.close()
        raise failure.error
    session = window.controller.session
    held = session.reader.counts() if session else {}
    save_screenshot(window, options.screenshot, size=options.size)
    window.close()
    print(f"Screenshot of the window: {options.screenshot}")
    for entity, text in (
        ("scene", "scenes"),
        ("medium", "media"),
        ("event_label", "event labels"),
        ("item", "items"),
    ):
        if entity in held:
            print(f"  {held[entity]:,} {text}")
    return 0


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="vantage", description="Open the window.")
    parser.add_argument("project", nargs="?", type=Path, help="a .vantage file, none for the start page")
    parser.add_argument("--demo", action="store_true", help="open the demo project; create it first")
    parser.add_argument(
        "--screenshot", type=Path, metavar="FILE", help="save a screenshot of the window as PNG and exit"
    )
    parser.add_argument(
        "--size", type=_size, default=(1600, 1000), help="size of the screenshot, for example 1280x720"
    )
    # For the command doctor: a probe runs in a child process, because it can end the process.
    parser.add_argument("--probe", choices=("display", "models"), help=argparse.SUPPRESS)
    parser.add_argument(
        "--time-start", action="store_true", help="print the seconds until the first paint and exit"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(start())
