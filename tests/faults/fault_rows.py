"""How often a kind of fault was tried and what was found: rows of ``build/faults.json``.

`docs/make_reliability.py` writes them into `docs/reliability.md`. ``make faults`` runs the short form of each
test; ``VANTAGE_FAULTS=full`` the one of the record, each row of which ends after ``VANTAGE_FAULTS_MINUTES``
where that is set, and says that it was stopped.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")
FORM = os.environ.get("VANTAGE_FAULTS", "short")
FULL_LIMIT_S = 60 * float(os.environ.get("VANTAGE_FAULTS_MINUTES", "inf"))
TRIAL_LIMIT_S = 600.0
RESULTS = Path(__file__).resolve().parents[2] / "build" / "faults.json"
SHORT_LIMIT_S = 40.0
"""After so long a row of the short form ends with what was tried by then, unless it says otherwise: all
together take 15 minutes at most."""

FORM_LIMIT_S = 15 * 60.0
"""How long the short form may take."""
LAST_TRIAL_S = 6.0
"""Allowed for the trial in which the time of a row ends, and for what follows the trials."""
OTHER_TEST_S = 15.0
"""Allowed on average for a case that tries a fault a few times, whatever the time."""
_BEGAN: dict[str, float] = {}


def begin_test() -> None:
    """Count the time of a row from now on: what a test sets up is part of it."""
    _BEGAN["test"] = time.monotonic()


@dataclass(frozen=True)
class Trials:
    """How often a fault is tried.

    Attributes:
        form: ``quick`` in the ordinary tests; ``short`` or ``full`` in slow ones.
        count: Times, at most.
        limit_s: So long after the beginning of its test the short form ends with what was tried by then, s.
    """

    form: str
    count: int
    limit_s: float = SHORT_LIMIT_S

    def __str__(self) -> str:
        return f"{self.form}-{self.count}"

    def __iter__(self) -> Iterator[int]:
        """Count the trials until the time of a row is over."""
        return self.in_time(range(self.count))

    def in_time(self, each: Iterable[T]) -> Iterator[T]:
        """Return one after the other, at least one, until the time of a row, with its set-up, is over."""
        began = _BEGAN.get("test", time.monotonic())
        limit_s = {"short": self.limit_s, "full": FULL_LIMIT_S}.get(self.form, math.inf)
        for number, one in enumerate(each):
            if self.form == "full":
                # A test may take ten minutes; in the full form each of its trials may.
                faulthandler.dump_traceback_later(TRIAL_LIMIT_S, exit=True)
            if number and time.monotonic() - began > limit_s:
                return
            yield one


def trials(*, short: int, full: int, quick: int = 0, limit_s: float = SHORT_LIMIT_S) -> pytest.MarkDecorator:
    """Run a test in its slow form, and in a quick one where a count is given for it."""
    slow = Trials(FORM, full if FORM == "full" else short, limit_s)
    forms = [Trials("quick", quick)] if quick else []
    return pytest.mark.parametrize("trials", [*forms, pytest.param(slow, marks=pytest.mark.slow)], ids=str)


@dataclass
class FaultRow:
    """What one test tried and found.

    Attributes:
        tried: How often the fault happened.
        counts: What was counted meanwhile, such as edits that were acknowledged.
        faults: What was not as it has to be.
        planned: How often the full form is to try it; where it is tried less often, the row says so.
    """

    tried: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    planned: int = 0

    def add(self, name: str, count: int = 1) -> None:
        """Add to a count."""
        self.counts[name] = self.counts.get(name, 0) + count

    def expect(self, condition: object, fault: str) -> None:
        """Note a fault of the product where a condition does not hold."""
        if not condition:
            self.faults.append(fault)


@contextmanager
def fault_row(fault: str, *, test: str, trials: Trials) -> Iterator[FaultRow]:
    """Give a row to fill, keep it, and fail where it has faults.

    Args:
        fault: The kind of fault, as in the document.
        test: ``__file__`` of the test.
        trials: The form; a quick one is not kept.
    """
    if trials.form == "full":
        faulthandler.cancel_dump_traceback_later()
    row, began = FaultRow(planned=trials.count), time.monotonic()
    try:
        yield row
    except BaseException as error:
        row.faults.append(f"{type(error).__name__}: {error}")
        raise
    finally:
        if trials.form != "quick":
            keep_row(fault, Path(test).name, trials.form, row, seconds=time.monotonic() - began)
    assert row.faults == []
    assert row.tried > 0


def form_of(form: str, row: FaultRow) -> str:
    """Return the form of a row, and whether it was stopped."""
    is_stopped = form == "full" and row.tried < row.planned
    return f"full, stopped at {row.tried:,} of {row.planned:,}" if is_stopped else form


def keep_row(fault: str, test: str, form: str, row: FaultRow, *, seconds: float) -> None:
    """Keep a row in ``build/faults.json``, in place of an earlier one of the same fault and form.

    Args:
        fault: The kind of fault, as in the document.
        test: Name of the file of the test.
        form: How much was tried.
        row: What was tried and found.
        seconds: How long it took.
    """
    RESULTS.parent.mkdir(exist_ok=True)
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    rows[f"{fault} · {form}"] = {
        "fault": fault,
        "test": test,
        "form": form_of(form, row),
        "tried": row.tried,
        "counts": row.counts,
        "faults": row.faults[:20],
        "fault_count": len(row.faults),
        "seconds": round(seconds, 1),
        "date": datetime.now(UTC).date().isoformat(),
    }
    partial = RESULTS.with_suffix(".partial")
    partial.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    partial.replace(RESULTS)
