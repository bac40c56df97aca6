"""Folds events into the projection tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from annotator.domain.event import CREATED, REMOVED
from annotator.domain.record import Record, to_json
from annotator.errors import UserError
from annotator.store.connection import Connection
from annotator.store.projection import Projection, Row, with_field
from annotator.store.projections import PROJECTIONS


@dataclass(frozen=True, kw_only=True)
class Applied:
    """What the projector needs of one event.

    Attributes:
        n: Arrival number of the event.
        actor: Id of who wrote it.
        entity: Kind of record.
        entity_id: Id of the record.
        field: Field, ``CREATED`` or ``REMOVED``.
        value: JSON text of the value.
        record: The record of a ``CREATED`` event where the caller has it at hand.
    """

    n: int
    actor: str
    entity: str
    entity_id: str
    field: str
    value: str
    record: Record | None = None


def projection_of(entity: str) -> Projection:
    """Return an entity's projection.

    Raises:
        KeyError: No such entity; events of newer versions are kept but not projected.
    """
    return PROJECTIONS[entity]


@dataclass
class Projector:
    """Writes the rows of one connection's transaction.

    Records that are created are collected and inserted in batches; any other event first writes
    what was collected, so that the order of the log is kept.
    """

    connection: Connection
    _created: dict[str, list[Row]] = field(default_factory=dict)

    def apply(self, events: Iterable[Applied]) -> None:
        """Fold events in order and leave all tables up to date.

        Raises:
            UserError: A value does not fit its field.
        """
        for event in events:
            if event.entity not in PROJECTIONS:
                continue
            if event.field == CREATED:
                self._created.setdefault(event.entity, []).append(_created_row(event))
            else:
                self.flush()
                self._change(event)
        self.flush()

    def flush(self) -> None:
        """Insert the rows collected so far."""
        for entity, projection in PROJECTIONS.items():
            rows = self._created.pop(entity, None)
            if rows:
                self._insert(projection, rows)

    def _insert(self, projection: Projection, rows: list[Row]) -> None:
        self.connection.executemany(projection.insert_sql, [projection.values(row) for row in rows])
        for suffix, text_of in (("words", projection.words), ("parts", projection.substrings)):
            if text_of:
                insert = f"INSERT INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
                self.connection.executemany(insert, [(row.n, text_of(row.record)) for row in rows])
        if projection.on_insert:
            projection.on_insert(self.connection, rows)

    def _change(self, event: Applied) -> None:
        projection = PROJECTIONS[event.entity]
        select = f"SELECT n, actor, removed, record FROM {event.entity} WHERE id=?"
        found = self.connection.execute(select, (event.entity_id,)).fetchone()
        if found is None:
            raise UserError(
                f"There is no {event.entity} {event.entity_id}.",
                hint="It may have been undone; reload the list.",
            )
        row = _changed_row(projection, event, found)
        self.connection.execute(projection.update_sql, (*projection.values(row), row.n))
        self._rewrite_search(projection, row)
        if projection.on_update:
            projection.on_update(self.connection, [row])

    def _rewrite_search(self, projection: Projection, row: Row) -> None:
        for suffix, text_of in (("words", projection.words), ("parts", projection.substrings)):
            if text_of:
                text = "" if row.removed else text_of(row.record)
                replace = f"INSERT OR REPLACE INTO {projection.entity}_{suffix} (rowid, text) VALUES (?, ?)"
                self.connection.execute(replace, (row.n, text))


def _created_row(event: Applied) -> Row:
    record = event.record or PROJECTIONS[event.entity].decode(event.value)
    return Row(n=event.n, record=record, json=event.value, actor=event.actor)


def _changed_row(projection: Projection, event: Applied, found: tuple[int, str, int, str]) -> Row:
    n, actor, removed, text = found
    if event.field == REMOVED:
        return Row(n=n, record=projection.decode(text), json=text, actor=actor, removed=event.value == "true")
    if event.field not in projection.record.__struct_fields__:
        raise UserError(f"A {event.entity} has no field '{event.field}'.")
    try:
        record = with_field(projection, text, field_name=event.field, value=event.value)
    except msgspec.ValidationError as error:
        raise UserError(
            f"{event.field} of a {event.entity} cannot be {event.value[:80]}: {error}."
        ) from error
    return Row(n=n, record=record, json=to_json(record), actor=actor, removed=bool(removed))
