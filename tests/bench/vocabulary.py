"""Words of made-up questions: a few common ones, and street names that get ever rarer."""

from __future__ import annotations

COLOURS = ("red", "white", "grey", "black", "blue", "green", "yellow", "silver")
THINGS = (
    "cars", "vans", "buses", "trucks", "bicycles", "people", "trees", "boats", "containers", "tents",
    "cranes", "roofs", "benches", "goals", "crates", "trailers", "motorcycles", "excavators",
    "ponies", "umbrellas",
)  # fmt: skip
PLACES = (
    "on the avenue",
    "beside the canal",
    "in the car park",
    "behind the school",
    "near the bridge",
    "under the trees",
    "along the quay",
    "in the courtyard",
    "at the crossroads",
    "on the roof terrace",
    "by the playing field",
    "in the shadow of the tower",
    "between the sheds",
    "before the station",
    "around the fountain",
)
STEMS = (
    "How many {colour} {thing} can be seen {place} of {street}?",
    "Which regions show {colour} {thing} {place} near {street}?",
    "In which direction from the drone do the {colour} {thing} {place} lie, seen from {street}?",
    "How does the distance to the {colour} {thing} {place} change while the drone passes {street}?",
    "Does the view need help to count the {thing} {place}, and what hides them at {street}?",
    "What should be done next to reach the {colour} {thing} {place} of {street}?",
    "How good is the picture for telling {colour} {thing} from other {thing} {place} at {street}?",
)
CHINESE_STEM = "{street} 附近能看到多少辆红色汽车？"
"""How many red cars can be seen near …?"""
ANSWERS = (
    "Only a few of them, close to {street}",
    "None at all",
    "More than in any other view",
    "It cannot be told from here",
    "The one beside the {thing}",
    "The {colour} one {place}",
    "All of those {place}",
    "Those that the {thing} hide",
)
_HEADS = (
    "Tal", "Ver", "Osk", "Mar", "Lin", "Fen", "Bru", "Kes", "Dov", "Hal",
    "Ren", "Sor", "Wil", "Ash", "Cam", "Ely",
)  # fmt: skip
_MIDDLES = ("me", "di", "ra", "lo", "ni", "sta", "ve", "ko", "ri", "tu", "be", "ga")
_TAILS = (
    "wick", "more", "stead", "row", "gate", "field", "dene", "ham", "mere",
    "side", "lea", "cote", "hurst", "ford",
)  # fmt: skip
STREETS = tuple(f"{head}{middle}{tail}" for head in _HEADS for middle in _MIDDLES for tail in _TAILS)
"""2,688 street names; they follow Zipf's law in the questions, so that searches have rare words."""
