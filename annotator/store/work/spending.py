"""What model work may cost: set aside before a call, spent after it; no limit can be passed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.domain.run import LimitScope
from annotator.store.connection import Connection

ADD_SPENDING = """
INSERT INTO spending (day, spent_micro) VALUES (?, ?)
ON CONFLICT DO UPDATE SET spent_micro=spent_micro+excluded.spent_micro
"""


@dataclass(frozen=True, kw_only=True)
class RemainingBudget:
    """What may still be set aside.

    Attributes:
        micro: Millionths; None for any amount.
        scope: Whose limit it is; of no meaning for any amount.
    """

    micro: int | None
    scope: LimitScope = "run"


def remaining_budget(connection: Connection, *, run: str, now: float) -> RemainingBudget:
    """Return the amount that a run may still reserve, in millionths: the minimum over all limits.

    Reserved amounts count as spent, those of all runs against the limits of day and project, so that two
    workers that claim at the same time cannot exceed a limit together.
    """
    limit, spent, reserved = connection.execute(
        "SELECT limit_micro, spent_micro, reserved_micro FROM run WHERE id=?", (run,)
    ).fetchone()
    rooms = [] if limit is None else [RemainingBudget(micro=limit - spent - reserved, scope="run")]
    limits = dict(connection.execute("SELECT scope, limit_micro FROM spending_limit").fetchall())
    if limits:
        # A sum over no rows is NULL.
        all_reserved = connection.execute("SELECT sum(reserved_micro) FROM run").fetchone()[0] or 0
        for scope, micro in limits.items():
            rooms.append(
                RemainingBudget(
                    micro=micro - _spent(connection, scope=scope, now=now) - all_reserved, scope=scope
                )
            )
    # ``or 0`` is for the types: only the default has no amount.
    return min(rooms, key=lambda room: room.micro or 0, default=RemainingBudget(micro=None))


def reserve(connection: Connection, *, run: str, micro: int) -> None:
    """Reserve an amount in millionths; a negative amount is released."""
    if micro:
        connection.execute("UPDATE run SET reserved_micro=reserved_micro+? WHERE id=?", (micro, run))


def spend(connection: Connection, *, run: str, reserved_micro: int, cost_micro: int, now: float) -> None:
    """Turn what was set aside into what a call did cost."""
    if not reserved_micro and not cost_micro:
        return
    connection.execute(
        "UPDATE run SET reserved_micro=reserved_micro-?, spent_micro=spent_micro+? WHERE id=?",
        (reserved_micro, cost_micro, run),
    )
    if cost_micro:
        connection.execute(ADD_SPENDING, (day_of(now), cost_micro))


def correct(connection: Connection, *, run: str, micro: int, day_at: float) -> None:
    """Add an amount to what was counted as spent earlier; a negative amount is given back.

    Args:
        connection: Of the project, inside a transaction.
        run: Id of the run.
        micro: Millionths.
        day_at: Unix time of the day on which it was counted, whose limit is concerned.
    """
    if micro:
        connection.execute("UPDATE run SET spent_micro=spent_micro+? WHERE id=?", (micro, run))
        connection.execute(ADD_SPENDING, (day_of(day_at), micro))


def set_limit(connection: Connection, *, scope: str, limit_micro: int | None) -> None:
    """Limit what all runs together may cost: a ``day`` (UTC), or the ``project`` ever; None for no limit."""
    if limit_micro is None:
        connection.execute("DELETE FROM spending_limit WHERE scope=?", (scope,))
    else:
        connection.execute(
            "INSERT INTO spending_limit (scope, limit_micro) VALUES (?, ?) "
            "ON CONFLICT DO UPDATE SET limit_micro=excluded.limit_micro",
            (scope, limit_micro),
        )


def day_of(now: float) -> str:
    """Return the day of a Unix time, UTC, as ``2026-11-21``."""
    # UTC: workers in several time zones count against the limit of the same day.
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _spent(connection: Connection, *, scope: str, now: float) -> int:
    if scope == "day":
        found = connection.execute("SELECT spent_micro FROM spending WHERE day=?", (day_of(now),)).fetchone()
    else:
        found = connection.execute("SELECT sum(spent_micro) FROM spending").fetchone()
    return int(found[0] or 0) if found else 0
