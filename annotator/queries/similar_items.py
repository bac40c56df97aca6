"""Queries that find items of similar text, and the letters and lengths of a task's answers, from indexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import json

from annotator.domain.item import Item
from annotator.store.connection import Connection

COMMON_FROM = 400
"""Items from which on a word is common: it selects too many to be compared one by one. Measured: counting up
to here takes 0.2 ms among 100,000 items."""
IN_USE = "removed=0 AND state<>'rejected'"
_WITH_WORD = "SELECT rowid FROM item_words WHERE item_words MATCH ? LIMIT ?"
_decode = json.Decoder(Item).decode


class SimilarItems:
    """The part of a reader that finds items by what they say."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def items_with_digest(self, digest: int, *, limit: int) -> list[Item]:
        """Return items in use whose question has a digest (``text_digest``), the oldest first."""
        select = f"SELECT record FROM item WHERE question_digest=? AND {IN_USE} ORDER BY n LIMIT ?"
        return self._items(select, (digest, limit))

    def scenes_with_digest(self, digest: int, *, limit: int) -> int:
        """Return in how many scenes questions with a digest are asked, counted up to a limit."""
        scenes = f"SELECT DISTINCT scene FROM item WHERE question_digest=? AND {IN_USE} LIMIT ?"
        found = self._connection.execute(f"SELECT count(*) FROM ({scenes})", (digest, limit)).fetchone()
        return int(found[0])

    def items_of_scene(self, scene: str, *, limit: int) -> list[Item]:
        """Return items in use of a scene, the oldest first."""
        return self._items(
            f"SELECT record FROM item WHERE scene=? AND {IN_USE} ORDER BY n LIMIT ?", (scene, limit)
        )

    def numbers_by_word(self, words: Iterable[str]) -> dict[str, list[int]]:
        """Return the row numbers of the items with each word; a common word is left out."""
        found = {word: self._numbers_with(word) for word in words}
        return {word: numbers for word, numbers in found.items() if len(numbers) < COMMON_FROM}

    def items_by_number(self, numbers: Sequence[int]) -> list[Item]:
        """Return the items in use among rows, the oldest first."""
        # As one JSON text: the number of values that can be bound is limited.
        rows = json.encode(numbers).decode()
        select = (
            f"SELECT record FROM item WHERE n IN (SELECT value FROM json_each(?)) AND {IN_USE} ORDER BY n"
        )
        return self._items(select, (rows,))

    def answer_shapes(self, *, task_set: str = "", task: str = "") -> list[tuple[str, str, str, int]]:
        """Return task set, task, ``answer_shape`` and number of the items in use that have such a shape.

        Args:
            task_set: Id of the only task set, "" for all.
            task: Id of the only task, "" for all.
        """
        chosen = {name: value for name, value in (("task_set", task_set), ("task", task)) if value}
        where = "".join(f" AND {name}=?" for name in chosen)
        select = (
            "SELECT task_set, task, answer_shape, count(*) FROM item "
            f"WHERE answer_shape IS NOT NULL AND {IN_USE}{where} GROUP BY task_set, task, answer_shape"
        )
        return self._connection.execute(select, tuple(chosen.values())).fetchall()

    def _numbers_with(self, word: str) -> list[int]:
        rows = self._connection.execute(_WITH_WORD, (f'"{word}"', COMMON_FROM))
        return [row[0] for row in rows]

    def _items(self, select: str, values: tuple[str | int, ...]) -> list[Item]:
        return [_decode(record) for (record,) in self._connection.execute(select, values)]
