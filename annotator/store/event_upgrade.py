"""Translates field names in events that were written before project version 9.

The log is never rewritten, because the hashes of its events cover field names and values. The schema version
of an event tells which names it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.event import CREATED
from annotator.domain.former_fields import (
    RENAMED,
    upgrade_evidence,
    upgrade_field,
    upgrade_flag,
    upgrade_member,
    upgrade_record,
)
from annotator.store.command_upgrade import upgrade_command

if TYPE_CHECKING:
    from annotator.store.connection import Connection

RENAMED_SCHEMA = 2
"""First schema version of events with the current names of record fields."""
EVIDENCE_SCHEMA = 3
"""First schema version of events with the current member names in the evidence of flags."""


def upgrade_value(schema: int, entity: str, field: str, value: str) -> str:
    """Return the JSON text of an event's value with today's field names.

    Args:
        schema: Schema version of the event.
        entity: Type of the record.
        field: Field of the event, by its former or today's name.
        value: JSON text; one that has today's names already is returned as it is.
    """
    try:
        named = _with_field_names(entity, field, value) if schema < RENAMED_SCHEMA else value
        return _with_evidence_names(field, named) if entity == "flag" else named
    except msgspec.MsgspecError:
        # A damaged value. Raised inside SQLite the error would lose its cause; decoding the record reports
        # it.
        return value


def upgrade_event(schema: int, entity: str, field: str, value: str) -> tuple[str, str]:
    """Return field and value of an event with today's names, as ``field_sql`` and ``value_sql`` do."""
    if schema >= EVIDENCE_SCHEMA:
        return field, value
    name = upgrade_field(entity, field) if schema < RENAMED_SCHEMA else field
    return name, upgrade_value(schema, entity, field, value)


def upgrade_heads(connection: Connection) -> None:
    """Give the newest values that ``head`` lists today's field names, in the caller's transaction."""
    # ``head`` has no entity column, so the type of a record is looked up in the log.
    update = (
        "UPDATE head SET field=? WHERE field=? AND entity_id IN "
        "(SELECT entity_id FROM event WHERE entity=? AND field=?)"
    )
    rows = [(new, old, entity, old) for entity, names in RENAMED.items() for old, new in names.items()]
    connection.executemany(update, rows)


def field_sql() -> str:
    """Return an SQL expression for the current name of an event's field."""
    # In SQL and not as a function: queries of changed fields read it for many thousands of rows.
    cases = " ".join(
        f"WHEN entity='{entity}' AND field='{old}' THEN '{new}'"
        for entity, names in RENAMED.items()
        for old, new in names.items()
    )
    return f"CASE WHEN schema>={RENAMED_SCHEMA} THEN field {cases} ELSE field END"


def value_sql(value: str) -> str:
    """Return the SQL of an event's value with today's field names, for a query of the log.

    Args:
        value: SQL of the value as it was written.
    """
    # A call per row costs more than the rest of a query: only values that can have former names need it.
    is_current = f"schema>={EVIDENCE_SCHEMA} OR (schema>={RENAMED_SCHEMA} AND entity<>'flag')"
    return f"iif({is_current}, {value}, upgrade_value(schema, entity, field, {value}))"


def _with_field_names(entity: str, field: str, value: str) -> str:
    if field != CREATED:
        return upgrade_member(entity, upgrade_field(entity, field), value)
    return _upgraded_command(value) if entity == "command" else upgrade_record(entity, value)


def _with_evidence_names(field: str, value: str) -> str:
    if field == CREATED:
        return upgrade_flag(value)
    return upgrade_evidence(value) if field == "evidence" else value


def _upgraded_command(value: str) -> str:
    text = upgrade_command(value)
    if '"edit_field"' not in text:
        return text
    record: dict[str, Any] = msgspec.json.decode(text)
    name = record["parameters"].get("name")
    if name in RENAMED["item"]:
        record["parameters"]["name"] = RENAMED["item"][name]
    return msgspec.json.encode(record).decode()
