"""Media roots: the project's own folder of media, and further folders of this machine by name.

A project file, and what lies beside it, is data from anybody. Folders outside of the project are read and
written only after a person has chosen or confirmed them.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from annotator.database_files import is_database_file
from annotator.domain.project import is_inner_folder
from annotator.errors import EnvironmentFailure, UserError
from annotator.media.confirmed_folders import NAME, ConfirmedFolders, is_within, read_offered

MARK = "@"
"""First character of a path in a further root: ``@disk/a/b.jpg``."""
_SPOILT = re.compile(r"[^\w.-]+")
OWN = ""
"""Name of the project's own folder among the offers."""


def own_folder(project: Path, media_root: str) -> Path:
    """Return a project's own folder of media; it need not exist.

    Args:
        project: The project file.
        media_root: The folder as the project names it, relative to the folder of the project file; "" for
            the usual one.

    Raises:
        UserError: The folder lies elsewhere, or is the folder of the project file. Vantage never
            writes such a name; the file was forged.
    """
    if not media_root:
        return usual_folder(project)
    if not is_inner_folder(media_root):
        raise UserError(
            f"The project names a media folder outside of its own folder: {media_root!r}.",
            hint="Vantage does not write such a name. Do not use this file unless you trust its source.",
        )
    return project.parent / media_root


def usual_folder(project: Path) -> Path:
    """Return the folder of media that a new project names: the only one that is used without a question."""
    return project.with_name(f"{project.stem}.media")


class LostFolderError(EnvironmentFailure):
    """A media folder is gone: its disk was removed, or the folder was moved."""


class MediaRoots:
    """The media folders of one project on this machine. Thread-safe.

    A medium's path is ``a/b.jpg`` relative to the project's own folder, or ``@name/a/b.jpg`` in a further
    one. The further folders are stored in the settings of the person instead of the log: they are different
    on each machine, and a project from elsewhere must not choose what is read here.

    Args:
        own: The project's own folder; it need not exist.
        usual: The only own folder that need not be confirmed; None to trust any.
        confirmed: The person's choices, None to keep them in memory only.
        offered: File with folders that somebody else used, None for none.
    """

    def __init__(
        self,
        own: Path,
        *,
        usual: Path | None = None,
        confirmed: ConfirmedFolders | None = None,
        offered: Path | None = None,
    ) -> None:
        self.own = own
        self._usual = usual
        self._confirmed = confirmed or ConfirmedFolders(None)
        self._offered = offered
        self._lock = threading.Lock()

    @classmethod
    def of_project(cls, project: Path, *, own: Path, project_id: str, settings: Path) -> MediaRoots:
        """Return the roots of a project file.

        Args:
            project: Path of the project file.
            own: Its own folder of media.
            project_id: Id of the project.
            settings: Folder of the person's settings.
        """
        return cls(
            own,
            usual=usual_folder(project),
            confirmed=ConfirmedFolders.of_project(project_id, project=project, settings=settings),
            offered=project.with_name(f"{project.stem}.roots.json"),
        )

    @property
    def further(self) -> Mapping[str, Path]:
        """The further folders by name, sorted; UserError where the file that keeps them is damaged."""
        with self._lock:
            return self._further()

    def folders(self) -> dict[str, Path]:
        """Return all folders by the prefix of their media's paths: "" for the own one, then ``@name/``."""
        own = {"": self.own} if self._is_own_usable() else {}
        return own | {f"{MARK}{name}/": folder for name, folder in self.further.items()}

    def offers(self) -> dict[str, Path]:
        """Return the folders outside of the project that it names and nobody has confirmed or declined here.

        By name; ``OWN`` is the project's own folder where it is not the usual one, or a link. Folders that
        were confirmed for the same project at another path are offered too. The folders are not looked at:
        on Windows, a look at a server's folder sends it the person's credentials.

        Raises:
            UserError: The list beside the project is damaged, or the file of the confirmed folders is.
        """
        own = {} if self._is_own_usable() else {OWN: Path(os.path.realpath(self.own))}
        offered = own | read_offered(self._offered)
        with self._lock:
            kept = self._confirmed.read()
            offered |= self._confirmed.of_other_paths()
        return {
            name: folder
            for name, folder in offered.items()
            if name not in kept.roots and kept.declined.get(name) != str(folder)
        }

    def allow(self, offers: Mapping[str, Path]) -> None:
        """Confirm offered folders: the project may use them on this machine from now on.

        Args:
            offers: What was shown to the person, as ``offers`` returned it.

        Raises:
            EnvironmentFailure: The file of the confirmed folders cannot be written.
        """
        chosen = {name: str(folder) for name, folder in offers.items() if name != OWN}
        with self._lock:
            kept = self._confirmed.read()
            own = str(offers[OWN]) if OWN in offers else kept.own
            self._confirmed.write(msgspec.structs.replace(kept, roots={**chosen, **kept.roots}, own=own))

    def decline(self, offers: Mapping[str, Path]) -> None:
        """Note that offered folders are not used, so that nobody is asked again.

        Raises:
            EnvironmentFailure: The file of the confirmed folders cannot be written.
        """
        refused = {name: str(folder) for name, folder in offers.items()}
        with self._lock:
            kept = self._confirmed.read()
            self._confirmed.write(msgspec.structs.replace(kept, declined={**kept.declined, **refused}))

    def declined(self) -> dict[str, Path]:
        """Return the folders that were offered and are not used, by name."""
        with self._lock:
            kept = self._confirmed.read()
        is_used = kept.roots.keys() | ({OWN} if self._is_own_usable() else set())
        return {name: Path(folder) for name, folder in kept.declined.items() if name not in is_used}

    def in_memory(self) -> MediaRoots:
        """Return roots with the same own folder and no further ones, to try a folder out."""
        return MediaRoots(self.own, usual=None if self._is_own_usable() else self._usual)

    def folder_to_write(self, inner: str = "") -> Path:
        """Return the project's own folder, or one below it, for files that Vantage writes; it need not exist.

        Args:
            inner: The folder below, "/" between parts.

        Raises:
            UserError: It is not the usual one, or a link that leads out, and is not confirmed.
        """
        target = self.own / inner
        if self._usual not in {None, self.own} and not self._is_own_usable():
            raise UserError(
                f"The project names the media folder {self.own}, which you have not confirmed.",
                hint="If the folder belongs to the project, confirm it with: media PROJECT roots --allow",
            )
        if not self._is_own_usable() or not is_within(target, self.own):
            raise UserError(
                f"The media folder {target} is a link that leads to {os.path.realpath(target)}.",
                hint="If the link is your own, confirm it with: media PROJECT roots --allow",
            )
        return target

    def file_of(self, path: str) -> Path | None:
        """Return where a medium's path leads; None where it is empty, leads out of its root, or has no root.

        None as well where it leads to a project's database, which no reader of media may open, and where it
        is longer than a path can be.

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
        try:
            return found if is_inside and not is_database_file(found) else None
        except OSError:
            # No file has a name of this length; a folder that cannot be read hides its files, too.
            return None

    def require_root(self, path: str) -> None:
        """Require that the folder is there in which a medium's file lies, whether or not the file is.

        Raises:
            LostFolderError: The folder is gone, and with it all of its files.
        """
        root, inner = self._root_of(path)
        if root is not None and inner and not root.is_dir():
            raise LostFolderError(
                f"The media folder {root} is missing.",
                hint="Connect its disk, or set its place with: media PROJECT roots",
            )

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
            further = self._further()
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
            further = self._further()
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
            further = self._further()
            self._write({**further, _present(name, further): real})

    def rename(self, name: str, *, to: str) -> None:
        """Rename a further root. Its media have to be located again, which finds them by content.

        Raises:
            UserError: The name is unknown, or the new one is invalid or in use.
            EnvironmentFailure: The file of the further folders cannot be written.
        """
        with self._lock:
            further = self._further()
            folder = further.pop(_present(name, further))
            self._write({**further, _checked(to, taken=further): folder})

    def _root_of(self, path: str) -> tuple[Path | None, str]:
        if not path.startswith(MARK):
            return self.own if self._is_own_usable() else None, path
        name, _, inner = path[len(MARK) :].partition("/")
        with self._lock:
            folder = self._confirmed.read().roots.get(name)
        return Path(folder) if folder is not None else None, inner

    def _is_own_usable(self) -> bool:
        """Return whether the own folder is the usual one and no link, or is confirmed."""
        real = os.path.realpath(self.own)
        # Only the parent is resolved: a usual folder that is a link leads to a place that others chose.
        if self._usual is None or Path(real) == Path(os.path.realpath(self._usual.parent), self._usual.name):
            return True
        with self._lock:
            return self._confirmed.read().own == real

    def _further(self) -> dict[str, Path]:
        return {name: Path(folder) for name, folder in sorted(self._confirmed.read().roots.items())}

    def _write(self, further: Mapping[str, Path]) -> None:
        roots = {name: str(further[name]) for name in sorted(further)}
        self._confirmed.write(msgspec.structs.replace(self._confirmed.read(), roots=roots))


def _present(name: str, further: Mapping[str, Path]) -> str:
    if name not in further:
        known = ", ".join(further) or "none yet"
        raise UserError(f"Unknown media root '{name}'.", hint=f"Available: {known}.")
    return name


def _checked(name: str, *, taken: Mapping[str, Path]) -> str:
    if not NAME.fullmatch(name):
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
