"""Folds events into the projection tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from annotator.domain.event import CREATED, REMOVED
from annotator.domain.record import Cell, Record, to_json
from annotator.errors import UserError
from annotator.store.connection import Connection
from annotator.store.projection import Projection, Row, with_field
from annotator.store.projections import PROJECTIONS


class AppliedEvent(msgspec.Struct, frozen=True, kw_only=True):
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


class Projector:
    """Writes the rows of the projections, and their texts if there are search tables.

    All in the caller's transaction. Events are folded first: a record is written once with its last value,
    however many events change it.
    """

    def __init__(self, connection: Connection, *, is_searched: bool = True) -> None:
        self._connection, self._is_searched = connection, is_searched
        self._created: dict[str, list[Row]] = {}
        self._positions: dict[tuple[str, str], int] = {}
        self._changed: dict[tuple[str, str], tuple[Row, Row]] = {}

    def apply(self, events: Iterable[AppliedEvent]) -> None:
        """Apply events in order to all tables.

        Raises:
            UserError: A value does not fit its field.
        """
        for event in events:
            # A record type of a newer version, from a merge: it stays in the log until the program is
            # updated.
            if event.entity in PROJECTIONS:
                self._fold(event)
        self._write()

    def _fold(self, event: AppliedEvent) -> None:
        key = (event.entity, event.entity_id)
        if event.field == CREATED:
            rows = self._created.setdefault(event.entity, [])
            self._positions[key] = len(rows)
            rows.append(_created_row(event))
        elif key in self._changed:
            before, row = self._changed[key]
            self._changed[key] = (before, _changed_row(row, event))
        elif key not in self._positions:
            before = self._found_row(event)
            self._changed[key] = (before, _changed_row(before, event))
        else:
            self._fold_created(event, key)

    def _fold_created(self, event: AppliedEvent, key: tuple[str, str]) -> None:
        rows, index = self._created[event.entity], self._positions[key]
        changed = _changed_row(rows[index], event)
        # Hooks know a removal as a change of a row that is there.
        if changed.removed:
            self._changed[key] = (rows[index], changed)
        else:
            rows[index] = changed

    def _write(self) -> None:
        # The order of PROJECTIONS: hooks of later ones (flags) read the tables of earlier ones (items,
        # scenes).
        created, self._created, self._positions = self._created, {}, {}
        changed, self._changed = self._changed, {}
        for entity, projection in PROJECTIONS.items():
            if entity in created:
                self._insert(projection, created[entity])
        by_entity: dict[str, list[tuple[Row, Row]]] = {}
        for (entity, _), pair in changed.items():
            by_entity.setdefault(entity, []).append(pair)
        for entity, projection in PROJECTIONS.items():
            if entity in by_entity:
                self._update(projection, by_entity[entity])

    def _insert(self, projection: Projection, rows: list[Row]) -> None:
        hooks = projection.hooks
        derived = hooks.on_place(self._connection, rows) if hooks.on_place else ((),) * len(rows)
        values = [(*projection.values(row), *own) for row, own in zip(rows, derived, strict=True)]
        self._connection.executemany(projection.insert_sql, values)
        for suffix, text_of in self._searches(projection):
            insert = f"INSERT INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
            self._connection.executemany(insert, [(row.n, text_of(row.record)) for row in rows])
        if hooks.on_insert:
            hooks.on_insert(self._connection, rows)

    def _update(self, projection: Projection, rows: list[tuple[Row, Row]]) -> None:
        changes = sorted((_changed_cells(projection, before, row) for before, row in rows), key=_names)
        for names, group in groupby(changes, key=_names):
            if names:
                update = (
                    f"UPDATE {projection.entity} SET {', '.join(f'{name}=?' for name in names)} WHERE n=?"
                )
                self._connection.executemany(update, [cells for _, cells in group])
        for suffix, text_of in self._searches(projection):
            found = ((row.n, _changed_text(before, row, text_of)) for before, row in rows)
            texts = [(n, text) for n, text in found if text is not None]
            # REPLACE works on contentless tables because of ``contentless_delete``.
            rewrite = f"INSERT OR REPLACE INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
            self._connection.executemany(rewrite, texts)
        if projection.hooks.on_update:
            changed = [replace(row, before=before.record, was_removed=before.removed) for before, row in rows]
            projection.hooks.on_update(self._connection, changed)

    def _searches(self, projection: Projection) -> list[tuple[str, Callable[[Any], str]]]:
        return projection.searches if self._is_searched else []

    def _found_row(self, event: AppliedEvent) -> Row:
        """Return the row of an event's record as it is in the table.

        Raises:
            UserError: There is no such record.
        """
        kept = PROJECTIONS[event.entity].record_sql
        select = f"SELECT n, actor, removed, {kept} FROM {event.entity} WHERE id=?"
        found = self._connection.execute(select, (event.entity_id,)).fetchone()
        if found is None:
            raise UserError(
                f"The {event.entity} {event.entity_id} does not exist.",
                hint="Its creation may have been undone. Reload the list.",
            )
        n, actor, removed, text = found
        record = PROJECTIONS[event.entity].decode(text)
        return Row(n=n, record=record, json=text, actor=actor, removed=bool(removed))


def _changed_cells(projection: Projection, before: Row, row: Row) -> tuple[tuple[str, ...], tuple[Cell, ...]]:
    """Return the names of the columns that change, and their new values with the number of the row."""
    if row.record is before.record:
        # A removal or its undo: values of columns cost more than all else, and are the same.
        return ("removed",), (int(row.removed), row.n)
    # Only what differs: SQLite rewrites every index of a column that is named, even to the same value.
    values = zip(projection.column_names, projection.values(before), projection.values(row), strict=True)
    changed = {name: new for name, old, new in values if new != old}
    return tuple(changed), (*changed.values(), row.n)


def _names(change: tuple[tuple[str, ...], tuple[Cell, ...]]) -> tuple[str, ...]:
    return change[0]


def _changed_text(before: Row, row: Row, text_of: Callable[[Any], str]) -> str | None:
    """Return the text that a row is found by after a change, None if it stays as it is."""
    if row.removed:
        return None if before.removed else ""
    text = text_of(row.record)
    return None if not before.removed and text == text_of(before.record) else text


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
    return replace(before, record=record, json=to_json(record), is_packed=False)
