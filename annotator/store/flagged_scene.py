"""Maintains the column ``flag.scene``, so that the flags of a scene are found by one index look-up."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import json

from annotator.store.connection import Connection
from annotator.store.staged_rows import visible_sql

# Of a medium in several scenes the smallest id: a rebuild from the log has to find the same one.
SCENE_OF = {
    "scene": "SELECT ?1",
    "item": "SELECT scene FROM item WHERE id=?1",
    "link": "SELECT scene FROM link WHERE id=?1",
    "event_label": "SELECT scene FROM event_label WHERE id=?1",
    "medium": "SELECT v.scene FROM scene_view v JOIN scene s ON s.id=v.scene "
    f"WHERE v.medium=?1 AND {visible_sql('+s.n')} ORDER BY v.scene LIMIT 1",
}
"""Kinds of record that are of a scene, and how it is found for one of them."""

FLAGGED_OF_SCENES = tuple(SCENE_OF)


def assign_flag_scenes(connection: Connection, *, entity: str, targets: Iterable[str]) -> set[str]:
    """Write the scene of all flags on some records after a change, and return the ids of the scenes touched.

    Args:
        connection: In the caller's transaction.
        entity: Kind of the records, one of ``SCENE_OF``.
        targets: Ids of the records.
    """
    select = "SELECT scene FROM flag WHERE target=?1 AND entity=?2 AND scene IS NOT NULL"
    update = f"UPDATE flag SET scene=({SCENE_OF[entity]}) WHERE target=?1 AND entity=?2 RETURNING scene"
    touched: set[str] = set()
    for target in flagged_targets(connection, entity, targets):
        # The scenes before and after the change: both have another number of flags.
        for statement in (select, update):
            touched.update(scene for (scene,) in connection.execute(statement, (target, entity)) if scene)
    return touched


def flagged_targets(connection: Connection, entity: str, targets: Iterable[str]) -> list[str]:
    """Return the records that have flags, by one query: few of the records of an import do."""
    wanted = json.encode(list(dict.fromkeys(targets))).decode()
    select = "SELECT DISTINCT target FROM flag WHERE target IN (SELECT value FROM json_each(?)) AND entity=?"
    return [target for (target,) in connection.execute(select, (wanted, entity))]
