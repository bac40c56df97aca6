"""Scenes of items and media, and items and media of scenes: from one list to the other."""

from __future__ import annotations

import numpy as np

from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.query import ItemQuery, MediumQuery, RelatedSceneQuery, SortOrder
from annotator.domain.record import Record
from annotator.domain.scene import Scene
from annotator.queries.facet_combinations import numbers_text
from annotator.queries.item_queries import ItemQueries
from annotator.queries.media_queries import MediaQueries
from annotator.queries.scene_queries import SceneQueries
from annotator.queries.sort_order import Numbers, SortQueries
from annotator.store.connection import Connection

SCENE_OF_ITEM = """coalesce(i.scene, (
    SELECT v.scene FROM json_each(i.record, '$.media') m JOIN scene_view v ON v.medium=m.value LIMIT 1))"""
"""An item without a scene is assigned to the scene that shows its first medium."""
SCENES_OF = {
    "item": f"""
SELECT s.n FROM json_each(?) j JOIN item i ON i.n=j.value
JOIN scene s ON s.id={SCENE_OF_ITEM} WHERE s.removed=0 ORDER BY j.key""",
    "medium": """
SELECT s.n FROM json_each(?) j JOIN medium m ON m.n=j.value
JOIN scene_view v ON v.medium=m.id JOIN scene s ON s.id=v.scene WHERE s.removed=0 ORDER BY j.key, s.n""",
}
ITEMS_OF_SCENE = f"""
SELECT i.n FROM item i WHERE i.removed=0 AND i.scene=:scene
UNION SELECT i.n FROM item i WHERE i.removed=0 AND i.scene IS NULL AND {SCENE_OF_ITEM}=:scene
"""
MEDIA_OF_SCENE = "SELECT m.n FROM scene_view v JOIN medium m ON m.id=v.medium WHERE v.scene=:scene"
SCENE_OF = {
    "item": f"""
SELECT s.n, coalesce(i.record ->> '$.media[0]', '') FROM item i JOIN scene s ON s.id={SCENE_OF_ITEM}
WHERE i.n=? AND s.removed=0""",
    "medium": """
SELECT s.n, m.id FROM medium m JOIN scene_view v ON v.medium=m.id JOIN scene s ON s.id=v.scene
WHERE m.n=? AND s.removed=0 ORDER BY s.n LIMIT 1""",
    "scene": "SELECT s.n, '' FROM scene s WHERE s.n=? AND s.removed=0",
}
OF_SCENE = {"item": ITEMS_OF_SCENE, "medium": MEDIA_OF_SCENE}


class RelatedScenes:
    """The part of a reader that finds the scenes of items and media, and the reverse."""

    def __init__(
        self,
        connection: Connection,
        *,
        items: ItemQueries,
        scenes: SceneQueries,
        media: MediaQueries,
        order: SortQueries,
    ) -> None:
        self._connection, self._order = connection, order
        self._items, self._scenes, self._media = items, scenes, media

    def scene_numbers(self, query: RelatedSceneQuery) -> Numbers:
        """Return the row numbers of the scenes, int64 (n,), each once."""
        matching = self._scenes.numbers(query)
        if query.items is None and query.media is None:
            return self._order.sorted_numbers(Scene, matching, order=query.order)
        is_all = ItemQuery() == query.items or MediumQuery() == query.media
        if is_all and query.order == SortOrder():
            return matching
        found = self._scenes_in_order(query)
        if is_all:
            found = np.concatenate([found, np.setdiff1d(matching, found)])
        return found[np.isin(found, matching, assume_unique=True)]

    def scene_of(self, kind: type[Record], number: int) -> tuple[int, str]:
        """Return the row number of the scene of a record, 0 for none, and the first of its media there.

        Args:
            kind: Items, media or scenes.
            number: Row number of the record.
        """
        found = self._connection.execute(SCENE_OF[kind.table.entity], (number,)).fetchone()
        return (int(found[0]), str(found[1])) if found else (0, "")

    def numbers_of_scene(self, kind: type[Item | Medium], scene: str) -> Numbers:
        """Return the row numbers of the items or media of a scene, int64 (n,), in no particular order."""
        rows = self._connection.execute(OF_SCENE[kind.table.entity], {"scene": scene})
        return np.fromiter((row[0] for row in rows), dtype=np.int64)

    def _scenes_in_order(self, query: RelatedSceneQuery) -> Numbers:
        """Return the row numbers of the scenes of records, int64 (n,), in the order of these, each once."""
        kind: type[Record]
        if query.items is not None:
            kind, numbers = Item, self._items.numbers(query.items)
        else:
            media = query.media if query.media is not None else MediumQuery()
            kind, numbers = Medium, self._media.numbers(media)
        ordered = self._order.sorted_numbers(kind, numbers, order=query.order)
        rows = self._connection.execute(SCENES_OF[kind.table.entity], (numbers_text(ordered.tolist()),))
        return np.fromiter(dict.fromkeys(row[0] for row in rows), dtype=np.int64)
