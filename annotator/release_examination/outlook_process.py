"""The gates of a release, examined in a child process: seconds of Python for large projects."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.domain.query import ItemQuery, MediumQuery
from annotator.domain.release_gate import GateResult, GateWaiver
from annotator.process_call import call_in_process
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.release.gates import GateReport
    from annotator.release_examination.outlook import ReleaseOutlook

PROCESS_FROM = 2_000
"""Items from which on a process is worth its start of most of a second; the checks take 80 µs an item."""


@dataclass(frozen=True, kw_only=True)
class OutlookOrder:
    """What a release is to be of.

    Attributes:
        project: The project.
        selection: The filter that chooses the items.
        absent_media: Ids of media whose files are not there, which the calling session alone knows.
    """

    project: Path
    selection: ItemQuery
    absent_media: frozenset[str] = frozenset()


class _Report(msgspec.Struct, kw_only=True):
    """A ``GateReport`` as it is sent: the gate by its id, and one field for each kind of query."""

    gate: str
    result: GateResult
    is_required: bool
    items: ItemQuery | None
    media: MediumQuery | None
    waiver: GateWaiver | None
    unwaivable: int


class _Outlook(msgspec.Struct, kw_only=True):
    """A ``ReleaseOutlook`` as it is sent."""

    reports: list[_Report]
    states: dict[str, int]
    excluded: dict[str, int]
    forked: dict[str, int]
    tasks: dict[str, int]
    withheld: dict[str, int]
    people: dict[str, str]


def look_ahead_in_process(order: OutlookOrder, *, progress: Progress) -> ReleaseOutlook:
    """Examine all gates, and count what a release would take (``look_ahead``).

    Raises:
        UserError: The project cannot be read.
        EnvironmentFailure: The process cannot be started, or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    from annotator.release.preview import ReleasePreview
    from annotator.release_examination.outlook import ReleaseOutlook

    found = call_in_process(send_outlook, order, kind=_Outlook, progress=progress)
    return ReleaseOutlook(
        reports=tuple(map(_received, found.reports)),
        preview=ReleasePreview(states=found.states, excluded=found.excluded, forked=found.forked),
        tasks=found.tasks,
        withheld=found.withheld,
        people=found.people,
    )


def send_outlook(order: OutlookOrder, *, progress: Progress) -> _Outlook:
    """Examine the gates; what the child process does."""
    from annotator.queries.reader import Reader
    from annotator.release_examination.outlook import look_ahead

    with contextlib.closing(Reader.open(order.project)) as reader, reader.snapshot():
        reader.media.take_absent(order.absent_media)
        found = look_ahead(reader, order.selection, progress=progress)
    return _Outlook(
        reports=[_sent(report) for report in found.reports],
        states=found.preview.states,
        excluded=found.preview.excluded,
        forked=found.preview.forked,
        tasks=dict(found.tasks),
        withheld=dict(found.withheld),
        people=dict(found.people),
    )


def _sent(report: GateReport) -> _Report:
    query = report.query
    return _Report(
        gate=report.gate.id,
        result=report.result,
        is_required=report.is_required,
        items=query if isinstance(query, ItemQuery) else None,
        media=query if isinstance(query, MediumQuery) else None,
        waiver=report.waiver,
        unwaivable=report.unwaivable,
    )


def _received(report: _Report) -> GateReport:
    from annotator.release.gates import GATES, GateReport

    return GateReport(
        gate=GATES[report.gate],
        result=report.result,
        is_required=report.is_required,
        query=report.items or report.media,
        waiver=report.waiver,
        unwaivable=report.unwaivable,
    )
