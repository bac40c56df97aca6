"""Folds events into the projection tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import msgspec

from annotator.domain.event import CREATED, REMOVED
from annotator.domain.record import Record, to_json
from annotator.errors import UserError
from annotator.store.connection import Connection
from annotator.store.projection import Projection, Row, with_field
from annotator.store.projections import PROJECTIONS

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class AppliedEvent:
    """The part of an event that the projector applies.

    Attributes:
        n: Arrival number of the event.
        actor: Id of the author.
        entity: Record type.
        entity_id: Id of the record.
        field: Field, ``CREATED`` or ``REMOVED``.
        value: JSON text of the value.
        record: The record of a ``CREATED`` event if the caller has already decoded it.
        is_packed: Whether the log of the same file stores the value compressed.
    """

    n: int
    actor: str
    entity: str
    entity_id: str
    field: str
    value: str
    record: Record | None = None
    is_packed: bool = False


@dataclass
class Projector:
    """Writes the rows of the projections, in the caller's transaction.

    Created, removed and restored records are collected and written in batches. Before an event of another
    kind the collected rows are written, so that the order of the log is preserved.
    """

    connection: Connection
    _created: dict[str, list[Row]] = field(default_factory=dict)
    _moved: dict[str, dict[str, tuple[Row, Row]]] = field(default_factory=dict)

    def apply(self, events: Iterable[AppliedEvent]) -> None:
        """Apply events in order to all tables.

        Raises:
            UserError: A value does not fit its field.
        """
        for event in events:
            # A record type of a newer version, from a merge: it stays in the log until the program is
            # updated.
            if event.entity not in PROJECTIONS:
                continue
            if event.field == CREATED:
                self._write_moved()
                self._created.setdefault(event.entity, []).append(_created_row(event))
            elif event.field == REMOVED:
                # The record may have been created in the same batch.
                self._write_created()
                self._moved.setdefault(event.entity, {})[event.entity_id] = self._found_row(event)
            else:
                self._write_collected()
                self._change(event)
        self._write_collected()

    def _write_collected(self) -> None:
        self._write_created()
        self._write_moved()

    def _write_created(self) -> None:
        for projection, rows in _drained(self._created):
            self._insert(projection, rows)

    def _write_moved(self) -> None:
        for projection, found in _drained(self._moved):
            rows = list(found.values())
            update = f"UPDATE {projection.entity} SET removed=? WHERE n=?"
            self.connection.executemany(update, [(int(row.removed), row.n) for _, row in rows])
            self._written(projection, rows)

    def _insert(self, projection: Projection, rows: list[Row]) -> None:
        self.connection.executemany(projection.insert_sql, [projection.values(row) for row in rows])
        for suffix, text_of in (("words", projection.table.words), ("parts", projection.table.substrings)):
            if text_of:
                insert = f"INSERT INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
                self.connection.executemany(insert, [(row.n, text_of(row.record)) for row in rows])
        if projection.hooks.on_insert:
            projection.hooks.on_insert(self.connection, rows)

    def _change(self, event: AppliedEvent) -> None:
        projection = PROJECTIONS[event.entity]
        before, row = self._found_row(event)
        values = zip(projection.column_names, projection.values(before), projection.values(row), strict=True)
        # Only what differs: SQLite rewrites every index of a column that is named, even to the same value.
        changed = {name: new for name, old, new in values if new != old}
        if changed:
            marks = ", ".join(f"{name}=?" for name in changed)
            update = f"UPDATE {projection.entity} SET {marks} WHERE n=?"
            self.connection.execute(update, (*changed.values(), row.n))
        self._written(projection, [(before, row)])

    def _found_row(self, event: AppliedEvent) -> tuple[Row, Row]:
        """Return the row of an event's record before and after the event.

        Raises:
            UserError: There is no such record, or the value does not fit the field.
        """
        kept = PROJECTIONS[event.entity].record_sql
        select = f"SELECT n, actor, removed, {kept} FROM {event.entity} WHERE id=?"
        found = self.connection.execute(select, (event.entity_id,)).fetchone()
        if found is None:
            raise UserError(
                f"The {event.entity} {event.entity_id} does not exist.",
                hint="Its creation may have been undone. Reload the list.",
            )
        n, actor, removed, text = found
        record = PROJECTIONS[event.entity].decode(text)
        before = Row(n=n, record=record, json=text, actor=actor, removed=bool(removed))
        return before, _changed_row(before, event)

    def _written(self, projection: Projection, rows: list[tuple[Row, Row]]) -> None:
        for suffix, text_of in (("words", projection.table.words), ("parts", projection.table.substrings)):
            if text_of:
                texts = [
                    (row.n, _text(row, text_of))
                    for before, row in rows
                    if _text(before, text_of) != _text(row, text_of)
                ]
                rewrite = f"INSERT OR REPLACE INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
                self.connection.executemany(rewrite, texts)
        if projection.hooks.on_update:
            projection.hooks.on_update(
                self.connection, [replace(row, before=before.record) for before, row in rows]
            )


def _text(row: Row, text_of: Callable[[Any], str]) -> str:
    return "" if row.removed else text_of(row.record)


def _drained(collected: dict[str, R]) -> Iterator[tuple[Projection, R]]:
    """Yield what was collected in the order in which the tables depend on each other, and forget it."""
    # The order of PROJECTIONS: hooks of later ones (flags) read the tables of earlier ones (items, scenes).
    for entity, projection in PROJECTIONS.items():
        if entity in collected:
            yield projection, collected.pop(entity)


def _created_row(event: AppliedEvent) -> Row:
    record = event.record or PROJECTIONS[event.entity].decode(event.value)
    return Row(n=event.n, record=record, json=event.value, actor=event.actor, is_packed=event.is_packed)


def _changed_row(before: Row, event: AppliedEvent) -> Row:
    """Return a row as it is after one event.

    Raises:
        UserError: There is no such field, or the value does not fit it.
    """
    if event.field == REMOVED:
        return replace(before, removed=event.value == "true")
    projection = PROJECTIONS[event.entity]
    if event.field not in projection.record.__struct_fields__ or event.field == "id":
        raise UserError(f"The {event.entity} has no editable field '{event.field}'.")
    try:
        record = with_field(projection, before.json, field_name=event.field, value=event.value)
    except msgspec.ValidationError as error:
        raise UserError(
            f"The {event.field} of the {event.entity} cannot be {event.value[:80]}: {error}."
        ) from error
    return replace(before, record=record, json=to_json(record))
