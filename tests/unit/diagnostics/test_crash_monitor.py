from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from annotator import __version__
from annotator.diagnostics.crash_report import PACKAGES, CrashReport
from annotator.diagnostics.log_file import FATAL
from tests.patience import PATIENCE_S

REPO = Path(__file__).resolve().parents[3]
MONITOR = """
import threading
from annotator.diagnostics.crash_monitor import CrashMonitor
def fail():
    raise KeyError("where is the red car")
reports = []
monitor = CrashMonitor("window")
monitor.listener = reports.append
monitor.install()
"""
TEXT = "the red car"
USER_PATH = "/data/li/secret/a.vantage"


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MONITOR + script],
        cwd=REPO,
        env={**os.environ, "VANTAGE_LOG": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def log_of(folder: Path) -> str:
    text = (folder / "vantage.log").read_text(encoding="utf-8")
    assert TEXT not in text
    return text


def test_process_when_a_thread_fails_then_the_log_names_it_and_the_listener_gets_a_report(
    tmp_path: Path,
) -> None:
    script = (
        "thread = threading.Thread(target=fail, name='reader-1'); thread.start(); thread.join()\n"
        "print(reports[0].thread, reports[0].process, len(reports))\n"
    )
    ended = run(script, tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "reader-1 window 1\n")
    log = log_of(tmp_path)
    assert "CRITICAL" in log
    assert "Unhandled exception in thread reader-1\nTraceback" in log
    assert log.endswith("KeyError\n")
    # The terminal is the person's own, and shows what Python always shows.
    assert "KeyError: 'where is the red car'" in ended.stderr
    assert ended.stderr.count("Traceback") == 1


def test_process_when_the_main_thread_fails_then_the_log_has_it(tmp_path: Path) -> None:
    ended = run("fail()", tmp_path)
    assert ended.returncode == 1
    assert "Unhandled exception in thread MainThread\nTraceback" in log_of(tmp_path)


def test_process_when_a_destructor_fails_then_is_logged_and_not_reported(tmp_path: Path) -> None:
    script = "class Leaky:\n    def __del__(self): fail()\nLeaky()\nprint(len(reports))\n"
    ended = run(script, tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "0\n")
    assert "Exception ignored by Python\nTraceback" in log_of(tmp_path)


def test_process_when_native_code_crashes_then_the_log_has_the_stacks_of_all_threads(tmp_path: Path) -> None:
    script = (
        "import faulthandler\n"
        "threading.Thread(target=threading.Event().wait, daemon=True, name='idle').start()\n"
        "def crash_here(): faulthandler._sigsegv()\n"
        "crash_here()\n"
    )
    ended = run(script, tmp_path)
    assert ended.returncode not in {0, 1}
    log = log_of(tmp_path)
    assert FATAL in log
    assert "in crash_here" in log
    assert log.count("hread 0x") == 2


def test_process_when_one_error_repeats_then_the_log_counts_it(tmp_path: Path) -> None:
    script = (
        "for _ in range(1000):\n"
        "    thread = threading.Thread(target=fail); thread.start(); thread.join()\n"
        "print(len(reports))\n"
    )
    ended = run(script, tmp_path)
    assert ended.stdout == "1000\n"
    log = log_of(tmp_path)
    assert log.count("Traceback") == 1
    assert "repeated 1000 times: KeyError@" in log


def test_process_when_the_listener_fails_then_both_are_logged_once(tmp_path: Path) -> None:
    script = (
        "def broken(report): raise ValueError('no dialog')\n"
        "monitor.listener = broken\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join()\n"
    )
    assert run(script, tmp_path).returncode == 0
    log = log_of(tmp_path)
    assert (log.count("Unhandled exception"), log.count("could not be shown")) == (1, 1)


def test_process_when_the_log_folder_is_a_file_then_runs_without_a_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("", encoding="utf-8")
    ended = run("print(monitor.log_path)", tmp_path / "log")
    assert (ended.returncode, ended.stdout) == (0, "None\n")
    assert "The log cannot be written (FileExistsError)" in ended.stderr


def test_process_when_uninstalled_then_errors_are_python_s_own_again(tmp_path: Path) -> None:
    ended = run("monitor.uninstall(); fail()", tmp_path)
    assert ended.returncode == 1
    assert log_of(tmp_path) == ""


def test_verb_when_vantage_itself_fails_then_ends_with_four_and_names_the_log(tmp_path: Path) -> None:
    script = (
        "import sys; sys.argv = ['main.py', 'stats', 'p.vantage']\n"
        "import main, annotator.cli.command_line as verbs\n"
        "verbs.vantage.main = lambda **_: fail()\n"
        "raise SystemExit(main.start())\n"
    )
    ended = run(script, tmp_path)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.endswith(f"Internal error in Vantage. The log is {tmp_path / 'vantage.log'}.\n")
    assert "KeyError\n" in log_of(tmp_path)


def test_report_when_read_then_has_versions_and_no_message() -> None:
    try:
        raise OSError(28, TEXT, USER_PATH)
    except OSError as error:
        report = CrashReport.of(error, process="window", thread="reader-1")
    text = report.text()
    assert TEXT not in text
    assert "/data" not in text
    for expected in (f"Vantage: {__version__}\n", "Thread: reader-1\n", "Platform: ", "OSError [ENOSPC]"):
        assert expected in text
    assert [name for name in PACKAGES if f"\n{name}: " not in text] == []
    assert "not installed" not in text
