"""Queries about regions that are answered from indexes, without reading the records."""

from __future__ import annotations

from annotator.store.connection import Connection

MOST_CATEGORIES = 1000
"""Maximum number of categories returned: in some files each region has its own caption as category."""
NEXT_CATEGORY = "SELECT category FROM region WHERE category>? AND removed=0 ORDER BY category LIMIT 1"
LAST_REGION = "SELECT n FROM region WHERE category=? AND removed=0 ORDER BY n DESC LIMIT 1"


class RegionQueries:
    """The part of a reader that queries regions of the whole project."""

    _connection: Connection

    def region_categories(self) -> list[str]:
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
