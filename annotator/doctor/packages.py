"""Checks of the installed Python packages against the pinned versions."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from annotator.doctor import package_imports
from annotator.doctor.check_result import CheckResult, Status
from annotator.doctor.package_imports import ROOT, SETUP, requirement_name
from annotator.errors import EnvironmentFailure

TIMEOUT_S = 120.0
EXTRAS: Mapping[str, str] = {
    "detector": "detectors in PyTorch format",
    "gpu": "models on a GPU",
    "local-llm": "embedded language model",
    "cluster": "workers on several machines",
}
"""Optional parts, with what they add."""
_PIN = re.compile(r"\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;#*]+)\s*(?:;|#|$)")


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """What an installation consists of.

    Attributes:
        core: Names of the packages that Vantage does not work without.
        extras: Names of the packages of each optional part.
        pins: Version of each package that is pinned, by normalised name.
    """

    core: Sequence[str]
    extras: Mapping[str, Sequence[str]]
    pins: Mapping[str, str]

    @classmethod
    def read(cls, root: Path = ROOT) -> Requirements | None:
        """Read ``pyproject.toml`` and ``constraints.txt``; None in a frozen build, which has neither."""
        project_file, constraints = root / "pyproject.toml", root / "constraints.txt"
        if not (project_file.is_file() and constraints.is_file()):
            return None
        project = tomllib.loads(project_file.read_text(encoding="utf-8"))["project"]
        optional: dict[str, list[str]] = project["optional-dependencies"]
        lines = [line for name in EXTRAS for line in optional[name]]
        pins = _pins([*lines, *constraints.read_text(encoding="utf-8").splitlines()])
        extras = {name: [requirement_name(line) for line in optional[name]] for name in EXTRAS}
        return cls(
            core=[requirement_name(line) for line in project["dependencies"]], extras=extras, pins=pins
        )


def _misfit(name: str, *, failure: str | None, problem: str | None) -> CheckResult:
    # A package of another version that can be loaded may still do.
    status: Status = "warning" if failure is None and installed_version(name) else "error"
    return CheckResult(name=f"Package {name}", status=status, detail=failure or problem or "", fix=SETUP)


def check_packages(requirements: Requirements) -> Iterator[CheckResult]:
    """Compare every package of the core with its pin, and load it.

    One result for all that fit, one for each other.
    """
    fitting = 0
    try:
        failures = _import_failures()
    except (OSError, subprocess.TimeoutExpired, EnvironmentFailure) as error:
        yield CheckResult(name="Packages", status="error", detail=f"cannot be loaded: {error}", fix=SETUP)
        return
    for name in requirements.core:
        problem = _problem(name, pins=requirements.pins)
        failure = f"{name} {failures[name]}" if name in failures else None
        if problem is None and failure is None:
            fitting += 1
        else:
            yield _misfit(name, failure=failure, problem=problem)
    detail = f"{fitting} of {len(requirements.core)} packages have the pinned version and can be loaded"
    yield CheckResult(name="Packages", status="ok" if fitting else "error", detail=detail)


def _import_failures() -> dict[str, str]:
    """Return why packages cannot be loaded, by name; in a process of their own, which a damaged one can end.

    Raises:
        EnvironmentFailure: It did end it.
    """
    # -P: modules beside the script would hide packages of the same names.
    ended = subprocess.run(  # noqa: S603 - our own program without arguments
        [sys.executable, "-P", package_imports.__file__],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    if ended.returncode not in {0, 1}:
        raise EnvironmentFailure(f"the process that loads them ended with status {ended.returncode}")
    return dict(line.split(" ", 1) for line in ended.stdout.splitlines() if " " in line)


def check_extras(requirements: Requirements) -> Iterator[CheckResult]:
    """Report every optional part: installed, installed with other versions, or not installed."""
    for extra, names in requirements.extras.items():
        title, fix = f"Optional part {extra}", f"{SETUP} {extra}"
        missing = [name for name in names if installed_version(name) is None]
        problems = [p for name in names if (p := _problem(name, pins=requirements.pins)) is not None]
        if missing:
            detail = f"not installed ({EXTRAS[extra]}); missing: {', '.join(missing)}"
            yield CheckResult(name=title, status="info", detail=detail, fix=fix)
        elif problems:
            yield CheckResult(name=title, status="warning", detail="; ".join(problems), fix=fix)
        else:
            yield CheckResult(name=title, status="ok", detail=f"installed ({EXTRAS[extra]})")


def installed_version(name: str) -> str | None:
    """Return the version of a package, None where it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _problem(name: str, *, pins: Mapping[str, str]) -> str | None:
    installed, pin = installed_version(name), pins.get(_normalised(name))
    if installed is None:
        return f"{name} is not installed"
    if pin is not None and installed != pin:
        return f"{name} {installed} is installed, {pin} is pinned"
    return None


def _pins(lines: Sequence[str]) -> dict[str, str]:
    matches = (_PIN.match(line) for line in lines)
    return {_normalised(match[1]): match[2] for match in matches if match}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
