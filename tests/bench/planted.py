"""Made-up four-option items: some whose words give the key away, in five ways, and some that are fair.

They measure how well a blind model finds what people do by accident when they write options: nothing here is
about a real picture, and the key of a fair item is drawn, so no words can tell it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

import msgspec

from annotator.model_api import BlindQuestion

Giveaway = Literal["longest", "overlap", "absurd", "common sense", "grammar"]
"""The key is far longer than the rest; repeats words of the question; is the only one that can be; is what
anybody would expect; is the only one that continues the sentence."""
GIVEAWAYS: tuple[Giveaway, ...] = ("longest", "overlap", "absurd", "common sense", "grammar")

_THINGS = (
    "bus",
    "van",
    "truck",
    "taxi",
    "tram",
    "crane",
    "statue",
    "fountain",
    "kiosk",
    "tent",
    "boat",
    "shed",
)
_PLACES = (
    "near the bridge",
    "beside the car park",
    "at the corner of the square",
    "behind the school",
    "along the river bank",
    "in front of the station",
    "next to the playground",
    "on the roof terrace",
)
_COLOURS = ("red", "blue", "white", "black", "green", "yellow", "grey", "orange")
_SIDES = ("left", "right", "front", "back")
_NAMES = ("UAV1", "UAV2", "UAV3", "UAV4", "UAV5", "UAV6")
_SHORT = (
    "It turns left.",
    "It stops.",
    "It goes on.",
    "It turns back.",
    "It waits.",
    "It speeds up.",
    "It parks.",
)
_LONG = (
    "It slows down before the crossing, lets two pedestrians pass, and then turns into the side street.",
    "It leaves the lane on the far side, goes around the parked delivery vehicle, and returns to its lane.",
    "It stops beside the kerb for some seconds until a passenger gets in, and then joins the traffic again.",
    "It follows the road around the building, passes under the bridge, and comes to rest by the gate.",
)
_NONSENSE = (
    "It dissolves into soup.",
    "It sings an opera in Latin.",
    "It is made of seven frozen carrots.",
    "It flies to the moon and lays eggs.",
    "It eats the whole river.",
    "It turns into a wooden violin.",
    "It marries the lamp post.",
    "It swims through the concrete wall.",
)
_SENSIBLE = (
    ("What does the {thing} {place} do?", "It stays where it is."),
    ("What happens to the {thing} {place}?", "It moves slowly forward."),
    ("What can be said of the {thing} {place}?", "It is partly hidden by a tree."),
    ("How does the {thing} {place} look?", "It has a flat roof."),
)
_EXPECTED = (
    (
        "What are the people at the bus stop doing?",
        "waiting for a bus",
        "digging",
        "painting a wall",
        "sleeping",
    ),
    (
        "Why do the cars stop at the crossing?",
        "the light is red",
        "the road sings",
        "it is winter",
        "they are blue",
    ),
    ("Where are the boats?", "on the water", "on the roof", "in the tree", "in the tunnel"),
    ("What grows along both sides of the avenue?", "trees", "cars", "chairs", "windows"),
    ("What do the children do on the playground?", "play", "vote", "weld", "drive trucks"),
    ("What does the fire engine have on top?", "a ladder", "a piano", "a garden", "a chimney"),
    ("What is on the tennis court?", "a net", "a ship", "a forest", "a train"),
    ("Where does the train run?", "on the rails", "over the pond", "through the flower bed", "on the stairs"),
    ("What is parked in the car park?", "cars", "clouds", "bridges", "rivers"),
    ("What do people carry in the rain?", "umbrellas", "lawn mowers", "tables", "doors"),
    ("What covers the football field?", "grass", "carpet", "books", "snowmen"),
    (
        "Who directs the traffic at the crossroads?",
        "a police officer",
        "a penguin",
        "a tree",
        "a baker's oven",
    ),
    ("What is at the end of the airport's runway?", "a plane", "a sofa", "a bakery", "a cow shed"),
    ("What do the workers on the building site wear?", "helmets", "crowns", "curtains", "flippers"),
    ("What flies above the square?", "birds", "buses", "benches", "cellars"),
    ("What is in the swimming pool?", "water", "sand", "bread", "wool"),
    (
        "What does the man with the dog do in the park?",
        "walks the dog",
        "sells the river",
        "reads the wall",
        "eats it",
    ),
    ("What lights the street at night?", "street lamps", "bicycles", "hedges", "kerbs"),
    (
        "Where do the pedestrians cross the street?",
        "at the zebra crossing",
        "under the pond",
        "on the cars",
        "by boat",
    ),
    ("What is on the roof to make power from the sun?", "solar panels", "mattresses", "horses", "puddles"),
)
_AN = ("ambulance", "excavator", "umbrella", "orange tent", "open gate", "old tram", "empty bench", "airship")
_A = ("bus", "van", "truck", "tower", "shed", "crane", "fountain", "taxi", "kiosk", "boat")


class Planted(msgspec.Struct, frozen=True, kw_only=True):
    """An item, and what in it gives the key away.

    Attributes:
        question: The item.
        giveaway: None for a fair one.
    """

    question: BlindQuestion
    giveaway: Giveaway | None = None


def planted_items(*, fair: int = 200, each: int = 40, seed: int = 1) -> list[Planted]:
    """Return fair items and as many of each kind of giveaway as asked, keys at random places.

    Args:
        fair: How many fair ones.
        each: How many of each of the five kinds.
        seed: The same seed, the same items.
    """
    random_of = random.Random(seed)
    kinds: list[Giveaway | None] = [None] * fair + [kind for kind in GIVEAWAYS for _ in range(each)]
    found = []
    for number, kind in enumerate(kinds):
        stem, *options = (_fair if kind is None else _MAKERS[kind])(random_of)
        key, *others = options
        random_of.shuffle(others)
        index = random_of.randrange(len(options))
        others.insert(index, key)
        question = BlindQuestion(
            item=f"{kind or 'fair'}-{number}",
            task=kind or "fair",
            question=stem,
            options=tuple(others),
            key=index,
        )
        found.append(Planted(question=question, giveaway=kind))
    return found


def _fair(draw: random.Random) -> tuple[str, ...]:
    thing, other = draw.sample(_THINGS, 2)
    location = draw.choice(_PLACES)
    first = draw.randint(2, 9)
    stem, pool = draw.choice(
        (
            (f"What is the colour of the {thing} {location}?", _COLOURS),
            (f"On which side of the {thing} is the {other}?", _SIDES),
            (f"Which drone sees the {thing} {location}?", _NAMES),
            (f"How many vehicles are {location}?", tuple(str(first + step) for step in range(4))),
            (f"What does the {thing} {location} do next?", _SHORT),
            (f"What stands {location}?", tuple(f"a {name}" for name in _THINGS)),
        )
    )
    return (stem, *draw.sample(pool, 4))


def _longest(draw: random.Random) -> tuple[str, ...]:
    stem = f"What does the {draw.choice(_THINGS)} {draw.choice(_PLACES)} do next?"
    return (stem, draw.choice(_LONG), *draw.sample(_SHORT, 3))


def _overlap(draw: random.Random) -> tuple[str, ...]:
    thing, *others = draw.sample(_THINGS, 4)
    here, *elsewhere = draw.sample(_PLACES, 4)
    stem = f"Which is true of the {thing} that can be seen {here}?"
    wrong = (f"A {other} stands {location}." for other, location in zip(others, elsewhere, strict=True))
    return (stem, f"The {thing} can be seen {here}.", *wrong)


def _absurd(draw: random.Random) -> tuple[str, ...]:
    stem, key = draw.choice(_SENSIBLE)
    asked = stem.format(thing=draw.choice(_THINGS), place=draw.choice(_PLACES))
    return (asked, key, *draw.sample(_NONSENSE, 3))


def _common_sense(draw: random.Random) -> tuple[str, ...]:
    return draw.choice(_EXPECTED)


def _grammar(draw: random.Random) -> tuple[str, ...]:
    stem = f"What the drone sees {draw.choice(_PLACES)} is an"
    return (stem, draw.choice(_AN), *draw.sample(_A, 3))


_MAKERS: dict[Giveaway, Callable[[random.Random], tuple[str, ...]]] = {
    "longest": _longest,
    "overlap": _overlap,
    "absurd": _absurd,
    "common sense": _common_sense,
    "grammar": _grammar,
}
