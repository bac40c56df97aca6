"""Tables of combinations: what records are filtered by, with the number of records of each combination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from annotator.store.connection import Connection
from annotator.store.deferred import deferred_of

REMOVED_FACET = 0
"""Facet of removed rows; no combination has this id."""


def facet_table(name: str, *, key: Sequence[str], totals: Sequence[str]) -> str:
    """Return the statement that creates a table of combinations.

    Args:
        name: Name of the table.
        key: Text columns that make a combination.
        totals: Columns that count.
    """
    columns = [
        "id INTEGER PRIMARY KEY",
        *(f"{column} TEXT NOT NULL" for column in key),
        *(f"{column} INTEGER NOT NULL DEFAULT 0" for column in totals),
        f"UNIQUE ({', '.join(key)})",
    ]
    return f"CREATE TABLE {name} ({', '.join(columns)}) STRICT"


class FacetTable:
    """Ids and totals of combinations, remembered while one batch is written."""

    def __init__(
        self, connection: Connection, *, name: str, key: Sequence[str], totals: Sequence[str]
    ) -> None:
        self._connection = connection
        self._name, self._key = name, tuple(key)
        self._moved: dict[str, Counter[int]] = {column: Counter() for column in totals}
        self._ids: dict[tuple[str, ...], int] = {}

    def id_of(self, values: tuple[str, ...]) -> int:
        """Return the id of a combination, which is made where it is new."""
        if values not in self._ids:
            # Ids begin with 1, so that 0 cannot be mistaken for 'not found'.
            self._ids[values] = self._find(values) or self._make(values)
        return self._ids[values]

    def count(self, facet: int, **totals: int) -> None:
        """Add to the totals of a combination, once ``write`` is called."""
        # Gathered, because a batch moves thousands of records between the same few combinations: one UPDATE
        # each.
        for column, number in totals.items():
            self._moved[column][facet] += number

    def write(self) -> None:
        """Write the totals."""
        deferred = deferred_of(self._connection)
        for column, counts in self._moved.items():
            if deferred is not None:
                # ``update`` and not ``+=``, which drops what is not positive.
                deferred.totals[self._name, column].update(counts)
                counts.clear()
                continue
            changed = [
                (number, facet) for facet, number in counts.items() if facet != REMOVED_FACET and number
            ]
            update = f"UPDATE {self._name} SET {column} = {column} + ? WHERE id=?"
            self._connection.executemany(update, changed)
            counts.clear()

    def _find(self, values: tuple[str, ...]) -> int | None:
        where = " AND ".join(f"{column}=?" for column in self._key)
        found = self._connection.execute(f"SELECT id FROM {self._name} WHERE {where}", values).fetchone()
        return int(found[0]) if found else None

    def _make(self, values: tuple[str, ...]) -> int:
        marks = ", ".join("?" * len(self._key))
        insert = f"INSERT INTO {self._name} ({', '.join(self._key)}) VALUES ({marks})"
        made = self._connection.execute(insert, values).lastrowid
        assert made is not None
        return made
