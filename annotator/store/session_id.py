"""Ids of openings of a project file, which say on which machine the file was opened.

One person can work on several machines, each with a copy of a project. The id of an opening is a UUID of
version 8 (RFC 9562), whose last eight digits are those of the machine; openings by earlier versions of
Vantage have UUIDs of version 7 and belong to no known machine.
"""

from __future__ import annotations

from annotator.domain.record import new_id

DIGITS = 8
"""Hex digits that name a machine."""
# Place of the version among the digits of a UUID without hyphens: bits 48 to 51 (RFC 9562, section 4.2).
_VERSION = 12


def new_session_id(machine: str) -> str:
    """Return an id for an opening of a project file.

    Args:
        machine: The machine's hex digits, "" for one that is not known.
    """
    made = new_id()
    return f"{made[:_VERSION]}8{made[_VERSION + 1 : -DIGITS]}{machine}" if machine else made


def is_elsewhere_sql(session_id: str, *, machine: str) -> str:
    """Return the SQL condition for an opening on another machine than a given one.

    Args:
        session_id: SQL of the opening's id.
        machine: SQL of the machine's digits; nothing is elsewhere where they are "".
    """
    tag = f"substr({session_id}, -{DIGITS})"
    return f"({machine}<>'' AND substr({session_id}, {_VERSION + 1}, 1)='8' AND {tag}<>{machine})"
