"""Which state of an item may follow which."""

from __future__ import annotations

from typing import get_args

import pytest

from annotator.domain.item import ItemState
from annotator.domain.item_life import NEXT_STATES, may_follow, state_after_edit


def test_states_when_listed_then_each_has_followers_and_can_be_reached_from_a_draft() -> None:
    assert set(NEXT_STATES) == set(get_args(ItemState))
    reached, waiting = set(), {"drafted"}
    while waiting:
        state = waiting.pop()
        reached.add(state)
        waiting |= NEXT_STATES[state] - reached  # type: ignore[index] # a state of the table itself
    assert reached == set(NEXT_STATES)


@pytest.mark.parametrize("before", sorted(set(NEXT_STATES) - {"refined", "flagged"}))
def test_accepted_when_the_item_was_not_refined_then_may_not_follow(before: ItemState) -> None:
    assert not may_follow(before, "accepted")


@pytest.mark.parametrize(
    ("state", "after"),
    [
        ("drafted", "in_refinement"),
        ("accepted", "in_refinement"),
        ("refined", "refined"),
        ("flagged", "flagged"),
    ],
)
def test_state_after_edit_when_drafted_or_accepted_then_is_in_refinement(
    state: ItemState, after: ItemState
) -> None:
    assert state_after_edit(state) == after
