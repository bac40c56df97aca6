"""Checks of Python, SQLite, disk space, key ring and log folder."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from annotator.diagnostics.log_file import FILE_NAME, count_fatal_errors, log_folder
from annotator.doctor.check_result import CheckResult, Status
from annotator.doctor.package_imports import SETUP
from annotator.media.cache_files import cache_folder
from annotator.store import connection
from annotator.user_profile import config_folder, data_folder

PYTHON_OLDEST, PYTHON_NEWEST = (3, 11), (3, 14)
"""As in ``requires-python``; a test compares them."""
FREE_WARNING_BYTES, FREE_ERROR_BYTES = 2_000_000_000, 100_000_000
"""An import or a backup of a large project needs some hundred MB; SQLite fails on a full disk."""


def check_python() -> CheckResult:
    """Check the version of Python and that it is a 64-bit build."""
    version = platform.python_version()
    detail = f"{version}, {platform.machine()}, {platform.platform()}"
    is_fitting = PYTHON_OLDEST <= sys.version_info[:2] <= PYTHON_NEWEST and sys.maxsize > 2**32
    if is_fitting:
        return CheckResult(name="Python", status="ok", detail=detail)
    oldest, newest = (".".join(map(str, limit)) for limit in (PYTHON_OLDEST, PYTHON_NEWEST))
    fix = f"Install a 64-bit Python {oldest} to {newest}, then run: {SETUP}"
    return CheckResult(name="Python", status="error", detail=detail, fix=fix)


def check_sqlite() -> CheckResult:
    """Check that SQLite is new enough not to lose commits."""
    version, is_new_enough = connection.sqlite_version()
    needed = ".".join(map(str, connection.SQLITE_NEEDED))
    detail = f"{version}; {needed} or newer is required"
    if is_new_enough:
        return CheckResult(name="SQLite", status="ok", detail=detail)
    return CheckResult(name="SQLite", status="error", detail=detail, fix=SETUP)


def check_disk(folder: Path, *, name: str) -> CheckResult:
    """Check the free space of the disk that holds a folder, which need not exist."""
    title = f"Disk of {name}"
    path = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.is_dir())
    try:
        free = shutil.disk_usage(path).free
    except OSError as error:
        fix = "Check that the disk is connected."
        return CheckResult(name=title, status="error", detail=f"{path}: {error.strerror}", fix=fix)
    status: Status = "ok"
    if free < FREE_WARNING_BYTES:
        status = "error" if free < FREE_ERROR_BYTES else "warning"
    fix = "" if status == "ok" else f"Free up space on the disk of {path}."
    return CheckResult(name=title, status=status, detail=f"{_size(free)} free ({folder})", fix=fix)


def check_folders() -> Iterator[CheckResult]:
    """Check that the folders of settings, data and cache can be written, and their disks."""
    folders = {"settings": config_folder(), "data": data_folder(), "cache": cache_folder()}
    for name, folder in folders.items():
        existing = next(part for part in (folder, *folder.parents) if part.exists())
        if not (existing.is_dir() and os.access(existing, os.W_OK)):
            detail, fix = f"{folder} cannot be written", f"Grant yourself write permission for {existing}."
            yield CheckResult(name=f"Folder of {name}", status="error", detail=detail, fix=fix)
        yield check_disk(folder, name=name)
    try:
        # ``verify`` needs as much room there as the project file has.
        yield check_disk(Path(tempfile.gettempdir()), name="temporary files")
    except FileNotFoundError:
        detail = "no folder for temporary files can be written"
        fix = "Set TMPDIR to a folder that you can write to."
        yield CheckResult(name="Disk of temporary files", status="error", detail=detail, fix=fix)


def check_keyring() -> CheckResult:
    """Check that API keys can be kept in a key ring of the system."""
    fix = "Store API keys in environment variables, and enter env:NAME in the model profile."
    try:
        import keyring

        backend = keyring.get_keyring()
        kind, is_usable = type(backend).__module__, float(backend.priority) > 0
    except Exception as error:  # noqa: BLE001 - a backend of another package may raise anything
        detail = f"cannot be opened ({type(error).__name__})"
        return CheckResult(name="Key ring", status="warning", detail=detail, fix=fix)
    if not is_usable:
        detail = f"not available on this system ({kind})"
        return CheckResult(name="Key ring", status="warning", detail=detail, fix=fix)
    return CheckResult(name="Key ring", status="ok", detail=kind)


def check_log() -> CheckResult:
    """Check that the log can be written, and whether it holds crashes in native code."""
    folder = log_folder()
    existing = next(part for part in (folder, *folder.parents) if part.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        fix = f"Grant yourself write permission for {existing}, or set VANTAGE_LOG to another folder."
        return CheckResult(name="Log", status="warning", detail=f"{folder} cannot be written", fix=fix)
    crashes = count_fatal_errors(folder)
    if crashes:
        detail = f"{folder}: the log contains {crashes} crashes in native code"
        fix = f"Send {FILE_NAME} from this folder to the maintainer of your installation."
        return CheckResult(name="Log", status="warning", detail=detail, fix=fix)
    return CheckResult(name="Log", status="ok", detail=str(folder))


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:,.1f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:,.0f} MB"
