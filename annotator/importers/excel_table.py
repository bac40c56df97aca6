"""Excel workbooks as tables, one for each sheet; looked over first, since what they claim is not trusted."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import msgspec

from annotator.errors import UserError
from annotator.importers.input_file import InputFile, printable
from annotator.importers.plain_values import PlainRow, plain_value
from annotator.importers.table_rows import Table, TableRow, distinct_names

LARGEST_FILE_BYTES = 64 * 1024 * 1024
LARGEST_UNPACKED_BYTES = 512 * 1024 * 1024
MOST_FILES = 2_000
# calamine makes a dense rectangle: one cell far out makes it huge.
MOST_CELLS = 5_000_000
"""Of the rectangle around all cells of a sheet, which the decoder makes room for."""
LONGEST_TAG_BYTES = 64 * 1024
ARCHIVE_MARK = "PK\x03\x04"
_WORKBOOK = "xl/workbook.xml"
# Both begin with a letter or bracket that is searched for fast.
_CELL = re.compile(rb"<(?:c|\w+:c)[\s/>]")
_PLACE = re.compile(rb"""r(?<!\wr)\s*=\s*["']\s*([A-Za-z]*)([0-9]*)""")
_PIECE_BYTES = 1 << 20
_HINT = "Save it again as .xlsx, or as CSV."


class ExcelTable(Table):
    """One sheet; its first row that is not empty holds the names of the columns."""

    def __init__(self, name: str, *, rows: Iterator[tuple[int, list[Any]]], is_only: bool) -> None:
        self.name = printable(name)
        self._prefix = "row" if is_only else f"sheet {self.name[:60]} row"
        self._rows = rows
        header = next((cells for _, cells in rows if any(cell != "" for cell in cells)), [])
        self.columns = tuple(distinct_names([printable(_shown(cell).strip()) for cell in header]))

    def rows(self) -> Iterator[TableRow]:
        """Yield the rows below the header, empty ones left out; once."""
        for line, values in self._rows:
            if not any(cell != "" for cell in values):
                continue
            named = zip(self.columns, values, strict=False)
            plain = PlainRow({name: _whole(cell) for name, cell in named if cell != ""})
            yield TableRow(
                line=line,
                locator=f"{self._prefix} {line}",
                cells=plain.cells,
                original=b"null" if plain.fault else msgspec.json.encode(plain.cells),
                fault=plain.fault,
                field=plain.field,
            )


def excel_tables(file: InputFile) -> list[ExcelTable]:
    """Return the sheets of a workbook that have a header.

    Raises:
        UserError: It is damaged, encrypted, or would take too much memory.
        EnvironmentFailure: The disk refused.
    """
    if file not in _OPENED:
        _OPENED[file] = _sheets_in(file)
    sheets = _OPENED[file]
    tables = [
        ExcelTable(sheet.name, rows=enumerate(sheet.rows, start=sheet.first), is_only=len(sheets) == 1)
        for sheet in sheets
    ]
    return [table for table in tables if table.columns]


class _Sheet(msgspec.Struct, frozen=True):
    """The cells of one sheet, and the number of the row that is the first of them."""

    name: str
    first: int
    rows: list[list[Any]]


# Opening one takes as long as reading it, and several readers look at its columns.
_OPENED: WeakKeyDictionary[InputFile, list[_Sheet]] = WeakKeyDictionary()


def _sheets_in(file: InputFile) -> list[_Sheet]:
    if file.size_bytes > LARGEST_FILE_BYTES:
        raise UserError(f"{file.name} is larger than {LARGEST_FILE_BYTES >> 20} MiB.", hint="Split the file.")
    data = file.read_bytes()
    if fault := _fault_of(data):
        raise UserError(f"{file.name} cannot be read: {fault}.", hint=_HINT)
    # 5 ms that the start of the window does not need.
    from python_calamine import CalamineError, load_workbook

    try:
        workbook = load_workbook(io.BytesIO(data))
        sheets = [(name, workbook.get_sheet_by_name(name)) for name in workbook.sheet_names]
    except (CalamineError, ValueError, OSError, LookupError) as error:
        raise UserError(f"{file.name} is damaged: {printable(str(error)[:200])}.", hint=_HINT) from error
    return [
        _Sheet(name, sheet.start[0] + 1 if sheet.start else 1, sheet.to_python(skip_empty_area=True))
        for name, sheet in sheets
    ]


def _fault_of(data: bytes) -> str:
    """Say why a workbook is not handed to the decoder, "" where it is."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, struct.error):
        return "it is a damaged archive"
    if _WORKBOOK not in {entry.filename for entry in entries}:
        return "it is not an Excel workbook"
    if len(entries) > MOST_FILES:
        return f"it has more than {MOST_FILES:,} parts"
    if any(entry.flag_bits & 1 for entry in entries):
        return "it is encrypted"
    return _unpacking_fault(data, entries)


def _unpacking_fault(data: bytes, entries: Iterable[zipfile.ZipInfo]) -> str:
    unpacked = 0
    # What the archive's list says of sizes is not believed: each part is unpacked and counted.
    for entry in entries:
        extent = _SheetExtent()
        for piece in _chunks(data, entry):
            unpacked += len(piece)
            if unpacked > LARGEST_UNPACKED_BYTES:
                return f"unpacked it has more than {LARGEST_UNPACKED_BYTES >> 20} MiB"
            extent.scan(piece)
        if extent.is_odd:
            return "a tag in it has no end"
        if extent.cells > MOST_CELLS:
            return f"a sheet contains {extent.cells:,} cells"
    return ""


class _SheetExtent:
    """How far the cells of a sheet reach.

    Attributes:
        is_odd: Whether it has a tag that is longer than any.
    """

    def __init__(self) -> None:
        self._columns = self._rows = self._unnamed = 0
        self.is_odd = False
        self._rest = b""

    @property
    def cells(self) -> int:
        """Number of cells of the rectangle around them all."""
        return max(self._columns + max(self._unnamed, 0), 1) * self._rows

    def scan(self, piece: bytes) -> None:
        """Take the next piece of the sheet in."""
        text = self._rest + piece
        end = text.rfind(b">") + 1
        # A tag may be cut by the end of the piece; it waits for the next one.
        text, self._rest = text[:end], text[end:]
        if len(self._rest) > LONGEST_TAG_BYTES:
            # No real tag is as long, and where this one ends it could say anything.
            self.is_odd = self.is_odd or b"<" in self._rest
            self._rest = b""
        positions = _PLACE.findall(text)
        columns = {letters for letters, _ in positions}
        # Nine digits are more rows than any sheet has; int() of more would take time.
        rows = {digits[:9] or b"0" for _, digits in positions}
        self._columns = max(self._columns, *map(_column, columns), 0)
        self._rows = max(self._rows, *map(int, rows), 0)
        # A cell without reference is next to the previous one.
        self._unnamed += len(_CELL.findall(text)) - sum(1 for letters, _ in positions if letters)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:4].upper():
        number = number * 26 + letter - 64
    return number


def _chunks(data: bytes, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content of one part, whatever size its directory claims, until the packed bytes end."""
    head = data[entry.header_offset : entry.header_offset + 30]
    if len(head) < 30:
        return
    start = entry.header_offset + 30 + sum(struct.unpack("<HH", head[26:30]))
    packed = data[start : start + entry.compress_size]
    if entry.compress_type == zipfile.ZIP_STORED:
        yield packed
        return
    # -15: a bare deflate stream, as archives hold it.
    unpacker = zlib.decompressobj(wbits=-15)
    while packed and not unpacker.eof:
        try:
            piece = unpacker.decompress(packed, _PIECE_BYTES)
        except zlib.error:
            return
        packed = unpacker.unconsumed_tail
        yield piece


def _whole(cell: object) -> object:
    """Return a number without a fraction as a whole one: a workbook knows no other numbers."""
    # Above 2**53 a float cannot represent every integer.
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell


def _shown(cell: object) -> str:
    return str(plain_value(_whole(cell)))
