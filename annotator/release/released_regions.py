"""The regions and links of a release: what they stand on, in order of arrival."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Region
from annotator.domain.region_attributes import ImageAttributes, LinkMember, RegionAttributes
from annotator.domain.scene import Scene
from annotator.errors import UserError
from annotator.release.exporter import EVERYTHING, ExportInput, ExportResult, refusal_of
from annotator.release.media_names import is_safe_path, release_path
from annotator.release.release_filter import WithheldRecord, WithholdReason
from annotator.release.release_items import ReleaseCounts

Refusal = Callable[[Region, Medium], WithholdReason | None]
"""Returns why a format cannot represent a region, None if it can."""


def _no_refusal(_region: Region, _medium: Medium) -> WithholdReason | None:
    return None


class ReleasedRegions:
    """Yields the confirmed regions of a project, with their media, scenes and links.

    Args:
        material: The input of the exporter.
        export_format: Id of the format, for messages.
        refusal: Decides which regions the format can represent.

    Raises:
        UserError: Items were selected; regions do not depend on them.
    """

    def __init__(self, material: ExportInput, *, export_format: str, refusal: Refusal = _no_refusal) -> None:
        if material.selection != EVERYTHING:
            raise UserError(
                f"The format {export_format} contains regions; a selection of items does not apply to them.",
                hint="Remove the selection.",
            )
        self._material, self._refusal = material, refusal
        self._scenes: dict[str, tuple[Scene, str]] = {}
        for scene in material.reader.records(Scene):
            for view in scene.views:
                self._scenes.setdefault(view.medium, (scene, view.name))
        self._links: defaultdict[str, list[tuple[Link, int]]] = defaultdict(list)
        for link in material.reader.records(Link):
            for index, region in enumerate(link.regions):
                self._links[region].append((link, index))
        self._link_names: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._media: dict[str, Medium | None] = {}
        self.result = ExportResult(totals=ReleaseCounts(), withheld=[])

    def __iter__(self) -> Iterator[tuple[Region, Medium]]:
        """Start a pass; counts and withheld records are those of the latest pass."""
        self.result = ExportResult(totals=ReleaseCounts(), withheld=[])
        for region in self._material.reader.records(Region):
            self._material.progress.step()
            medium = self._medium(region.medium)
            if medium is None or not release_path(medium) or not is_safe_path(medium.name):
                message = "The image of the region is not in the project, or has no plain name."
                self._withhold(region, refusal_of("media", message))
            elif reason := self._refusal(region, medium):
                self._withhold(region, reason)
            else:
                self._count(region, medium)
                yield region, medium

    def image_attributes(self, region: Region, medium: Medium) -> ImageAttributes:
        """Return what the image of a region is in the project."""
        scene, view = self._scenes.get(medium.id, (None, ""))
        return ImageAttributes(
            name=medium.name,
            media_type=medium.media_type,
            frame=region.frame,
            scene=scene.name if scene else "",
            view=view,
        )

    def attributes(self, region: Region) -> RegionAttributes:
        """Return what a region has beside its geometry, with its links in the scene of its image."""
        scene, _ = self._scenes.get(region.medium, (None, ""))
        if scene is None:
            return RegionAttributes.of(region)
        parts = [(link, index) for link, index in self._links.get(region.id, ()) if link.scene == scene.id]
        members = [self._member(link, index, dataset=scene.dataset) for link, index in parts]
        # As numbers: as a text, 10 stands before 9.
        return RegionAttributes.of(region, links=tuple(sorted(members, key=lambda member: int(member.link))))

    def _member(self, link: Link, index: int, *, dataset: str) -> LinkMember:
        # Numbered where they are first named, as readers meet them: a release of what they read is the same.
        names = self._link_names[dataset]
        name = names.setdefault(link.id, str(len(names) + 1))
        return LinkMember(link=name, index=index, kind=link.kind)

    def _medium(self, medium_id: str) -> Medium | None:
        if medium_id not in self._media:
            self._media[medium_id] = self._material.reader.get(Medium, medium_id)
        return self._media[medium_id]

    def _count(self, region: Region, medium: Medium) -> None:
        totals = self.result.totals
        totals.records += 1
        name = f"{medium.name} {'' if region.frame is None else region.frame} {region.number}\n"
        totals.name_members(name.encode(), dataset=medium.dataset)
        totals.show([medium.id])
        totals.count("dataset", medium.dataset)
        totals.count("entity", "region")

    def _withhold(self, region: Region, reason: WithholdReason) -> None:
        name = region.locator or f"Region {region.number}"
        self.result.withheld.append(WithheldRecord(entity="region", name=name, reasons=(reason,)))
