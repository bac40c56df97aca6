"""Splits of a release, such as train and test: items that show the same scene or video are never divided."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from annotator.domain.record import ValueObject
from annotator.errors import UserError
from annotator.queries.gate_queries import SplitItem
from annotator.queries.reader import Reader
from annotator.release.exporter import Exporter
from annotator.release.release_folder import ReleaseFolder
from annotator.release.released_splits import SPLIT_LIST, ReleasedSplits

# 0.7 + 0.2 + 0.1 is less than 1 in binary fractions.
ROUNDING = 1e-9


class Split(ValueObject, frozen=True, kw_only=True):
    """One part of a release.

    Attributes:
        name: Its name.
        share: Share of the items that it should have, 0 to 1.
    """

    name: str
    share: float


class SplitSettings(ValueObject, frozen=True, kw_only=True):
    """How a release is divided.

    Attributes:
        splits: The parts; their shares add up to 1.
        seed: Another seed gives another division.
        hidden: Names of the splits whose answer keys are kept in a folder of their own.
        allows_predictable: Whether answer keys are hidden although their letters can be computed.
    """

    splits: tuple[Split, ...]
    seed: int = 0
    hidden: tuple[str, ...] = ()
    allows_predictable: bool = False


class SplitEntry(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """One line of ``splits.jsonl``.

    Attributes:
        name: Public id of the item.
        task: Its task, ``set/task``.
        split: Name of its split.
    """

    name: str
    task: str
    split: str


def require_splits(settings: SplitSettings, exporter: Exporter) -> None:
    """Check the settings of splits.

    Raises:
        UserError: The format has no items, there are fewer than two splits, a name is empty or given twice,
            the shares are not 100 percent, or the answer keys cannot be hidden.
    """
    if not exporter.holds_items:
        raise UserError(
            f"The format {exporter.id} contains no items that could be divided.", hint="Remove the splits."
        )
    _require_parts(settings.splits)
    names = [split.name for split in settings.splits]
    if unknown := [name for name in settings.hidden if name not in names]:
        raise UserError(
            f"The answer keys of the split {unknown[0]} cannot be hidden: there is no such split.",
            hint=f"Name one of: {', '.join(names)}.",
        )
    if settings.hidden and not exporter.can_hide_keys:
        raise UserError(
            f"The format {exporter.id} cannot hide answer keys: its files consist of the answers.",
            hint="Release without hidden answer keys, or in another format such as native or huggingface.",
        )


def _require_parts(splits: Sequence[Split]) -> None:
    names, shares = [split.name for split in splits], [split.share for split in splits]
    if len(names) < 2 or "" in names or len({*names}) < len(names):
        raise UserError(
            "Splits need two or more different names.", hint="For example train=80, dev=10 and test=10."
        )
    # Not the other way round: a share that is no number is never in order.
    if not (min(shares) > 0 and abs(sum(shares) - 1) <= ROUNDING):
        raise UserError(
            "The shares of the splits do not add up to 100 percent.",
            hint="For example train=80, dev=10 and test=10.",
        )


@dataclass(frozen=True, kw_only=True)
class Division:
    """The items of a release with their splits.

    Attributes:
        settings: How they are divided.
        entries: Each item with the name of its split, in the order of the release.
        groups: Number of groups that are not divided.
    """

    settings: SplitSettings
    entries: tuple[tuple[SplitItem, str], ...]
    groups: int

    @property
    def counts(self) -> dict[str, int]:
        """Number of items by split."""
        found = Counter(split for _, split in self.entries)
        return {split.name: found[split.name] for split in self.settings.splits}

    @property
    def hidden(self) -> list[SplitItem]:
        """The items whose answer keys are hidden."""
        return [item for item, split in self.entries if split in self.settings.hidden]


def divide_items(reader: Reader, items: Iterable[SplitItem], *, settings: SplitSettings) -> Division:
    """Return the division of items.

    Args:
        reader: The project.
        items: The items of the release, in its order.
        settings: How they are divided.
    """
    listed = list(items)
    groups = _groups(listed, originals=reader.gates.original_media())
    chosen = divide([len(group) for group in groups], keys=[_key(group) for group in groups], by=settings)
    split_of = {item.n: split for group, split in zip(groups, chosen, strict=True) for item in group}
    entries = tuple((item, split_of[item.n]) for item in listed)
    return Division(settings=settings, entries=entries, groups=len(groups))


def write_splits(division: Division, folder: ReleaseFolder) -> ReleasedSplits:
    """Write the list of the items with their splits."""
    file, encoder = folder.file(SPLIT_LIST), msgspec.json.Encoder()
    for item, split in division.entries:
        entry = SplitEntry(name=item.name, task=item.task, split=split)
        file.write(encoder.encode(entry) + b"\n", records=1)
    settings = division.settings
    return ReleasedSplits(
        shares={split.name: split.share for split in settings.splits},
        seed=settings.seed,
        items=division.counts,
        groups=division.groups,
    )


def divide(sizes: Sequence[int], *, keys: Sequence[str], by: SplitSettings) -> list[str]:
    """Return the split of each group, so that the splits come near their shares of all items.

    Args:
        sizes: Items of each group.
        keys: A name of each group that is the same on any machine.
        by: The splits.
    """
    total, counts = sum(sizes), dict.fromkeys((split.name for split in by.splits), 0)
    found = [""] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda at: (_draw(keys[at], seed=by.seed), keys[at]))
    for at in order:
        # The split that lacks most; with equal lacks the first one.
        split = max(by.splits, key=lambda one: one.share * total - counts[one.name])
        found[at] = split.name
        counts[split.name] += sizes[at]
    return found


def _draw(key: str, *, seed: int) -> str:
    # Not a generator: a further group does not change the order of the others, nor does a version of
    # Python.
    return hashlib.sha256(f"{seed}:{key}".encode()).hexdigest()


def _key(group: Collection[SplitItem]) -> str:
    # Public ids: a project that was imported again has other ids of records.
    return min(f"{item.task}/{item.name}" for item in group)


def _groups(items: Sequence[SplitItem], *, originals: Mapping[str, str]) -> list[list[SplitItem]]:
    """Return the items that must not be divided: a scene, a medium or its original, or a source is theirs."""
    parents: dict[Hashable, Hashable] = {}

    def root(node: Hashable) -> Hashable:
        # Union-find; each node on the way is moved up, so that long chains of shared media stay quick.
        while (parent := parents.setdefault(node, node)) != node:
            parents[node] = parents[parent]
            node = parents[node]
        return node

    for item in items:
        shown = [("scene", item.scene)] if item.scene else []
        shown += [("medium", originals.get(medium, medium)) for medium in item.media]
        shown += [("item", item.family)] if item.family else []
        for node in shown:
            parents[root(node)] = root(item.n)
    groups: dict[Hashable, list[SplitItem]] = defaultdict(list)
    for item in items:
        groups[root(item.n)].append(item)
    return list(groups.values())
