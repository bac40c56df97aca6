"""Every CSV that is written keeps spreadsheet programs from running cells as formulas."""

from __future__ import annotations

from pathlib import Path

from widgets.scores.error_counts import ErrorCountModel, ErrorCounts

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {
    # Numbers of the demo's own flights.
    "annotator/demo/flight_file.py",
}
FORMULA = "=cmd|'/c calc'!A0"


def test_modules_when_they_write_csv_then_they_use_the_lines_that_are_guarded() -> None:
    sources = [file for top in ("annotator", "widgets", "models") for file in (ROOT / top).rglob("*.py")]
    unguarded = {
        str(file.relative_to(ROOT))
        for file in sources
        if any(call in file.read_text(encoding="utf-8") for call in ("csv.writer(", "DictWriter("))
    }
    assert unguarded == WRITERS


def test_error_counts_when_a_model_or_a_class_is_named_like_a_formula_then_their_csv_has_text() -> None:
    model = ErrorCountModel(lambda name: name)
    model.show_counts(ErrorCounts(facet="task", labels={(FORMULA, FORMULA): 2}, unlabelled={}))

    cells = [cell for line in model.csv().splitlines() for cell in line.split(",")]

    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.strip('"').startswith("=")]
