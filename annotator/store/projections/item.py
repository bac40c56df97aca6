"""Projection of items, with exact counts per combination of what lists filter by.

Every item row points to one row of ``item_facet``: the combination of its task set, task, state,
source and open flags. There are few combinations however many items there are, so facet counts
and totals are sums over a small table, and a filter is a short list of combinations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from annotator.domain.item import Item
from annotator.domain.wording import searchable
from annotator.store.connection import Connection
from annotator.store.flagged_scene import place_flags
from annotator.store.projection import Column, Projection, Row

FACET_TABLE = """
CREATE TABLE item_facet (
    id INTEGER PRIMARY KEY,
    task_set TEXT NOT NULL,
    task TEXT NOT NULL,
    state TEXT NOT NULL,
    source TEXT NOT NULL,
    flags TEXT NOT NULL,
    items INTEGER NOT NULL DEFAULT 0,
    UNIQUE (task_set, task, state, source, flags)
) STRICT
"""
REMOVED_FACET = 0
"""Facet of rows that are out of sight; no combination has this id."""
FACET_STATE = """
SELECT n, task_set, task, state, source, removed, facet, flags, (
    SELECT coalesce(group_concat(kind, ' '), '') FROM (
        SELECT DISTINCT kind FROM flag WHERE target=item.id AND state='open' AND removed=0 ORDER BY kind
    )
) FROM item WHERE id=?
"""


def words_of(item: Item) -> str:
    """Return the text of an item that word search looks into."""
    return searchable(" ".join((item.name.replace("_", " "), item.question, *(o.text for o in item.options))))


def refresh(connection: Connection, ids: Iterable[str]) -> None:
    """Bring flags and facet of items up to date after the item, or a flag on it, changed."""
    facets = _Facets(connection)
    moved: Counter[int] = Counter()
    for item_id in ids:
        found = connection.execute(FACET_STATE, (item_id,)).fetchone()
        if found is None:
            continue
        n, *key, removed, before, flags_before, flags = found
        after = REMOVED_FACET if removed else facets.id_of((*key, flags))
        if (after, flags) != (before, flags_before):
            connection.execute("UPDATE item SET facet=?, flags=? WHERE n=?", (after, flags, n))
            moved[after] += 1
            moved[before] -= 1
    facets.add(moved)


class _Facets:
    """Ids of combinations, remembered while one batch is written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ids: dict[tuple[str, ...], int] = {}

    def id_of(self, key: tuple[str, ...]) -> int:
        if key not in self._ids:
            self._ids[key] = self._find(key) or self._make(key)
        return self._ids[key]

    def add(self, counts: Counter[int]) -> None:
        changed = [(count, facet) for facet, count in counts.items() if facet != REMOVED_FACET and count]
        self._connection.executemany("UPDATE item_facet SET items = items + ? WHERE id=?", changed)

    def _find(self, key: tuple[str, ...]) -> int | None:
        where = "task_set=? AND task=? AND state=? AND source=? AND flags=?"
        found = self._connection.execute(f"SELECT id FROM item_facet WHERE {where}", key).fetchone()
        return int(found[0]) if found else None

    def _make(self, key: tuple[str, ...]) -> int:
        insert = "INSERT INTO item_facet (task_set, task, state, source, flags) VALUES (?, ?, ?, ?, ?)"
        made = self._connection.execute(insert, key).lastrowid
        assert made is not None
        return made


def _place(connection: Connection, rows: Sequence[Row]) -> None:
    """Give new rows their facet; they have no flags yet, since flags are written after items."""
    facets = _Facets(connection)
    placed = [(facets.id_of(_facet_key(row)), row.n) for row in rows]
    connection.executemany("UPDATE item SET facet=? WHERE n=?", placed)
    facets.add(Counter(facet for facet, _ in placed))


def _replace(connection: Connection, rows: Sequence[Row]) -> None:
    ids = [row.record.id for row in rows]
    refresh(connection, ids)
    place_flags(connection, entity="item", targets=ids)


def _facet_key(row: Row) -> tuple[str, ...]:
    item = row.record
    assert isinstance(item, Item)
    return (item.task_set, item.task, item.state, item.provenance.source, "")


PROJECTION = Projection(
    entity="item",
    record=Item,
    columns=(
        Column(name="name", type=str, value=lambda r: r.name),
        Column(name="task_set", type=str, value=lambda r: r.task_set),
        Column(name="task", type=str, value=lambda r: r.task),
        Column(name="state", type=str, value=lambda r: r.state),
        Column(name="source", type=str, value=lambda r: r.provenance.source),
        Column(name="scene", type=str, value=lambda r: r.scene or None),
        Column(name="answer_format", type=str, value=lambda r: r.answer_format),
        Column(name="question", type=str, value=lambda r: r.question),
        Column(name="import_key", type=str, value=lambda r: r.import_key or None),
    ),
    indexes=(("name",), ("scene", "n"), ("import_key",)),
    words=words_of,
    derived=("flags TEXT NOT NULL DEFAULT ''", f"facet INTEGER NOT NULL DEFAULT {REMOVED_FACET}"),
    tables=(FACET_TABLE, "CREATE INDEX item_in_facet ON item(facet, n)"),
    on_insert=_place,
    on_update=_replace,
)
