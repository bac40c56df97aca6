"""Figures of the window: from the start of the process to the first painted picture of it, and its memory.

The bench starts ``main.py --time-start PROJECT``, which prints a line when the window was painted and
ends. The clock is the bench's own: it runs from before the process exists to the arrival of the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory

from annotator.errors import EnvironmentFailure
from tests.bench.clock import median
from tests.bench.figure import Figure
from tests.bench.ground import ROUNDS, Ground
from tests.bench.process import Ran, run_python
from tests.bench.screen import OFFSCREEN, screen

_BARE_WINDOW = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
class Window(QWidget):
    def paintEvent(self, event):
        print("painted", flush=True)
        QTimer.singleShot(0, app.quit)
app = QApplication([])
window = Window()
window.resize(1280, 800)
window.show()
app.exec()
"""


def measure_window(ground: Ground) -> Iterator[Figure]:
    """Start the window on an empty and on a large project in turn, with a bare Qt window as the baseline."""
    with screen(ground.scratch) as shown:
        runs = _rounds(ground, shown or OFFSCREEN, what="start")
        start, bare = median(runs["large"]), median(runs["bare"])
        where = "a real window on X11" if shown else "offscreen, there is no Xvfb"
        yield Figure(
            name="app.start_s", value=start, n=ROUNDS, baseline="a bare Qt window", baseline_value=bare,
            ratio=start / bare, note=f"{where}, 100,000 items",
        )  # fmt: skip
        empty = median(runs["empty"])
        yield Figure(
            name="app.start_ratio", value=start / empty, n=ROUNDS, baseline="an empty project, s",
            baseline_value=empty, ratio=start / empty,
        )  # fmt: skip
        memory, plain = max(runs["large MB"]), max(runs["bare MB"])
        yield Figure(
            name="app.rss_mb",
            value=memory or None,
            n=ROUNDS,
            baseline="a bare Qt window",
            baseline_value=plain or None,
            ratio=memory / plain if plain else None,
            note="" if memory else "this system does not tell",
        )
        first = median(_first_starts(ground, shown or OFFSCREEN))
        yield Figure(name="app.first_start_s", value=first, n=ROUNDS, note=where)
        if shown:
            offscreen = median(_rounds(ground, OFFSCREEN, what="start without a screen")["large"])
            yield Figure(name="app.start_offscreen_s", value=offscreen, n=ROUNDS)


def _rounds(ground: Ground, environment: Mapping[str, str], *, what: str) -> dict[str, list[float]]:
    """Return seconds to the first painted picture, and peak memory, per kind of start."""
    main = ("main.py", "--time-start")
    starts = {
        "large": (*main, str(ground.some)),
        "empty": (*main, str(ground.empty)),
        "bare": ("-c", _BARE_WINDOW),
    }
    ground.begin(what, rounds=ROUNDS)
    runs: dict[str, list[float]] = {f"{name}{unit}": [] for name in starts for unit in ("", " MB")}
    for number in range(-1, ROUNDS):
        for name, arguments in starts.items():
            ran = run_python(arguments, environment=environment)
            if number >= 0:
                runs[name].append(_painted_s(ran))
                runs[f"{name} MB"].append(ran.peak_mb)
        ground.progress.step()
    return runs


def _first_starts(ground: Ground, environment: Mapping[str, str]) -> list[float]:
    """Return seconds to the first painted picture where no demo was ever made; its making is cut short."""
    ground.begin("first start", rounds=ROUNDS)
    seconds = []
    for number in range(-1, ROUNDS):
        with TemporaryDirectory(dir=ground.scratch) as home:
            ran = run_python(
                ("main.py", "--demo", "--time-start"), environment={**environment, "VANTAGE_HOME": home}
            )
        if number >= 0:
            seconds.append(_painted_s(ran))
        ground.progress.step()
    return seconds


def _painted_s(ran: Ran) -> float:
    if not ran.at_s:
        raise EnvironmentFailure("The window did not tell when it was painted.")
    return ran.at_s[0]
