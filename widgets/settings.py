"""Settings of the user interface; they contain no project content."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from PySide6.QtCore import QByteArray, QSettings

RECENT_PROJECTS = 8
FORMER_NAMES = {
    "keys/stage.show_ghosts": "keys/stage.show_reprojected",
    "release/form": "release/export_format",
    "stage/show/ghosts": "stage/show/reprojected",
}
"""Names of values in the settings of earlier versions, and those of today."""
FORMER_GROUPS = {"keys/film.": "keys/video."}
"""Beginnings of such names."""


def settings_file() -> Path:
    """Return the path of the settings file."""
    folder = os.environ.get("VANTAGE_CONFIG") or platformdirs.user_config_dir("vantage", appauthor=False)
    return Path(folder) / "window.ini"


class Settings:
    """Typed values in one INI file; an unreadable value counts as not set."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the settings.

        Args:
            path: The INI file, by default the one of the current user.
        """
        # An explicit path: QSettings resolves the default folders once per process, also in tests.
        self._file = QSettings(str(path or settings_file()), QSettings.Format.IniFormat)
        self._rename_former()

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        value = self._file.value(name, default)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: int) -> int:
        """Return a whole number."""
        # An INI file stores all values as text.
        value = self.text(name, str(default))
        return int(value) if value.lstrip("-").isdigit() else default

    def switch(self, name: str, default: bool) -> bool:
        """Return whether something is on."""
        return self.number(name, int(default)) == 1

    def sizes(self, name: str) -> list[int]:
        """Return widths in pixels, an empty list if none are stored."""
        parts = self.text(name).split()
        return [int(part) for part in parts] if all(part.isdigit() for part in parts) else []

    def data(self, name: str) -> QByteArray:
        """Return bytes that were written by Qt, such as a window's geometry."""
        return QByteArray.fromBase64(self.text(name).encode("ascii", "replace"))

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        return [part for part in self.text(name).split("\n") if part]

    def keep(self, name: str, value: str | int | bool | list[int] | list[str] | QByteArray) -> None:
        """Store a value of one of the types above."""
        self._file.setValue(name, _as_text(value))

    def forget(self, name: str) -> None:
        """Remove the value of a name and all names below it."""
        self._file.remove(name)

    def names(self, group: str) -> list[str]:
        """Return the names stored below a group, without the group."""
        self._file.beginGroup(group)
        found = self._file.allKeys()
        self._file.endGroup()
        return found

    def note_project(self, path: Path) -> None:
        """Add a project as the newest of the recent ones."""
        others = [known for known in self.texts("projects/recent") if known != str(path)]
        self.keep("projects/recent", [str(path), *others][:RECENT_PROJECTS])

    def recent_projects(self) -> list[Path]:
        """Return the recent projects that still exist, newest first."""
        return [path for path in map(Path, self.texts("projects/recent")) if path.is_file()]

    def sync(self) -> None:
        """Write the settings to the disk."""
        self._file.sync()

    def _rename_former(self) -> None:
        former = dict(FORMER_NAMES)
        for old, new in FORMER_GROUPS.items():
            names = (name for name in self._file.allKeys() if name.startswith(old))
            former |= {name: new + name.removeprefix(old) for name in names}
        for old, new in former.items():
            if self._file.contains(old):
                if not self._file.contains(new):
                    self._file.setValue(new, self._file.value(old))
                self._file.remove(old)


def _as_text(value: str | int | bool | list[int] | list[str] | QByteArray) -> str:
    if isinstance(value, QByteArray):
        return bytes(value.toBase64().data()).decode("ascii")
    if isinstance(value, list):
        numbers = all(isinstance(part, int) for part in value)
        return (" " if numbers else "\n").join(str(part) for part in value)
    return str(int(value)) if isinstance(value, bool) else str(value)
