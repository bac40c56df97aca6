"""Links typed as numbers of regions: ``3-15``, or several as ``3-15, 4-5-2``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.errors import UserError

_GROUPS = re.compile(r"[,;，；\s]+")
_HYPHENS = re.compile(r"[-–—]")
_AROUND = re.compile(r"\s*[-–—]\s*")
EXAMPLE = "Type the numbers in the order of the views, for example 3-15, or 3-15, 4-5."


@dataclass(frozen=True, kw_only=True)
class NumberedView:
    """A view with the regions that can be linked.

    Attributes:
        name: Its name.
        regions: Id of each region by its number.
    """

    name: str
    regions: Mapping[int, str]


def parse_links(text: str, *, views: Sequence[NumberedView]) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the regions of each typed link.

    Args:
        text: Groups of numbers, one number for each view; an empty place leaves a view out: ``3--7``.
        views: The views in order.

    Raises:
        UserError: The text has another form, a view has no such region, or a region is named twice.
    """
    groups = [group for group in _GROUPS.split(_AROUND.sub("-", text.strip())) if group]
    if not groups:
        raise UserError("No link is typed.", hint=EXAMPLE)
    found = tuple(_group(group, views) for group in groups)
    named = [region for group in found for region in group]
    if len(set(named)) < len(named):
        raise UserError("A region is in two of the links.", hint="Type each region once.")
    return found


def _group(text: str, views: Sequence[NumberedView]) -> tuple[str, ...]:
    parts = _HYPHENS.split(text)
    if len(parts) > len(views):
        raise UserError(f"{text} has {len(parts)} numbers, and the scene {len(views)} views.", hint=EXAMPLE)
    if any(part and not (part.isascii() and part.isdigit()) for part in parts):
        raise UserError(f"{text} is not a link.", hint=EXAMPLE)
    regions = tuple(_region(int(part), view) for part, view in zip(parts, views, strict=False) if part)
    if len(regions) < 2:
        raise UserError(f"{text} names one region; a link needs two.", hint=EXAMPLE)
    return regions


def _region(number: int, view: NumberedView) -> str:
    region = view.regions.get(number)
    if region is None:
        known = sorted(view.regions)
        hint = f"It has Region {known[0]} to {known[-1]}." if known else "Mark its regions first."
        raise UserError(f"{view.name} has no region {number}.", hint=hint)
    return region
