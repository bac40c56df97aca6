"""Tables of the wizard: as tall as their parent allows."""

from __future__ import annotations

from widgets import theme
from widgets.report_dialog import ReportSection, ReportTable

TALLEST_PX = 100_000


def tall_table(title: str, *, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> ReportTable:
    """Make a table of texts that fills the available height."""
    table = ReportTable(ReportSection(title=title, columns=columns, rows=rows))
    table.setMinimumHeight(3 * theme.ROW)
    table.setMaximumHeight(TALLEST_PX)
    return table
