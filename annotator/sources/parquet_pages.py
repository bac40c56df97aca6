"""The inside of a Parquet file looked over before it is decoded, so that no size it claims is trusted.

Decoders make room for what headers promise and unpack whatever a page holds; here every page is held against
limits first, from its header and from its packed bytes.

Source: Apache Parquet format 2.11 (parquet.thrift, Encodings.md, Compression.md); Zstandard, RFC 8878; the
Snappy format description.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotator.errors import UserError
from annotator.sources.input_file import InputFile
from annotator.sources.table_rows import MOST_COLUMNS, MOST_ROWS
from annotator.sources.thrift_compact import CompactReader, ThriftFault

MAGIC = b"PAR1"
LARGEST_PAGE_BYTES = 64 * 1024 * 1024
"""Writers make pages of 1 MiB; a page with one large picture is larger."""
LARGEST_FILE_BYTES = 2 * 1024**3
"""All pages unpacked."""
LARGEST_LISTS_BYTES = 1024**3
"""Values of a column of lists times its dictionary: what one row could take in the worst case."""
LARGEST_VALUE_BYTES = 4096
"""Of the types with a fixed length, of which every empty cell takes as much."""
MOST_PAGES = 200_000
LARGEST_FOOTER_BYTES = 64 * 1024 * 1024
"""Of a file that is only looked at; 1,000 columns in 10,000 groups of rows need a part of it."""

# What stands behind the footer: its size and the mark.
_END_BYTES = 8
_ENCODINGS = {
    # DELTA_* are missing: see where they are refused.
    0: "PLAIN",
    2: "PLAIN_DICTIONARY",
    3: "RLE",
    4: "BIT_PACKED",
    8: "RLE_DICTIONARY",
    9: "BYTE_STREAM_SPLIT",
}
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_REPEATED = 2
_FIXED_LENGTH = 7
_HINT = "Write it again with plain or dictionary encoding and snappy, zstd or gzip, or as CSV."
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK_BYTES = 128 * 1024


@dataclass(frozen=True, slots=True)
class ParquetShape:
    """What the look over a Parquet file found.

    Attributes:
        columns: Names of the top-level columns in order.
        rows: Number of rows that it claims.
        footer_at: Offset of the footer.
        widest_row_bytes: The most that one row can take: the largest page of each column, added up.
    """

    columns: tuple[str, ...]
    rows: int
    footer_at: int
    widest_row_bytes: int


class PageFault(Exception):  # noqa: N818 - it never leaves this module
    """Say why a Parquet file is not decoded."""


def footer_columns(file: InputFile) -> tuple[str, ...]:
    """Return the names of a Parquet file's top-level columns, none where its footer cannot be read.

    Raises:
        UserError: It lies in an archive and is too large to be read.
        HostError: The disk refused.
    """
    end = file.read_end(_END_BYTES)
    size = int.from_bytes(end[:4], "little")
    if size > LARGEST_FOOTER_BYTES:
        return ()
    try:
        # The footer alone, with a mark where the file's data would be: those may be many gigabytes.
        return _top_columns(_footer(MAGIC + file.read_end(size + _END_BYTES))[1])
    except (PageFault, ThriftFault):
        return ()


def look_over(data: bytes, *, name: str) -> ParquetShape:
    """Return the shape of a Parquet file whose every page keeps to the limits.

    Args:
        data: The whole file.
        name: Name of the file, for the words.

    Raises:
        UserError: It is damaged, of a kind not known here, or would take too much memory.
    """
    try:
        return _shape(data)
    except ThriftFault as error:
        raise UserError(f"{name} is damaged: {error}", hint="Get the file again.") from error
    except PageFault as error:
        raise UserError(f"{name} is not read: {error}", hint=_HINT) from error


def _footer(data: bytes) -> tuple[int, dict[int, Any]]:
    # Four bytes of mark at each end, four of size.
    if len(data) < 12 or not data.startswith(MAGIC) or not data.endswith(MAGIC):
        raise ThriftFault("the mark of Parquet is missing at its beginning or end.")
    size = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - size
    if start < len(MAGIC):
        raise ThriftFault("its footer is larger than the file.")
    return start, CompactReader(data, at=start, end=len(data) - 8).struct()


def _shape(data: bytes) -> ParquetShape:
    footer_at, footer = _footer(data)
    columns, rows = _top_columns(footer), _number(footer, 3)
    groups = _structs(footer, 4)
    if not columns or len(columns) > MOST_COLUMNS:
        raise PageFault(f"it has {len(columns)} columns.")
    if rows > MOST_ROWS or sum(_number(group, 3) for group in groups) > MOST_ROWS:
        raise PageFault(f"it has more than {MOST_ROWS:,} rows.")
    with_lists = _require_known_types(_structs(footer, 2))
    widest: dict[int, int] = {}
    total = pages = 0
    for group in groups:
        for index, chunk in enumerate(_structs(group, 1)):
            looked = _Chunk(data, chunk, end=footer_at).look(may_repeat=with_lists)
            widest[index] = max(widest.get(index, 0), looked.largest)
            total, pages = total + looked.total, pages + looked.pages
            if total > LARGEST_FILE_BYTES or pages > MOST_PAGES:
                raise PageFault(
                    f"unpacked it has more than {LARGEST_FILE_BYTES >> 30} GiB or {MOST_PAGES:,} pages."
                )
    return ParquetShape(columns, rows, footer_at, sum(widest.values()))


def _top_columns(footer: dict[int, Any]) -> tuple[str, ...]:
    elements = _structs(footer, 2)
    names: list[str] = []
    # The first element is the root, whose children are the columns.
    at = 1
    while at < len(elements):
        names.append(_text(elements[at].get(4)))
        below = _number(elements[at], 5)
        at += 1
        # Children stand behind their parent, depth first; only their number is told.
        while below > 0 and at < len(elements):
            below += _number(elements[at], 5) - 1
            at += 1
    return tuple(names)


def _require_known_types(elements: list[dict[int, Any]]) -> bool:
    """Tell whether a file has columns of lists."""
    for element in elements:
        if element.get(1) == _FIXED_LENGTH and _number(element, 2) > LARGEST_VALUE_BYTES:
            raise PageFault(f"column {_text(element.get(4))} has values of {_number(element, 2)} bytes each.")
    return any(element.get(3) == _REPEATED for element in elements[1:])


@dataclass(slots=True)
class _Looked:
    largest: int = 0
    total: int = 0
    pages: int = 0
    values: int = 0
    dictionary: int = 0


class _Chunk:
    """The pages of one column in one group of rows."""

    def __init__(self, data: bytes, chunk: dict[int, Any], *, end: int) -> None:
        meta = chunk.get(3)
        if not isinstance(meta, dict):
            raise ThriftFault("a column has no description.")
        path = meta.get(3)
        parts = path if isinstance(path, list) else []
        self._name = ".".join(_text(part) for part in parts)
        self._codec = _number(meta, 4)
        # The dictionary page stands before the data pages where there is one.
        start = meta.get(11, meta.get(9))
        size = _number(meta, 7)
        if type(start) is not int or start < len(MAGIC) or start + size > end:
            raise ThriftFault(f"column {self._name} lies outside of the file.")
        self._data = data
        self._at, self._end = start, start + size

    def look(self, *, may_repeat: bool) -> _Looked:
        """Hold every page against the limits.

        Raises:
            PageFault: One does not keep to them.
            ThriftFault: One is damaged.
        """
        looked = _Looked()
        for header, packed in self._pages():
            self._look_at(header, packed, looked)
        # One row could name the longest value of the dictionary for each entry of its list.
        if may_repeat and looked.values * looked.dictionary > LARGEST_LISTS_BYTES:
            raise PageFault(
                f"column {self._name} may hold lists that take more than {LARGEST_LISTS_BYTES >> 30} GiB."
            )
        return looked

    def _look_at(self, header: dict[int, Any], packed: bytes, looked: _Looked) -> None:
        """Hold one page against the limits, and add it to what was looked at."""
        kind, plain = header.get(1), _number(header, 2)
        found = header.get({_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}.get(kind if type(kind) is int else -1, 0))
        about = found if isinstance(found, dict) else {}
        if isinstance(found, dict):
            self._require_known_encoding(about, at=4 if kind == _DATA_V2 else 2)
            values = _number(about, 1)
            self._require_counts(kind, about, values, plain)
            looked.values += values if kind != _DICTIONARY else 0
            looked.dictionary = max(looked.dictionary, plain if kind == _DICTIONARY else 0)
        largest = max(plain, self._page_size(about if kind == _DATA_V2 else {}, packed, plain))
        if largest > LARGEST_PAGE_BYTES:
            raise PageFault(f"a page of column {self._name} has more than {LARGEST_PAGE_BYTES >> 20} MiB.")
        looked.largest, looked.total = max(looked.largest, largest), looked.total + largest
        looked.pages += 1

    def _page_size(self, second: dict[int, Any], packed: bytes, plain: int) -> int:
        """Return how many bytes a page can become.

        Args:
            second: The page's own header where it is of version 2, else nothing.
            packed: Its bytes.
            plain: How many bytes its header claims.
        """
        # Levels of a page of version 2 are never packed, and its values need not be.
        levels = _number(second, 5) + _number(second, 6)
        if second.get(7) is False:
            return len(packed)
        return self._unpacked(packed[levels:], plain - levels) + levels

    def _pages(self) -> Iterator[tuple[dict[int, Any], bytes]]:
        at, number = self._at, 0
        while at < self._end:
            reader = CompactReader(self._data, at=at, end=self._end)
            header = reader.struct()
            size, number = _number(header, 3), number + 1
            if reader.at + size > self._end or number > MOST_PAGES:
                raise ThriftFault(f"a page of column {self._name} is cut off.")
            yield header, self._data[reader.at : reader.at + size]
            at = reader.at + size

    def _require_known_encoding(self, about: dict[int, Any], *, at: int) -> None:
        encoding = about.get(at)
        # The delta encodings can make gigabytes out of some bytes, and count their values themselves.
        if type(encoding) is not int or encoding not in _ENCODINGS:
            raise PageFault(f"column {self._name} has the encoding {encoding}, which is not taken here.")

    def _require_counts(self, kind: object, about: dict[int, Any], values: int, plain: int) -> None:
        if kind == _DICTIONARY and values > plain:
            raise PageFault(f"a dictionary of column {self._name} claims {values} values in {plain} bytes.")
        if values > MOST_ROWS:
            raise PageFault(f"a page of column {self._name} claims {values} values.")
        if kind == _DATA_V2 and _number(about, 5) + _number(about, 6) > plain:
            raise ThriftFault(f"a page of column {self._name} has levels that are larger than itself.")

    def _unpacked(self, packed: bytes, claimed: int) -> int:
        """Return how many bytes a page can become."""
        if self._codec in (0, 7):
            # LZ4 without frames is unpacked into the room that the header tells.
            return max(claimed, len(packed))
        sizes = {1: _snappy_size, 2: _gzip_size, 6: _zstd_size}
        if self._codec not in sizes:
            raise PageFault(f"column {self._name} is packed in a way that is not taken here ({self._codec}).")
        return sizes[self._codec](packed) if packed else 0


def _snappy_size(packed: bytes) -> int:
    return CompactReader(packed, at=0, end=len(packed)).varint()


def _gzip_size(packed: bytes) -> int:
    total, rest = 0, packed
    while rest and total <= LARGEST_PAGE_BYTES:
        # Several gzip members may follow each other; 31 is gzip's own frame.
        unpacker = zlib.decompressobj(wbits=31)
        while not unpacker.eof and total <= LARGEST_PAGE_BYTES:
            try:
                piece = unpacker.decompress(rest, 1 << 20)
            except zlib.error as error:
                raise ThriftFault("a page cannot be unpacked.") from error
            rest, total = unpacker.unconsumed_tail, total + len(piece)
            if not piece and not rest and not unpacker.eof:
                raise ThriftFault("a page is cut off.")
        rest = unpacker.unused_data if unpacker.eof else rest
    return total


def _zstd_size(packed: bytes) -> int:
    """Return the most that Zstandard frames can become, from the headers of their blocks."""
    at, total = 0, 0
    while at < len(packed):
        if packed[at : at + 4] != _ZSTD_MAGIC or at + 5 > len(packed):
            raise ThriftFault("a page is no Zstandard frame.")
        descriptor = packed[at + 4]
        is_single = bool(descriptor & 0x20)
        # A frame's window is told in one byte more unless it is a single segment.
        at += 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3]
        # How many bytes tell the size of the content: with a single segment at least one.
        at += (int(is_single), 2, 4, 8)[descriptor >> 6]
        is_last = False
        while not is_last:
            if at + 3 > len(packed):
                raise ThriftFault("a page is cut off.")
            # Three bytes: is it the last, its kind (0 as it is, 1 one byte repeated, 2 packed), its size.
            block = int.from_bytes(packed[at : at + 3], "little")
            is_last, kind, size = bool(block & 1), block >> 1 & 3, block >> 3
            # A packed block tells its packed size only; unpacked it has 128 KiB at most.
            total += _ZSTD_BLOCK_BYTES if kind == 2 else size
            at += 3 + (1 if kind == 1 else size)
        # A checksum of four bytes may stand behind the last block.
        at += 4 * bool(descriptor & 4)
    return total


def _structs(members: dict[int, Any], field: int) -> list[dict[int, Any]]:
    value = members.get(field)
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _number(members: dict[int, Any], field: int) -> int:
    """Return a count or size, 0 where there is none.

    Raises:
        ThriftFault: It is negative or no number.
    """
    value = members.get(field, 0)
    if type(value) is not int or value < 0:
        raise ThriftFault("a size in it is no size.")
    return value


def _text(value: object) -> str:
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else ""
