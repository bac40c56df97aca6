"""A project, and a kind of work that only repeats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.jobs import retry
from annotator.queries.reader import Reader
from tests.quick_workers import quick_workers
from tests.unit.jobs.working import make_project

__all__ = ["project", "quick_workers", "reader"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the path of an empty project whose runs only repeat; what fails is tried again at once."""
    monkeypatch.setattr(retry, "BASE_S", 0.001)
    return make_project(tmp_path / "p.vantage")


@pytest.fixture
def reader(project: Path) -> Iterator[Reader]:
    """Give a reader of the project."""
    opened = Reader.open(project)
    yield opened
    opened.close()
