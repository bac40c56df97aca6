"""The counts of a release before it is created."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from annotator.domain.item import ItemState
from annotator.domain.query import ItemQuery
from annotator.release.release_filter import NEVER_RELEASED
from annotator.store.reader import Reader

ACCEPTED = "accepted"


@dataclass(frozen=True, kw_only=True)
class ReleasePreview:
    """Items of a selection per state, in workflow order; states without items are left out.

    Attributes:
        states: Items that a release can take. Open errors and forks may still withhold some of them.
        excluded: Items whose state is never released.
    """

    states: dict[str, int]
    excluded: dict[str, int]

    @property
    def items(self) -> int:
        """Number of items that a release can take."""
        return sum(self.states.values())

    @property
    def unaccepted(self) -> int:
        """Number of releasable items that are not accepted yet."""
        return self.items - self.states.get(ACCEPTED, 0)


def preview_release(reader: Reader, selection: ItemQuery) -> ReleasePreview:
    """Count the items that a release of a selection would contain."""
    # The facet is counted under the other filters only, so its own filter is applied here.
    facet = {count.value: count.count for count in reader.item_facets(selection)["state"]}
    wanted = selection.states or get_args(ItemState)
    found = {state: facet[state] for state in get_args(ItemState) if state in wanted and facet.get(state)}
    return ReleasePreview(
        states={state: n for state, n in found.items() if state not in NEVER_RELEASED},
        excluded={state: n for state, n in found.items() if state in NEVER_RELEASED},
    )
