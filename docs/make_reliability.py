"""Write what ``make faults`` found into `docs/reliability.md`: ``python docs/make_reliability.py``.

Rows come from `build/faults.json`. A row of the table for which there is none stays as it is, and so does
one of the full form for which there is only a short one, or one that was stopped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "reliability.md", ROOT / "build" / "faults.json"
TABLE = re.compile(r"(<!-- faults -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEAD = ("fault", "tried", "counted meanwhile", "found", "form", "date", "test")
FORM = HEAD.index("form")
NOTHING = "nothing"


def line_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a result."""
    counts = ", ".join(f"{count:,} {name}" for name, count in row["counts"].items())
    found = f"{row['fault_count']:,} faults" if row["fault_count"] else NOTHING
    return (row["fault"], f"{row['tried']:,}", counts, found, row["form"], row["date"], f"`{row['test']}`")


def lines_of(table: str) -> list[tuple[str, ...]]:
    """Return the rows of a table as it stands in the page."""
    lines = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()]
    return lines[2:]


def rank(form: str) -> int:
    """Return how much a form says: short, full but stopped, full."""
    return ["short", "full"].index(form.partition(",")[0]) * 2 - ("," in form)


def merged(lines: Iterable[tuple[str, ...]], rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return the lines of the table with new results in place of old ones."""
    known = {line[0]: line for line in lines}
    for row in sorted(rows, key=lambda row: (rank(row["form"]), row["date"])):
        line = line_of(row)
        before = known.get(line[0])
        if before is None or rank(row["form"]) >= rank(before[FORM]):
            known[line[0]] = line
    return sorted(known.values(), key=lambda line: (line[-1], line[0]))


def with_results(page: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the page with the results in its table."""

    def write(found: re.Match[str]) -> str:
        lines = [HEAD, ("---",) * len(HEAD), *merged(lines_of(found[2]), rows)]
        text = "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("|  |", "| |")
        return f"{found[1]}{text}{found[3]}"

    return TABLE.sub(write, page)


def main() -> None:
    """Write the page."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8")).values()
    PAGE.write_text(with_results(PAGE.read_text(encoding="utf-8"), list(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
