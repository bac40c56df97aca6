"""Projections: tables computed from the event log, with one row per record.

``Record.table`` of a record type defines its table. Log, writer, reader, verify and undo use only this
definition, so a new record type needs no change in any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from annotator.domain.record import Cell, Record, Table, to_json
from annotator.store.connection import Connection, connect_in_memory
from annotator.store.event_upgrade import value_sql


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A record with the columns that every table has.

    Attributes:
        n: Arrival number of the event that created the record; the order of every list.
        record: The current record.
        json: Its JSON text.
        actor: Id of the actor who created it.
        removed: Whether the record is removed.
        before: The record before the change, None for a new record.
        was_removed: Whether it was removed before the change.
        is_packed: Whether the event that created the record stores it compressed.
    """

    n: int
    record: Record
    json: str
    actor: str
    removed: bool = False
    before: Record | None = None
    was_removed: bool = False
    is_packed: bool = False


Hook = Callable[[Connection, Sequence[Row]], None]
Placing = Callable[[Connection, Sequence[Row]], Sequence[tuple[Cell, ...]]]
RangeHook = Callable[[Connection, int, int], None]


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """Derived columns and tables of a projection, and the functions that update them.

    Attributes:
        derived: SQL definitions of columns that the hooks update.
        tables: SQL statements that create further tables and indexes for the hooks.
        placed: Names of derived columns that new rows are inserted with.
        on_place: Returns the values of these columns for new rows, before they are inserted. Insertion with
            the value costs less than a change of it, which writes the indexes of the column twice.
        on_insert: Called after rows are inserted.
        on_update: Called after rows are changed, removed or restored.
        remove_hidden: Removes the rows of a range of arrival numbers that an undo has hidden, with what
            ``on_update`` would do for each; None where that needs their records.
    """

    derived: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()
    on_place: Placing | None = None
    on_insert: Hook | None = None
    on_update: Hook | None = None
    remove_hidden: RangeHook | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Projection:
    """One record type's table; each is equal to itself alone.

    Attributes:
        record: The record type.
        hooks: Derived columns and tables.
    """

    record: type[Record]
    hooks: Hooks = field(default_factory=Hooks)
    _decoder: msgspec.json.Decoder[Record] = field(init=False)
    _defaults: dict[str, str] = field(init=False)
    _column_values: tuple[Callable[[Any], Cell], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decoder", msgspec.json.Decoder(self.record))
        object.__setattr__(self, "_defaults", _default_texts(self.record))
        object.__setattr__(self, "_column_values", tuple(c.value for c in self.table.columns))

    @property
    def table(self) -> Table:
        """Columns, indexes and searches of the table."""
        return self.record.table

    @property
    def entity(self) -> str:
        """Name of the records in the log, also of the table."""
        return self.record.table.entity

    @property
    def searches(self) -> list[tuple[str, Callable[[Any], str]]]:
        """Ending of the name of each search table, and what gives a record's text."""
        texts = (("words", self.table.search_text), ("parts", self.table.substrings))
        return [(suffix, text_of) for suffix, text_of in texts if text_of]

    @property
    def in_use_sql(self) -> str:
        """Condition of the records that a search returns by default."""
        usual = (f"{name}={value}" for name, value in self.table.usual.items())
        return " AND ".join(["removed=0", *usual])

    def decode(self, text: str | bytes) -> Record:
        """Return the record of a JSON text.

        Raises:
            msgspec.ValidationError: The text is not a record of this type.
        """
        return self._decoder.decode(text)

    def is_default(self, field_name: str, *, value: str) -> bool:
        """Return whether a JSON text is the default of a field; defaults are omitted from a record's text."""
        return self._defaults.get(field_name) == value

    def values(self, row: Row) -> tuple[Cell, ...]:
        """Return a row's values in the order of ``column_names``."""
        record = row.record
        return (
            row.n,
            record.id,
            row.actor,
            int(row.removed),
            # The log of the same file has the text; ``record_sql`` takes it from there.
            "" if self.table.is_in_log and row.is_packed else row.json,
            *[value(record) for value in self._column_values],
        )

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns that ``values`` fills, in that order."""
        return ("n", "id", "actor", "removed", "record", *(c.name for c in self.table.columns))

    @property
    def record_sql(self) -> str:
        """The SQL of a record's JSON text, for a query of the table under its own name."""
        if not self.table.is_in_log:
            return "record"
        value = value_sql("unpack(packed)")
        packed = f"SELECT {value} FROM main.event WHERE event.n={self.table.entity}.n"
        return f"iif(record='', ({packed}), record)"

    @property
    def insert_sql(self) -> str:
        """The statement that inserts one row: what ``values`` gives, then what the hooks place."""
        names = (*self.column_names, *self.hooks.placed)
        return f"INSERT INTO {self.entity} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def _default_texts(record: type[Record]) -> dict[str, str]:
    """Return the JSON text of each field's default, for the fields that have one."""
    texts = {}
    for found in msgspec.structs.fields(record):
        if found.default is not msgspec.NODEFAULT:
            texts[found.name] = to_json(found.default)
        elif found.default_factory is not msgspec.NODEFAULT:
            texts[found.name] = to_json(found.default_factory())
    return texts


def with_field(projection: Projection, record_json: str, *, field_name: str, value: str) -> Record:
    """Return a record with one field replaced.

    Args:
        projection: The record's projection.
        record_json: The record as it stands.
        field_name: Name of one of its fields.
        value: JSON text of the new value.

    Raises:
        msgspec.ValidationError: The value is not valid for the field.
    """
    # Raw: only one field is parsed, the others are copied as text.
    fields = msgspec.json.decode(record_json, type=dict[str, msgspec.Raw])
    # msgspec omits a default only if it is the identical object. It is omitted here by value, so that an undo
    # restores the same text.
    if projection.is_default(field_name, value=value):
        fields.pop(field_name, None)
    else:
        fields[field_name] = msgspec.Raw(value.encode())
    return projection.decode(msgspec.json.encode(fields))


def field_json(projection: Projection, record_json: str, *, field_name: str) -> str:
    """Return the JSON text of one field of a record, which may be its omitted default."""
    return to_json(getattr(projection.decode(record_json), field_name))


def create_tables(connection: Connection, projection: Projection, *, is_listed: bool = True) -> None:
    """Create a projection's table and its indexes; the search tables are apart.

    Args:
        connection: In the caller's transaction.
        projection: The projection.
        is_listed: Whether to create the indexes of ``Table.indexes``, by which lists are read.
    """
    for statement in _table_statements(projection, is_listed=is_listed):
        connection.execute(statement)


# Each new project has the same tables: sqlite-utils takes 10 ms to word their statements.
@cache
def _table_statements(projection: Projection, *, is_listed: bool) -> tuple[str, ...]:
    from annotator.store.sqlite_utils_import import Database

    types = {"n": int, "id": str, "actor": str, "removed": int, "record": str}
    types |= {column.name: column.type for column in projection.table.columns}
    with closing(connect_in_memory()) as connection:
        table = Database(connection).table(projection.entity)
        table.create(types, pk="n", not_null={"id", "actor", "removed", "record"}, strict=True)
        for definition in projection.hooks.derived:
            connection.execute(f"ALTER TABLE {projection.entity} ADD COLUMN {definition}")
        table.create_index(["id"], unique=True)
        for names in projection.table.indexes if is_listed else ():
            table.create_index(list(names))
        statements = connection.execute("SELECT sql FROM sqlite_schema ORDER BY rowid").fetchall()
    return (*[sql for (sql,) in statements], *projection.hooks.tables)


def create_searches(connection: Connection, projection: Projection) -> None:
    """Create a projection's search tables."""
    # Contentless, because the record already contains the text; contentless_delete allows rows to be
    # replaced.
    options = "content='', contentless_delete=1"
    if projection.table.search_text:
        connection.execute(
            f"CREATE VIRTUAL TABLE {projection.entity}_words USING fts5("
            # 2: SQLite's default, 1, leaves characters with several diacritics as they are.
            f"text, {options}, tokenize='unicode61 remove_diacritics 2', detail=full)"
        )
    if projection.table.substrings:
        connection.execute(
            f"CREATE VIRTUAL TABLE {projection.entity}_parts USING fts5(text, {options}, tokenize='trigram')"
        )
