"""What becomes of proposed regions: a person confirms or changes them, or marks the object in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotator.domain.event import REMOVED, Edit
from annotator.domain.region import Region
from annotator.queries.reader import Reader


def confirm(region: Region) -> Iterator[Edit]:
    """Yield the confirmation of a region that is only proposed; nothing for any other."""
    if region.is_proposed:
        yield Edit(entity="region", entity_id=region.id, field="is_proposed", value=False)


def replaced_proposals(reader: Reader, made: Sequence[Region]) -> Iterator[Edit]:
    """Yield the removal of the proposals in whose place regions are made: of the same number and frame.

    Args:
        reader: The project before the command.
        made: The regions that the command makes.
    """
    positions = {(region.medium, region.number, region.frame) for region in made}
    for medium, number in dict.fromkeys((region.medium, region.number) for region in made):
        for known in reader.find(Region, medium=medium, number=number, is_proposed=1):
            if (medium, number, known.frame) in positions:
                yield Edit(entity="region", entity_id=known.id, field=REMOVED, value=True)
