"""What a person asks of a list of 10^6 items: filters, places to scroll to, words to look for."""

from __future__ import annotations

from annotator.domain.query import ItemQuery
from tests.bench.vocabulary import STREETS

FILTERS = (
    ItemQuery(),
    ItemQuery(task_sets=("aircop",)),
    ItemQuery(tasks=("object_counting",), states=("drafted",)),
    ItemQuery(states=("rejected",)),
    ItemQuery(flags=("*",)),
    ItemQuery(flags=("partner_missing",), task_sets=("urbanvideo",)),
    ItemQuery(tasks=("action_generation", "a2a_shared_association"), states=("accepted", "refined")),
)
"""From everything over a few per cent down to a handful."""

SEARCHES = (
    ItemQuery(text="red"),
    ItemQuery(text="excavators"),
    ItemQuery(text="red cars"),
    ItemQuery(text="ponies fountain silver"),
    ItemQuery(text="cros"),
    ItemQuery(text=STREETS[0]),
    ItemQuery(text=STREETS[40]),
    ItemQuery(text=STREETS[1500]),
    ItemQuery(text=f"umbrellas {STREETS[7]}"),
    ItemQuery(text="红色汽车"),
    ItemQuery(text="0004711"),
    ItemQuery(text="nowhere"),
    ItemQuery(text="quay", states=("rejected",)),
    ItemQuery(text="tents", flags=("*",), task_sets=("spatialuav",)),
    ItemQuery(text="trucks", tasks=("action_generation",), states=("accepted",)),
)
"""Common and rare words, several, an unfinished one, Chinese, a public id, nothing, and under filters."""
