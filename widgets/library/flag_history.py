"""The history of the flags of a record: who raised and decided them, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import msgspec

from annotator.domain.event import CREATED
from annotator.domain.flag import Flag
from annotator.domain.rows import HistoryEntry
from widgets import display_text
from widgets.field_text import stored_value
from widgets.library.record_details import RecordDetail
from widgets.translation import mark as _
from widgets.translation import tr

RAISED, UPDATED = "raised", "updated"
HEADLINES = {
    RAISED: _("Flag raised: {flag}"),
    UPDATED: _("Flag updated: {flag}"),
    "open": _("Flag reopened: {flag}"),
    "resolved": _("Flag resolved: {flag}"),
    "dismissed": _("Flag dismissed: {flag}"),
}
"""English titles of the steps of a flag in the history."""
SIGNATURES = {
    RAISED: _("Raised by {person}, {time}"),
    UPDATED: _("Updated by {person}, {time}"),
    "open": _("Reopened by {person}, {time}"),
    "resolved": _("Resolved by {person}, {time}"),
    "dismissed": _("Dismissed by {person}, {time}"),
}
"""English titles of the steps of a flag on its card."""


@dataclass(frozen=True, kw_only=True)
class FlagStep:
    """Effect of one command on a flag.

    Attributes:
        flag: The flag as it is now.
        step: ``raised``, ``updated`` or the new state.
        person: Name of the user.
        wall_time: ISO 8601 UTC.
        reason: Reason of a decision, "" for other steps.
    """

    flag: Flag
    step: str
    person: str
    wall_time: str
    reason: str = ""

    @property
    def headline(self) -> str:
        """Title of the step."""
        return tr(HEADLINES[self.step], flag=display_text.flag_kind_title(self.flag.kind))

    @property
    def signature(self) -> str:
        """User and local time of the step."""
        time = display_text.local_time(self.wall_time)
        return tr(SIGNATURES[self.step], person=self.person, time=time)


def flag_steps(detail: RecordDetail, flags: Iterable[Flag]) -> list[FlagStep]:
    """Return the history of some flags of a record, the newest first."""
    steps = [
        _step(flag, list(entries))
        for flag in flags
        for _command, entries in groupby(detail.flag_events.get(flag.id, ()), key=lambda entry: entry.command)
    ]
    return sorted(steps, key=lambda step: step.wall_time, reverse=True)


def _step(flag: Flag, entries: list[HistoryEntry]) -> FlagStep:
    first = entries[0]
    values = {entry.field: entry.value for entry in entries}
    step = RAISED if CREATED in values else UPDATED
    # A damaged value reads as "".
    if values.get("state"):
        step = msgspec.json.decode(values["state"], type=str)
    reason = str(stored_value(values.get("resolution") or '""'))
    return FlagStep(flag=flag, step=step, person=first.actor, wall_time=first.wall_time, reason=reason)
