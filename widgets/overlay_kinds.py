"""The kinds of overlays on an image, each on or off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from widgets.translation import mark

OverlayKind = Literal["regions", "numbers", "links", "paths", "issues", "trail", "reprojected", "lines"]
KINDS: tuple[OverlayKind, ...] = get_args(OverlayKind)
"""All kinds, in the order of menus and shortcuts."""
TITLES: dict[OverlayKind, str] = {
    "regions": mark("Regions"),
    "numbers": mark("Region numbers"),
    "links": mark("Link colours"),
    "paths": mark("Paths"),
    "issues": mark("Issue boxes"),
    "trail": mark("Camera trajectory"),
    "reprojected": mark("Regions of other views"),
    "lines": mark("Lines between linked regions"),
}
"""English names of the kinds."""


@dataclass(frozen=True, kw_only=True)
class OverlayKinds:
    """The overlays that are painted.

    Attributes:
        regions: Outlines of regions and rings of points.
        numbers: Neutral numbers of regions.
        links: Linked regions share a colour, instead of a colour by number.
        paths: Paths with arrows and labels.
        issues: Issue boxes of event labels.
        trail: Camera trajectories, projected into the image or as a top-view plan in a corner.
        reprojected: Reprojected regions of other views; those of selected regions are always shown.
        lines: Lines between linked regions of different views; those of selected regions are always shown.
    """

    regions: bool = True
    numbers: bool = True
    links: bool = True
    paths: bool = True
    issues: bool = True
    trail: bool = True
    reprojected: bool = False
    lines: bool = False

    def toggled(self, kind: OverlayKind) -> OverlayKinds:
        """Return a copy with one kind toggled."""
        return replace(self, **{kind: not getattr(self, kind)})

    def has(self, kind: OverlayKind) -> bool:
        """Return whether a kind is on."""
        return bool(getattr(self, kind))
