"""Tables of model work."""

from __future__ import annotations

from annotator.store.connection import Connection

TABLES: dict[str, str] = {
    "run": """(
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        record TEXT NOT NULL,
        limit_micro INTEGER,
        spent_micro INTEGER NOT NULL DEFAULT 0,
        reserved_micro INTEGER NOT NULL DEFAULT 0,
        cached INTEGER NOT NULL DEFAULT 0,
        words TEXT NOT NULL DEFAULT '',
        ended_at TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID""",
    "job": """(
        n INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        key BLOB NOT NULL,
        model TEXT NOT NULL,
        target TEXT NOT NULL,
        spec TEXT NOT NULL,
        worst_micro INTEGER NOT NULL,
        after INTEGER,
        state TEXT NOT NULL,
        not_before REAL NOT NULL DEFAULT 0,
        fence INTEGER NOT NULL DEFAULT 0,
        lease_until REAL NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0,
        ended_at REAL
    ) STRICT""",
    "attempt": """(
        fence INTEGER PRIMARY KEY,
        job INTEGER NOT NULL,
        run TEXT NOT NULL,
        worker TEXT NOT NULL,
        state TEXT NOT NULL,
        began_at REAL NOT NULL,
        ended_at REAL,
        kind TEXT NOT NULL DEFAULT '',
        words TEXT NOT NULL DEFAULT '',
        status INTEGER NOT NULL DEFAULT 0,
        cost_micro INTEGER NOT NULL DEFAULT 0,
        request BLOB
    ) STRICT""",
    "request": "(sha256 BLOB PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "reply": "(fence INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "verdict": """(
        n INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        target TEXT NOT NULL,
        record TEXT NOT NULL
    ) STRICT""",
    "spending": "(day TEXT PRIMARY KEY, spent_micro INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "spending_limit": "(scope TEXT PRIMARY KEY, limit_micro INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "worker": """(
        id TEXT PRIMARY KEY,
        pid INTEGER NOT NULL,
        host TEXT NOT NULL,
        started_at REAL NOT NULL,
        beat_at REAL NOT NULL,
        words TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
}
"""Columns of each table. The fence of an attempt is its row number, so that it only rises."""
INDEXES = (
    # Ordered as jobs are claimed, so that a claim reads only the rows that it takes.
    "CREATE INDEX job_waiting ON job(run, model, not_before, n) WHERE state='waiting'",
    "CREATE INDEX job_taken ON job(lease_until) WHERE state IN ('claimed', 'sent')",
    "CREATE INDEX job_blocked ON job(after) WHERE state='blocked'",
    "CREATE INDEX job_state ON job(run, state)",
    "CREATE INDEX job_ended ON job(run, ended_at) WHERE ended_at IS NOT NULL",
    "CREATE INDEX job_key ON job(key)",
    "CREATE INDEX attempt_job ON attempt(job)",
    "CREATE INDEX attempt_failed ON attempt(run, kind, fence) WHERE kind<>''",
    "CREATE INDEX verdict_target ON verdict(target, n)",
)


def create_work_tables(connection: Connection) -> None:
    """Create the tables of model work, inside the caller's transaction."""
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} {columns}")
    for statement in INDEXES:
        connection.execute(statement)
