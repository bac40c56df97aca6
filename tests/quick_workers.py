"""Workers in the process of a test look at their queue often, so that no test waits for a pause to end."""

from __future__ import annotations

import pytest

from annotator.jobs import dispatcher, worker_events

PAUSE_S = 0.02


@pytest.fixture(autouse=True)
def quick_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses between two looks."""
    monkeypatch.setattr(worker_events, "IDLE_S", PAUSE_S)
    for name in ("CHECK_EVERY_S", "EXPIRE_S", "RETRY_PAUSE_S"):
        monkeypatch.setattr(dispatcher, name, PAUSE_S)
