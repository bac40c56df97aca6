"""CSV and TSV as tables."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from annotator.domain.record import FieldCorrection
from annotator.importers.csv_text import CsvRow, CsvText
from annotator.importers.table_rows import Table, TableRow

_LEGACY = FieldCorrection(
    field="", original="GB 18030", value="UTF-8", reason="the file is in a Chinese legacy encoding"
)
_GUARD = "an apostrophe that keeps spreadsheet programs from running the cell"


class CsvTable(Table):
    """A text of rows, split by the delimiter that its first line has most."""

    def __init__(self, text: str) -> None:
        self._text = CsvText(text)
        self.columns = self._text.columns

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows; once, since they are read from the text as they are asked for."""
        encode = msgspec.json.encode
        for row in self._text.rows(needed=self.needed, begins_row=self.begins_row):
            notes = self._notes(row) if row.cells is not row.original or self._text.is_chinese_legacy else ()
            yield TableRow(
                line=row.line,
                locator=f"row {row.number}",
                cells=row.cells,
                original=b"null" if row.fault else encode(row.original),
                notes=notes,
                fault=row.fault,
                field=row.field,
                unread=None if row.is_cut_off else 0,
            )

    def _notes(self, row: CsvRow) -> tuple[FieldCorrection, ...]:
        changed = tuple(
            FieldCorrection(field=name, original=row.original[name], value=cell, reason=_GUARD)
            for name, cell in row.cells.items()
            if cell != row.original[name]
        )
        return (_LEGACY, *changed) if self._text.is_chinese_legacy else changed
