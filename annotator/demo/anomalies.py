"""What went wrong in the town, from when to when, and who is part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.demo.builder import Builder
from annotator.demo.grain import field
from annotator.demo.paint import FIRE_RED, ORANGE_VEST, WHITE
from annotator.demo.shapes import Kind, Pose
from annotator.demo.streets import Street
from annotator.demo.terrain import Colour, Material, Rectangle, colour_of, shaded
from annotator.demo.works import WAREHOUSE_ROOF_M

AnomalyKind = Literal["accident", "fire", "blocked road"]

_LAST_S = 120.0
_DEBRIS = tuple(colour_of(c) for c in ("2c2d30", "8f9496", "a8443a", "c9ccca", "4b5258"))
_OIL = colour_of("3b3b3d")
_BARK, _LEAF = colour_of("5d4a39"), colour_of("46592f")
_BAR_RED, _BAR_WHITE = colour_of("b63a30"), colour_of("dcdcd6")
_RED_CAR, _BLUE_CAR, _GREY_CAR = (colour_of(c) for c in ("8f2f2b", "3f6ea8", "85898d"))
_CLOTHES = tuple(colour_of(c) for c in ("dcb040", "3a5490", "ecebe4", "55905f", "c4483c"))


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """An event that questions about anomalies ask for.

    Attributes:
        kind: What sort of event it is.
        name: Name in questions: ``"the fire on the warehouse roof"``.
        x_m: East coordinate of its middle.
        y_m: South coordinate of its middle.
        radius_m: Reach of what belongs to it; of a fire, of what burns.
        start_s: World time from which it can be seen.
        end_s: World time until which it can be seen.
        bodies: Numbers of the things that are part of it.
        base_m: Height over the ground at which it burns; 0 for one that does not burn.
        strength: How much flame and smoke it gives, 0 (none) to 1 (a house on fire).
    """

    kind: AnomalyKind
    name: str
    x_m: float
    y_m: float
    radius_m: float
    start_s: float
    end_s: float
    bodies: tuple[int, ...] = ()
    base_m: float = 0.0
    strength: float = 0.0

    def is_on(self, time_s: float) -> bool:
        """Return whether it can be seen at a time."""
        return self.start_s <= time_s <= self.end_s


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Someone or something that stands still at a place of the plan.

    Attributes:
        kind: What it is.
        x_m: East coordinate of its centre.
        y_m: South coordinate of its centre.
        turn_deg: Direction of its nose from east towards south.
        colour: Paint or clothes.
        pose: How a person is there.
        ground_m: Height of what it stands on.
    """

    kind: Kind
    x_m: float
    y_m: float
    turn_deg: float
    colour: Colour
    pose: Pose = "upright"
    ground_m: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Closure:
    """A closed lane.

    Attributes:
        street: Name of the street.
        is_forward: True for the lanes along the street, False for those against it.
        along_m: Place along the street's axis.
        queue: Most vehicles that wait there.
    """

    street: str
    is_forward: bool
    along_m: float
    queue: int


@dataclass(frozen=True, kw_only=True)
class Incident:
    """An anomaly as the town has it, before vehicles and people have numbers.

    Attributes:
        anomaly: The event, without numbers.
        standing: Those who are part of it.
        closures: Lanes that it closes.
    """

    anomaly: Anomaly
    standing: tuple[Standing, ...] = ()
    closures: tuple[Closure, ...] = ()


def stage_incidents(builder: Builder) -> list[Incident]:
    """Put what went wrong on the terrain, and return it."""
    incidents = [_accident(builder), _fallen_tree(builder), _burning_car(builder)]
    return incidents if builder.plan.is_small else [*incidents, _burning_roof(builder)]


def _street(builder: Builder, name: str) -> Street:
    return next(s for s in builder.plan.streets if s.name == name)


def _on(
    street: Street, along_m: float, across_m: float, *, kind: Kind, colour: Colour, turn_deg: float = 0.0,
    pose: Pose = "upright",
) -> Standing:  # fmt: skip
    """Return a standing thing at a place of a street, turned against the street's direction by so much."""
    x_m, y_m, street_deg = street.at(along_m, across_m)
    return Standing(kind=kind, x_m=x_m, y_m=y_m, turn_deg=street_deg + turn_deg, colour=colour, pose=pose)


def _accident(builder: Builder) -> Incident:
    """Two cars that met on the western lane of East Street south of the southern lane."""
    street = _street(builder, "East Street")
    # South of the southern lane there is no crossing, so that the queue behind it blocks no other street.
    along_m = 240.0
    x_m, y_m, turn = street.at(along_m, 2.6)
    oil = Rectangle(x_m=x_m, y_m=y_m, length_m=4.5, width_m=2.4, turn_deg=turn + 30)
    builder.cover(oil, colour=_OIL, material=Material.ASPHALT)
    # Thrown about the middle as debris is: dense where they met, single pieces further out.
    for _ in range(40):
        along, across = builder.rng.normal(0, 2.4, 2).tolist()
        piece = Rectangle(x_m=x_m, y_m=y_m, length_m=9, width_m=9, turn_deg=turn).part(
            along, across, length_m=builder.between(0.15, 0.5), width_m=builder.between(0.1, 0.3)
        )
        builder.cover(piece, colour=builder.pick(_DEBRIS), material=Material.ASPHALT)
    standing = (
        _on(street, along_m - 2.4, 2.9, kind="car", colour=_RED_CAR, turn_deg=24),
        _on(street, along_m + 1.84, 2.5, kind="car", colour=_BLUE_CAR, turn_deg=-52),
        _on(street, along_m - 13, 2.1, kind="police van", colour=WHITE, turn_deg=-14),
        _on(street, along_m + 9.6, 2.3, kind="ambulance", colour=WHITE, turn_deg=174),
        _on(street, along_m + 5.4, 1.0, kind="person", colour=_CLOTHES[0], turn_deg=25, pose="lying"),
        _on(street, along_m + 5.6, 2.2, kind="person", colour=ORANGE_VEST, turn_deg=90),
        _on(street, along_m + 6.2, 0.3, kind="person", colour=ORANGE_VEST, turn_deg=200),
        _on(street, along_m - 7.2, 3.2, kind="person", colour=_CLOTHES[1]),
        _on(street, along_m - 4.5, 5.4, kind="person", colour=_CLOTHES[2], turn_deg=-60),
        _on(street, along_m - 5.3, 5.8, kind="person", colour=_CLOTHES[4], turn_deg=-80),
        _on(street, along_m + 2.5, 5.6, kind="person", colour=_CLOTHES[3], turn_deg=-90),
    )
    return Incident(
        anomaly=Anomaly(
            kind="accident", name="the accident on East Street", x_m=x_m, y_m=y_m, radius_m=9.0,
            start_s=0.0, end_s=_LAST_S,
        ),
        standing=standing,
        closures=(Closure(street=street.name, is_forward=True, along_m=along_m - 17.5, queue=2),),
    )  # fmt: skip


def _fallen_tree(builder: Builder) -> Incident:
    """A tree across the southern lane, with barriers before it on both sides."""
    street = builder.plan.lanes[1]
    along_m = 66.0
    x_m, y_m, turn = street.at(along_m, 0)
    trunk = Rectangle(x_m=x_m, y_m=y_m, length_m=9.5, width_m=0.6, turn_deg=turn + 74)
    crown = Rectangle(x_m=x_m, y_m=y_m, length_m=0, width_m=0, turn_deg=turn + 74)
    for _ in range(110):
        size_m = builder.between(0.5, 1.5)
        along, across = builder.rng.normal((-1.8, 0), (1.6, 1.25)).tolist()
        twig = crown.part(along, across, length_m=size_m, width_m=0.7 * size_m)
        # A lying crown is highest along its middle.
        top_m = max(0.3, builder.between(0.7, 2.1) - 0.35 * abs(across))
        colour = shaded(_LEAF, builder.between(0.75, 1.3))
        builder.block(twig, top_m=top_m, colour=colour, material=Material.LEAVES, is_round=True)
    builder.block(trunk.part(2.4, 0, length_m=4.6, width_m=0.55), top_m=0.65, colour=_BARK)
    builder.block(
        trunk.part(4.9, 0, length_m=1.2, width_m=2.2), top_m=1.2, colour=shaded(_BARK, 0.8), is_round=True
    )
    for side in (-1, 1):
        _barrier(builder, street, along_m=along_m + side * 8.5)
    standing = (
        _on(street, along_m - 9.6, 2.3, kind="person", colour=ORANGE_VEST, turn_deg=180),
        _on(street, along_m + 9.8, -2.4, kind="person", colour=ORANGE_VEST),
    )
    return Incident(
        anomaly=Anomaly(
            kind="blocked road", name="the fallen tree on the southern lane", x_m=x_m, y_m=y_m, radius_m=6.0,
            start_s=0.0, end_s=_LAST_S,
        ),
        standing=standing,
        closures=tuple(
            Closure(street=street.name, is_forward=side < 0, along_m=along_m + side * 10.5, queue=3)
            for side in (-1, 1)
        ),
    )  # fmt: skip


def _barrier(builder: Builder, street: Street, *, along_m: float) -> None:
    x_m, y_m, turn = street.at(along_m, 0)
    bar = Rectangle(x_m=x_m, y_m=y_m, length_m=0.3, width_m=5.4, turn_deg=turn)
    for k, across in enumerate(np.arange(-2.4, 2.5, 0.6).tolist()):
        part = bar.part(0, across, length_m=0.3, width_m=0.6)
        builder.block(part, top_m=1.0, base_m=0.4, colour=_BAR_WHITE if k % 2 else _BAR_RED)
    for across in (-2.4, 2.4):
        builder.block(bar.part(0, across, length_m=0.5, width_m=0.3), top_m=1.05, colour=_BAR_RED)


def _burning_car(builder: Builder) -> Incident:
    """A car on the car park that begins to burn; people stand back and look."""
    # By its place and not by chance: flights and scenes look at it from fixed points.
    space = _space_for_fire(builder.spaces)
    # Otherwise a parked car would be inside the flames.
    builder.spaces.remove(space)
    x_m, y_m = space.at(0, 0)
    people = tuple(
        Standing(
            kind="person", x_m=x_m + 8 * float(np.cos(a)), y_m=y_m + 8 * float(np.sin(a)),
            turn_deg=float(np.degrees(a)) + 180, colour=_CLOTHES[k % len(_CLOTHES)],
        )
        for k, a in enumerate((0.5, 1.1, 2.4))
    )  # fmt: skip
    car = Standing(kind="car", x_m=x_m, y_m=y_m, turn_deg=space.turn_deg + 90, colour=_GREY_CAR)
    return Incident(
        anomaly=Anomaly(
            kind="fire", name="the burning car on the car park", x_m=x_m, y_m=y_m, radius_m=1.8,
            start_s=20.0, end_s=_LAST_S, base_m=1.0, strength=0.35,
        ),
        standing=(car, *people),
    )  # fmt: skip


def _space_for_fire(spaces: Sequence[Rectangle]) -> Rectangle:
    """Return the space of the market's car park that lies nearest to its south-eastern lane."""
    return min(spaces, key=lambda s: (s.x_m - 181.0) ** 2 + (s.y_m - 93.0) ** 2)


def _burning_roof(builder: Builder) -> Incident:
    """The warehouse's roof, with fire engines in the yard."""
    mark = next(m for m in builder.landmarks if m.name == "the warehouse")
    x_m, y_m = mark.x_m + 8.0, mark.y_m + 2.0
    _scorch(builder, (x_m, y_m), radius_m=2.6)
    engines = tuple(
        Standing(kind="fire engine", x_m=mark.x_m + east, y_m=32.6, turn_deg=turn, colour=FIRE_RED)
        for east, turn in ((-3.0, 4.0), (9.0, 176.0))
    )
    crew = tuple(
        Standing(kind="person", x_m=mark.x_m + east, y_m=29.4 + k % 2, turn_deg=-90, colour=ORANGE_VEST)
        for k, east in enumerate((1.0, 3.5, 5.0, 13.0))
    )
    return Incident(
        anomaly=Anomaly(
            kind="fire", name="the fire on the warehouse roof", x_m=x_m, y_m=y_m, radius_m=2.6, start_s=0.0,
            end_s=_LAST_S, bodies=mark.bodies, base_m=WAREHOUSE_ROOF_M + 0.8, strength=1.0,
        ),
        standing=(*engines, *crew),
    )  # fmt: skip


def _scorch(builder: Builder, at: tuple[float, float], *, radius_m: float) -> None:
    """Blacken what lies around a place, less and less outwards."""
    window = builder.terrain.window(Rectangle(x_m=at[0], y_m=at[1], length_m=16, width_m=16))
    here = (window.rows, window.columns)
    distance_m = np.hypot(window.along_m, window.across_m)
    ragged = 1 + 0.35 * field(distance_m.shape, period_m=1.2, rng=builder.rng)
    # Not down to black: soot lets the covering show.
    keeps = 1 - 0.86 * np.exp(-((distance_m * ragged / radius_m) ** 2))
    builder.terrain.colour[here] = (builder.terrain.colour[here] * keeps[..., None]).astype(np.uint8)
