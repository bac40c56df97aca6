"""An open project, as the tests of its store have it."""

from __future__ import annotations

from tests.unit.store.conftest import path, session

__all__ = ["path", "session"]
