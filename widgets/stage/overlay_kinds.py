"""Which kinds of overlays are painted over a picture, each on or off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from widgets.translation import mark

OverlayKind = Literal["regions", "numbers", "links", "paths", "issues", "trail", "ghosts", "lines"]
KINDS: tuple[OverlayKind, ...] = get_args(OverlayKind)
"""All kinds in the order of menus and keys."""
TITLES: dict[OverlayKind, str] = {
    "regions": mark("Regions"),
    "numbers": mark("Region numbers"),
    "links": mark("Link colours"),
    "paths": mark("Paths"),
    "issues": mark("Issue boxes"),
    "trail": mark("Camera trajectory"),
    "ghosts": mark("Regions of other views"),
    "lines": mark("Lines between linked regions"),
}
"""English words of the kinds."""


@dataclass(frozen=True, kw_only=True)
class OverlayKinds:
    """What is painted over pictures.

    Attributes:
        regions: Outlines of regions and rings of points.
        numbers: Their neutral numbers.
        links: Linked regions in one colour, in place of a colour by their number.
        paths: Paths with their arrows and words.
        issues: Boxes of event labels: where perception is hard, what more should be known.
        trail: The way of the cameras, drawn into the picture or as a small plan in a corner.
        ghosts: Where regions of other views should be; those of selected regions are shown in any case.
        lines: A line from view to view between regions that are the same thing; those of selected regions are
            shown in any case.
    """

    regions: bool = True
    numbers: bool = True
    links: bool = True
    paths: bool = True
    issues: bool = True
    trail: bool = True
    ghosts: bool = False
    lines: bool = False

    def toggled(self, kind: OverlayKind) -> OverlayKinds:
        """Return the same with one kind switched on or off."""
        return replace(self, **{kind: not getattr(self, kind)})

    def has(self, kind: OverlayKind) -> bool:
        """Return whether a kind is on."""
        return bool(getattr(self, kind))
