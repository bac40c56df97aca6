"""The subset of a release: a random share of each task, such as the 20 % that people answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import msgspec

from annotator.domain.record import ValueObject
from annotator.domain.stratified_sample import draw_items
from annotator.errors import UserError
from annotator.queries.gate_queries import SplitItem
from annotator.release.exporter import Exporter
from annotator.release.release_folder import ReleaseFolder
from annotator.release.released_splits import SUBSET_LIST, ReleasedSubset


class SubsetSettings(ValueObject, frozen=True, kw_only=True):
    """How a subset is drawn.

    Attributes:
        share: Share of the items of each task, above 0 and below 1; at least one item.
        seed: Another seed draws other items.
    """

    share: float
    seed: int = 0


class SubsetEntry(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """One line of ``subset.jsonl``.

    Attributes:
        name: Public id of the item.
        task: Its task, ``set/task``.
    """

    name: str
    task: str


def require_subset(settings: SubsetSettings, exporter: Exporter) -> None:
    """Check the settings of a subset.

    Raises:
        UserError: The format has no items, or the share is out of range.
    """
    if not exporter.holds_items:
        raise UserError(
            f"The format {exporter.id} contains no items of which a subset could be drawn.",
            hint="Remove the subset.",
        )
    if not 0 < settings.share < 1:
        raise UserError(
            f"The share {settings.share:.0%} of the subset is not above 0 and below 100 percent.",
            hint="For example 20.",
        )


def draw_subset(items: Iterable[SplitItem], *, settings: SubsetSettings) -> list[SplitItem]:
    """Return the items of the subset in the order of the release.

    Tasks belong to one group each, so a share of each task is the same share of each group.
    """
    listed = list(items)
    by_task: dict[str, list[str]] = defaultdict(list)
    for item in listed:
        by_task[item.task].append(_key(item))
    drawn = {
        key for keys in by_task.values() for key in draw_items(keys, share=settings.share, seed=settings.seed)
    }
    return [item for item in listed if _key(item) in drawn]


def write_subset(
    items: Collection[SplitItem], *, settings: SubsetSettings, folder: ReleaseFolder
) -> ReleasedSubset:
    """Write the list of the items of the subset.

    Args:
        items: The items of the release, in its order.
        settings: How the subset is drawn.
        folder: The release.
    """
    drawn = draw_subset(items, settings=settings)
    file, encoder = folder.file(SUBSET_LIST), msgspec.json.Encoder()
    for item in drawn:
        file.write(encoder.encode(SubsetEntry(name=item.name, task=item.task)) + b"\n", records=1)
    return ReleasedSubset(
        share=settings.share, seed=settings.seed, items=len(drawn), tasks=count_tasks(drawn)
    )


def count_tasks(items: Iterable[SplitItem]) -> Mapping[str, int]:
    """Return the number of items of each task, in the order of their names."""
    counts: dict[str, int] = defaultdict(int)
    for item in items:
        counts[item.task] += 1
    return dict(sorted(counts.items()))


def _key(item: SplitItem) -> str:
    # The public id: a project that was imported again has other ids of records.
    return f"{item.task}/{item.name}"
