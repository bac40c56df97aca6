"""What the manifest of a release states of its splits, its hidden answer keys and its subset."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain.record import ValueObject

SPLIT_LIST, SUBSET_LIST = "splits.jsonl", "subset.jsonl"


class HiddenKeys(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The answer keys that are not in a release.

    Attributes:
        splits: Names of the splits whose answer keys are hidden.
        items: Number of their items.
        keys_hmac: HMAC-SHA256 over the digest of the files with the answer keys. Its salt is in their folder
            alone, so that nobody can compare a guess of the answer keys with it.
        predictable: Number of those whose letters can be computed from the public ids, which a person has
            allowed; omitted if there are none.
    """

    splits: tuple[str, ...]
    items: int
    keys_hmac: str
    predictable: int | msgspec.UnsetType = msgspec.UNSET


class ReleasedSplits(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The splits of a release.

    Attributes:
        shares: Share of the items that each split should have, 0 to 1, by its name.
        seed: Of the division.
        items: Items that each split has.
        groups: Groups of items that share a scene or a medium, which are not divided.
        file: Name of the file that lists the items with their splits.
        hidden: The answer keys that are not in the release; omitted if it has all of them.
    """

    shares: dict[str, float]
    seed: int
    items: dict[str, int]
    groups: int
    file: str = SPLIT_LIST
    hidden: HiddenKeys | msgspec.UnsetType = msgspec.UNSET


class ReleasedSubset(ValueObject, frozen=True, kw_only=True, omit_defaults=False):
    """The subset of a release.

    Attributes:
        share: Share of the items of each task, 0 to 1.
        seed: Of the choice.
        items: Number of items in it.
        tasks: Number of items by task (``set/task``).
        file: Name of the file that lists them.
    """

    share: float
    seed: int
    items: int
    tasks: Mapping[str, int]
    file: str = SUBSET_LIST
