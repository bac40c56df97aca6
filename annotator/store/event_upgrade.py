"""Translates field names in events that were written before project version 8.

The log is never rewritten, because the hashes of its events cover field names and values. The schema version
of an event tells which names it has: from ``RENAMED_SCHEMA`` on, the current ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from annotator.domain.event import CREATED
from annotator.domain.former_fields import RENAMED, upgrade_field, upgrade_member, upgrade_record
from annotator.store.command_upgrade import upgrade_command

if TYPE_CHECKING:
    from annotator.store.connection import Connection

RENAMED_SCHEMA = 2
"""First schema version of events with the current field names."""


def upgrade_value(entity: str, field: str, value: str) -> str:
    """Return the JSON text of an event's value with today's field names.

    Args:
        entity: Type of the record.
        field: Field of the event, by its former or today's name.
        value: JSON text; one that has today's names already is returned as it is.
    """
    try:
        if field != CREATED:
            return upgrade_member(entity, upgrade_field(entity, field), value)
        return _upgraded_command(value) if entity == "command" else upgrade_record(entity, value)
    except msgspec.MsgspecError:
        # A damaged value. Raised inside SQLite the error would lose its cause; decoding the record reports
        # it.
        return value


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
    return f"iif(schema>={RENAMED_SCHEMA}, {value}, upgrade_value(entity, field, {value}))"


def _upgraded_command(value: str) -> str:
    text = upgrade_command(value)
    if '"edit_field"' not in text:
        return text
    record: dict[str, Any] = msgspec.json.decode(text)
    name = record["parameters"].get("name")
    if name in RENAMED["item"]:
        record["parameters"]["name"] = RENAMED["item"][name]
    return msgspec.json.encode(record).decode()
