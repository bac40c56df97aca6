from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.cli.command_line import run
from annotator.doctor import diagnosis, probes
from annotator.doctor.check_result import CheckResult
from annotator.session import Session
from tests.unit.cli.conftest import Verb

REPO = Path(__file__).resolve().parents[3]


def process(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    return subprocess.run(
        [sys.executable, REPO / "main.py", "doctor", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=500,
        check=False,
        env={**kept, **environment},
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[CheckResult]:
    """Leave the child processes out; what they would find is the list."""
    found = [CheckResult(name="Qt", status="ok", detail="6.11")]
    monkeypatch.setattr(probes, "check_display", lambda: found)
    monkeypatch.setattr(probes, "check_models", lambda: ())
    return found


def test_doctor_when_run_as_a_process_then_reports_everything_in_one_object(tmp_path: Path) -> None:
    path = tmp_path / "pilot.vantage"
    Session.create(path).close()
    ended = process(path, "--json", QT_QPA_PLATFORM="offscreen")
    assert ended.stdout.count("\n") == 1, ended.stderr
    said = json.loads(ended.stdout)
    checks = {check["name"]: check for check in said["checks"]}
    # What the machine of the tests lacks is no fault of the verb.
    assert said["errors"] == sum(check["status"] == "error" for check in checks.values())
    assert ended.returncode == (1 if said["errors"] else 0)
    for name in ("Python", "SQLite", "Packages", "OpenCV", "PyAV", "Qt", "ONNX Runtime", "Project"):
        assert checks[name]["status"] == "ok", checks[name]
    assert {"Chinese font", "GPU", "Disk of data", "Key ring", "Log", "Media files", "Backups"} <= set(checks)
    assert {f"Optional part {extra}" for extra in ("detector", "gpu", "local-llm", "cluster")} <= set(checks)
    assert "platform offscreen" in checks["Qt"]["detail"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_doctor_when_there_is_no_display_then_qt_is_tried_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    display, qt, _font = probes.check_display()
    assert (display.name, display.status, qt.status) == ("Display", "warning", "ok")
    assert "platform offscreen" in qt.detail


def test_doctor_when_something_required_is_missing_then_ends_with_one_and_says_what_to_type(
    quick: list[CheckResult], verb: Verb
) -> None:
    assert verb("doctor").status == 0
    quick.append(CheckResult(name="Qt plugin", status="error", detail="missing", fix="./vantage setup"))
    quick.append(CheckResult(name="Speed", status="info", detail="not installed", fix="./vantage setup gpu"))
    said = verb("doctor")
    assert said.status == 1
    assert "ERROR" in said.out
    todo, _, optional = said.out.partition("What to do")[2].partition("Optional")
    assert "./vantage setup" in todo
    assert "Qt plugin" in todo
    assert "./vantage setup gpu" in optional
    assert "1 errors." in said.out


def test_doctor_when_the_build_is_frozen_then_packages_are_part_of_it(
    quick: list[CheckResult], verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosis.Requirements, "read", lambda: None)
    checks = {check["name"]: check for check in verb("doctor", "--json").json["checks"]}
    assert checks["Packages"]["detail"] == "part of this build"
    assert "Optional part gpu" not in checks


def test_doctor_when_the_project_is_missing_then_is_an_error(
    quick: list[CheckResult], tmp_path: Path
) -> None:
    assert run(["doctor", str(tmp_path / "no.vantage")]) == 1


@pytest.mark.parametrize(
    ("verb", "name"),
    [
        pytest.param(
            *case, marks=() if case in {("doctor", "msgspec"), ("--help", "rich")} else pytest.mark.slow
        )
        for case in itertools.product(["doctor", "--help"], ["msgspec", "click", "platformdirs", "rich"])
    ],
)
def test_start_when_a_package_is_damaged_then_says_which_and_what_to_type(
    tmp_path: Path, name: str, verb: str
) -> None:
    (tmp_path / f"{name}.py").write_text("raise ImportError('lib.so.1: cannot open shared object file')")
    ended = subprocess.run(
        [sys.executable, REPO / "main.py", verb],
        capture_output=True, encoding="utf-8", timeout=500, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    if ended.returncode == 0:
        # Help of the command line needs no table.
        assert (verb, name) == ("--help", "rich")
        return
    assert ended.returncode == 3
    first, *packages, last = ended.stderr.splitlines()
    assert first == "Vantage cannot start, because libraries are missing or damaged:"
    assert f"  {name} cannot be loaded: lib.so.1: cannot open shared object file" in packages
    assert last == "To repair the installation, type: ./vantage setup"
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the library has another name elsewhere")
def test_doctor_when_a_system_library_of_qt_is_damaged_then_models_are_not_blamed(tmp_path: Path) -> None:
    (tmp_path / "libEGL.so.1").touch()
    ended = process("--json", QT_QPA_PLATFORM="offscreen", LD_LIBRARY_PATH=str(tmp_path))
    checks = {check["name"]: check for check in json.loads(ended.stdout)["checks"]}
    assert checks["Qt"]["detail"] == f"Qt cannot open a window: {tmp_path}/libEGL.so.1: file too short"
    assert checks["Qt"]["fix"] == "./vantage setup"
    assert checks["ONNX Runtime"]["status"] == "ok"
    assert ended.returncode == 1
