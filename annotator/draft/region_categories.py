"""Regions of an image by their category, for questions that name a category."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.region import Region
from annotator.draft.still_view import StillView


def regions_by_category(regions: Sequence[Region]) -> dict[str, list[Region]]:
    """Return regions by category, in alphabetical order; letter case and spaces make no difference."""
    found: dict[str, list[Region]] = {}
    titles: dict[str, str] = {}
    for region in regions:
        name = " ".join(region.category.split())
        if name:
            found.setdefault(titles.setdefault(name.casefold(), name), []).append(region)
    return dict(sorted(found.items()))


def unfit_regions(view: StillView, *, least: int = 2) -> str:
    """Return why questions about the regions of an image are not possible, "" if they are.

    Args:
        view: The image.
        least: Smallest number of regions: of a single region, every question has the same answer.
    """
    if not view.regions:
        return "the image has no regions"
    if len(view.regions) < least:
        return "the image has too few regions"
    return "" if view.has_unique_numbers else "two regions of the image have the same number"


def with_article(category: str) -> str:
    """Return a category with its indefinite article: ``a car``, ``an excavator``."""
    first = category[:1].casefold()
    if not (first.isascii() and first.isalpha()) or category.casefold().startswith(("a ", "an ", "the ")):
        return category
    return f"{'an' if first in 'aeiou' else 'a'} {category}"


def region_name(region: Region) -> str:
    """Return the neutral name of a region: ``Region 3``."""
    return f"Region {region.number}"
