"""Checks of one project file that take seconds; ``verify`` checks everything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from annotator.doctor.check_result import CheckResult
from annotator.doctor.system import check_disk
from annotator.errors import VantageError
from annotator.store.backups import list_backups, newest_backup
from annotator.store.health import ProjectHealth, inspect_project

NAME = "Project"


def check_project(path: Path) -> Iterator[CheckResult]:
    """Check a project without changing it: pages, version, media files, backups, disk."""
    try:
        health = inspect_project(path)
    except VantageError as error:
        yield CheckResult(name=NAME, status="error", detail=error.message, fix=error.hint)
        return
    yield _check_file(path, health)
    yield _check_media(path, health)
    yield _check_backups(path)
    yield check_disk(path, name="the project")


def _check_file(path: Path, health: ProjectHealth) -> CheckResult:
    if health.damage:
        newest = newest_backup(path)
        fix = "Do not change the file" + (f" and open its newest backup: {newest.path}" if newest else ".")
        return CheckResult(name=NAME, status="error", detail=f"damaged: {health.damage}", fix=fix)
    detail = (
        f"{path.name}: {health.events:,} events, {health.size_bytes / 1e6:,.1f} MB, version {health.version}"
    )
    if not health.is_current:
        detail += "; opening it creates a backup and updates the file"
    return CheckResult(name=NAME, status="ok", detail=detail)


def _check_media(path: Path, health: ProjectHealth) -> CheckResult:
    counts = ", ".join(f"{count:,} {state}" for state, count in health.media.items()) or "none"
    problems = sum(health.media.get(state, 0) for state in ("missing", "changed", "damaged"))
    fix = f'vantage media "{path}" health' if problems else ""
    return CheckResult(name="Media files", status="warning" if problems else "ok", detail=counts, fix=fix)


def _check_backups(path: Path) -> CheckResult:
    backups = list_backups(path)
    if not backups:
        fix = f'vantage backup "{path}"'
        return CheckResult(name="Backups", status="warning", detail="none", fix=fix)
    age = (datetime.now(UTC) - backups[0].made_at).total_seconds()
    detail = (
        f"{len(backups)}, the newest from {backups[0].made_at:%Y-%m-%d %H:%M} UTC ({age / 3600:,.0f} h ago)"
    )
    damaged = sum(backup.content == "damaged" for backup in backups)
    if damaged:
        detail += f"; {damaged} damaged"
        return CheckResult(name="Backups", status="warning", detail=detail, fix=f'vantage verify "{path}"')
    return CheckResult(name="Backups", status="ok", detail=detail)
