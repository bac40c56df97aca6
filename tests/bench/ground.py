"""What all measurements share: where they work, and on which projects."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from annotator.progress import Progress
from tests.bench.material import project_of

MANY, SOME, NONE = 1_000_000, 100_000, 0
"""Numbers of items of the projects that are measured on."""
ROUNDS = 7


@dataclass
class Ground:
    """The place where a bench runs.

    Attributes:
        folder: Working folder; projects are kept in it from one bench to the next.
        progress: Told of each round.
    """

    folder: Path
    progress: Progress

    @cached_property
    def many(self) -> Path:
        """The project of 10^6 items."""
        return self._project(MANY)

    @cached_property
    def some(self) -> Path:
        """The project of 10^5 items."""
        return self._project(SOME)

    @cached_property
    def empty(self) -> Path:
        """The project without items."""
        return self._project(NONE)

    @cached_property
    def scratch(self) -> Path:
        """A folder on the same disk for what is written and thrown away."""
        path = self.folder / "scratch"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def clear(self) -> None:
        """Throw the scratch folder away."""
        shutil.rmtree(self.folder / "scratch", ignore_errors=True)

    def begin(self, what: str, *, rounds: int | None = None) -> None:
        """Tell what is measured now."""
        self.progress.begin(f"Measuring {what}", total=rounds)

    def _project(self, count: int) -> Path:
        return project_of(count, folder=self.folder, progress=self.progress)
