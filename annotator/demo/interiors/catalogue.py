"""What rooms and furniture there are, read from ``resources/demo/interiors.toml``."""

from __future__ import annotations

import functools
from typing import Literal

import msgspec

import resources


class RoomKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of room.

    Attributes:
        most: How many a plan may have.
        floor: What its floor is laid with.
        objects: What may stand in it, the most important first.
    """

    most: int
    floor: Literal["planks", "carpet", "tiles", "small tiles"]
    objects: tuple[str, ...]


class ObjectKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of furniture.

    Attributes:
        length_m: Extent along its back.
        width_m: Extent away from its back.
        height_m: Height of its top; decides shadows and what is drawn over what.
        place: Where in a room it belongs.
        real: Its colour on the realistic map, hex red green blue.
        semantic: Its colour on the semantic map.
    """

    length_m: float
    width_m: float
    height_m: float
    place: Literal["wall", "middle", "free"]
    real: str
    semantic: str


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All kinds, and the measures of the maps."""

    pixels_per_m: int
    wall_m: float
    door_m: float
    margin_m: float
    wall_semantic: str
    floor_semantic: str
    ground_semantic: str
    rooms: dict[str, RoomKind]
    objects: dict[str, ObjectKind]


@functools.cache
def catalogue() -> Catalogue:
    """Return the catalogue that comes with the product."""
    return msgspec.toml.decode(resources.path("demo/interiors.toml").read_bytes(), type=Catalogue)
