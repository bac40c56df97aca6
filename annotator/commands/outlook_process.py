"""The gates of a release, examined in a child process: seconds of Python for large projects."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.child_call import call_in_process
from annotator.domain.query import ItemQuery
from annotator.errors import EnvironmentFailure
from annotator.progress import Progress

if TYPE_CHECKING:
    from annotator.commands.release_gates import ReleaseOutlook


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


def look_ahead_in_process(order: OutlookOrder, *, progress: Progress) -> ReleaseOutlook:
    """Examine all gates, and count what a release would take (``look_ahead``).

    Raises:
        UserError: The project cannot be read.
        EnvironmentFailure: The process cannot be started, or has ended early.
        Cancelled: The user cancelled it; the process is ended.
    """
    try:
        return call_in_process(_look_ahead, order, name="vantage-gates", progress=progress)
    except OSError as error:
        raise EnvironmentFailure(f"The gates cannot be examined: {error.strerror}.") from error
    except EOFError as error:
        raise EnvironmentFailure(
            "The process that examines the gates has ended early.",
            hint="Close other programs to free memory, then try again.",
        ) from error


def _look_ahead(order: OutlookOrder, progress: Progress) -> ReleaseOutlook:
    from annotator.commands.release_gates import look_ahead
    from annotator.store.reader import Reader

    with contextlib.closing(Reader.open(order.project)) as reader, reader.snapshot():
        reader.take_absent_media(order.absent_media)
        return look_ahead(reader, order.selection, progress=progress)
