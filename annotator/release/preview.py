"""The counts of a release before it is created."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from annotator.domain.item import ItemState
from annotator.domain.query import ItemQuery
from annotator.queries.reader import Reader
from annotator.release.release_filter import NEVER_RELEASED

ACCEPTED = "accepted"


@dataclass(frozen=True, kw_only=True)
class ReleasePreview:
    """Items of a selection per state, in workflow order; states without items are left out.

    Attributes:
        states: Items that a release can take. Open errors may still withhold some of them.
        excluded: Items whose state is never released.
        forked: Items that it could take but for a fork; they are in ``states`` of ``with_forked`` only.
    """

    states: dict[str, int]
    excluded: dict[str, int]
    forked: dict[str, int] = field(default_factory=dict)

    @property
    def items(self) -> int:
        """Number of items that a release can take."""
        return sum(self.states.values())

    @property
    def unaccepted(self) -> int:
        """Number of releasable items that are not accepted yet."""
        return self.items - self.states.get(ACCEPTED, 0)

    def with_forked(self) -> ReleasePreview:
        """Return the counts of a release that includes items with open errors and forks."""
        total = Counter(self.states) + Counter(self.forked)
        return replace(self, states={s: total[s] for s in get_args(ItemState) if total[s]}, forked={})


def _counts_of_states(reader: Reader, selection: ItemQuery) -> dict[ItemState, int]:
    """Return the number of selected items in each state that has any."""
    # The facet is counted under the other filters only, so its own filter is applied here.
    facet = {count.value: count.count for count in reader.items.facets(selection)["state"]}
    wanted = selection.states or get_args(ItemState)
    return {state: facet[state] for state in get_args(ItemState) if state in wanted and facet.get(state)}


def preview_release(reader: Reader, selection: ItemQuery) -> ReleasePreview:
    """Count the items that a release of a selection would contain."""
    found = _counts_of_states(reader, selection)
    forked = _forked_items(reader, selection)
    left = {state: n - forked.get(state, 0) for state, n in found.items() if state not in NEVER_RELEASED}
    return ReleasePreview(
        states={state: n for state, n in left.items() if n},
        forked=forked,
        excluded={state: n for state, n in found.items() if state in NEVER_RELEASED},
    )


def _forked_items(reader: Reader, selection: ItemQuery) -> dict[str, int]:
    """Return the items of a selection with a fork of a field, or of a flag on them, per state."""
    forks = {fork.entity_id for fork in reader.reviews.forked_fields()}
    if not forks:
        return {}
    numbers = reader.gates.numbers_of_items(reader.gates.item_ids_of(forks).values())
    rows = reader.items.rows(np.intersect1d(numbers, reader.items.numbers(selection)).tolist())
    return dict(Counter(row.state for row in rows if row.state not in NEVER_RELEASED))
