"""The answers of people, with what agreement needs of their items."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from annotator.domain.rows import ResponseRow
from annotator.store.connection import Connection

# Columns alone: hundreds of thousands of records would take seconds to decode. In order of arrival.
ROWS = """
SELECT i.task_set || '/' || i.task, i.answer_format, r.item, r.person, r.answer, r.shown
FROM response r JOIN item i ON i.id=r.item
WHERE r.removed=0 AND i.removed=0 ORDER BY r.n
"""
# In the order in which the answers arrived.
SHARED = """
SELECT DISTINCT item FROM (
    SELECT r.item, min(r.n) AS first FROM response r JOIN item i ON i.id=r.item
    WHERE r.removed=0 AND i.removed=0 AND i.task_set || '/' || i.task=:task
        AND (:people='[]' OR r.person IN (SELECT value FROM json_each(:people)))
    GROUP BY r.item, r.shown HAVING count(DISTINCT r.person)>1
) ORDER BY first
"""


class ResponseQueries:
    """The part of a reader that lists independent answers."""

    _connection: Connection

    def response_rows(self) -> Iterator[ResponseRow]:
        """Yield the answers to items that exist, in order of arrival."""
        for row in self._connection.execute(ROWS):
            yield ResponseRow(*row)

    def shared_items(self, task: str, *, people: Collection[str] = ()) -> list[str]:
        """Return the ids of the items of a task that at least two people answered in the same form.

        Args:
            task: ``set/task``.
            people: Ids of the only people, empty for all.
        """
        values = {"task": task, "people": msgspec.json.encode([*people]).decode()}
        return [item for (item,) in self._connection.execute(SHARED, values)]
