"""Queries about regions that are answered from indexes, without reading the records."""

from __future__ import annotations

from msgspec import json

from annotator.domain.item import Item
from annotator.store.connection import Connection

MOST_REGIONS = 5_000
"""Regions of a medium whose categories are read; a video shows the same objects on most of its frames."""
MOST_CATEGORIES = 1000
"""Maximum number of categories returned: in some files each region has its own caption as category."""
IN_USE = "removed=0 AND is_proposed=0"
"""Proposals are no regions yet."""
NEXT_CATEGORY = f"SELECT category FROM region WHERE category>? AND {IN_USE} ORDER BY category LIMIT 1"
NEXT_NUMBER = f"SELECT number FROM region WHERE medium=? AND number>? AND {IN_USE} ORDER BY number LIMIT 1"
LAST_REGION = f"SELECT n FROM region WHERE category=? AND {IN_USE} ORDER BY n DESC LIMIT 1"


CATEGORIES_OF = """
SELECT DISTINCT category FROM (
    SELECT category FROM region WHERE medium=? AND removed=0 AND is_proposed=0 AND category IS NOT NULL
    ORDER BY n LIMIT ?
)
"""
# The text of the record is searched before it is decoded: items without a scene are in no index of media.
ITEMS_SHOWING = """
SELECT record FROM item WHERE removed=0 AND instr(record, ?1)>0
AND (scene IN (SELECT scene FROM scene_view WHERE medium=?1) OR scene IS NULL) ORDER BY n
"""
_decode_item = json.Decoder(Item).decode


class RegionQueries:
    """The part of a reader that queries regions of the whole project."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def categories(self) -> list[str]:
        """Return the categories of all regions, that of the region which was added last first."""
        added: dict[str, int] = {}
        category = ""
        # From one category to the next in the index: a DISTINCT query would read an entry for each region.
        while len(added) < MOST_CATEGORIES:
            found = self._connection.execute(NEXT_CATEGORY, (category,)).fetchone()
            if found is None:
                break
            category = found[0]
            added[category] = self._connection.execute(LAST_REGION, (category,)).fetchone()[0]
        return sorted(added, key=lambda name: -added[name])

    def numbers(self, medium: str) -> frozenset[int]:
        """Return the numbers of a medium's regions."""
        numbers: list[int] = []
        # From one number to the next in the index: an object of a video has a region on each frame.
        while found := self._connection.execute(
            NEXT_NUMBER, (medium, numbers[-1] if numbers else -1)
        ).fetchone():
            numbers.append(found[0])
        return frozenset(numbers)

    def categories_of(self, medium: str) -> list[str]:
        """Return the different categories of a medium's regions."""
        return [row[0] for row in self._connection.execute(CATEGORIES_OF, (medium, MOST_REGIONS))]

    def items_showing(self, medium: str) -> list[Item]:
        """Return the items that show a medium, the oldest first: those of its scenes, and those of none."""
        found = (_decode_item(record) for (record,) in self._connection.execute(ITEMS_SHOWING, (medium,)))
        return [item for item in found if medium in item.media]
