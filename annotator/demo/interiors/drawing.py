"""Draws floor plans: as a photograph from above would show them, and in one colour per category."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotator.demo.interiors.catalogue import catalogue
from annotator.demo.interiors.floor_plan import Area, FloorPlan, Furniture
from annotator.demo.terrain import Colour, colour_of, shaded

Image = NDArray[Any]

_FINER = 2
_SHADOW_PER_M = 0.16
_WALL_HEIGHT_M = 1.6
_PLANK_M, _TILE_M, _SMALL_TILE_M = 0.14, 0.42, 0.2
_WALL, _WALL_RIM = colour_of("e9e6df"), colour_of("b9b4aa")
_GROUND = colour_of("efefed")


class Scale:
    """From metres on a plan to pixels on its map."""

    def __init__(self, plan: FloorPlan, *, finer: int = 1) -> None:
        facts = catalogue()
        self.per_m = facts.pixels_per_m * finer
        self.margin_m = facts.margin_m
        self.size = tuple(
            round((side + 2 * facts.margin_m) * facts.pixels_per_m) * finer
            for side in (plan.width_m, plan.depth_m)
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a point."""
        return (x + self.margin_m) * self.per_m, (y + self.margin_m) * self.per_m

    def box(self, area: Area) -> tuple[int, int, int, int]:
        """Return x1, y1, x2, y2 in whole pixels, ends exclusive."""
        (x1, y1), (x2, y2) = self.point(area.x1, area.y1), self.point(area.x2, area.y2)
        return round(x1), round(y1), round(x2), round(y2)


def draw_semantic(plan: FloorPlan) -> Image:
    """Return the semantic map: one colour per category, lower objects first.

    Source: TopViewRS, section on semantic maps.

    Returns:
        uint8 (rows, columns, 3), blue green red.
    """
    facts, scale = catalogue(), Scale(plan)
    image = np.full((scale.size[1], scale.size[0], 3), colour_of(facts.ground_semantic), np.uint8)
    _paint_walls(
        image, plan, scale, wall=colour_of(facts.wall_semantic), floor=colour_of(facts.floor_semantic)
    )
    for thing in by_height(plan):
        x1, y1, x2, y2 = scale.box(thing.area)
        image[y1:y2, x1:x2] = colour_of(facts.objects[thing.category].semantic)
    return image


def colours_of(plan: FloorPlan) -> dict[str, str]:
    """Return the hex colour of each category on the semantic map of a plan; the prompt carries it."""
    facts = catalogue()
    present = sorted({thing.category for thing in plan.objects})
    return {"floor": facts.floor_semantic, "wall": facts.wall_semantic} | {
        name: facts.objects[name].semantic for name in present
    }


def by_height(plan: FloorPlan) -> list[Furniture]:
    """Return the furniture from the lowest to the highest."""
    return sorted(plan.objects, key=lambda thing: catalogue().objects[thing.category].height_m)


def draw_realistic(plan: FloorPlan, *, seed: int) -> Image:
    """Return the map as seen from above in soft light from the upper left.

    Args:
        plan: The plan.
        seed: Seed of the materials' grain.

    Returns:
        uint8 (rows, columns, 3), blue green red.
    """
    # Twice as fine and shrunk at the end: edges are smooth then without any drawing having to be.
    rng, scale = np.random.default_rng((seed, *plan.name.encode())), Scale(plan, finer=_FINER)
    canvas = np.full((scale.size[1], scale.size[0], 3), _GROUND, np.float32)
    for room in plan.rooms:
        x1, y1, x2, y2 = scale.box(room.area)
        canvas[y1:y2, x1:x2] = _floor(
            catalogue().rooms[room.kind].floor, (y2 - y1, x2 - x1), scale.per_m, rng
        )
    walls = _wall_mask(plan, scale)
    _cast(canvas, walls, height_m=_WALL_HEIGHT_M, scale=scale, inside=_inside(plan, scale))
    for thing in by_height(plan):
        _draw_thing(canvas, thing, room=scale.box(plan.rooms[thing.room].area), scale=scale, rng=rng)
    # After the furniture, whose shadows would lie on the walls.
    canvas[walls > 0] = _WALL
    rim = walls - cv2.erode(walls, np.ones((2 * _FINER + 1,) * 2, np.uint8))
    canvas[rim > 0] = _WALL_RIM
    canvas += cv2.GaussianBlur(rng.normal(0, 5, canvas.shape[:2]).astype(np.float32), (0, 0), 1.2)[..., None]
    small = cv2.resize(canvas, None, fx=1 / _FINER, fy=1 / _FINER, interpolation=cv2.INTER_AREA)
    return np.clip(small, 0, 255).astype(np.uint8)


def _paint_walls(image: Image, plan: FloorPlan, scale: Scale, *, wall: Colour, floor: Colour) -> None:
    for room in plan.rooms:
        x1, y1, x2, y2 = scale.box(room.area)
        image[y1:y2, x1:x2] = floor
    image[_wall_mask(plan, scale) > 0] = wall


def _wall_mask(plan: FloorPlan, scale: Scale) -> Image:
    mask = np.zeros((scale.size[1], scale.size[0]), np.uint8)
    half = catalogue().wall_m / 2
    for room in plan.rooms:
        outer, inner = scale.box(room.area.grown(half)), scale.box(room.area.grown(-half))
        ring = np.zeros_like(mask)
        ring[outer[1] : outer[3], outer[0] : outer[2]] = 255
        ring[inner[1] : inner[3], inner[0] : inner[2]] = 0
        mask |= ring
    # Last: a door lies in the rings of both of its rooms.
    for door in plan.doors:
        x1, y1, x2, y2 = scale.box(door.area)
        mask[y1:y2, x1:x2] = 0
    return mask


def _inside(plan: FloorPlan, scale: Scale) -> Image:
    mask = np.zeros((scale.size[1], scale.size[0]), np.uint8)
    for room in plan.rooms:
        x1, y1, x2, y2 = scale.box(room.area)
        mask[y1:y2, x1:x2] = 255
    return mask


def _cast(canvas: Image, mask: Image, *, height_m: float, scale: Scale, inside: Image | None = None) -> None:
    """Darken what lies in the shadow of a mask, to its lower right, and a little all around it."""
    shift = max(1, round(height_m * _SHADOW_PER_M * scale.per_m))
    matrix = np.array(((1, 0, shift), (0, 1, shift)), np.float32)
    size = (mask.shape[1], mask.shape[0])
    soft = cv2.GaussianBlur(cv2.warpAffine(mask, matrix, size), (0, 0), 1 + shift / 3).astype(np.float32)
    near = cv2.GaussianBlur(mask, (0, 0), 2.5 * _FINER).astype(np.float32)
    dark = np.maximum(soft * 0.42, near * 0.3) / 255
    if inside is not None:
        dark[inside == 0] = 0
    canvas *= (1 - dark)[..., None]


def _floor(kind: str, shape: tuple[int, int], per_m: int, rng: np.random.Generator) -> Image:
    floors: dict[str, Callable[..., Image]] = {
        "planks": _planks,
        "carpet": _carpet,
        "tiles": _tiles,
        "small tiles": _tiles,
    }
    side_m = _SMALL_TILE_M if kind == "small tiles" else _TILE_M
    return floors[kind](shape, per_m, rng, side_m)


def _planks(shape: tuple[int, int], per_m: int, rng: np.random.Generator, _side_m: float) -> Image:
    width, rows = round(_PLANK_M * per_m), shape[0]
    base = np.array(colour_of("b98f5f"), np.float32)
    image = np.empty((*shape, 3), np.float32)
    for top in range(0, rows, width):
        row = image[top : top + width]
        # From outside of the room, so that rows of planks do not all begin at its wall.
        left = -int(rng.integers(round(1.4 * per_m)))
        while left < shape[1]:
            right = left + round(float(rng.uniform(0.9, 1.6)) * per_m)
            row[:, max(0, left) : max(0, right)] = base * rng.uniform(0.9, 1.08)
            row[:, max(0, right - 1) : max(0, right)] *= 0.8
            left = right
        row[-1:] *= 0.8
    grain = cv2.GaussianBlur(rng.normal(0, 22, shape).astype(np.float32), (0, 0), sigmaX=14, sigmaY=0.8)
    return image + grain[..., None]


def _carpet(shape: tuple[int, int], _per_m: int, rng: np.random.Generator, _side_m: float) -> Image:
    base = np.array(colour_of(("b7ada0", "a3aab0", "b3a68f")[int(rng.integers(3))]), np.float32)
    fine = rng.normal(0, 9, shape).astype(np.float32)
    wide = cv2.GaussianBlur(rng.normal(0, 90, shape).astype(np.float32), (0, 0), 18)
    return base + (fine + wide)[..., None]


def _tiles(shape: tuple[int, int], per_m: int, rng: np.random.Generator, side_m: float) -> Image:
    side = round(side_m * per_m)
    rows, columns = -(-shape[0] // side), -(-shape[1] // side)
    tone = np.kron(rng.uniform(0.95, 1.03, (rows, columns)), np.ones((side, side)))[: shape[0], : shape[1]]
    base = np.array(colour_of("cfd4d3" if side_m < _TILE_M else "d6cfc2"), np.float32)
    image = base * tone[..., None].astype(np.float32)
    image[::side] *= 0.82
    image[:, ::side] *= 0.82
    return np.asarray(image)


def _draw_thing(
    canvas: Image,
    thing: Furniture,
    *,
    room: tuple[int, int, int, int],
    scale: Scale,
    rng: np.random.Generator,
) -> None:
    kind = catalogue().objects[thing.category]
    x1, y1, x2, y2 = scale.box(thing.area)
    mask = np.zeros(canvas.shape[:2], np.uint8)
    corner = round(min(x2 - x1, y2 - y1) * (0.5 if thing.category in _ROUND else 0.12))
    _rounded(mask, (x1, y1, x2, y2), corner=corner)
    if kind.height_m > 0.1:
        # Walls keep a shadow in its room; cutting out what it can reach keeps this fast.
        reach = round(0.5 * scale.per_m)
        here = (
            slice(max(room[1], y1 - reach), min(room[3], y2 + reach)),
            slice(max(room[0], x1 - reach), min(room[2], x2 + reach)),
        )
        _cast(canvas[here], mask[here], height_m=kind.height_m, scale=scale)
    top = _top(thing.category, (y2 - y1, x2 - x1), back=thing.back, rng=rng)
    inside = mask[y1:y2, x1:x2] > 0
    canvas[y1:y2, x1:x2][inside] = top[inside]


_ROUND = frozenset({"plant", "floor lamp"})


def _rounded(mask: Image, box: tuple[int, int, int, int], *, corner: int) -> None:
    x1, y1, x2, y2 = box
    mask[y1 + corner : y2 - corner, x1:x2] = 255
    mask[y1:y2, x1 + corner : x2 - corner] = 255
    for x in (x1 + corner, x2 - corner - 1):
        for y in (y1 + corner, y2 - corner - 1):
            cv2.circle(mask, (x, y), corner, 255, cv2.FILLED)


def _top(category: str, shape: tuple[int, int], *, back: str, rng: np.random.Generator) -> Image:
    """Return what a thing looks like from above, its back turned to where it stands."""
    turns = {"up": 0, "left": 1, "down": 2, "right": 3}[back]
    own = shape if turns % 2 == 0 else shape[::-1]
    colour = colour_of(catalogue().objects[category].real)
    image = np.full((*own, 3), colour, np.float32)
    image *= np.linspace(1.08, 0.92, own[0], dtype=np.float32)[:, None, None]
    _DETAILS.get(category, _plain)(image, colour, rng)
    image += rng.normal(0, 4, own).astype(np.float32)[..., None]
    return np.ascontiguousarray(np.rot90(image, turns))


def _part(image: Image, x: tuple[float, float], y: tuple[float, float], colour: Colour) -> None:
    """Fill a part of a thing, given in shares of its extents, with a dark rim."""
    rows, columns = image.shape[:2]
    x1, x2 = (round(v * columns) for v in x)
    y1, y2 = (round(v * rows) for v in y)
    image[y1:y2, x1:x2] = shaded(colour, 0.78)
    image[y1 + 2 : y2 - 2, x1 + 2 : x2 - 2] = colour


def _oval(image: Image, at: tuple[float, float], size: tuple[float, float], colour: Colour) -> None:
    rows, columns = image.shape[:2]
    middle = (round(at[0] * columns), round(at[1] * rows))
    axes = (max(1, round(size[0] * columns / 2)), max(1, round(size[1] * rows / 2)))
    cv2.ellipse(image, middle, axes, 0, 0, 360, shaded(colour, 0.8), cv2.FILLED, cv2.LINE_AA)
    inner = (max(1, axes[0] - 2), max(1, axes[1] - 2))
    cv2.ellipse(image, middle, inner, 0, 0, 360, colour, cv2.FILLED, cv2.LINE_AA)


def _plain(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.03, 0.97), (0.05, 0.95), shaded(colour, 1.05))


def _rug(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.06, 0.94), (0.08, 0.92), shaded(colour, 1.25))
    _part(image, (0.14, 0.86), (0.2, 0.8), shaded(colour, 0.9))
    _oval(image, (0.5, 0.5), (0.3, 0.36), shaded(colour, 1.35))


def _sofa(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    for left in (0.1, 0.37, 0.64):
        _part(image, (left, left + 0.26), (0.3, 0.94), shaded(colour, 1.18))
    _part(image, (0.0, 1.0), (0.0, 0.28), shaded(colour, 0.88))


def _bed(image: Image, _colour: Colour, rng: np.random.Generator) -> None:
    blanket = colour_of(("7f93ad", "b98a78", "8fa387", "a493ad")[int(rng.integers(4))])
    _part(image, (0.0, 1.0), (0.0, 0.05), colour_of("6d4c2f"))
    _part(image, (0.03, 0.97), (0.34, 0.97), blanket)
    _part(image, (0.03, 0.97), (0.34, 0.42), shaded(blanket, 1.15))
    for left in (0.08, 0.54):
        _part(image, (left, left + 0.38), (0.08, 0.29), colour_of("f6f4ee"))


def _stove(image: Image, _colour: Colour, _rng: np.random.Generator) -> None:
    for x in (0.28, 0.72):
        for y in (0.3, 0.72):
            _oval(image, (x, y), (0.3, 0.3), colour_of("55595e"))


def _basin(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _oval(image, (0.5, 0.55), (0.76, 0.66), shaded(colour, 0.88))
    _oval(image, (0.5, 0.58), (0.09, 0.12), colour_of("8b9094"))


def _tub(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _oval(image, (0.5, 0.5), (0.9, 0.74), colour_of("c3d6dd"))
    _oval(image, (0.14, 0.5), (0.04, 0.09), shaded(colour, 0.6))


def _toilet(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    image[:] = colour_of("cfd4d3")
    _part(image, (0.06, 0.94), (0.0, 0.3), colour)
    _oval(image, (0.5, 0.63), (0.8, 0.7), colour)
    _oval(image, (0.5, 0.63), (0.5, 0.46), shaded(colour, 0.86))


def _chair(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.06, 0.94), (0.2, 0.96), shaded(colour, 1.4))
    _part(image, (0.0, 1.0), (0.0, 0.2), colour)


def _shelf(image: Image, _colour: Colour, rng: np.random.Generator) -> None:
    position = 0.04
    while position < 0.93:
        width = float(rng.uniform(0.02, 0.05))
        code = ("8f2f2b", "2f4b78", "c2a55a", "3f6a55", "d9d3c7", "6b4a6b")[int(rng.integers(6))]
        _part(image, (position, min(0.96, position + width)), (0.2, 0.85), colour_of(code))
        position += width


def _screen(image: Image, _colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.14, 0.86), (0.35, 0.55), colour_of("101114"))


def _desk(image: Image, colour: Colour, rng: np.random.Generator) -> None:
    _plain(image, colour, rng)
    _part(image, (0.34, 0.66), (0.16, 0.28), colour_of("1b1d20"))
    _part(image, (0.36, 0.62), (0.5, 0.72), colour_of("d7d9db"))


def _machine(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.04, 0.96), (0.04, 0.2), shaded(colour, 0.85))
    _oval(image, (0.5, 0.6), (0.5, 0.5), shaded(colour, 0.9))


def _counter(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _part(image, (0.02, 0.98), (0.06, 0.96), shaded(colour, 1.04))
    _part(image, (0.56, 0.8), (0.22, 0.78), colour_of("9aa0a4"))


def _leaves(image: Image, colour: Colour, rng: np.random.Generator) -> None:
    image[:] = shaded(colour, 0.75)
    for _ in range(26):
        x, y = rng.uniform(0.15, 0.85, 2).tolist()
        _oval(
            image,
            (x, y),
            (0.26, 0.14 + 0.12 * float(rng.random())),
            shaded(colour, float(rng.uniform(0.8, 1.35))),
        )


def _lamp(image: Image, colour: Colour, _rng: np.random.Generator) -> None:
    _oval(image, (0.5, 0.5), (0.9, 0.9), colour)
    _oval(image, (0.5, 0.5), (0.35, 0.35), colour_of("fffbe8"))


_DETAILS: dict[str, Callable[[Image, Colour, np.random.Generator], None]] = {
    "rug": _rug, "sofa": _sofa, "armchair": _chair, "tv stand": _screen, "bookshelf": _shelf,
    "plant": _leaves, "floor lamp": _lamp, "bed": _bed, "desk": _desk, "chair": _chair,
    "counter": _counter, "stove": _stove,
    "bathtub": _tub, "toilet": _toilet, "washbasin": _basin, "washing machine": _machine,
}  # fmt: skip
