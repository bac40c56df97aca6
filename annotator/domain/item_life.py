"""The life of an item: which state may follow which.

Source: PRODUCT.md, 'The life of an item'. ``released`` is not a state but membership of a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from annotator.domain.item import ItemState

NEXT_STATES: Mapping[ItemState, frozenset[ItemState]] = MappingProxyType(
    {
        "drafted": frozenset({"filtered", "in_refinement", "refined", "flagged", "rejected"}),
        "filtered": frozenset({"drafted", "in_refinement", "rejected"}),
        "in_refinement": frozenset({"drafted", "filtered", "refined", "flagged", "rejected"}),
        "refined": frozenset({"in_refinement", "filtered", "flagged", "accepted", "rejected"}),
        "flagged": frozenset({"in_refinement", "refined", "accepted", "rejected"}),
        "accepted": frozenset({"in_refinement", "flagged", "rejected"}),
        "rejected": frozenset({"drafted", "in_refinement"}),
    }
)
"""States that may follow each state. The blind filter and model consensus may filter or flag an item that
people have worked on; nothing is accepted that nobody refined."""
FINISHED: frozenset[ItemState] = frozenset({"refined", "accepted"})
"""States of items that must be complete: a question, an answer key in the item's format, distinct options."""

ACCEPTING: Mapping[ItemState, ItemState] = MappingProxyType(
    {
        "drafted": "refined",
        "filtered": "in_refinement",
        "in_refinement": "refined",
        "refined": "accepted",
        "flagged": "accepted",
    }
)
"""The state that follows when a person accepts an item as it is; accepted and rejected items stay."""


def may_follow(before: ItemState, after: ItemState) -> bool:
    """Return whether an item may go from one state to another."""
    return after in NEXT_STATES[before]


def state_after_edit(state: ItemState) -> ItemState:
    """Return the state of an item whose question, options or answer key a person has changed.

    A draft is then in refinement. What was accepted is no longer what somebody accepted.
    """
    return "in_refinement" if state in {"drafted", "accepted"} else state
