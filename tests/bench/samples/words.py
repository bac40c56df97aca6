"""Sentences about a town seen from the air, made up from a few words."""

from __future__ import annotations

import random

_THINGS = (
    *("the grey roof", "a red car", "the narrow bridge", "the school yard", "two trees", "the river bank"),
    *("a crossing", "the water tower", "a parked van", "the market hall", "a playground", "the long fence"),
)
_DEEDS = ("turns left at", "climbs above", "flies along", "comes down near", "waits over", "passes")


def thing(rng: random.Random) -> str:
    """Return something that stands in a town."""
    return rng.choice(_THINGS)


def sentence(rng: random.Random) -> str:
    """Return one sentence of about sixty characters."""
    return f"The drone {rng.choice(_DEEDS)} {thing(rng)} and then {rng.choice(_DEEDS)} {thing(rng)}."


def question(rng: random.Random) -> str:
    """Return a question of about a hundred characters."""
    return f"After it {rng.choice(_DEEDS)} {thing(rng)}, what does the drone see beside {thing(rng)}?"


def options(rng: random.Random, *, count: int) -> list[str]:
    """Return choices that differ."""
    return [f"{sentence(rng)[:-1]}, as number {number} says." for number in range(count)]
