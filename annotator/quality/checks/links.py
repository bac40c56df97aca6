"""The check of links against the geometry of their views."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.item import Item
from annotator.quality.check import CheckHit, DatasetCheck, DatasetCollector
from annotator.quality.context import CheckContext
from annotator.quality.link_mismatch import KIND


class LinkMismatch(DatasetCheck):
    """Finds links whose regions are not where poses or the ground plane have the same object."""

    id = KIND
    severity = "warning"
    title = "Link does not match the geometry"
    finds = (
        "Linked regions are farther from each other's position on the ground plane, or from the epipolar "
        "line, than the limit."
    )
    advice = "Look at both regions: unlink them, or dismiss the flag if the object is high above the ground."
    threshold = (
        "3 % of the longer side of the image, or the project's own limit; the largest of the demo's true "
        "links is 1.5 %. Only where the views are aligned or the poses and the camera are known"
    )

    def applies_to(self, item: Item, *, context: CheckContext) -> bool:  # noqa: ARG002 - the base class's own
        """Return False: it looks at links and at no item."""
        return False

    def start(self, context: CheckContext, /) -> DatasetCollector:
        """Return what reads the links when all items are through."""
        return _LinkCollector(context)


class _LinkCollector(DatasetCollector):
    def __init__(self, context: CheckContext) -> None:
        self._context = context

    def add(self, item: Item) -> None:
        """Add nothing: no item belongs to this check."""

    def findings(self) -> Iterator[tuple[str, str, CheckHit]]:
        """Yield each link over the limit."""
        for link, message in self._context.link_mismatches():
            yield "link", link, CheckHit(message=message, field="regions")
