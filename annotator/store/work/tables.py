"""Tables of model work."""

from __future__ import annotations

from annotator.domain.former_fields import upgrade_prediction
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
        message TEXT NOT NULL DEFAULT '',
        ended_at TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID""",
    "job": """(
        n INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        request_key BLOB NOT NULL,
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
        message TEXT NOT NULL DEFAULT '',
        status INTEGER NOT NULL DEFAULT 0,
        cost_micro INTEGER NOT NULL DEFAULT 0,
        request BLOB
    ) STRICT""",
    "request": "(sha256 BLOB PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "reply": "(fence INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "prediction": """(
        n INTEGER PRIMARY KEY,
        request_key BLOB NOT NULL UNIQUE,
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
        status TEXT NOT NULL
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
    "CREATE INDEX job_request_key ON job(request_key)",
    "CREATE INDEX attempt_job ON attempt(job)",
    "CREATE INDEX attempt_failed ON attempt(run, kind, fence) WHERE kind<>''",
    "CREATE INDEX prediction_target ON prediction(target, n)",
)


RENAMED_IN_9 = (
    "ALTER TABLE verdict RENAME TO prediction",
    "ALTER TABLE prediction RENAME COLUMN key TO request_key",
    "ALTER TABLE job RENAME COLUMN key TO request_key",
    "ALTER TABLE run RENAME COLUMN words TO message",
    "ALTER TABLE attempt RENAME COLUMN words TO message",
    "ALTER TABLE worker RENAME COLUMN words TO status",
    "DROP INDEX verdict_target",
    "CREATE INDEX prediction_target ON prediction(target, n)",
    "DROP INDEX job_key",
    "CREATE INDEX job_request_key ON job(request_key)",
    "UPDATE prediction SET record=upgrade_prediction(record)",
)
"""Statements that give the tables of project versions 3 to 8 their current names."""


def create_work_tables(connection: Connection) -> None:
    """Create the tables of model work, inside the caller's transaction."""
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} {columns}")
    for statement in INDEXES:
        connection.execute(statement)


def rename_work_tables(connection: Connection) -> None:
    """Rename tables, columns and stored fields of an older file, inside the caller's transaction."""
    connection.create_function("upgrade_prediction", 1, upgrade_prediction, deterministic=True)
    for statement in RENAMED_IN_9:
        connection.execute(statement)
