"""A way to run a verb in this process and read what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from annotator.cli.command_line import run
from annotator.model_api import ModelCatalog
from models.model_catalog import InstalledModels
from tests.quick_workers import quick_workers
from tests.unit.store.making import aircop_file

__all__ = ["ask", "labels", "project", "quick_workers", "verb"]


@dataclass(frozen=True)
class Said:
    """What a verb said, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out)


Verb = Callable[..., Said]


@pytest.fixture
def verb(capfd: pytest.CaptureFixture[str]) -> Verb:
    """Give a function that runs a verb; paths may be given as they are."""
    return _runner(capfd, catalogue=None)


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Verb:
    """Give a function that runs a verb with the models that are installed."""
    return _runner(capfd, catalogue=InstalledModels)


def _runner(capfd: pytest.CaptureFixture[str], *, catalogue: Callable[[], ModelCatalog] | None) -> Verb:
    def do(*arguments: object) -> Said:
        capfd.readouterr()
        status = run([str(argument) for argument in arguments], catalogue=catalogue)
        captured = capfd.readouterr()
        return Said(status, captured.out, captured.err)

    return do


@pytest.fixture
def project(tmp_path: Path, verb: Verb) -> Path:
    """Give the path of an empty project."""
    path = tmp_path / "p.vantage"
    assert verb("new", path).status == 0
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Give an annotation file of four records."""
    return aircop_file(tmp_path, name="23", records=4)
