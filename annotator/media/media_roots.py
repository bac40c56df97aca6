"""Media roots: the project's own folder of media, and further folders of this machine by name."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath

import msgspec

from annotator.database_files import is_database_file
from annotator.domain.record import ValueObject, new_id
from annotator.errors import EnvironmentFailure, UserError

MARK = "@"
"""First character of a path in a further root: ``@disk/a/b.jpg``."""
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_SPOILT = re.compile(r"[^\w.-]+")


class _RootsFile(ValueObject, frozen=True, kw_only=True):
    """What the file beside the project holds: folders by name."""

    roots: dict[str, str] = {}  # noqa: RUF012 - msgspec copies an empty default for each record


def own_folder(project: Path, media_root: str) -> Path:
    """Return a project's own folder of media; it need not exist.

    Args:
        project: The project file.
        media_root: The folder as the project names it, relative to the folder of the project file.

    Raises:
        UserError: The folder lies elsewhere. Vantage never writes such a name; the file was forged.
    """
    # As Windows reads it, on every system: it knows both kinds of slashes, drives and shares.
    named = PureWindowsPath(media_root)
    if named.anchor or ".." in named.parts or "\0" in media_root:
        raise UserError(
            f"The project names a media folder outside of its own folder: {media_root!r}.",
            hint="Vantage does not write such a name. Do not use this file unless you trust its source.",
        )
    return project.parent / media_root


class MediaRoots:
    """The media folders of one project on this machine. Thread-safe.

    A medium's path is ``a/b.jpg`` relative to the project's own folder, or ``@name/a/b.jpg`` in a further
    one. The further folders are stored in a file next to the project instead of the log, because they are
    different on each machine.

    Args:
        own: The project's own folder; it need not exist.
        file: File of the further folders, None to keep them in memory only.
    """

    def __init__(self, own: Path, *, file: Path | None = None) -> None:
        self.own = own
        self._file = file
        self._lock = threading.Lock()
        # Never equal to a time of a file, so that the first look reads.
        self._read_at = -1
        self._further: dict[str, Path] = {}

    @classmethod
    def of_project(cls, project: Path, *, own: Path) -> MediaRoots:
        """Return the roots of a project file.

        Args:
            project: Path of the project file.
            own: Its own folder of media.
        """
        return cls(own, file=project.with_name(f"{project.stem}.roots.json"))

    @property
    def further(self) -> Mapping[str, Path]:
        """The further folders by name, sorted; UserError where the file that keeps them is damaged."""
        with self._lock:
            return dict(self._current())

    def folders(self) -> dict[str, Path]:
        """Return all folders by the prefix of their media's paths: "" for the own one, then ``@name/``."""
        return {"": self.own} | {f"{MARK}{name}/": folder for name, folder in self.further.items()}

    def file_of(self, path: str) -> Path | None:
        """Return where a medium's path leads; None where it is empty, leads out of its root, or has no root.

        None as well where it leads to a project's database, which no reader of media may open.

        The file need not exist. Links are followed only as long as they stay inside the root.
        """
        if not path or "\0" in path:
            return None
        root, inner = self._root_of(path)
        if root is None or not inner:
            return None
        real_root = os.path.realpath(root)
        # Real paths on both sides: a link inside the root may lead out of it.
        found = Path(os.path.realpath(Path(real_root, inner)))
        is_inside = str(found).startswith(real_root.rstrip(os.sep) + os.sep)
        return found if is_inside and not is_database_file(found) else None

    def require_file(self, path: str, *, name: str) -> Path:
        """Return the existing file of a medium.

        Args:
            path: Path of the medium.
            name: Its name, for the message.

        Raises:
            UserError: The file is not there.
        """
        file = self.file_of(path)
        if file is None or not file.exists():
            raise UserError(
                f"The file of {name} is missing.", hint="Connect its disk, or locate the file again."
            )
        return file

    def prefix_of(self, folder: Path) -> str | None:
        """Return what stands before the files' names in paths of a folder's media; None where it has no root.

        For ``join``: "" for the own root, ``@disk/`` or ``@disk/a/`` below a further one.
        """
        real = Path(os.path.realpath(folder))
        # The innermost root tells most: a further root may lie inside of another one.
        inside = [
            (
                len(str(root)),
                self.join(prefix, f"{real.relative_to(root).as_posix()}/") if real != root else prefix,
            )
            for prefix, known in self.folders().items()
            if real.is_relative_to(root := Path(os.path.realpath(known)))
        ]
        return max(inside)[1] if inside else None

    @staticmethod
    def join(prefix: str, inner: str) -> str:
        """Return the path of a file behind a prefix of ``folders`` or ``prefix_of``.

        A folder of the own root that is called ``@x`` is written ``./@x``.
        """
        return f"./{inner}" if not prefix and inner.startswith(MARK) else f"{prefix}{inner}"

    def add(self, folder: Path, *, name: str = "") -> str:
        """Add a further folder and return its name; a folder that was added before keeps its name.

        Args:
            folder: The folder.
            name: Its name, "" for that of the folder.

        Raises:
            UserError: The folder does not exist, or the name is invalid or in use.
            EnvironmentFailure: The file of the further folders cannot be written.
        """
        real = Path(os.path.realpath(folder))
        if not real.is_dir():
            raise UserError(f"The folder {folder} does not exist.")
        with self._lock:
            further = dict(self._current())
            known = next((n for n, f in further.items() if Path(os.path.realpath(f)) == real), None)
            if known is not None and not name:
                return known
            chosen = _checked(name, taken=further) if name else _free_name(real, taken=further)
            self._write({**further, chosen: real})
        return chosen

    def remove(self, name: str) -> None:
        """Forget a further folder; its files and what the project knows of them stay.

        Raises:
            UserError: There is none of that name.
            EnvironmentFailure: The file that keeps the names cannot be written.
        """
        with self._lock:
            further = dict(self._current())
            del further[_present(name, further)]
            self._write(further)

    def move(self, name: str, *, folder: Path) -> None:
        """Change the folder of a further root, for instance after a disk got another drive letter.

        Raises:
            UserError: The name is unknown, or the folder does not exist.
            EnvironmentFailure: The file of the further folders cannot be written.
        """
        real = Path(os.path.realpath(folder))
        if not real.is_dir():
            raise UserError(f"The folder {folder} does not exist.")
        with self._lock:
            further = dict(self._current())
            self._write({**further, _present(name, further): real})

    def rename(self, name: str, *, to: str) -> None:
        """Rename a further root. Its media have to be located again, which finds them by content.

        Raises:
            UserError: The name is unknown, or the new one is invalid or in use.
            EnvironmentFailure: The file of the further folders cannot be written.
        """
        with self._lock:
            further = dict(self._current())
            folder = further.pop(_present(name, further))
            self._write({**further, _checked(to, taken=further): folder})

    def _root_of(self, path: str) -> tuple[Path | None, str]:
        if not path.startswith(MARK):
            return self.own, path
        name, _, inner = path[len(MARK) :].partition("/")
        with self._lock:
            return self._current().get(name), inner

    def _current(self) -> dict[str, Path]:
        """Return the further folders; the file is read again where another window or verb wrote it."""
        if self._file is None:
            return self._further
        try:
            written_at = self._file.stat().st_mtime_ns
        except FileNotFoundError:
            self._further, self._read_at = {}, -1
            return self._further
        # By the time of writing, not by a lock: verbs and windows are programs of their own.
        if written_at != self._read_at:
            self._further, self._read_at = _read(self._file), written_at
        return self._further

    def _write(self, further: Mapping[str, Path]) -> None:
        self._further = {name: further[name] for name in sorted(further)}
        if self._file is None:
            return
        record = _RootsFile(roots={name: str(folder) for name, folder in self._further.items()})
        # Written beside and moved, so that nobody finds half a file.
        partial = self._file.with_name(f"{self._file.name}.{new_id()}")
        try:
            partial.write_bytes(msgspec.json.format(msgspec.json.encode(record)))
            partial.replace(self._file)
            self._read_at = self._file.stat().st_mtime_ns
        except OSError as error:
            partial.unlink(missing_ok=True)
            self._read_at = -1
            raise EnvironmentFailure(f"{self._file} cannot be written: {error.strerror}.") from error


def _read(file: Path) -> dict[str, Path]:
    try:
        record = msgspec.json.decode(file.read_bytes(), type=_RootsFile)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{file} is not a valid list of media folders: {error}.",
            hint="Restore the file from a backup, or delete it and add the folders again.",
        ) from error
    return {name: Path(folder) for name, folder in sorted(record.roots.items())}


def _present(name: str, further: Mapping[str, Path]) -> str:
    if name not in further:
        known = ", ".join(further) or "none yet"
        raise UserError(f"Unknown media root '{name}'.", hint=f"Available: {known}.")
    return name


def _checked(name: str, *, taken: Mapping[str, Path]) -> str:
    if not _NAME.fullmatch(name):
        raise UserError(
            f"'{name}' is not a valid name of a media root.",
            hint="Use at most 64 letters, digits, dots and dashes.",
        )
    if name in taken:
        raise UserError(f"The media root '{name}' already exists.", hint="Use another name.")
    return name


def _free_name(folder: Path, *, taken: Mapping[str, Path]) -> str:
    base = _SPOILT.sub("-", folder.name).strip("-_.")[:50] or "media"
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(name for name in numbered if name not in taken)
