"""Identity of imported regions: their neutral numbers, and the links between views."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from annotator.domain.event import CREATED, Edit
from annotator.domain.link import Link
from annotator.domain.record import ANY, new_id
from annotator.domain.region import Region
from annotator.domain.region_attributes import LinkMember
from annotator.queries.reader import Reader


class RegionNumbers:
    """Assigns the displayed numbers to the regions of each medium.

    All boxes of one track in a medium have the same number: they show one object in several frames.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._next: dict[str, int] = {}
        self._empty: dict[str, bool] = {}
        self._tracks: dict[str, dict[str, int]] = {}

    def number_of(self, medium: str, *, track: str, stated: int | None = None) -> int:
        """Return the number of a new region, counting on from the existing ones of the medium.

        Args:
            medium: Id of the medium.
            track: Track of the region, "" for none.
            stated: The number in the source, which is kept if the medium has no regions of other sources.
        """
        # In a medium with regions a number of the file would collide with theirs.
        if stated is not None and self._is_empty(medium):
            self._next[medium] = max(self._next.get(medium, 0), stated + 1)
            return stated
        if not track:
            return self._next_number(medium)
        known = self._tracks_of(medium)
        if track not in known:
            known[track] = self._next_number(medium)
        return known[track]

    def _is_empty(self, medium: str) -> bool:
        """Return whether a medium had no regions before the import."""
        if medium not in self._empty:
            self._empty[medium] = self._reader.order.largest_region_number(medium) is None
        return self._empty[medium]

    def _next_number(self, medium: str) -> int:
        if medium not in self._next:
            largest = self._reader.order.largest_region_number(medium)
            self._next[medium] = 0 if largest is None else largest + 1
        number = self._next[medium]
        self._next[medium] += 1
        return number

    def has_numbered(self, medium: str) -> bool:
        """Return whether regions of a medium were given numbers."""
        return medium in self._next or medium in self._tracks

    def _tracks_of(self, medium: str) -> dict[str, int]:
        if medium not in self._tracks:
            found = self._reader.find(Region, medium=medium, is_proposed=ANY)
            regions = (region for region in found if region.track)
            self._tracks[medium] = {region.track: region.number for region in regions}
        return self._tracks[medium]


@dataclass
class _RegionIdentity:
    """Regions of one object.

    Attributes:
        regions: Id of the region by the id of its medium.
        has_new: Whether one of them is new in this import.
    """

    regions: dict[str, str] = field(default_factory=dict)
    has_new: bool = False


class Identities:
    """Collects the regions that a source declares to be one object or names in a link, and links them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._seen: dict[tuple[str, int | None, str], _RegionIdentity] = defaultdict(_RegionIdentity)
        self._links: dict[str, dict[str, Link]] = {}
        self._named: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)

    def note_link(self, region: Region, *, scene: str, member: LinkMember) -> None:
        """Record the place of a region in a link that its source names."""
        self._named[scene, member.kind, member.link].setdefault(member.index, region.id)

    def note(self, region: Region, *, scene: str, identity: str, is_new: bool) -> None:
        """Record which object a region shows."""
        seen = self._seen[scene, region.frame, identity]
        seen.regions.setdefault(region.medium, region.id)
        seen.has_new |= is_new

    def edits(self, *, source: str) -> Iterator[Edit]:
        """Yield a link for each object in several views, or the missing regions of an existing link.

        Args:
            source: Id of the imported file, for the links that are made.
        """
        for (scene, _, _), seen in self._seen.items():
            if not seen.has_new or len(seen.regions) < 2:
                continue
            wanted = tuple(seen.regions.values())
            known = self._known(scene, wanted)
            if known is None:
                link = Link(id=new_id(), scene=scene, regions=wanted, source=source)
                yield Edit(entity="link", entity_id=link.id, field=CREATED, value=link)
            else:
                merged = tuple(dict.fromkeys((*known.regions, *wanted)))
                link = msgspec.structs.replace(known, regions=merged)
                yield Edit(entity="link", entity_id=known.id, field="regions", value=merged)
            # Continue from this link, not from the stored one: a later object may belong to the same link.
            self._links[scene].update(dict.fromkeys(link.regions, link))
        self._seen.clear()
        yield from self._named_links(source=source)

    def _named_links(self, *, source: str) -> Iterator[Edit]:
        """Yield the links that the source names and the project does not have."""
        for (scene, kind, _), positions in self._named.items():
            regions = tuple(positions[index] for index in sorted(positions))
            known = {link.regions for link in self._reader.find(Link, scene=scene) if link.kind == kind}
            if len(regions) > 1 and regions not in known:
                link = Link(id=new_id(), scene=scene, regions=regions, kind=kind, source=source)
                yield Edit(entity="link", entity_id=link.id, field=CREATED, value=link)
        self._named.clear()

    @property
    def has_looked_up(self) -> bool:
        """Whether links of the project were looked up."""
        return bool(self._links)

    def _known(self, scene: str, regions: tuple[str, ...]) -> Link | None:
        if scene not in self._links:
            found = self._reader.find(Link, scene=scene)
            same = [link for link in found if link.kind == "same"]
            # Cached per scene: a video has a link for each object on each of its frames.
            self._links[scene] = {region: link for link in reversed(same) for region in link.regions}
        links = self._links[scene]
        return next((links[region] for region in regions if region in links), None)
