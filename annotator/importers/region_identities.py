"""Identity of imported regions: the links between views that a source states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from annotator.domain.event import CREATED, Edit
from annotator.domain.link import Link
from annotator.domain.record import new_id
from annotator.domain.region import Region
from annotator.domain.region_attributes import LinkMember
from annotator.queries.reader import Reader


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
