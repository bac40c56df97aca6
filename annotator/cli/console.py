"""Output of commands: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import timedelta
from io import TextIOWrapper
from typing import Any, TypeVar

import msgspec
from rich.console import Console as RichConsole
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from annotator.progress import Progress, ProgressUpdate

LINE_EVERY_S = 2.0
"""Without a terminal, progress is printed as lines, at most one per this time and phase."""
WIDE = 500
"""Columns of a table that is written to a file or pipe; rich would wrap it at 80."""
CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"
}
T = TypeVar("T")


class Console:
    """The output of one command.

    Args:
        as_json: Print one JSON object on standard output and nothing else there.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        _set_encoding(as_json=as_json)
        # A file or pipe has no width: lines are not wrapped there, so that they can be searched.
        width = None if sys.stdout.isatty() else WIDE
        self._out = RichConsole(
            file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True, width=width
        )
        self._error = RichConsole(file=sys.stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def result(self, value: Any, *, print_text: Callable[[], None]) -> None:  # noqa: ANN401 - any JSON value
        """Print the result of a command: as JSON if requested, otherwise by calling ``print_text``."""
        if self.as_json:
            sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
        else:
            print_text()

    def print(self, text: str) -> None:
        """Print a line of the result."""
        self._out.print(plain(text))

    def warn(self, text: str) -> None:
        """Print a warning or error on standard error."""
        self._error.print(plain(text))

    def table(self, title: str, *, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under their heads; columns of numbers are set flush right."""
        table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for index, name in enumerate(head):
            is_number = bool(rows) and all(_is_number(row[index]) for row in rows)
            table.add_column(plain(name), justify="right" if is_number else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(plain, row))
        self._out.print(table)
        self._out.print()

    def table_if_any(self, title: str, *, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows as ``table`` does, and nothing where there are none."""
        if rows:
            self.table(title, head=head, rows=rows)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show long work: a bar on a terminal, lines elsewhere."""
        if self._error.is_terminal:
            with _ProgressBar(self._error) as bar:
                yield Progress(bar.show)
        else:
            yield Progress(_ProgressLines(self._error).show)

    @staticmethod
    def wait(future: Future[T], *, progress: Progress) -> T:
        """Wait for work on another thread; Ctrl+C cancels it and waits for the roll-back.

        Raises:
            Cancelled: Ctrl+C was pressed; nothing of the work stays.
        """
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                progress.cancel()


def plain(text: str) -> str:
    """Return text without terminal control characters: untrusted data must not move the cursor."""
    return text.translate(CONTROLS)


def _set_encoding(*, as_json: bool) -> None:
    """Print in any locale: JSON is UTF-8, and text shows characters outside the locale as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if as_json else None, errors="backslashreplace")


class _ProgressBar:
    """A bar per phase of the work."""

    def __init__(self, console: RichConsole) -> None:
        # The remaining time is the work's estimate, not the bar's: a run computes it model by model.
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[rate]}"))
        self._bars = RichProgress(*columns, console=console, transient=True)
        self._phases: dict[str, TaskID] = {}

    def __enter__(self) -> _ProgressBar:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def show(self, step: ProgressUpdate) -> None:
        """Draw the state of a phase."""
        phase = str(step.what)
        if phase not in self._phases:
            self._phases[phase] = self._bars.add_task(plain(phase), total=step.total, rate="")
        rate = rate_text(step) + time_left_text(step)
        self._bars.update(self._phases[phase], completed=step.done, rate=rate)


class _ProgressLines:
    """A line when a phase begins, and further lines at intervals."""

    def __init__(self, console: RichConsole) -> None:
        self._console = console
        self._what, self._printed_at = "", 0.0

    def show(self, step: ProgressUpdate) -> None:
        """Print the state of a phase where it is time to."""
        now = time.monotonic()
        phase = str(step.what)
        if phase != self._what or now - self._printed_at >= LINE_EVERY_S:
            self._what, self._printed_at = phase, now
            rate = f"{phase}: {rate_text(step)}{time_left_text(step)}" if step.done else phase
            self._console.print(plain(rate))


def rate_text(step: ProgressUpdate) -> str:
    """Return "1,200 of 1,827 (3,400/s)"."""
    total = f" of {step.total:,}" if step.total else ""
    return f"{step.done:,}{total} ({step.rate:,.0f}/s)"


def time_left_text(step: ProgressUpdate) -> str:
    """Return ", 0:01:20 left", or "" if unknown or if nothing is left."""
    if step.left_s is None or step.done == step.total:
        return ""
    return f", {timedelta(seconds=round(step.left_s))} left"


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "").replace("%", "").replace("-", "").strip().isdigit()
