"""Hidden answer keys that can be computed: the letters of items that earlier versions drafted."""

from __future__ import annotations

from functools import partial

from annotator.domain.item import Item
from annotator.domain.predictable_letters import has_predictable_letter
from annotator.errors import UserError
from annotator.queries.reader import Reader
from annotator.release.splits import Division


def count_predictable(reader: Reader, division: Division) -> int:
    """Return the number of items whose hidden answer key can be computed from what a release shows.

    Raises:
        UserError: There are such items, and the settings do not allow them.
    """
    hidden = division.hidden
    items = reader.records(Item, ids=[row.id for row in reader.items.rows([item.n for item in hidden])])
    count = sum(has_predictable_letter(item, source=partial(reader.get, Item)) for item in items)
    if count and not division.settings.allows_predictable:
        raise UserError(
            f"{count:,} of {len(hidden):,} hidden answer keys can be computed from the public ids: an "
            "earlier version drew the options by the seed alone.",
            hint="Make multiple-choice variants again: variants PROJECT --kind choice. Assign the letters of "
            "the other items again: items PROJECT rebalance. Or release with --allow-predictable-letters.",
        )
    return count
