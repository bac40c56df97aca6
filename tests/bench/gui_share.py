"""Figures of the GUI thread beside background work: its work beside each kind of it over its work alone.

A program of ``tests.bench.probes`` does both in one process, in turns, so that another load on the machine
meets both alike.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.figure import Figure
from tests.bench.ground import Ground
from tests.bench.process import run_python
from tests.bench.screen import OFFSCREEN

KINDS = ("thumbnails", "images", "timeline", "import", "checks", "planning")
NAMES = ("app.gui_share", *(f"app.gui_share_{kind}" for kind in KINDS))
_PROGRAM = ("-m", "tests.bench.probes.gui_share")


def measure_gui_share(ground: Ground) -> Iterator[Figure]:
    """Make widgets beside each kind of background work; the first figure is the least share of all."""
    ground.begin("the window beside background work", rounds=len(KINDS))
    figures = []
    for kind in KINDS:
        figures.append(_figure(kind, ground))
        ground.progress.step()
    least = min(figures, key=lambda figure: figure.value or 0.0)
    kind = least.name.removeprefix("app.gui_share_")
    yield Figure(name=NAMES[0], value=least.value, n=least.n, note=f"the least, beside {kind}")
    yield from figures


def _figure(kind: str, ground: Ground) -> Figure:
    with tempfile.TemporaryDirectory(dir=ground.scratch) as folder:
        environment = {**OFFSCREEN, "VANTAGE_CONFIG": folder, "VANTAGE_HOME": folder}
        ran = run_python((*_PROGRAM, kind, str(ground.some), str(Path(folder))), environment=environment)
    told: dict[str, Any] = json.loads(ran.lines[-1])
    return Figure(
        name=f"app.gui_share_{kind}",
        value=told["share"],
        n=len(told["beside"]),
        baseline="widgets made in a second, alone",
        baseline_value=median(told["alone"]),
        ratio=told["share"],
        note=f"{median(told['beside']):,.0f} widgets beside it; it came to its end {told['ended']} times",
    )
