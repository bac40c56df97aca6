"""How often a kind of fault was tried and what was found: rows of ``build/faults.json``.

`docs/make_reliability.py` writes them into `docs/reliability.md`. ``make faults`` runs the short form of each
test; ``VANTAGE_FAULTS=full`` the one of the record.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

FORM = os.environ.get("VANTAGE_FAULTS", "short")
RESULTS = Path(__file__).resolve().parents[2] / "build" / "faults.json"
SHORT_LIMIT_S = 40.0
"""After so long a row of the short form ends with what was tried by then, unless it says otherwise: all
together take 15 minutes at most."""


@dataclass(frozen=True)
class Trials:
    """How often a fault is tried.

    Attributes:
        form: ``quick`` in the ordinary tests; ``short`` or ``full`` in slow ones.
        count: Times, at most.
        limit_s: After so long the short form ends with what was tried by then, s.
    """

    form: str
    count: int
    limit_s: float = SHORT_LIMIT_S

    def __str__(self) -> str:
        return f"{self.form}-{self.count}"

    def __iter__(self) -> Iterator[int]:
        """Count the trials; in the short form until the time of a row is over."""
        began = time.monotonic()
        for number in range(self.count):
            if number and self.form == "short" and time.monotonic() - began > self.limit_s:
                return
            yield number


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
    """

    tried: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

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
    row, began = FaultRow(), time.monotonic()
    try:
        yield row
    except BaseException as error:
        row.faults.append(f"{type(error).__name__}: {error}")
        raise
    finally:
        if trials.form != "quick":
            _keep(fault, Path(test).name, trials.form, row, seconds=time.monotonic() - began)
    assert row.faults == []
    assert row.tried > 0


def _keep(fault: str, test: str, form: str, row: FaultRow, *, seconds: float) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    rows = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    rows[f"{fault} · {form}"] = {
        "fault": fault,
        "test": test,
        "form": form,
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
