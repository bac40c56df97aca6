"""The rows of the table of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, is_

from annotator.domain.link import Link
from annotator.domain.region import Region
from annotator.media.render import UNLINKED
from annotator.media.view_geometry import Mismatch
from annotator.queries.reader import Reader
from widgets.stage.scene import StageScene


@dataclass(frozen=True, kw_only=True)
class LinkRow:
    """One link.

    Attributes:
        link: Its id.
        regions: Its regions that exist, by view and frame.
        numbers: The numbers of its regions in each view, in the order of the views.
        colour: Index of its colour in the region colours.
        category: The first category of its regions.
        mismatch: How well it matches the geometry of the views, None if that is unknown.
    """

    link: str
    regions: tuple[Region, ...]
    numbers: tuple[tuple[int, ...], ...]
    colour: int
    category: str
    mismatch: Mismatch | None

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of its regions."""
        return tuple(region.id for region in self.regions)


def read_link_rows(
    _reader: Reader, *, shown: StageScene, before: Mapping[str, LinkRow]
) -> tuple[LinkRow, ...]:
    """Return the rows of a scene; runs on the reading thread, since thousands of links take time.

    Args:
        shown: The scene, which has everything.
        before: Rows of an earlier state of the same scene with the same geometry, by link.
    """
    wanted = {region for link in shown.marks.links for region in link.regions}
    regions = {region.id: region for region in shown.marks.regions if region.id in wanted}
    links = (link for link in shown.marks.links if link.kind == "same")
    return tuple(_row(link, shown, regions, before=before.get(link.id)) for link in links)


def _row(link: Link, shown: StageScene, regions: Mapping[str, Region], *, before: LinkRow | None) -> LinkRow:
    order = {view.medium.id: index for index, view in enumerate(shown.media)}
    own = [regions[one] for one in link.regions if one in regions]
    own.sort(key=lambda region: (order.get(region.medium, len(order)), region.frame or 0))
    found = tuple(own)
    # Unchanged regions are the same objects: their mismatch need not be measured again.
    is_known = before is not None and _are_same(before.regions, found)
    measured = before.mismatch if before is not None and is_known else _measured(found, shown)
    return LinkRow(
        link=link.id,
        regions=found,
        numbers=tuple(_numbers_in(view.medium.id, found) for view in shown.media),
        colour=shown.link_colours.get(found[0].id, UNLINKED) if found else UNLINKED,
        category=next(filter(None, map(attrgetter("category"), found)), ""),
        mismatch=measured,
    )


def _are_same(before: Sequence[Region], after: Sequence[Region]) -> bool:
    return len(before) == len(after) and all(map(is_, before, after))


def _numbers_in(medium: str, regions: Sequence[Region]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one.number for one in regions if one.medium == medium))


def _measured(regions: tuple[Region, ...], shown: StageScene) -> Mismatch | None:
    return shown.geometry.link_mismatch(regions, limit=shown.link_limit)
