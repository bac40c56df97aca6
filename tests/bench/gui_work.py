"""Figures of the window while model work goes on: a minute of editing, with a run and without one.

A program of ``tests.bench.probes`` does the work in a window of its own, and prints what it saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import run_python
from tests.bench.screen import OFFSCREEN, screen

SECONDS = 60
_PROGRAM = ("-m", "tests.bench.probes.runs")


def measure_gui_work(ground: Ground) -> Iterator[Figure]:
    """Edit items for a minute while a worker works through a run, and for another one without."""
    ground.begin("the window beside model work", rounds=2)
    settings = ground.scratch / "settings"
    with screen(ground.scratch) as shown:
        environment = {**(shown or OFFSCREEN), "VANTAGE_CONFIG": str(settings)}
        busy = _told(ground.some, environment=environment)
        ground.progress.step()
        idle = _told(ground.some, "idle", environment=environment)
        ground.progress.step()
    where = "a real window on X11" if shown else "offscreen, there is no Xvfb"
    gaps, quiet = np.array(busy["gaps_ms"]), np.array(idle["gaps_ms"])
    note = (
        f"{where}; {busy['answered'] / SECONDS:,.0f} answers/s meanwhile, {busy['turns']} edits undone again"
    )
    yield _figure("jobs.gui_worst_ms", float(gaps.max()), float(quiet.max()), count=len(gaps), note=note)
    yield _figure(
        "jobs.gui_p99_ms",
        float(np.percentile(gaps, 99)),
        float(np.percentile(quiet, 99)),
        count=len(gaps),
        note=note,
    )


def _figure(name: str, value: float, idle: float, *, count: int, note: str) -> Figure:
    return Figure(
        name=name,
        value=value,
        n=count,
        baseline="the same minute without a run",
        baseline_value=idle,
        ratio=value / idle,
        note=note,
    )


def _told(project: Path, *more: str, environment: Mapping[str, str]) -> dict[str, Any]:
    ran = run_python((*_PROGRAM, str(project), str(SECONDS), *more), environment=environment)
    found: dict[str, Any] = json.loads(ran.lines[-1])
    return found
