"""Whether a person is asked to answer an item: conditions of queries, for queues and for counts of work.

In all of them, ``i`` is the item.
"""

from __future__ import annotations

import msgspec

from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.queries.item_work import MACHINE_CODES

MACHINE = msgspec.json.encode(sorted(MACHINE_CODES)).decode()
"""What a query passes as the codes of commands that are no work of the person who started them."""


def has_seen_key_sql(person: str) -> str:
    """Return the condition that a person was shown the answer key after an answer.

    It also holds once the answer is withdrawn, or the item is changed.
    """
    return f"""EXISTS (
        SELECT 1 FROM response r WHERE r.item=i.id AND r.person={person} AND r.record ->> 'is_key_shown'
    )"""


def undecided_sql(person: str) -> str:
    """Return the digests of the forms in which a person answered, saw the key and has not decided on it."""
    return f"""(
        SELECT group_concat(r.shown) FROM response r WHERE r.item=i.id AND r.person={person} AND r.removed=0
        AND r.record ->> 'is_key_shown' AND coalesce(r.record ->> 'decision', '')='' AND NOT EXISTS (
            SELECT 1 FROM response l
            WHERE l.item=r.item AND l.person=r.person AND l.shown=r.shown AND l.removed=0 AND l.n>r.n
        )
    )"""


def outdated_sql(person: str) -> str:
    """Return the digests of the forms in which a person answered an item that was edited since, else NULL.

    The item is in another form than those only if its own digest is none of them: an edit can be undone.
    """
    return f"""(
        SELECT group_concat(r.shown) FROM response r WHERE r.item=i.id AND r.person={person} AND r.removed=0
        AND EXISTS (
            SELECT 1 FROM event e WHERE e.entity_id=i.id
            AND e.field IN ('question', 'options', 'answer_format', 'media', 'view') AND e.n>(
                SELECT max(l.n) FROM response l WHERE l.item=i.id AND l.person={person} AND l.removed=0
            )
        )
    )"""


def has_worked_sql(person: str, *, machine: str) -> str:
    """Return the condition that a person edited the item, commented on it or decided on its flags.

    Args:
        person: Expression of the person.
        machine: Expression of the codes of commands that do not count (``MACHINE``).
    """
    # The unary plus keeps SQLite from reading all events of the person for each item; CROSS JOIN fixes the
    # join order.
    by_hand = f"""LEFT JOIN command c ON c.id=e.command
        WHERE +e.actor={person} AND coalesce(c.code, '') NOT IN (SELECT value FROM json_each({machine}))"""
    return f"""(EXISTS (
        SELECT 1 FROM event e {by_hand} AND e.entity_id=i.id
    ) OR EXISTS (
        SELECT 1 FROM flag f CROSS JOIN event e ON e.entity_id=f.id {by_hand} AND f.target=i.id
    ) OR EXISTS (
        SELECT 1 FROM comment m CROSS JOIN event e ON e.entity_id=m.id {by_hand} AND m.target=i.id
    ))"""


def is_other_form(record: str, outdated: str) -> bool:
    """Return whether an item is in none of the forms that a person has answered.

    Args:
        record: The item.
        outdated: Digests of these forms.
    """
    return prompt_digest(msgspec.json.decode(record, type=Item)) not in outdated.split(",")


def is_asked(*, is_free: bool, undecided: str | None, record: str | None, shows_key: bool) -> bool:
    """Return whether a person is asked for an answer, or for the decision on the key after it.

    Args:
        is_free: Whether the person can answer the item independently.
        undecided: Digests of the forms in which the person answered it and has not decided, None for none.
        record: The item; None where nothing is undecided.
        shows_key: Whether the person decides on the key after the answer.
    """
    if undecided is None or record is None or not shows_key:
        return is_free
    return prompt_digest(msgspec.json.decode(record, type=Item)) in undecided.split(",")
