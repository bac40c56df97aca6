"""What the gates of a release ask: row numbers of items by what was done about them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct, json

from annotator.domain.item import Item
from annotator.domain.review import BLOCKING
from annotator.store.connection import Connection

Numbers = npt.NDArray[np.int64]
NUMBERS_OF = "SELECT n FROM item WHERE removed=0 AND id IN (SELECT value FROM json_each(?)) ORDER BY n"
IDS_OF = "SELECT id FROM item WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n"
BY_NUMBER = "SELECT n, record FROM item WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n"
FLAGGED = """
SELECT DISTINCT i.n FROM flag f JOIN item i ON i.id=f.target
WHERE f.entity='item' AND f.state='open' AND f.removed=0
    AND f.severity IN (SELECT value FROM json_each(?))
"""
DISMISSED = "SELECT target, kind FROM flag WHERE state='dismissed' AND removed=0"
# A flag stands for its item.
ITEMS_OF = """
SELECT id, id FROM item WHERE id IN (SELECT value FROM json_each(:ids)) UNION ALL
SELECT id, target FROM flag WHERE entity='item' AND id IN (SELECT value FROM json_each(:ids))
"""
ANSWERED = """
SELECT DISTINCT i.n, j.spec ->> 'shown' FROM job j
JOIN prediction p ON p.request_key=j.request_key JOIN item i ON i.id=j.target
WHERE j.run IN (SELECT value FROM json_each(?)) AND p.record ->> 'kind'='answer'
"""
ANSWERS = """
SELECT i.n, r.item, r.person, r.shown, e.lamport FROM response r JOIN item i ON i.id=r.item
JOIN event e ON e.entity_id=r.id AND e.field='*' WHERE r.removed=0 AND i.removed=0
"""
LETTERS = """
SELECT task_set || '/' || task, answer_shape, count(*) FROM item
WHERE answer_shape IS NOT NULL AND n IN (SELECT value FROM json_each(?)) GROUP BY 1, 2
"""
TASKS = """
SELECT task_set || '/' || task, count(*) FROM item
WHERE n IN (SELECT value FROM json_each(?)) GROUP BY 1 ORDER BY 1
"""
SOURCES = "SELECT DISTINCT source FROM item WHERE source<>'' AND n IN (SELECT value FROM json_each(?))"
SHOWN = """
SELECT i.n, m.value FROM item i, json_each(i.record, '$.media') m
WHERE i.n IN (SELECT value FROM json_each(?))
"""
LICENCES = """
SELECT coalesce(record ->> 'source', ''), dataset, licence, count(*) FROM medium
WHERE removed=0 AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids))) GROUP BY 1, 2, 3
"""
# Images that are made from others can be made from one another in turn; an original may be absent.
ORIGINALS = """
WITH RECURSIVE made(id, source) AS (
    SELECT id, record ->> 'derived_from' FROM medium
    WHERE removed=0 AND coalesce(record ->> 'derived_from', '')<>''
    UNION
    SELECT made.id, m.record ->> 'derived_from' FROM made JOIN medium m ON m.id=made.source
    WHERE coalesce(m.record ->> 'derived_from', '')<>''
)
SELECT made.id, made.source FROM made JOIN medium m ON m.id=made.source
WHERE coalesce(m.record ->> 'derived_from', '')=''
"""
TO_SPLIT = """
SELECT n, name, task_set || '/' || task, coalesce(scene, ''), coalesce(record ->> '$.media', '[]'),
    coalesce(variant_of, id)
FROM item WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n
"""


class SplitItem(Struct, frozen=True):
    """What decides on the split of an item.

    Attributes:
        n: Row number of the item.
        name: Its public id.
        task: Its task, ``set/task``.
        scene: Id of its scene, "" for none.
        media: Ids of the media that it shows.
        family: Id of the item that it is a variant of, its own id for an item of its own.
    """

    n: int
    name: str
    task: str
    scene: str
    media: tuple[str, ...]
    family: str = ""


class AnswerMark(Struct, frozen=True):
    """An independent answer, with what tells whether it still counts.

    Attributes:
        n: Row number of the item.
        item: Id of the item.
        person: Id of the person.
        shown: Digest of what the person saw.
        position: Place of the answer in the order of the log.
    """

    n: int
    item: str
    person: str
    shown: str
    position: int


class GateQueries:
    """The part of a reader that the gates of a release ask."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ids_of_items(self, numbers: Numbers) -> tuple[str, ...]:
        """Return the ids of the items with some row numbers, by rising number."""
        rows = self._connection.execute(IDS_OF, (_json(numbers.tolist()),))
        return tuple(item for (item,) in rows)

    def numbers_of_items(self, ids: Iterable[str]) -> Numbers:
        """Return the row numbers of items, int64 (n,), rising; unknown ids are left out."""
        rows = self._connection.execute(NUMBERS_OF, (_json(list(ids)),))
        return np.fromiter((n for (n,) in rows), dtype=np.int64)

    def numbered_items(self, numbers: Numbers) -> Iterator[tuple[int, Item]]:
        """Yield items with their row numbers, which rise."""
        for n, record in self._connection.execute(BY_NUMBER, (_json(numbers.tolist()),)):
            yield n, json.decode(record, type=Item)

    def flagged_item_numbers(self) -> Iterator[int]:
        """Yield the row numbers of the items with an open error or warning."""
        for (n,) in self._connection.execute(FLAGGED, (_json(sorted(BLOCKING)),)):
            yield n

    def dismissed_flags(self) -> frozenset[tuple[str, str]]:
        """Return target and kind of the flags that were dismissed."""
        return frozenset(self._connection.execute(DISMISSED).fetchall())

    def item_ids_of(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the ids of items by those of the items themselves and of the flags on them."""
        return dict(self._connection.execute(ITEMS_OF, {"ids": _json(list(ids))}).fetchall())

    def answered_items(self, runs: Collection[str]) -> Iterator[tuple[int, str]]:
        """Yield row number and digest of what was shown, of the items that models answered in some runs."""
        yield from self._connection.execute(ANSWERED, (_json(list(runs)),)) if runs else ()

    def answer_marks(self) -> list[AnswerMark]:
        """Return the independent answers of all persons."""
        return [AnswerMark(*row) for row in self._connection.execute(ANSWERS)]

    def letter_counts(self, numbers: Numbers) -> Iterator[tuple[str, str, int]]:
        """Yield task (``set/task``), shape of the answer and number of items with lettered options."""
        yield from self._connection.execute(LETTERS, (_json(numbers.tolist()),))

    def tasks_of_items(self, numbers: Numbers) -> dict[str, int]:
        """Return how many of some items each task (``set/task``) has."""
        return dict(self._connection.execute(TASKS, (_json(numbers.tolist()),)).fetchall())

    def sources_of_items(self, numbers: Numbers) -> list[str]:
        """Return the ids of the files that items were imported from."""
        return [source for (source,) in self._connection.execute(SOURCES, (_json(numbers.tolist()),))]

    def shown_media(self, numbers: Numbers) -> list[tuple[int, str]]:
        """Return row number and medium for each medium that an item shows."""
        return self._connection.execute(SHOWN, (_json(numbers.tolist()),)).fetchall()

    def media_licences(self, ids: Iterable[str] | None) -> list[tuple[str, str, str, int]]:
        """Return source, dataset and licence of media with their numbers; all media for None."""
        values = {"ids": None if ids is None else _json(list(ids))}
        return self._connection.execute(LICENCES, values).fetchall()

    def original_media(self) -> dict[str, str]:
        """Return the originals of the media that were made from others, by the ids of these media."""
        return dict(self._connection.execute(ORIGINALS).fetchall())

    def items_to_split(self, numbers: Numbers) -> Iterator[SplitItem]:
        """Yield items with their scenes and media, in order of arrival."""
        rows = self._connection.execute(TO_SPLIT, (_json(numbers.tolist()),))
        for n, name, task, scene, media, family in rows:
            shown = json.decode(media, type=tuple[str, ...])
            yield SplitItem(n=n, name=name, task=task, scene=scene, media=shown, family=family)


def _json(values: Sequence[str] | Sequence[int]) -> str:
    return json.encode(values).decode()
