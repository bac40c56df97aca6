"""Maintains the columns that lists of scenes show and filter by: progress, media health, tags, open flags.

Every scene row refers to one row of ``scene_facet``, as items do to ``item_facet``: counts are sums over a
small table. The projections of records that belong to scenes call ``refresh_scenes`` after a change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotator.domain.media_health import worst_health
from annotator.domain.scene_progress import SETTLED, annotation_of, stage_of
from annotator.store.connection import Connection
from annotator.store.deferred import deferred_of
from annotator.store.facet_table import REMOVED_FACET, FacetTable, facet_table
from annotator.store.staged_rows import visible_sql

NAME, TOTALS = "scene_facet", ("scenes",)
KEY = ("dataset", "stage", "health", "tags", "flags", "annotation", "assignees")
SCENE_FACET_TABLE = facet_table(NAME, key=KEY, totals=TOTALS)
KEPT = ("labels", "labelled", "items", "settled", "flags", "annotation")
DERIVED = (
    *(f"{column} INTEGER NOT NULL DEFAULT 0" for column in KEPT[:4]),
    "flags TEXT NOT NULL DEFAULT ''",
    "annotation TEXT NOT NULL DEFAULT ''",
    f"facet INTEGER NOT NULL DEFAULT {REMOVED_FACET}",
)
"""Derived columns of ``scene``: numbers of labels, labelled views, items and settled items; open
flags; state of the annotation."""
_SETTLED = ", ".join(f"'{state}'" for state in SETTLED)
_IS_VISIBLE = visible_sql("+n")
# CROSS JOIN: the combinations of the scene's own items are looked up; a project can have thousands of others.
_STATE = f"""
SELECT n, dataset, tags, views, removed, facet, state, {", ".join(KEPT)},
    (SELECT count(*) FROM event_label WHERE scene=s.id AND removed=0 AND {_IS_VISIBLE}),
    (SELECT count(DISTINCT medium) FROM event_label WHERE scene=s.id AND removed=0 AND {_IS_VISIBLE}),
    (SELECT count(*) FROM item WHERE scene=s.id AND facet>0 AND {_IS_VISIBLE}),
    (SELECT count(*) FROM item i CROSS JOIN item_facet f ON f.id=i.facet
        WHERE i.scene=s.id AND f.state IN ({_SETTLED}) AND {visible_sql("+i.n")}),
    (SELECT coalesce(group_concat(kind, ' '), '') FROM (
        SELECT DISTINCT kind FROM flag
        WHERE scene=s.id AND state='open' AND removed=0 AND {_IS_VISIBLE} ORDER BY kind)),
    (SELECT group_concat(DISTINCT m.health) FROM scene_view v JOIN medium m ON m.id=v.medium
        WHERE v.scene=s.id AND m.removed=0 AND {visible_sql("+m.n")}),
    EXISTS (SELECT 1 FROM link WHERE scene=s.id AND removed=0) OR EXISTS (
        SELECT 1 FROM scene_view v JOIN region r ON r.medium=v.medium
        WHERE v.scene=s.id AND r.by_hand=1 AND r.removed=0 AND {visible_sql("+r.n")}),
    (SELECT coalesce(group_concat(assignee, ' '), '') FROM (
        SELECT DISTINCT role || ':' || person AS assignee FROM assignment
        WHERE target=s.id AND entity='scene' AND removed=0 ORDER BY 1))
FROM scene s WHERE id=? AND {_IS_VISIBLE}
"""
_UPDATE = f"UPDATE scene SET facet=?, {', '.join(f'{column}=?' for column in KEPT)} WHERE n=?"


def refresh_scenes(connection: Connection, scenes: Iterable[str | None]) -> None:
    """Update the derived columns and combinations of scenes after a change of records that belong to them.

    Args:
        connection: In the caller's transaction.
        scenes: Ids of the scenes; None and unknown ids are skipped.
    """
    facets, deferred = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS), deferred_of(connection)
    # Computed from the current content of other tables, so the order in which hooks call this does not
    # matter; each only has to call it after its own writes.
    for scene in dict.fromkeys(scenes):
        if scene and deferred is not None and deferred.is_visible(connection, "scene", scene):
            deferred.scenes[scene] = None
            continue
        found = connection.execute(_STATE, (scene,)).fetchone() if scene else None
        if found is not None:
            _refresh(connection, found, facets)
    facets.write()


def _refresh(connection: Connection, found: tuple[Any, ...], facets: FacetTable) -> None:
    n, dataset, tags, views, removed, facet, state = found[:7]
    before, after = found[7 : 7 + len(KEPT)], found[7 + len(KEPT) :]
    labels, labelled, items, settled, flags, healths, is_marked, assignees = after
    stage = stage_of(views=views, labelled=labelled, items=items, settled=settled)
    annotation = annotation_of(state=state, is_begun=bool(labels or is_marked))
    health = worst_health((healths or "").split(","))
    key = (dataset, stage, health, tags, flags, annotation, assignees)
    own = REMOVED_FACET if removed else facets.id_of(key)
    kept = (labels, labelled, items, settled, flags, annotation)
    if (own, kept) != (facet, before):
        connection.execute(_UPDATE, (own, *kept, n))
    if own != facet:
        facets.count(own, scenes=1)
        facets.count(facet, scenes=-1)
