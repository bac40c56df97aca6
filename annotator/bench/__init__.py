"""The bench: what Vantage takes on this machine, against its targets and against bare baselines."""

from __future__ import annotations

from annotator.bench.suite import run

__all__ = ["run"]
