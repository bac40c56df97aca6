"""The demo's scenes: places, times, and the drones that look on; read from ``resources/demo/scenes.toml``."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

import resources
from annotator.demo.camera import PICTURE_SIZE_PX, STILL_SIZE_PX, Camera
from annotator.demo.camera_effects import Look
from annotator.demo.degradations import DegradationName
from annotator.demo.plan import Size

SIZES: tuple[Size, ...] = ("small", "standard", "large")
_LOOKS = (Look(), Look(gain=1.05, warmth=0.025), Look(gain=0.95, warmth=-0.02, grain=3.0))
_ROLLS_DEG = (0.0, 1.2, -0.8)
"""Each drone keeps its own hand through all scenes."""
_LATER_S = (0.0, 7.0, 15.0)
"""A large demo shows each place again at these times after its first."""


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wrong with an image.

    Attributes:
        name: A key of ``DEGRADATIONS``.
        strength: From 0 to 1 (the worst).
    """

    name: DegradationName
    strength: float


@dataclass(frozen=True, kw_only=True)
class Shot:
    """One camera's look at a moment.

    Attributes:
        view: Name of the view: ``UAV1`` ... or ``ground``.
        camera: Where from.
        look: The camera's hand.
        faults: What is wrong with the image.
        size_px: Width and height of the image.
        has_depth: Whether a depth map is kept.
    """

    view: str
    camera: Camera
    look: Look
    faults: tuple[Fault, ...] = ()
    size_px: tuple[int, int] = PICTURE_SIZE_PX
    has_depth: bool = False


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A place at a time, seen by several cameras at once.

    Attributes:
        place: Name of the place.
        number: Number of the moment there, 1 and up.
        time_s: World time.
        shots: What each camera sees.
        marked: Names of the views that get regions drawn in.
    """

    place: str
    number: int
    time_s: float
    shots: tuple[Shot, ...]
    marked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the scene."""
        return f"{self.place}-{self.number}"


class _ShotEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    view: str
    heading_deg: float
    tilt_deg: float
    at: tuple[float, float] | None = None
    distance_m: float = 0.0
    stands: tuple[float, float] | None = msgspec.field(name="from", default=None)
    height_m: float = 1.7
    faults: tuple[Fault, ...] = ()
    depth: bool = False
    still: bool = False

    def shot(self) -> Shot:
        """Return the shot as written."""
        # The ground camera has the first hand.
        number = int(self.view.removeprefix("UAV")) if self.view.startswith("UAV") else 1
        return Shot(
            view=self.view,
            camera=self._camera(roll_deg=_ROLLS_DEG[(number - 1) % 3]),
            look=_LOOKS[(number - 1) % 3],
            faults=self.faults,
            size_px=STILL_SIZE_PX if self.still else PICTURE_SIZE_PX,
            has_depth=self.depth,
        )

    def _camera(self, *, roll_deg: float) -> Camera:
        if self.stands is not None:
            return Camera(
                x_m=self.stands[0],
                y_m=self.stands[1],
                altitude_m=self.height_m,
                heading_deg=self.heading_deg,
                tilt_deg=self.tilt_deg,
            )
        if self.at is None:
            raise ValueError(f"The shot of {self.view} neither looks at a point nor stands on one.")
        return Camera.over(
            at=self.at,
            distance_m=self.distance_m,
            heading_deg=self.heading_deg,
            tilt_deg=self.tilt_deg,
            roll_deg=roll_deg,
        )


class _SceneEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    place: str
    number: int
    time_s: float
    size: Size
    shots: tuple[_ShotEntry, ...]
    marked: tuple[str, ...] = ()

    def moment(self) -> Moment:
        """Return the moment as written."""
        return Moment(
            place=self.place,
            number=self.number,
            time_s=self.time_s,
            shots=tuple(entry.shot() for entry in self.shots),
            marked=self.marked,
        )


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    scenes: tuple[_SceneEntry, ...]


@functools.cache
def moments_of(size: Size) -> tuple[Moment, ...]:
    """Return the moments of a demo of a size, in the order of the file."""
    entries = msgspec.toml.decode(resources.path("demo/scenes.toml").read_bytes(), type=_File).scenes
    shown = [entry.moment() for entry in entries if SIZES.index(entry.size) <= SIZES.index(size)]
    return tuple(_again(shown) if size == "large" else shown)


def _again(moments: list[Moment]) -> Iterator[Moment]:
    """Yield each moment and the same place at later times, numbered on."""
    last: dict[str, int] = {}
    for moment in moments:
        last[moment.place] = max(last.get(moment.place, 0), moment.number)
    for moment in moments:
        yield moment
        for later_s in _LATER_S[1:]:
            last[moment.place] += 1
            yield replace(moment, number=last[moment.place], time_s=moment.time_s + later_s)
