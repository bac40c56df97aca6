"""Groups media with the selected method."""

from __future__ import annotations

from annotator.errors import UserError
from annotator.media.capture_times import read_capture_times
from annotator.media.group_table import group_by_table
from annotator.media.grouping import group, group_individually
from annotator.media.scene_grouping import Grouping
from annotator.media.time_grouping import group_by_time
from annotator.progress import Progress
from widgets.import_wizard.choices import MediaChoice


def grouped(choice: MediaChoice, *, progress: Progress) -> Grouping:
    """Return the scenes and views of media, grouped with the selected method.

    Raises:
        UserError: The pattern or the CSV file is invalid, or missing.
        EnvironmentFailure: The disk cannot be read.
        Cancelled: The user stopped it.
    """
    names = choice.part.listing.names
    if choice.method == "alone":
        return group_individually(names)
    if choice.method == "time":
        shots, unread = read_capture_times(choice.part.listing, progress=progress)
        return group_by_time(shots, tolerance_s=choice.tolerance_s, undated=unread)
    if choice.method == "table":
        if choice.table is None:
            raise UserError(
                "No CSV file is selected.", hint="Select a CSV file with the columns scene, view and path."
            )
        return group_by_table(choice.table, names=names)
    scheme = choice.scheme if choice.method == "scheme" else choice.pattern
    if not scheme:
        raise UserError(
            "The pattern is empty.",
            hint="Enter a pattern with {scene} and {view} at their positions in the file name.",
        )
    return group(names, scheme)
