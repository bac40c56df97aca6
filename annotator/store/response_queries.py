"""The answers of people, with what agreement needs of their items."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.domain.rows import ResponseRow
from annotator.store.connection import Connection

# Columns alone: hundreds of thousands of records would take seconds to decode. In order of arrival.
ROWS = """
SELECT i.task_set || '/' || i.task, i.answer_format, r.item, r.person, r.answer, r.shown
FROM response r JOIN item i ON i.id=r.item
WHERE r.removed=0 AND i.removed=0 ORDER BY r.n
"""


class ResponseQueries:
    """The part of a reader that lists independent answers."""

    _connection: Connection

    def response_rows(self) -> Iterator[ResponseRow]:
        """Yield the answers to items that exist, in order of arrival."""
        for row in self._connection.execute(ROWS):
            yield ResponseRow(*row)
