"""The report of an internal error for the user to send: versions, platform, traceback without values."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import metadata

from annotator import __version__
from annotator.diagnostics.traceback_text import format_exception, signature

PACKAGES = (
    "PySide6-Essentials",
    "numpy",
    "opencv-python-headless",
    "av",
    "onnxruntime",
    "pysqlite3",
    "sqlite-utils",
    "msgspec",
)
"""Packages with native code, or close to the project file: most crashes depend on their versions."""


@dataclass(frozen=True, kw_only=True)
class CrashReport:
    """One unhandled exception.

    Attributes:
        occurred_at: Local time.
        process: ``window``, or the verb of the command line.
        thread: Name of the thread.
        traceback: Types, positions and source lines; no messages, no variables.
        signature: The same for exceptions of one type from one position.
    """

    occurred_at: datetime
    process: str
    thread: str
    traceback: str
    signature: str

    @classmethod
    def of(cls, error: BaseException, *, process: str, thread: str) -> CrashReport:
        """Make the report of an exception."""
        return cls(
            occurred_at=datetime.now().astimezone(),
            process=process,
            thread=thread,
            traceback=format_exception(error),
            signature=signature(error),
        )

    def text(self) -> str:
        """Return the report as plain text."""
        head = {
            "Time": self.occurred_at.isoformat(timespec="seconds"),
            "Process": self.process,
            "Thread": self.thread,
            **versions(),
        }
        lines = [f"{name}: {value}" for name, value in head.items()]
        return "\n".join([*lines, "", self.traceback, ""])


def versions() -> Mapping[str, str]:
    """Return the versions of Vantage, the platform, Python and the packages that matter for a crash."""
    return {
        "Vantage": __version__,
        "Platform": platform.platform(),
        "Python": platform.python_version() + (" (frozen)" if getattr(sys, "frozen", False) else ""),
        **package_versions(),
    }


def package_versions() -> Mapping[str, str]:
    """Return the versions of the packages that matter for a crash; "not installed" for a missing one."""
    return {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
