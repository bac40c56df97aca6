"""Numbers of new regions, counting on from those of their medium."""

from __future__ import annotations

from annotator.domain.record import ANY
from annotator.domain.region import Region
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
