"""The link of a variant to its source in formats that identify items by their public ids."""

from __future__ import annotations

from typing import Any

from annotator.domain.item import Item
from annotator.release.release_items import RecordLookup

KIND, SOURCE = "variant", "variant_of"
"""Names of the additional fields: kind of the variant, and public id of the item that it is a version of."""


def extras_of(item: Item, *, lookup: RecordLookup) -> dict[str, Any]:
    """Return the additional fields of an item, with those of its link if it is a variant."""
    if item.variant is None:
        return item.extras
    return {**item.extras, KIND: item.variant.kind, SOURCE: lookup.item_name(item.variant.source)}


def extra_names(item: Item) -> frozenset[str]:
    """Return the names of the additional fields of an item."""
    return frozenset(item.extras) | (frozenset() if item.variant is None else {KIND, SOURCE})
