"""The answers of people, with what agreement needs of their items, and the items that wait for an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from annotator.domain.event_label import EventLabel
from annotator.domain.response import Response
from annotator.domain.response_queue import ResponseQueue
from annotator.domain.rows import QueuedItem, ResponseRow
from annotator.queries.answering_conditions import (
    MACHINE,
    has_seen_key_sql,
    has_worked_sql,
    is_asked,
    is_other_form,
    outdated_sql,
    undecided_sql,
)
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
HAS_ASSIGNMENTS = "SELECT EXISTS (SELECT 1 FROM assignment WHERE person=? AND role=? AND removed=0)"
ANSWERED = "EXISTS (SELECT 1 FROM response r WHERE r.item=i.id AND r.person=?1 AND r.removed=0)"
FREE = f"NOT ({has_seen_key_sql('?1')} OR {has_worked_sql('?1', machine='?2')})"
UNDECIDED = undecided_sql("?1")
OUTDATED = f"CASE WHEN a.is_done THEN {outdated_sql('?1')} END"
# What was answered counts as left again once the item asks something else.
ASSIGNED_ITEMS = f"""
SELECT i.n, {FREE}, {UNDECIDED}, i.record, {OUTDATED} AS outdated
FROM assignment a JOIN item i ON i.id=a.target
WHERE a.person=?1 AND a.role=?3 AND a.entity='item' AND a.removed=0 AND i.removed=0
AND i.state<>'rejected' AND (a.is_done=0 OR outdated IS NOT NULL) ORDER BY a.n
"""
REFERENCE = """EXISTS (
    SELECT 1 FROM assignment a
    WHERE a.target=i.id AND a.entity='item' AND a.person=?1 AND a.role='reference' AND a.removed=0
)"""
OPEN_ITEMS = f"""
SELECT i.n, NOT {ANSWERED}, {UNDECIDED}, i.record FROM item i WHERE i.removed=0 AND (
    (i.facet IN (SELECT id FROM item_facet WHERE state='refined') AND NOT {ANSWERED} AND NOT {REFERENCE}
     AND {FREE})
    OR (i.id IN (SELECT item FROM response WHERE person=?1 AND removed=0) AND {UNDECIDED} IS NOT NULL)
) ORDER BY i.n
"""
QUEUED = (
    "SELECT n, id, name, task_set, task FROM item WHERE removed=0 AND n IN (SELECT value FROM json_each(?))"
)
SUPERSEDED = """
SELECT l.record FROM event_label d CROSS JOIN json_each(d.record, '$.decided_from') f
CROSS JOIN event_label l ON l.id=f.value
WHERE d.removed=0 AND d.record ->> 'decided_from' IS NOT NULL AND l.removed=1 ORDER BY l.n
"""
# Also after an answer that was withdrawn. A key of other letters, or a mended one, is no secret then.
HAS_SEEN_KEY = """
SELECT EXISTS (SELECT 1 FROM response WHERE item=? AND person=? AND record ->> 'is_key_shown')
"""
MADE_BY = """
SELECT r.record FROM event e CROSS JOIN response r ON r.id=e.entity_id
WHERE e.command=? AND e.entity='response' AND e.field='*' ORDER BY e.n
"""
OF_ITEM = "SELECT record FROM response WHERE item=? AND person=? AND removed=? ORDER BY n"


class ResponseQueries:
    """The part of a reader that lists independent answers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self) -> Iterator[ResponseRow]:
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

    def queued_numbers(self, queue: ResponseQueue) -> list[int]:
        """Return the row numbers of the items that wait for an answer or a decision of a person.

        Assigned items come in the order of their assignments, others in order of arrival. Who has worked on
        an item, or has seen its answer key, is not asked to answer it.
        """
        if self._connection.execute(HAS_ASSIGNMENTS, (queue.person, queue.role)).fetchone()[0]:
            return [number for number, is_asked in self._assigned(queue) if is_asked]
        if not queue.is_open:
            return []
        rows = self._connection.execute(OPEN_ITEMS, (queue.person, MACHINE))
        return [row[0] for row in rows if _is_asked(queue, *row[1:])]

    def barred_numbers(self, queue: ResponseQueue) -> list[int]:
        """Return the row numbers of assigned items that a person cannot answer independently any more."""
        return [number for number, is_asked in self._assigned(queue) if not is_asked]

    def _assigned(self, queue: ResponseQueue) -> Iterator[tuple[int, bool]]:
        """Yield the assigned items that are left, and whether the person is asked to answer each."""
        values = (queue.person, MACHINE, queue.role)
        for number, *known, outdated in self._connection.execute(ASSIGNED_ITEMS, values):
            if outdated is None:
                yield number, _is_asked(queue, *known)
            elif known[0] and is_other_form(known[-1], outdated):
                yield number, True

    def queued_items(self, numbers: list[int]) -> list[QueuedItem]:
        """Return the rows of items in the order given; those of removed items are left out."""
        rows = self._connection.execute(QUEUED, (msgspec.json.encode(numbers).decode(),))
        found = {
            row[0]: QueuedItem(**dict(zip(QueuedItem.__struct_fields__, row, strict=True))) for row in rows
        }
        return [found[n] for n in numbers if n in found]

    def superseded_labels(self) -> list[EventLabel]:
        """Return the event labels of people that a decision between them has replaced."""
        rows = self._connection.execute(SUPERSEDED)
        return [msgspec.json.decode(text, type=EventLabel) for (text,) in rows]

    def made_by(self, command: str) -> list[Response]:
        """Return the answers that a command recorded, also where they are withdrawn."""
        rows = self._connection.execute(MADE_BY, (command,))
        return [msgspec.json.decode(text, type=Response) for (text,) in rows]

    def flag_kind(self, flag: str) -> str:
        """Return the kind of a flag, also of one that was removed; "" where there is none."""
        found = self._connection.execute("SELECT kind FROM flag WHERE id=?", (flag,)).fetchone()
        return str(found[0]) if found else ""

    def has_seen_key(self, item: str, *, person: str) -> bool:
        """Return whether a person was shown the key of an item after an answer, also to an earlier form."""
        return bool(self._connection.execute(HAS_SEEN_KEY, (item, person)).fetchone()[0])

    def of(self, item: str, *, person: str, is_withdrawn: bool = False) -> list[Response]:
        """Return the answers of a person to an item, or those that were withdrawn, in order of arrival."""
        rows = self._connection.execute(OF_ITEM, (item, person, int(is_withdrawn)))
        return [msgspec.json.decode(text, type=Response) for (text,) in rows]


def _is_asked(queue: ResponseQueue, is_free: int, undecided: str | None, record: str) -> bool:
    return is_asked(is_free=bool(is_free), undecided=undecided, record=record, shows_key=queue.shows_key)
