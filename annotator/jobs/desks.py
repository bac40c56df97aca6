"""What threads of a worker know of the project: a reader each, and the profiles of each run."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from annotator.domain.profile import Profile
from annotator.errors import UserError
from annotator.jobs.kind import Desk
from annotator.media.roots import MediaRoots
from annotator.store.reader import Reader


class Desks:
    """Gives the calling thread the desk of a run.

    Args:
        path: The project file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()

    def reader(self) -> Reader:
        """Return the calling thread's reader."""
        if not hasattr(self._own, "reader"):
            self._own.reader = Reader.open(self.path)
            self._own.desks = {}
        reader: Reader = self._own.reader
        return reader

    def of(self, run_id: str) -> Desk:
        """Return the desk of a run.

        Raises:
            UserError: There is no such run.
        """
        reader = self.reader()
        desks: dict[str, Desk] = self._own.desks
        if run_id not in desks:
            run = reader.run(run_id)
            if run is None:
                raise UserError("There is no such run.", hint="List them with: runs")
            profiles = {name: msgspec.convert(value, Profile) for name, value in run.profiles.items()}
            own = self.path.parent / reader.project.media_root
            roots = MediaRoots.of_project(self.path, own=own)
            desks[run_id] = Desk(reader=reader, roots=roots, profiles=profiles)
        return desks[run_id]

    def leave(self) -> None:
        """Close the calling thread's reader."""
        if hasattr(self._own, "reader"):
            self._own.reader.close()
            del self._own.reader
