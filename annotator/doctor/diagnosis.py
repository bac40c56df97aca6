"""All checks in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from annotator.doctor import probes, system
from annotator.doctor.check_result import CheckResult
from annotator.doctor.media_libraries import check_media_libraries
from annotator.doctor.packages import Requirements, check_extras, check_packages
from annotator.doctor.project import check_project
from annotator.progress import Progress


def diagnose(project: Path | None, *, progress: Progress) -> list[CheckResult]:
    """Check the installation, and a project where one is given; changes nothing.

    Args:
        project: A project file, None for the installation alone.
        progress: One phase for each group of checks.

    Raises:
        Cancelled: The user stopped it.
    """
    groups: dict[str, Callable[[], Iterable[CheckResult]]] = {
        "Checking Python and packages": _check_environment,
        "Checking libraries": check_media_libraries,
        "Checking the display": probes.check_display,
        "Checking models and GPU": probes.check_models,
        "Checking folders": _check_folders,
    }
    if project is not None:
        groups["Checking the project"] = lambda: check_project(project)
    results: list[CheckResult] = []
    for phase, check in groups.items():
        progress.begin(phase)
        results += check()
    return results


def _check_environment() -> Iterator[CheckResult]:
    yield system.check_python()
    yield system.check_sqlite()
    requirements = Requirements.read()
    if requirements is None:
        yield CheckResult(name="Packages", status="ok", detail="part of this build")
        return
    yield from check_packages(requirements)
    yield from check_extras(requirements)


def _check_folders() -> Iterator[CheckResult]:
    yield from system.check_folders()
    yield system.check_keyring()
    yield system.check_log()
