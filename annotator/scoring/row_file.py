"""The file of scored predictions: its tables, and the writing of it.

It is an SQLite database that can be made again at any time. Facets and scores of all rows are columns of
numbers; texts are stored apart, those that are short and recur once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from annotator.domain.record import to_json
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.row_filter import FACETS, RowFacet
from annotator.scoring.scored_row import ItemFacts, ScoredRow, ShownItem
from annotator.store.connection import Connection, connect, convert_disk_errors

SHORT_TEXT = 64
"""Characters of the longest reply that is stored once however many predictions have it."""
EXACT, READABLE, SETTLED, READ_BY_MODEL = 1, 2, 4, 8
"""Bits of the column ``marks``."""
_TABLES = (
    "CREATE TABLE name (facet TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL) STRICT",
    "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, facts TEXT NOT NULL, shown TEXT) STRICT",
    "CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    "CREATE TABLE prediction (n INTEGER PRIMARY KEY, answer TEXT NOT NULL) STRICT",
    "CREATE TABLE flight (n INTEGER PRIMARY KEY, score TEXT NOT NULL) STRICT",
    "CREATE TABLE release (id TEXT NOT NULL, folder TEXT NOT NULL) STRICT",
    "CREATE TABLE numbers (name TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT",
    # Trigrams find parts of words in any script. With three and more of them a search is a phrase, for
    # which places are needed (``detail``); the texts themselves are in their own table (``content``).
    "CREATE VIRTUAL TABLE text_search USING fts5(text, content='', tokenize='trigram', detail='full')",
)
COLUMNS: Mapping[str, str] = {
    "item": "int32",
    "text": "int32",
    "score": "float32",
    "marks": "uint8",
    **dict.fromkeys(FACETS, "int32"),
}


def write_scored_rows(path: Path, rows: Iterable[ScoredRow], *, released: ReleasedItems | None = None) -> int:
    """Write rows into a new file in place of an older one; return their number.

    Args:
        path: The file.
        rows: The rows.
        released: The items that they are about, for what is shown beside them.

    Raises:
        EnvironmentFailure: The disk refused.
    """
    made = path.with_name(f"{path.name}.part")
    made.unlink(missing_ok=True)
    with convert_disk_errors(), closing(connect(made, read_only=False)) as connection:
        # Made again after a crash: neither a journal nor a sync protects anything here.
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        count = _RowWriter(connection, released=released).write(rows)
        connection.execute("COMMIT")
    # After the connection is closed: Windows does not rename an open file.
    made.replace(path)
    return count


class _RowWriter:
    """Writes rows into an empty database."""

    def __init__(self, connection: Connection, *, released: ReleasedItems | None) -> None:
        self._connection, self._released = connection, released
        self._names: dict[RowFacet, dict[str, int]] = {facet: {} for facet in FACETS}
        self._items: dict[ItemFacts, int] = {}
        self._short_texts: dict[str, int] = {}
        self._text_count = 0
        self._columns: dict[str, list[float]] = {name: [] for name in COLUMNS}

    def write(self, rows: Iterable[ScoredRow]) -> int:
        """Write all rows and what filters need; return their number."""
        for statement in _TABLES:
            self._connection.execute(statement)
        insert = "INSERT INTO prediction (n, answer) VALUES (?, ?)"
        self._connection.executemany(insert, self._written(rows))
        self._number_by_position()
        self._connection.executemany(
            "INSERT INTO name (facet, id, name) VALUES (?, ?, ?)",
            [(facet, number, name) for facet, names in self._names.items() for name, number in names.items()],
        )
        insert = "INSERT INTO item (id, name, facts, shown) VALUES (?, ?, ?, ?)"
        self._connection.executemany(insert, self._item_cells())
        if self._released is not None:
            folder = str(self._released.path or "")
            release = (self._released.release_id, folder)
            self._connection.execute("INSERT INTO release (id, folder) VALUES (?, ?)", release)
        self._connection.executemany(
            "INSERT INTO numbers (name, data) VALUES (?, ?)",
            [(name, np.array(self._columns[name], dtype=kind).tobytes()) for name, kind in COLUMNS.items()],
        )
        self._connection.execute("INSERT INTO text_search (rowid, text) SELECT id, text FROM text")
        return len(self._columns["item"])

    def _number_by_position(self) -> None:
        """Number the items in the order of the release."""
        # Until here they are numbered as they appear: what only a later model answers comes last.
        ordered = sorted(self._items, key=_position_of)
        ranks = {self._items[one]: rank for rank, one in enumerate(ordered)}
        self._columns["item"] = [ranks[int(number)] for number in self._columns["item"]]
        self._items = {one: rank for rank, one in enumerate(ordered)}

    def _item_cells(self) -> Iterator[tuple[int, str, str, str | None]]:
        released = self._released
        count = len(released.items) if released is not None else 0
        for one, number in self._items.items():
            is_known = 0 <= one.position < count
            shown = (
                to_json(ShownItem.of(one.position, released)) if released is not None and is_known else None
            )
            yield number, one.name, to_json(one), shown

    def _written(self, rows: Iterable[ScoredRow]) -> Iterator[tuple[int, str]]:
        for n, row in enumerate(rows, start=1):
            record = ItemFacts(
                row.item, row.project_item, row.task, row.group, row.format, row.source, row.key, row.position
            )
            values = {
                "item": self._items.setdefault(record, len(self._items)),
                "text": self._text_id(row.text),
                "score": row.score,
                "marks": _marks(row),
            }
            for facet in FACETS:
                names = self._names[facet]
                values[facet] = names.setdefault(getattr(row, facet), len(names))
            for name, value in values.items():
                self._columns[name].append(value)
            if row.flight is not None:
                cells = (n, msgspec.json.encode(row.flight).decode())
                self._connection.execute("INSERT INTO flight (n, score) VALUES (?, ?)", cells)
            yield n, row.answer

    def _text_id(self, text: str) -> int:
        known = self._short_texts.get(text)
        if known is not None:
            return known
        self._text_count += 1
        self._connection.execute("INSERT INTO text (id, text) VALUES (?, ?)", (self._text_count, text))
        if len(text) <= SHORT_TEXT:
            self._short_texts[text] = self._text_count
        return self._text_count


def _position_of(item: ItemFacts) -> int:
    return item.position


def _marks(row: ScoredRow) -> int:
    decided = SETTLED * row.settled + READ_BY_MODEL * row.read_by_model
    return EXACT * row.exact + READABLE * row.readable + decided
