"""A difference between two releases as a table: a row for each item that is new or gone, and each change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotator.errors import EnvironmentFailure
from annotator.release.cells import csv_line
from annotator.release_difference.difference import ReleaseDifference

HEAD = ("difference", "task", "item", "field", "old", "new", "why")


def rows_of(difference: ReleaseDifference) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a difference: changed items first, answer keys at the top; settings last."""
    for item in difference.changed:
        for change in item.changes:
            yield "changed", item.task, item.name, change.field, change.old, change.new, ""
    for kind, items in (("removed", difference.removed), ("added", difference.added)):
        for one in items:
            yield kind, one.task, one.name, "", "", "", one.why
    for change in difference.settings:
        yield "setting", "", "", change.field, change.old, change.new, ""


def write_table(difference: ReleaseDifference, path: Path) -> int:
    """Write a difference as CSV and return the number of its rows.

    Raises:
        EnvironmentFailure: The file cannot be written.
    """
    rows = list(rows_of(difference))
    try:
        path.write_bytes(b"".join([csv_line(HEAD), *map(csv_line, rows)]))
    except OSError as error:
        raise EnvironmentFailure(
            f"The table {path} cannot be written: {error.strerror}.",
            hint="Check the folder, its permissions and the free space.",
        ) from error
    return len(rows)
