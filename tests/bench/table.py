"""The bench's results as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HEAD = ("figure", "value", "unit", "target", "", "baseline", "ratio", "n", "note")
_MARKS = {True: "met", False: "MISSED", None: ""}


def table_rows(rows: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return head and lines of a table; a figure that misses its target says so.

    Args:
        rows: What ``run`` returned.
    """
    return HEAD, [_line(name, row) for name, row in rows.items()]


def _line(name: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    baseline = f"{_number(row['baseline_value'])}  {row['baseline']}" if row["baseline"] else ""
    return (
        name,
        _number(row["value"]) or "not measured",
        row["unit"],
        _number(row["target"]),
        _MARKS[row["is_met"]],
        baseline,
        _number(row["ratio"]),
        str(row["n"]),
        row["note"],
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
