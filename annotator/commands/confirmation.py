"""What makes a proposed region a region: that a person confirms it, or changes it."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.event import Edit
from annotator.domain.region import Region


def confirm(region: Region) -> Iterator[Edit]:
    """Yield the confirmation of a region that is only proposed; nothing for any other."""
    if region.is_proposed:
        yield Edit(entity="region", entity_id=region.id, field="is_proposed", value=False)
