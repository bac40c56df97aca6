"""The categories of top-view maps, read from ``resources/map_categories.toml``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

import msgspec

import resources
from annotator.domain.task_set import plain_name

FLOOR, WALL = "floor", "wall"
"""Names of the parts of a semantic map that are no objects."""
_COLOUR = re.compile(r"#?([0-9a-fA-F]{6})")


class ObjectCategory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A category of objects.

    Attributes:
        colour: Its colour on semantic maps, hex red green blue.
        like: Group of similar categories.
    """

    colour: str
    like: str


class MapCategories(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """All known categories.

    Attributes:
        wall: Colour of walls on semantic maps.
        floor: Colour of the floor of rooms.
        outside: Colour around the rooms.
        left_out: Categories that are neither drawn nor asked about.
        objects: Categories of objects.
        rooms: Group of similar kinds of each kind of room.
    """

    wall: str
    floor: str
    outside: str
    left_out: tuple[str, ...]
    objects: dict[str, ObjectCategory]
    rooms: dict[str, str]

    def is_left_out(self, category: str) -> bool:
        """Return whether a category is neither drawn nor asked about."""
        return plain_name(category) in self._left_out

    def are_alike(self, one: str, two: str, *, are_rooms: bool = False) -> bool:
        """Return whether two categories can be confused.

        Unknown categories are similar if they have a word in common: ``desk chair`` and ``chair``.

        Args:
            one: A category.
            two: A category.
            are_rooms: Whether they are kinds of rooms; otherwise they are categories of objects.
        """
        first, second = plain_name(one), plain_name(two)
        groups = self._room_groups if are_rooms else self._object_groups
        if first in groups and second in groups:
            return groups[first] == groups[second]
        return bool({*first.split()} & {*second.split()})

    def colours(self, categories: Iterable[str], *, known: Mapping[str, str]) -> dict[str, str]:
        """Return the colour of each category on a semantic map, all different, in alphabetical order.

        Args:
            categories: Categories of objects, ``FLOOR`` and ``WALL``.
            known: Colours that the map is known to have, by category; they take precedence.

        Returns:
            Hex red green blue by category.
        """
        found = dict(known)
        for category in sorted({*categories}):
            if category not in found:
                found[category] = self._free_colour(category, taken={self.outside, *found.values()})
        return {category: found[category] for category in sorted({*categories})}

    def _free_colour(self, category: str, *, taken: set[str]) -> str:
        own = self._own_colours.get(plain_name(category))
        colours = [own] if own else []
        colours += [other.colour for other in self.objects.values()]
        free = (colour for colour in colours if colour not in taken)
        # Further colours by counting: maps of more categories than the table has are rare, and stay distinct.
        numbered = (f"{number * 0x2F4A63 % 0x1000000:06x}" for number in range(1, 1 << 20))
        return next(free, "") or next(colour for colour in numbered if colour not in taken)

    @functools.cached_property
    def _left_out(self) -> frozenset[str]:
        return frozenset(plain_name(name) for name in self.left_out)

    @functools.cached_property
    def _by_name(self) -> dict[str, ObjectCategory]:
        return {plain_name(name): category for name, category in self.objects.items()}

    @functools.cached_property
    def _own_colours(self) -> dict[str, str]:
        objects = {name: category.colour for name, category in self._by_name.items()}
        return {FLOOR: self.floor, WALL: self.wall, **objects}

    @functools.cached_property
    def _object_groups(self) -> dict[str, str]:
        return {name: category.like for name, category in self._by_name.items()}

    @functools.cached_property
    def _room_groups(self) -> dict[str, str]:
        return {plain_name(name): group for name, group in self.rooms.items()}


@functools.cache
def map_categories() -> MapCategories:
    """Return the categories that come with the product."""
    return msgspec.toml.decode(resources.path("map_categories.toml").read_bytes(), type=MapCategories)


def read_colours(value: object) -> dict[str, str]:
    """Return the colours that a scene's metadata have for its semantic maps, without what is no colour.

    Args:
        value: Hex red green blue by category, with or without ``#``; anything else has no colours.
    """
    if not isinstance(value, dict):
        return {}
    pairs = ((name, _COLOUR.fullmatch(code)) for name, code in value.items() if isinstance(code, str))
    return {str(name): found[1].lower() for name, found in pairs if found}
