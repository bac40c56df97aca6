"""The splits and the subset of a release before it is created, counted by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.query import ItemQuery
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.release.build import ReleaseSettings, create_filter, items_of_release
from annotator.release.exporter import Exporter, ExportInput
from annotator.release.splits import SplitSettings, divide_items
from annotator.release.subset import SubsetSettings, count_tasks, draw_subset


@dataclass(frozen=True, kw_only=True)
class SplitPreview:
    """What splits and subset would contain.

    Attributes:
        tasks: Number of items by task (``set/task``).
        splits: Number of items by split and task, None without splits.
        groups: Number of groups of items that share a scene or a media file, which are not divided.
        subset: Number of items in the subset by task, None without a subset.
    """

    tasks: Mapping[str, int]
    splits: Mapping[str, Mapping[str, int]] | None
    groups: int
    subset: Mapping[str, int] | None


def preview_division(
    reader: Reader,
    selection: ItemQuery,
    *,
    exporter: Exporter,
    include_flagged: bool,
    splits: SplitSettings | None,
    subset: SubsetSettings | None,
) -> SplitPreview:
    """Count what splits and subset of a release would contain.

    Checks, and formats that cannot represent an item, may withhold some of the items when it is written.

    Args:
        reader: The project; it must show one state throughout.
        selection: The filter that chooses the items.
        exporter: The exporter of the format.
        include_flagged: Whether items with open errors are included.
        splits: How the items are divided, None for no division.
        subset: The share of each task in the subset, None for none.
    """
    order = ReleaseSettings(exporter=exporter, selection=selection, include_flagged=include_flagged)
    release_filter = create_filter(reader, order=order, findings=())
    draft = ExportInput(
        reader=reader, release_filter=release_filter, selection=selection, progress=Progress()
    )
    items = items_of_release(draft, refused=())
    found: dict[str, dict[str, int]] | None = None
    groups = 0
    if splits is not None:
        division = divide_items(reader, items, settings=splits)
        found, groups = {split.name: defaultdict(int) for split in splits.splits}, division.groups
        for item, name in division.entries:
            found[name][item.task] += 1
    drawn = count_tasks(draw_subset(items, settings=subset)) if subset is not None else None
    return SplitPreview(tasks=count_tasks(items), splits=found, groups=groups, subset=drawn)
