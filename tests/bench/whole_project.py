"""Figures of what reads or changes a whole project of 10^6 items: verify, backup, stats, undo of import."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from annotator.errors import EnvironmentFailure
from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import PROBE, run_python

WORKS = ("verify", "backup", "stats", "undo")
"""What is done, each in a process of its own; the last one changes the project."""
TIMEOUT_S = 3600


def measure_whole_project(ground: Ground) -> Iterator[Figure]:
    """Do each on a copy of the project, in a process of its own."""
    ground.begin("a whole project", rounds=len(WORKS))
    project = ground.scratch / "whole.vantage"
    shutil.copyfile(ground.many, project)
    for work in WORKS:
        yield from figures_of(work, project)
        ground.progress.step()


def figures_of(work: str, project: Path) -> Iterator[Figure]:
    """Yield time and memory of one of ``WORKS`` on a project, in a process of its own.

    Raises:
        EnvironmentFailure: It failed, or found fault with the project.
    """
    ran = run_python([*PROBE, work, str(project)], timeout_s=TIMEOUT_S)
    if len(ran.lines) != 1:
        raise EnvironmentFailure(f"The probe said: {' '.join(ran.lines)}")
    seconds, worked = map(float, ran.lines[0].split())
    note = f"{worked:.1f} s of processor time, of all threads and child processes"
    yield Figure(name=f"whole.{work}_s", value=seconds, n=1, note=note)
    yield Figure(name=f"whole.{work}_mb", value=ran.peak_mb or None, n=1)
