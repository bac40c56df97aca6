"""Answers with and without a part of the input to items of which it is known whether they need the part."""

from __future__ import annotations

import random
from collections import Counter

from annotator.domain.item import Item, Option
from annotator.quality.necessity.answers import InputComparison, Sureness
from annotator.quality.necessity.decision import PartDecision

OPTIONS = 4
MODELS, ROTATIONS = 3, 4
ACCURACY = 0.85
"""Share of right answers of a model that sees what the answer depends on."""
STUCK = 0.5
"""Share of the items at which a model that has to guess repeats its first guess in each rotation."""


def planted_needs(items: int, *, seed: int) -> tuple[list[InputComparison], frozenset[str]]:
    """Return one comparison per item, and the ids of the items that need the part: every second one.

    Args:
        items: Number of items of four options.
        seed: Of all draws.
    """
    chance = random.Random(seed)
    comparisons, needing = [], set()
    options = tuple(Option(letter=letter, text=letter) for letter in "ABCD")
    for number in range(items):
        item = Item(
            id=f"{number:06}", name=f"Q_{number}", task_set="planted", options=options, answer_key="A"
        )
        if number % 2:
            needing.add(item.id)
        comparisons.append(
            InputComparison(
                item=item,
                part="view",
                input="view 1 alone",
                whole=_sureness(chance, knows=True),
                without=_sureness(chance, knows=number % 2 == 0),
            )
        )
    return comparisons, frozenset(needing)


def planted_partial(items: int, *, seed: int, views: int = 4, right: float = 0.7) -> list[InputComparison]:
    """Return comparisons of items that no view alone answers as surely as all together.

    Args:
        items: Number of items of four options.
        seed: Of all draws.
        views: Number of views, each of which is asked alone.
        right: Share of right answers with one view; with all views it is 98 %.
    """
    chance = random.Random(seed)
    options = tuple(Option(letter=letter, text=letter) for letter in "ABCD")
    found = []
    for number in range(items):
        item = Item(
            id=f"{number:06}", name=f"Q_{number}", task_set="planted", options=options, answer_key="A"
        )
        whole = _shared(chance, right=0.98)
        found += [
            InputComparison(
                item=item,
                part="view",
                input=f"view {view} alone",
                whole=whole,
                without=_shared(chance, right=right),
            )
            for view in range(views)
        ]
    return found


def false_share(decision: PartDecision, needing: frozenset[str]) -> float:
    """Return the share of the flagged items that need the part, 0 without flags."""
    flagged = [finding.item.id for finding in decision.findings]
    return sum(item in needing for item in flagged) / max(1, len(flagged))


def _sureness(chance: random.Random, *, knows: bool) -> Sureness:
    answers = [answer for _ in range(MODELS) for answer in _answers(chance, knows=knows)]
    counts = Counter(answers)
    wrong = max((count for option, count in counts.items() if option), default=0)
    return Sureness(right=counts[0] / len(answers), wrong=wrong / len(answers), answers={})


def _shared(chance: random.Random, *, right: float) -> Sureness:
    """Return independent answers of which a share is right; wrong ones are any other option."""
    total = MODELS * ROTATIONS
    counts = Counter(0 if chance.random() < right else chance.randrange(1, OPTIONS) for _ in range(total))
    wrong = max((count for option, count in counts.items() if option), default=0)
    return Sureness(right=counts[0] / total, wrong=wrong / total, answers={})


def _answers(chance: random.Random, *, knows: bool) -> list[int]:
    """Return the options that one model chooses, 0 is the key; a guess may be the same each time."""
    first = chance.randrange(OPTIONS)
    is_stuck = chance.random() < STUCK
    guesses = [first if is_stuck else chance.randrange(OPTIONS) for _ in range(ROTATIONS)]
    return [0 if knows and chance.random() < ACCURACY else guess for guess in guesses]
