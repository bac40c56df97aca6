"""An open project, as the tests of its store have it."""

from __future__ import annotations

from tests.unit.store.conftest import chunk, path, session, tamper

__all__ = ["chunk", "path", "session", "tamper"]
