"""Selections in the order of a column; the order of all records is read once per state of the project.

A list asks for the row numbers of its whole selection and then for pages by these numbers, so that a page
costs the same in every order.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import get_args

import numpy as np
import numpy.typing as npt

from annotator.domain.item import ItemState
from annotator.domain.query import SortOrder
from annotator.domain.record import Record
from annotator.store.connection import Connection
from annotator.store.staged_rows import HORIZON, visible_sql

KEPT_ORDERS = 4
"""Orders kept in memory: 8 MB each for a million items."""


def _flags(column: str) -> tuple[str, str]:
    # By the number of kinds first, so that the records with most flags stand together.
    return f"length({column})-length(replace({column}, ' ', ''))+({column}<>'')", column


# main.event, because the reader's view of that name has no index.
CHANGED_AT = f"""coalesce((
    SELECT e.wall_time FROM main.event e WHERE e.entity_id={{record}}.id AND e.n<{HORIZON}
    ORDER BY e.n DESC LIMIT 1), '')"""
"""Time of the last change of a record, as a column of its rows."""
CHANGED = f"(SELECT max(e.n) FROM main.event e WHERE e.entity_id=r.id AND e.n<{HORIZON})"
NAMES = "r.name COLLATE NOCASE"
STATES = " ".join(f"WHEN '{state}' THEN {index}" for index, state in enumerate(get_args(ItemState)))
OF_ITEM: dict[str, tuple[str, ...]] = {
    "state": (f"CASE f.state {STATES} END",),
    "task": ("f.task", "f.task_set"),
    "task_set": ("f.task_set", "f.task"),
    "flags": _flags("f.flags"),
}
"""Columns of items that are read from the combinations and a covering index, without reading a row."""
COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "item": {"name": (NAMES,), "changed": (CHANGED,)},
    "scene": {
        "name": (NAMES,),
        "dataset": ("r.dataset COLLATE NOCASE",),
        "views": ("r.views",),
        "labels": ("r.labelled", "r.views"),
        "items": ("r.settled", "r.items"),
        "tags": ("r.tags",),
        "flags": _flags("r.flags"),
        "changed": (CHANGED,),
    },
    "medium": {
        "name": (NAMES,),
        "dataset": ("r.dataset COLLATE NOCASE",),
        "media_type": ("r.media_type",),
        "health": ("r.health",),
        "size": ("r.size_bytes",),
        "licence": ("r.licence COLLATE NOCASE",),
        "changed": (CHANGED,),
    },
}
"""Columns that a kind of record can be sorted by, and what they are compared by; further ties by arrival."""
Numbers = npt.NDArray[np.int64]


class SortQueries:
    """The part of a reader that sorts selections."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._orders: OrderedDict[tuple[str, SortOrder], tuple[int, Numbers]] = OrderedDict()

    def sorted_numbers(self, kind: type[Record], numbers: Numbers, *, order: SortOrder) -> Numbers:
        """Return row numbers of one kind of record in an order; those of removed records are left out.

        Args:
            kind: ``Item``, ``Scene`` or ``Medium``.
            numbers: int64 (n,), rising.
            order: The order; of arrival where it names no column.

        Raises:
            KeyError: The kind cannot be sorted by that column.
        """
        if not order.column:
            return numbers[::-1] if order.is_descending else numbers
        ordered = self._ordered(kind.table.entity, order)
        return ordered[np.isin(ordered, numbers, assume_unique=True)]

    def _ordered(self, entity: str, order: SortOrder) -> Numbers:
        # Before the rows: what others commit in between is read at the next call.
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        known = self._orders.get((entity, order))
        if known is None or known[0] != version:
            rows = self._connection.execute(_select(entity, order))
            known = (version, np.fromiter((row[0] for row in rows), dtype=np.int64))
            self._orders[entity, order] = known
        self._orders.move_to_end((entity, order))
        while len(self._orders) > KEPT_ORDERS:
            self._orders.popitem(last=False)
        return known[1]


def _select(entity: str, order: SortOrder) -> str:
    if entity == "item" and order.column in OF_ITEM:
        tables = "main.item r INDEXED BY item_in_facet CROSS JOIN main.item_facet f ON f.id=r.facet"
        columns = OF_ITEM[order.column]
    else:
        tables, columns = f"main.{entity} r", COLUMNS[entity][order.column]
    direction = " DESC" if order.is_descending else ""
    keys = ", ".join(f"{key}{direction}" for key in columns)
    # The unary plus lets SQLite read a covering index instead of the rows in order of their numbers.
    return f"SELECT r.n FROM {tables} WHERE {visible_sql('+r.n')} ORDER BY {keys}, r.n"
