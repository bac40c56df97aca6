"""Who has worked on items, from the log and the records about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

import msgspec

from annotator.store.connection import Connection

MACHINE_CODES = frozenset(
    {
        "add_demo_items",
        "add_responses",
        "check_items",
        "draft_items",
        "filter_guessed",
        "flag_doubted",
        "flag_unneeded_input",
        "import_file",
        "import_files",
        "keep_model_drafts",
        "release",
        "send_back_guessed",
    }
)
"""Codes of commands that write into items which their person has not seen one by one: an import, a draft by
rule or by a model, checks, filters. The answers of a table are work of the people named in it."""

# Events of the item itself, of its flags and of its comments, and answers after which the key was shown.
WORK = """
-- CROSS JOIN fixes the join order: the log is searched by the ids, never read as a whole.
WITH wanted AS (SELECT value AS id FROM json_each(:items)),
machine AS (SELECT value AS code FROM json_each(:codes)),
touched AS (
    SELECT e.entity_id AS item, e.actor AS person, e.lamport AS at, e.command AS command
    FROM wanted w CROSS JOIN event e ON e.entity_id=w.id
    UNION ALL
    SELECT f.target, e.actor, e.lamport, e.command
    FROM wanted w CROSS JOIN flag f ON f.target=w.id CROSS JOIN event e ON e.entity_id=f.id
    UNION ALL
    SELECT r.target, e.actor, e.lamport, e.command
    FROM wanted w CROSS JOIN comment r ON r.target=w.id CROSS JOIN event e ON e.entity_id=r.id
    UNION ALL
    SELECT r.item, r.person, e.lamport, NULL
    FROM wanted w CROSS JOIN response r ON r.item=w.id CROSS JOIN event e ON e.entity_id=r.id AND e.field='*'
    WHERE r.record ->> 'is_key_shown'
)
SELECT t.item, t.person, min(t.at) FROM touched t LEFT JOIN command c ON c.id=t.command
WHERE coalesce(c.code, '') NOT IN (SELECT code FROM machine) GROUP BY t.item, t.person
"""
ANSWERED = """
SELECT r.item, r.person, r.id, e.lamport FROM json_each(:items) w
CROSS JOIN response r ON r.item=w.value CROSS JOIN event e ON e.entity_id=r.id AND e.field='*'
WHERE r.removed=0
"""
ASSIGNED = """
SELECT a.target, a.role, a.person FROM json_each(:items) w
CROSS JOIN assignment a ON a.target=w.value WHERE a.entity='item' AND a.removed=0
"""
IN_ROLE = """
SELECT a.target, a.person FROM assignment a JOIN item i ON i.id=a.target
WHERE a.entity='item' AND a.role=? AND a.removed=0 AND i.removed=0 ORDER BY i.n, a.person
"""
SAMPLED = """
SELECT i.task_set || '/' || i.task, i.id FROM item i
WHERE i.removed=0 AND i.state IN (SELECT value FROM json_each(:states)) ORDER BY i.n
"""


class ItemWorkQueries:
    """The part of a reader that says who has worked on items."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def item_work(self, items: Collection[str]) -> dict[str, dict[str, int]]:
        """Return when persons first wrote, edited, commented or decided on items, or saw the key.

        What an import, a draft by rule or a filter wrote is not work of the person who started it.

        Args:
            items: Ids of items.

        Returns:
            By item and person, the place of the first event in the order of the log (``lamport``).
        """
        first: dict[str, dict[str, int]] = defaultdict(dict)
        values = {"items": _json(items), "codes": _json(MACHINE_CODES)}
        for item, person, location in self._connection.execute(WORK, values):
            first[item][person] = location
        return dict(first)

    def answer_positions(self, items: Collection[str]) -> Iterator[tuple[str, str, str, int]]:
        """Yield item, person, id and place in the order of the log of each response to items."""
        yield from self._connection.execute(ANSWERED, {"items": _json(items)})

    def item_assignments(self, items: Collection[str]) -> Iterator[tuple[str, str, str]]:
        """Yield item, role and person of each assignment of items."""
        yield from self._connection.execute(ASSIGNED, {"items": _json(items)})

    def assigned_items(self, role: str) -> dict[str, set[str]]:
        """Return the persons who have each item in a role, by the id of the item, in order of arrival."""
        found: dict[str, set[str]] = defaultdict(set)
        for item, person in self._connection.execute(IN_ROLE, (role,)):
            found[item].add(person)
        return dict(found)

    def items_by_task(self, states: Collection[str]) -> dict[str, list[str]]:
        """Return the ids of the items in some states by their task, ``set/task``, in order of arrival."""
        found: dict[str, list[str]] = defaultdict(list)
        for task, item in self._connection.execute(SAMPLED, {"states": _json(states)}):
            found[task].append(item)
        return dict(found)


def _json(values: Collection[str]) -> str:
    return msgspec.json.encode(sorted(values)).decode()
