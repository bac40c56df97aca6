"""High-resolution versions: an item shown with the original images in place of reduced ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.record import Record
from annotator.domain.region import Region
from annotator.draft.rule_result import SkippedItem
from annotator.draft.variants.enlarged import Enlargement, has_box
from annotator.draft.variants.larger_images import LargerImages
from annotator.draft.variants.variant_rule import MadeVariant, VariantInput, VariantResult, VariantRule

NO_LARGER = SkippedItem("no larger image is known")
OTHER_REGIONS = SkippedItem("the larger image has regions with other numbers")
UNEQUAL = SkippedItem("the question gives a box, and its images are enlarged by different factors")
MISSING = SkippedItem("an image is missing in the project")


class ResolutionRule(VariantRule):
    """Makes high-resolution versions; coordinates in question, options and answer key are enlarged.

    Regions and paths are copied to a larger image that has none: they are drawn into it for models.
    """

    kind = "resolution"
    title = "high-resolution version"

    def __init__(self, material: VariantInput) -> None:
        super().__init__(material)
        self._larger = LargerImages(material)
        self._copied: set[str] = set()

    def variant(self, source: Item, /) -> VariantResult:
        """Return the item with larger images."""
        media = [self.material.reader.get(Medium, medium) for medium in source.media]
        known = [medium for medium in media if medium is not None]
        if len(known) < len(media):
            return MISSING
        larger = {medium.id: found for medium in known if (found := self._larger.of(medium)) is not None}
        if not larger:
            return NO_LARGER
        factors = [_factor(medium, larger) for medium in known]
        if (reason := self._unfit(source, larger, factors)) is not None:
            return reason
        item = self._enlarged(source, larger, factors)
        return MadeVariant(item=item, records=tuple(self._records(known, larger)))

    def _unfit(
        self, source: Item, larger: Mapping[str, Medium], factors: list[Enlargement]
    ) -> SkippedItem | None:
        """Return why the coordinates of an item cannot be enlarged, None where they can."""
        if len(set(factors)) > 1 and _has_box(source):
            return UNEQUAL
        if any(self._has_other_regions(small, large) for small, large in larger.items()):
            return OTHER_REGIONS
        return None

    def _enlarged(self, source: Item, larger: Mapping[str, Medium], factors: list[Enlargement]) -> Item:
        # For a pair of images, the box of the answer refers to the second one.
        first, last = factors[0], factors[-1]
        return msgspec.structs.replace(
            self.copy_of(source),
            question=first.text(source.question),
            options=tuple(
                msgspec.structs.replace(option, text=first.text(option.text)) for option in source.options
            ),
            answer_key=last.text(source.answer_key),
            media=tuple(larger[medium].id if medium in larger else medium for medium in source.media),
        )

    def _has_other_regions(self, small: str, large: Medium) -> bool:
        numbers = self.material.reader.regions.numbers
        own = numbers(large.id)
        return bool(own) and own != numbers(small)

    def _records(self, media: list[Medium], larger: Mapping[str, Medium]) -> Iterator[Record]:
        """Yield new media, and copies of regions and paths for larger images without any."""
        for medium in media:
            large = larger.get(medium.id)
            if large is None or large.id in self._copied:
                continue
            self._copied.add(large.id)
            if (created := self._larger.take_created(large)) is not None:
                yield created
            yield from self._copies(medium, large)

    def _copies(self, medium: Medium, large: Medium) -> Iterator[Record]:
        reader, factor = self.material.reader, Enlargement.of(medium, large)
        if not reader.regions.numbers(large.id):
            yield from (factor.region(one, medium=large.id) for one in reader.find(Region, medium=medium.id))
        if next(reader.find(Polyline, medium=large.id), None) is None:
            yield from (factor.path(one, medium=large.id) for one in reader.find(Polyline, medium=medium.id))


def _factor(medium: Medium, larger: Mapping[str, Medium]) -> Enlargement:
    return Enlargement.of(medium, larger[medium.id]) if medium.id in larger else Enlargement()


def _has_box(item: Item) -> bool:
    # Not of the answer key: its box is on the last image, by whose factor alone it is enlarged.
    return any(map(has_box, (item.question, *(option.text for option in item.options))))
