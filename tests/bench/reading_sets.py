"""A generator of sets whose options are numbers alone, two to six of them: counts, distances, angles, times.

Nothing is learnt from it and no signal was chosen by it: it tells how the calibrated policy does on sets that
its authors did not have in view.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.bench.shortcut_sets import Draft, SetSource

_SUBJECTS = (
    "pallets", "hydrants", "containers", "antennas", "hatches", "buoys", "pylons", "cattle", "drums", "rails",
)  # fmt: skip
_GAUGES = ("altimeter", "range finder", "gimbal", "battery sensor", "wind gauge", "flow meter")
FEWEST, MOST = 2, 6


def _size(draw: random.Random, least: int = FEWEST) -> int:
    return draw.randrange(least, MOST + 1)


def _question(draw: random.Random) -> str:
    subject, gauge, view = draw.choice(_SUBJECTS), draw.choice(_GAUGES), draw.choice("ABCD")
    return draw.choice(
        (
            f"How many {subject} does view {view} show?",
            f"What does the {gauge} of drone {view} read?",
            f"Give the heading from the {gauge} to the {subject} in view {view}.",
            f"When do the {subject} leave view {view}?",
        )
    )


def _draft(draw: random.Random) -> Draft:
    size, form = _size(draw), draw.randrange(4)
    if form == 0:
        start = draw.randrange(1, 50)
        options = [str(number) for number in draw.sample(range(start, start + 20), size)]
    elif form == 1:
        options = [f"{number / 10:.1f}" for number in draw.sample(range(50, 900), size)]
    elif form == 2:
        options = [str(number) for number in draw.sample(range(0, 360, 5), size)]
    else:
        options = [f"{number // 60:02}:{number % 60:02}" for number in draw.sample(range(60, 1_200, 5), size)]
    return Draft(question=_question(draw), options=tuple(options))


def _precise(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [str(number) for number in draw.sample(range(10, 100, 10), len(draft.options))]
    options[key] = f"{draw.randrange(10, 99)}.{draw.randrange(1, 10)}"
    return replace(draft, options=tuple(options))


def _middle(draft: Draft, key: int, draw: random.Random) -> Draft:
    # Wrong readings are made from the right one, on both sides of it; two options have no middle.
    size = max(3, len(draft.options))
    key, value, step = min(key, size - 1), draw.randrange(200, 800), draw.randrange(3, 40)
    wrong = [str(value + step * (index // 2 + 1) * (1 if index % 2 else -1)) for index in range(size - 1)]
    draw.shuffle(wrong)
    wrong.insert(key, str(value))
    return replace(draft, options=tuple(wrong))


def _largest(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [str(number) for number in draw.sample(range(10, 60), len(draft.options))]
    options[key] = str(draw.randrange(60, 99))
    return replace(draft, options=tuple(options))


def _quoted(draft: Draft, key: int, draw: random.Random) -> Draft:
    del draw
    return replace(draft, question=f"The log says {draft.options[key]}. {draft.question}")


def _habit(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [str(number) for number in draw.sample(range(1, 12), len(draft.options))]
    options[key] = "0"
    return replace(draft, question=f"How many {draw.choice(_SUBJECTS)} are missing?", options=tuple(options))


def _pool(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [str(number) for number in draw.sample((111, 222, 333, 444, 555, 666, 777), len(draft.options))]
    options[key] = str(draw.choice([number for number in range(101, 800) if number % 111]))
    return replace(draft, question=f"Which tag do the {draw.choice(_SUBJECTS)} have?", options=tuple(options))


def _format(draft: Draft, key: int, draw: random.Random) -> Draft:
    numbers = draw.sample(range(100, 1_000), len(draft.options))
    options = tuple(f"{number}.0" if index == key else str(number) for index, number in enumerate(numbers))
    return replace(draft, options=options)


def _absurd(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [str(draw.randrange(10**7, 10**9)) for _ in draft.options]
    options[key] = str(draw.randrange(5, 60))
    return replace(draft, options=tuple(options))


READINGS = SetSource(
    name="readings",
    draft=_draft,
    shortcuts={
        "precise": _precise,
        "middle": _middle,
        "largest": _largest,
        "quoted": _quoted,
        "habit": _habit,
        "pool": _pool,
        "format": _format,
        "absurd": _absurd,
    },
)
