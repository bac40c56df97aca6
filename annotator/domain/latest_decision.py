"""Which of several decisions on one subject counts: two workstations may both decide before they merge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from annotator.domain.error_label import ErrorLabel
from annotator.domain.settled_text import SettledText

Decision = TypeVar("Decision", SettledText, ErrorLabel)


def latest_decisions(records: Iterable[Decision]) -> list[Decision]:
    """Return the latest decision on each subject; every machine takes the same of them."""
    latest: dict[tuple[str, ...], Decision] = {}
    for one in records:
        known = latest.get(one.subject)
        if known is None or one.moment > known.moment:
            latest[one.subject] = one
    return list(latest.values())
