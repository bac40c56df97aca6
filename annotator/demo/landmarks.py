"""Named places of the town, for questions about positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotator.demo.terrain import Rectangle

LandmarkKind = Literal["building", "tower", "bridge", "water", "green", "square", "pitch", "parking", "works"]


@dataclass(frozen=True, kw_only=True)
class Landmark:
    """A place that a question can name.

    Attributes:
        name: Its name with the article: ``"the church"``; no two landmarks share one.
        kind: What sort of place it is.
        x_m: East coordinate of its middle.
        y_m: South coordinate of its middle.
        radius_m: Half of its greatest extent.
        bodies: Numbers of its buildings in the terrain's body layer; empty for open ground.
    """

    name: str
    kind: LandmarkKind
    x_m: float
    y_m: float
    radius_m: float
    bodies: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class District:
    """A part of the town.

    Attributes:
        name: Its name: ``"market"``; no two districts share one.
        area: Its rough outline.
    """

    name: str
    area: Rectangle

    def holds(self, x_m: float, y_m: float) -> bool:
        """Return whether a ground point lies in it."""
        along, across = self.area.offset(x_m, y_m)
        return abs(along) <= self.area.length_m / 2 and abs(across) <= self.area.width_m / 2
