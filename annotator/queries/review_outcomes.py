"""What people decided on items: accepted, sent back, rejected, per task and person."""

from __future__ import annotations

from annotator.domain.review import ReviewOutcome
from annotator.store.connection import Connection

CODES = (
    "accept_items", "correct_record", "keep_record", "merge_forks", "reject_items", "resolve_fork",
    "send_back_items", "send_back_record",
)  # fmt: skip
"""Commands by which a person decides; only their events are read."""
_CODES = ", ".join(f"'{code}'" for code in CODES)
_RETURNS = "'send_back_items', 'send_back_record'"
# main.event, because of the index: the values of states are short and never compressed. A command that was
# undone has decided nothing.
OUTCOMES = f"""
SELECT i.task_set, i.task, e.actor, coalesce(a.record ->> 'name', e.actor),
    count(DISTINCT iif(e.value='"accepted"', e.entity_id, NULL)),
    count(DISTINCT iif(e.value='"in_refinement"' AND c.code IN ({_RETURNS}), e.entity_id, NULL)),
    count(DISTINCT iif(e.value='"rejected"', e.entity_id, NULL))
FROM command c CROSS JOIN main.event e ON e.command=c.id JOIN item i ON i.id=e.entity_id
LEFT JOIN actor a ON a.id=e.actor
WHERE c.kind='do' AND c.state='done' AND c.code IN ({_CODES})
    AND e.entity='item' AND e.field='state' AND i.removed=0
GROUP BY i.task_set, i.task, e.actor ORDER BY 1, 2, 4, 3
"""


class ReviewOutcomes:
    """The part of the review queries that counts decisions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def outcomes(self) -> list[ReviewOutcome]:
        """Return the numbers of items that each person accepted, sent back and rejected, per task.

        An item counts once per person and decision, however often it was repeated.
        """
        found = (ReviewOutcome(*row) for row in self._connection.execute(OUTCOMES))
        return [one for one in found if one.accepted or one.sent_back or one.rejected]
