"""A floor plan by chance: rooms, doors between them, and furniture that stands where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotator.demo.interiors.catalogue import ObjectKind, catalogue

_LEAST_SIDE_M = 2.5
_SMALL_ROOM_M2 = 11.0
_PASSAGE_M = 0.55
_TRIES, _TRIES_OF_FIRST = 60, 2000
"""What a room is named for, its first object, has to find a place."""


@dataclass(frozen=True, kw_only=True)
class Area:
    """An upright rectangle of floor: metres from the plan's upper left corner, x right, y down."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def middle(self) -> tuple[float, float]:
        """Its centre."""
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2

    @property
    def size_m2(self) -> float:
        """Its area."""
        return (self.x2 - self.x1) * (self.y2 - self.y1)

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point lies in it."""
        return self.x1 <= x <= self.x2 and self.y1 <= y <= self.y2

    def meets(self, other: Area, *, gap_m: float = 0.0) -> bool:
        """Return whether another rectangle comes nearer than a gap."""
        return (
            self.x1 < other.x2 + gap_m
            and other.x1 < self.x2 + gap_m
            and self.y1 < other.y2 + gap_m
            and other.y1 < self.y2 + gap_m
        )

    def grown(self, by_m: float) -> Area:
        """Return it with all sides moved out."""
        return Area(x1=self.x1 - by_m, y1=self.y1 - by_m, x2=self.x2 + by_m, y2=self.y2 + by_m)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A room: its kind, and its floor between the middles of its walls."""

    kind: str
    area: Area


@dataclass(frozen=True, kw_only=True)
class Door:
    """An opening between two rooms.

    Attributes:
        rooms: Numbers of the rooms.
        area: The opening in the wall.
    """

    rooms: tuple[int, int]
    area: Area


@dataclass(frozen=True, kw_only=True)
class Furniture:
    """A thing in a room.

    Attributes:
        category: What it is.
        room: Number of its room.
        area: The floor that it covers.
        back: Side at which its back is: ``up``, ``down``, ``left`` or ``right``.
    """

    category: str
    room: int
    area: Area
    back: str


@dataclass(frozen=True, kw_only=True)
class FloorPlan:
    """A whole plan.

    Attributes:
        name: Its name.
        width_m: Extent from left to right.
        depth_m: Extent from top to bottom.
        rooms: By their number.
        doors: Between them.
        objects: The furniture.
    """

    name: str
    width_m: float
    depth_m: float
    rooms: tuple[Room, ...]
    doors: tuple[Door, ...]
    objects: tuple[Furniture, ...]

    def room_at(self, x: float, y: float) -> int | None:
        """Return the number of the room that a point lies in."""
        return next((n for n, room in enumerate(self.rooms) if room.area.holds(x, y)), None)


def make_plan(name: str, *, rooms: int, seed: int) -> FloorPlan:
    """Return a plan; the same name, number of rooms and seed give the same one.

    Args:
        name: Its name, part of the seed.
        rooms: Number of rooms, 1 to 8.
        seed: Seed of all chance.
    """
    rng = np.random.default_rng((seed, rooms, *name.encode()))
    width_m, depth_m = (round(float(rng.uniform(*r)), 1) for r in ((12.0, 14.5), (8.6, 10.2)))
    areas = _split(Area(x1=0, y1=0, x2=width_m, y2=depth_m), rooms, rng)
    kinds = _kinds(areas, rng)
    made = tuple(Room(kind=kind, area=area) for kind, area in zip(kinds, areas, strict=True))
    doors = tuple(_doors(areas, rng))
    objects = tuple(o for number in range(len(made)) for o in _furnish(number, made, doors, rng))
    return FloorPlan(name=name, width_m=width_m, depth_m=depth_m, rooms=made, doors=doors, objects=objects)


def _split(whole: Area, count: int, rng: np.random.Generator) -> list[Area]:
    areas = [whole]
    while len(areas) < count:
        # Always the largest, or a plan of eight rooms would have a hall and seven closets.
        areas.sort(key=lambda a: -a.size_m2)
        largest = areas.pop(0)
        share = float(rng.uniform(0.4, 0.6))
        areas += _halves(largest, share)
    return sorted(areas, key=lambda a: (a.y1, a.x1))


def _halves(area: Area, share: float) -> list[Area]:
    width, depth = area.x2 - area.x1, area.y2 - area.y1
    # Across the longer side, so that no room becomes a corridor.
    if width >= depth:
        x = round(area.x1 + np.clip(share * width, _LEAST_SIDE_M, width - _LEAST_SIDE_M), 1)
        return [
            Area(x1=area.x1, y1=area.y1, x2=x, y2=area.y2),
            Area(x1=x, y1=area.y1, x2=area.x2, y2=area.y2),
        ]
    y = round(area.y1 + np.clip(share * depth, _LEAST_SIDE_M, depth - _LEAST_SIDE_M), 1)
    return [Area(x1=area.x1, y1=area.y1, x2=area.x2, y2=y), Area(x1=area.x1, y1=y, x2=area.x2, y2=area.y2)]


def _kinds(areas: list[Area], rng: np.random.Generator) -> list[str]:
    """Return a kind for each room: the largest is for living, small ones are baths and kitchens."""
    left = {kind: facts.most for kind, facts in catalogue().rooms.items()}
    kinds: dict[int, str] = {}
    for rank, number in enumerate(sorted(range(len(areas)), key=lambda n: -areas[n].size_m2)):
        wanted = ["living room"] if rank == 0 else ["bedroom"]
        if rank > 1:
            is_small = areas[number].size_m2 < _SMALL_ROOM_M2
            wanted = ["bathroom", "kitchen"] if is_small else ["kitchen", "study", "dining room", "bedroom"]
            wanted = [wanted[i] for i in rng.permutation(len(wanted))]
        kind = next(k for k in (*wanted, *left) if left[k] > 0)
        left[kind] -= 1
        kinds[number] = kind
    return [kinds[n] for n in range(len(areas))]


def _doors(areas: list[Area], rng: np.random.Generator) -> Iterator[Door]:
    """Yield doors that lead to every room, and now and then one more."""
    reached = {0}
    shared = [
        (i, j, w) for i in range(len(areas)) for j in range(i) if (w := _shared_wall(areas[i], areas[j]))
    ]
    order = [shared[i] for i in rng.permutation(len(shared))]
    # Prim's way to a spanning tree, over walls in random order: each door leads from a room that is reached
    # to one that is not.
    while new := next((s for s in order if (s[0] in reached) != (s[1] in reached)), None):
        reached |= {new[0], new[1]}
        order.remove(new)
        yield _door(new, rng)
    for rest in order:
        if rng.random() < 0.25:
            yield _door(rest, rng)


def _shared_wall(one: Area, two: Area) -> Area | None:
    """Return the wall between two rooms as a line, None where there is no room for a door in it."""
    facts = catalogue()
    need = facts.door_m + 2 * facts.wall_m
    low_y, high_y = max(one.y1, two.y1), min(one.y2, two.y2)
    low_x, high_x = max(one.x1, two.x1), min(one.x2, two.x2)
    # Equal and not nearly equal: neighbours come from the same cut, rounded once.
    if low_x == high_x and high_y - low_y > need:
        return Area(x1=low_x, y1=low_y, x2=low_x, y2=high_y)
    if low_y == high_y and high_x - low_x > need:
        return Area(x1=low_x, y1=low_y, x2=high_x, y2=low_y)
    return None


def _door(shared: tuple[int, int, Area], rng: np.random.Generator) -> Door:
    one, two, wall = shared
    facts = catalogue()
    half, thick, share = facts.door_m / 2, facts.wall_m / 2, float(rng.uniform(0.2, 0.8))
    if wall.x1 == wall.x2:
        y = np.clip(wall.y1 + share * (wall.y2 - wall.y1), wall.y1 + half + thick, wall.y2 - half - thick)
        area = Area(x1=wall.x1 - thick, y1=float(y) - half, x2=wall.x1 + thick, y2=float(y) + half)
    else:
        x = np.clip(wall.x1 + share * (wall.x2 - wall.x1), wall.x1 + half + thick, wall.x2 - half - thick)
        area = Area(x1=float(x) - half, y1=wall.y1 - thick, x2=float(x) + half, y2=wall.y1 + thick)
    return Door(rooms=(two, one), area=area)


def _furnish(
    number: int, rooms: tuple[Room, ...], doors: tuple[Door, ...], rng: np.random.Generator
) -> Iterator[Furniture]:
    room = rooms[number]
    # A door that opens onto a wardrobe would make the room unreachable for ways.
    kept_free = [door.area.grown(_PASSAGE_M) for door in doors if number in door.rooms]
    inside = room.area.grown(-catalogue().wall_m / 2)
    standing: list[Area] = []
    wanted = catalogue().rooms[room.kind].objects
    for category in wanted:
        kind = catalogue().objects[category]
        # What does not fit stays away: a room without its third chair is still a room, but a bedroom without
        # a bed is none.
        for _ in range(_TRIES_OF_FIRST if category == wanted[0] else _TRIES):
            area, back = _somewhere(kind, inside, rng)
            if _fits(area, inside, standing, kept_free, is_flat=kind.height_m < 0.1):
                # One walks over rugs, and furniture stands on them.
                if kind.height_m >= 0.1:
                    standing.append(area)
                yield Furniture(category=category, room=number, area=area, back=back)
                break


def _fits(area: Area, inside: Area, standing: list[Area], kept_free: list[Area], *, is_flat: bool) -> bool:
    if not (inside.grown(1e-6).holds(area.x1, area.y1) and inside.grown(1e-6).holds(area.x2, area.y2)):
        return False
    if is_flat:
        return True
    return not any(area.meets(a, gap_m=0.06) for a in standing) and not any(area.meets(a) for a in kept_free)


def _somewhere(kind: ObjectKind, inside: Area, rng: np.random.Generator) -> tuple[Area, str]:
    back = ("up", "down", "left", "right")[int(rng.integers(4))]
    is_turned = back in ("left", "right")
    across, down = (kind.width_m, kind.length_m) if is_turned else (kind.length_m, kind.width_m)
    room_x, room_y = max(0.0, inside.x2 - inside.x1 - across), max(0.0, inside.y2 - inside.y1 - down)
    spread = (0.35, 0.65) if kind.place == "middle" else (0.0, 1.0)
    x, y = inside.x1 + room_x * float(rng.uniform(*spread)), inside.y1 + room_y * float(rng.uniform(*spread))
    if kind.place == "wall":
        x = {"left": inside.x1, "right": inside.x1 + room_x}.get(back, x)
        y = {"up": inside.y1, "down": inside.y1 + room_y}.get(back, y)
    return Area(x1=x, y1=y, x2=x + across, y2=y + down), back
