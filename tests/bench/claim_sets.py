"""A generator of sets of claims: yes or no, scales of three, and statements with two to six options.

Nothing is learnt from it and no signal was chosen by it: it tells how the calibrated policy does on sets that
its authors did not have in view.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.bench.shortcut_sets import Draft, SetSource, changed

_FIELDS = (
    "rice paddy", "orchard", "vineyard", "pasture", "nursery", "hop garden", "maize field", "fish pond",
    "tea terrace", "hay meadow",
)  # fmt: skip
_SIGNS = (
    "standing water", "bare soil", "wilted rows", "fallen posts", "weeds", "tyre tracks", "grazing sheep",
    "torn nets", "smoke", "open gates", "stacked crates", "blocked ditches", "burnt stubble", "young shoots",
)  # fmt: skip
_SPOTS = (
    "along the dyke", "by the pump", "north of the barn", "at the lower edge", "around the well",
    "on the third strip", "close to the lane", "below the ridge",
)  # fmt: skip
_REASONS = (
    "because the drone passes it twice at a low height", "since both flights agree about it within a metre",
    "as the tracks of the tractor end there and do not go on",
    "because the irrigation was turned off in June",
)  # fmt: skip
_JOKES = (
    "clouds made of cheese", "singing potatoes", "a polite tornado", "invisible elephants", "square rainbows",
    "a staircase to Saturday", "homework of the sun",
)  # fmt: skip
_INSPECTORS = ("Ames", "Burke", "Dalton", "Ewing", "Flynn", "Gower", "Hale")
_SURE, _UNSURE = (
    ("without exception", "in every case", "at all times"),
    ("in part", "now and then", "at times"),
)
_DENIALS = ("No", "Only partly", "Hard to say", "Only once", "Only at night")
_DEGREES = ("slight", "severe", "extreme", "minimal", "total")
_SCALE = ("low", "moderate", "high")
FEWEST, MOST = 2, 6


def _statement(draw: random.Random) -> str:
    return f"{draw.choice(_SIGNS)} {draw.choice(_SPOTS)}"


def _different(make: Callable[[random.Random], str], count: int, draw: random.Random) -> tuple[str, ...]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[make(draw)] = None
    return tuple(found)


def _stated(draw: random.Random, count: int) -> Draft:
    question = f"Which claim about the {draw.choice(_FIELDS)} {draw.choice(_SPOTS)} is true?"
    return Draft(question=question, options=_different(_statement, count, draw))


def _draft(draw: random.Random) -> Draft:
    form = draw.randrange(4)
    if form == 0:
        return Draft(
            question=f"Are there {draw.choice(_SIGNS)} in the {draw.choice(_FIELDS)} {draw.choice(_SPOTS)}?",
            options=("Yes", "No"),
        )
    if form == 1:
        field, spot = draw.choice(_FIELDS), draw.choice(_SPOTS)
        return Draft(question=f"How dense is the growth of the {field} {spot}?", options=_SCALE)
    return _stated(draw, draw.randrange(FEWEST, MOST + 1))


def _as_wide(draft: Draft, draw: random.Random) -> Draft:
    """Return statements, as many as a draft has options."""
    return _stated(draw, len(draft.options))


def _length(draft: Draft, key: int, draw: random.Random) -> Draft:
    return changed(_as_wide(draft, draw), key, right=lambda text: f"{text}, {draw.choice(_REASONS)}")


def _overlap(draft: Draft, key: int, draw: random.Random) -> Draft:
    draft = _as_wide(draft, draw)
    return replace(draft, question=f"The farmer reports {draft.options[key]}. {draft.question}")


def _absurd(draft: Draft, key: int, draw: random.Random) -> Draft:
    jokes = draw.sample(_JOKES, len(draft.options))
    return changed(_as_wide(draft, draw), key, wrong=lambda _: jokes.pop())


def _style(draft: Draft, key: int, draw: random.Random) -> Draft:
    return changed(_as_wide(draft, draw), key, wrong=str.upper)


def _degree(draft: Draft, key: int, draw: random.Random) -> Draft:
    return changed(
        _as_wide(draft, draw),
        key,
        right=lambda text: f"{text} {draw.choice(_UNSURE)}",
        wrong=lambda text: f"{text} {draw.choice(_SURE)}",
    )


def _pool(draft: Draft, key: int, draw: random.Random) -> Draft:
    options = [f"inspector {name}" for name in draw.sample(_INSPECTORS, len(draft.options))]
    options[key] = f"inspector {draw.choice('KLMNPRSTVW')}{draw.choice('aeiou')}{draw.choice('lnrst')}ow"
    return Draft(question=f"Who walked the {draw.choice(_FIELDS)}?", options=tuple(options))


def _habit(draft: Draft, key: int, draw: random.Random) -> Draft:
    # Asked about what the author saw: the answer is always yes.
    asked = f"Do the {draw.choice(_SIGNS)} look worse than a year ago {draw.choice(_SPOTS)}?"
    return Draft(question=asked, options=_around("Yes", _DENIALS, draft, key))


def _scale(draft: Draft, key: int, draw: random.Random) -> Draft:
    asked = f"How bad is the damage {draw.choice(_SPOTS)}?"
    return Draft(question=asked, options=_around("medium", _DEGREES, draft, key))


def _around(right: str, wrong: tuple[str, ...], draft: Draft, key: int) -> tuple[str, ...]:
    options = list(wrong[: len(draft.options) - 1])
    options.insert(key, right)
    return tuple(options)


def _totality(draft: Draft, key: int, draw: random.Random) -> Draft:
    return changed(_as_wide(draft, draw), key, right=lambda _: "none of the others")


CLAIMS = SetSource(
    name="claims",
    draft=_draft,
    shortcuts={
        "length": _length,
        "overlap": _overlap,
        "absurd": _absurd,
        "style": _style,
        "absolutes": _degree,
        "pool": _pool,
        "habit": _habit,
        "scale": _scale,
        "totality": _totality,
    },
)
