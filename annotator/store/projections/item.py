"""Projection of items, with exact counts per combination of what lists filter by.

Every item row points to one row of ``item_facet``: the combination of its task set, task, state,
source, open flags and assignees. There are few combinations however many items there are, so facet counts
and totals are sums over a small table, and a filter is a short list of combinations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from annotator.domain.item import Item
from annotator.domain.record import Record
from annotator.store.connection import Connection
from annotator.store.facet_table import REMOVED_FACET, FacetTable, facet_table
from annotator.store.flagged_scene import assign_flag_scenes
from annotator.store.projection import Hooks, Row
from annotator.store.scene_facet import refresh_scenes

NAME, KEY, TOTALS = "item_facet", ("task_set", "task", "state", "source", "flags", "assignees"), ("items",)
FACET_STATE = """
SELECT n, task_set, task, state, source, removed, facet, flags, assignees, (
    SELECT coalesce(group_concat(kind, ' '), '') FROM (
        SELECT DISTINCT kind FROM flag WHERE target=item.id AND state='open' AND removed=0 ORDER BY kind
    )
), (
    SELECT coalesce(group_concat(assignee, ' '), '') FROM (
        SELECT DISTINCT role || ':' || person AS assignee FROM assignment
        WHERE target=item.id AND entity='item' AND removed=0 ORDER BY 1
    )
) FROM item WHERE id=?
"""


def refresh(connection: Connection, ids: Iterable[str]) -> None:
    """Bring flags, assignees and facet of items up to date after the item, or a flag on it, changed."""
    facets = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS)
    for item_id in ids:
        found = connection.execute(FACET_STATE, (item_id,)).fetchone()
        if found is None:
            continue
        n, task_set, task, state, source, removed, before, *derived = found
        kept, (flags, assignees) = derived[:2], derived[2:]
        key = (task_set, task, state, source, flags, assignees)
        after = REMOVED_FACET if removed else facets.id_of(key)
        if (after, [flags, assignees]) != (before, kept):
            update = "UPDATE item SET facet=?, flags=?, assignees=? WHERE n=?"
            connection.execute(update, (after, flags, assignees, n))
            facets.count(after, items=1)
            facets.count(before, items=-1)
    facets.write()


def _leave_facets(connection: Connection, numbers: list[int]) -> None:
    """Take removed items out of their combinations; flags and assignees stay as they are."""
    facets = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS)
    update = f"UPDATE item SET facet={REMOVED_FACET} WHERE n=?"
    for n in numbers:
        (before,) = connection.execute("SELECT facet FROM item WHERE n=?", (n,)).fetchone()
        if before != REMOVED_FACET:
            connection.execute(update, (n,))
            facets.count(before, items=-1)
    facets.write()


def _place(connection: Connection, rows: Sequence[Row]) -> list[tuple[int]]:
    """Return the facet of new rows; flags and assignments are written after items, so they have none yet."""
    facets = FacetTable(connection, name=NAME, key=KEY, totals=TOTALS)
    placed = [facets.id_of(_facet_key(_item(row.record))) for row in rows]
    for facet, number in Counter(placed).items():
        facets.count(facet, items=number)
    facets.write()
    return [(facet,) for facet in placed]


def _update_scenes(connection: Connection, rows: Sequence[Row]) -> None:
    refresh_scenes(connection, [_item(row.record).scene for row in rows])


def _replace(connection: Connection, rows: Sequence[Row]) -> None:
    ids = [row.record.id for row in rows]
    refresh(connection, [row.record.id for row in rows if not row.removed])
    _leave_facets(connection, [row.n for row in rows if row.removed])
    scenes = [_item(record).scene for row in rows for record in (row.before, row.record) if record]
    flagged = assign_flag_scenes(connection, entity="item", targets=ids)
    refresh_scenes(connection, [*scenes, *flagged])


def _remove_hidden(connection: Connection, first: int, last: int) -> None:
    update = f"UPDATE main.item SET removed=1, facet={REMOVED_FACET} WHERE n BETWEEN ? AND ? AND removed=0"
    connection.execute(update, (first, last))
    # Visible scenes have counted without these items since they were hidden, and hidden ones are removed
    # next. That leaves those that a discarded redo has not restored.
    # By number: the index of the items of scenes would be read from end to end.
    select = (
        "SELECT id FROM main.scene WHERE removed=1 AND id IN ("
        "SELECT scene FROM main.item NOT INDEXED WHERE n BETWEEN ? AND ?)"
    )
    refresh_scenes(connection, [scene for (scene,) in connection.execute(select, (first, last))])


def _item(record: Record) -> Item:
    assert isinstance(record, Item)
    return record


def _facet_key(item: Item) -> tuple[str, ...]:
    return (item.task_set, item.task, item.state, item.provenance.source, "", "")


HOOKS = Hooks(
    derived=(
        "flags TEXT NOT NULL DEFAULT ''",
        "assignees TEXT NOT NULL DEFAULT ''",
        f"facet INTEGER NOT NULL DEFAULT {REMOVED_FACET}",
    ),
    tables=(
        facet_table(NAME, key=KEY, totals=TOTALS),
        "CREATE INDEX item_in_facet ON item(facet, n)",
        # Items of a scene are counted by state from this index alone.
        "CREATE INDEX item_of_scene ON item(scene, facet, n)",
    ),
    placed=("facet",),
    on_place=_place,
    on_insert=_update_scenes,
    on_update=_replace,
    remove_hidden=_remove_hidden,
)
