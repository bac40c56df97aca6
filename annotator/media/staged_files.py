"""Files of a command that is not entered yet: temporary names, which become final ones at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.media.file_names import file_name, next_name


class StagedFiles:
    """Files in one folder that have no final name yet.

    Args:
        folder: The folder; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._names: dict[Path, Path | None] = {}

    def new(self, suffix: str) -> Path:
        """Return a path with a temporary name in the folder, for the caller to write."""
        path = self.folder / f".{new_id()}{suffix}"
        self._names[path] = None
        return path

    def name(self, path: Path, *, stem: str) -> Path:
        """Choose the final path of a file: a name that neither a file nor another staged one has.

        Args:
            path: Its temporary path.
            stem: The wanted name without suffix; a number is appended if it is taken.
        """
        self._names[path] = None
        final = self.folder / f"{file_name(stem) or 'file'}{path.suffix}"
        while final in self._names.values() or final.exists():
            final = next_name(final)
        self._names[path] = final
        return final

    def publish(self) -> None:
        """Give each named file its final name, or none of them.

        Raises:
            EnvironmentFailure: The disk refused.
        """
        published: list[Path] = []
        for path, final in self._names.items():
            if final is None:
                continue
            try:
                # On Linux this replaces a file of that name without an error: ``name`` has chosen a free one.
                path.rename(final)
            except OSError as error:
                _remove(published)
                raise EnvironmentFailure(f"{final} cannot be written: {error.strerror}.") from error
            published.append(final)
        _remove(path for path, final in self._names.items() if final is None)
        self._names.clear()

    def discard(self) -> None:
        """Delete the files that have no final name."""
        _remove(self._names)
        self._names.clear()


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
