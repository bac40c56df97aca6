"""A project as it is on every workstation with the same events, whatever the order in which they arrived."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.store.connection import connect, convert_disk_errors


@contextmanager
def in_log_order(reader: Reader, *, progress: Progress) -> Iterator[Reader]:
    """Give a reader whose records are in the order of the log.

    Arrival numbers order records everywhere. After a merge they differ from one workstation to another, so a
    temporary copy of the project gets others: by Lamport number and id of the events.

    Args:
        reader: The project; it must show one state throughout (``Reader.snapshot``).
        progress: One step per event, if a copy is made.

    Raises:
        EnvironmentFailure: The copy cannot be written.
        Cancelled: The user cancelled the operation.
    """
    if reader.log.is_in_log_order():
        yield reader
        return
    with state_at(reader, heads=None, progress=progress) as ordered:
        yield ordered


@contextmanager
def state_at(
    reader: Reader, *, heads: Mapping[str, int] | None, until: str = "", progress: Progress
) -> Iterator[Reader]:
    """Give a reader that shows an earlier state of a project, in the order of the log.

    Args:
        reader: The project; it must show one state throughout.
        heads: Last sequence number per ``actor/session_id`` (``LogHeads.heads``), None for the present one.
        until: ISO 8601 UTC; model work that was made later is not shown. "" for all of it.
        progress: One step per event.

    Raises:
        EnvironmentFailure: The copy cannot be written.
        Cancelled: The user cancelled the operation.
    """
    with tempfile.TemporaryDirectory(prefix="vantage-order-") as folder:
        path = Path(folder) / "project.vantage"
        with convert_disk_errors(), closing(connect(path, read_only=False)) as target:
            # A temporary file need not survive a power failure.
            target.execute("PRAGMA synchronous=OFF")
            reader.log.copy_in_log_order(target, heads=heads, until=until, progress=progress)
            target.execute("PRAGMA journal_mode=DELETE")
        with closing(Reader.open(path)) as ordered, ordered.snapshot():
            ordered.media.take_absent(reader.media.absent)
            # Task sets and checks of its own lie beside the project.
            ordered.path = reader.path
            yield ordered
