"""Workers in the process of a test look at their queue often, so that no test waits for a pause to end."""

from __future__ import annotations

import pytest

from annotator.jobs import dispatcher

PAUSE_S = 0.02


@pytest.fixture(autouse=True)
def quick_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses between two looks."""
    for name in ("IDLE_S", "CHECK_EVERY_S", "EXPIRE_S", "RETRY_PAUSE_S"):
        monkeypatch.setattr(dispatcher, name, PAUSE_S)
