"""The gate before the state ``accepted``, for every command: no open flag, no fork, not by its own author.

The writer asks it in the transaction of a command, once all edits are written: a decision that closes the
last flag and accepts the item passes. An undo, or a command that restores an earlier state, accepts nothing
anew: the item is refined again where it has an open flag or a fork, or another content than was accepted.
After a merge, accepted items whose content nobody has accepted are refined again. Flags and forks that a
merge brings leave the state as it is; releases and the review queue show such items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from msgspec import json

from annotator.domain.review import BLOCKING
from annotator.errors import UserError
from annotator.store.accepted_content import AcceptedContent
from annotator.store.connection import Connection

CHOICES = ("resolve_fork", "merge_forks")
"""Codes of commands that choose a value which somebody else may have written."""
_CHOICES = ", ".join(f"'{code}'" for code in CHOICES)
_SEVERITIES = ", ".join(f"'{severity}'" for severity in sorted(BLOCKING))
FLAGGED = f"""
SELECT i.id, i.name, count(*), group_concat(DISTINCT f.kind)
FROM main.flag f JOIN main.item i ON i.id=f.target
WHERE f.target IN (SELECT value FROM json_each(?)) AND f.entity='item' AND f.state='open' AND f.removed=0
    AND f.severity IN ({_SEVERITIES}) GROUP BY i.n ORDER BY i.n
"""
# A flag that was decided differently is decided with its item. Stored values may be packed.
FORKED = """
SELECT i.id, i.name, group_concat(h.label, ', ') FROM (
    SELECT coalesce(f.target, h.entity_id) AS item, iif(f.id IS NULL, '', 'flag ') || h.field AS label
    FROM head h JOIN main.event e ON e.id=h.event LEFT JOIN main.flag f ON f.id=h.entity_id
    WHERE h.entity_id IN (SELECT value FROM json_each(?1)) OR h.entity_id IN (
        SELECT id FROM main.flag WHERE entity='item' AND target IN (SELECT value FROM json_each(?1)))
    GROUP BY h.entity_id, h.field HAVING count(DISTINCT coalesce(e.packed, e.value))>1
) h JOIN main.item i ON i.id=h.item GROUP BY i.n ORDER BY i.n
"""
# A record's text omits defaults, so a project that never set the rule has no such member.
RULE = "SELECT coalesce(record ->> 'separate_acceptance', 'auto') FROM project ORDER BY n LIMIT 1"
# Persons who have changed the project: people whose answers were imported accept nothing.
OTHERS = """
SELECT 1 FROM actor a WHERE coalesce(a.record ->> 'role', 'person')='person' AND a.id<>?
    AND EXISTS (SELECT 1 FROM command c WHERE c.actor=a.id AND c.kind='do') LIMIT 1
"""
# An undone edit has no author. 'key' is the answer key in events of older versions. The exchange of letters
# in a batch keeps the meaning of an item.
LAST_EDIT = """
SELECT e.id, e.actor, e.lamport, c.code FROM main.event e JOIN command c ON c.id=e.command
WHERE e.entity_id=? AND e.field IN ('question', 'options', 'answer_key', 'key')
    AND c.kind='do' AND c.state='done' AND c.code<>'rebalance_letters'
ORDER BY e.lamport DESC, e.id DESC LIMIT 1
"""
# The event whose value a choice of a fork has kept, past earlier choices and their undoing.
CHOSEN = f"""
WITH RECURSIVE before(id, depth) AS (
    SELECT ?1, 0 UNION
    SELECT o.id, b.depth + 1 FROM before b JOIN main.event e ON e.id=b.id JOIN command c ON c.id=e.command
    JOIN main.event o ON o.entity_id=e.entity_id AND o.field=e.field AND instr(e.parents, o.id)
    WHERE c.kind='undo' OR c.code IN ({_CHOICES})
)
SELECT e.actor FROM before b JOIN main.event e ON e.id=b.id JOIN command c ON c.id=e.command
JOIN main.event kept ON kept.id=?1
WHERE c.kind<>'undo' AND c.code NOT IN ({_CHOICES})
    AND coalesce(e.packed, e.value)=coalesce(kept.packed, kept.value) ORDER BY b.depth LIMIT 1
"""
# 'hand' is the default of ``made_by``, which the text of a record omits.
MADE_BY_HAND = """
SELECT actor FROM main.item WHERE id=? AND coalesce(record ->> '$.provenance.made_by', 'hand')='hand'
"""
ACCEPTED_SINCE = """
SELECT 1 FROM main.event e JOIN command c ON c.id=e.command
WHERE e.entity_id=? AND e.field='state' AND e.value='"accepted"' AND e.lamport>? AND e.command<>?
    AND c.kind='do' AND c.state='done' LIMIT 1
"""
REVERSED = """
SELECT DISTINCT entity_id FROM main.event
WHERE command=? AND entity='item' AND field IN ('state', 'question', 'options', 'answer_key')
"""
NAME = "SELECT name FROM main.item WHERE id=?"
IN_REVIEW = "Decide the flags in Review, or resolve or dismiss each of them; then accept the item."


class _Author(NamedTuple):
    actor: str
    lamport: int


class AcceptanceGate:
    """Checks the items that a command has set to ``accepted``, in its transaction."""

    def __init__(self, connection: Connection, *, actor: str, command: str) -> None:
        """Prepare the check.

        Args:
            connection: The writing connection.
            actor: Id of the person who accepts.
            command: Id of the command.
        """
        self._connection, self._actor, self._command = connection, actor, command
        self.content = AcceptedContent(connection, command=command)

    def require(self, items: Collection[str]) -> None:
        """Check items.

        Raises:
            UserError: One of them has an open flag or a fork, or was written by the person who accepts it.
        """
        ids = json.encode(sorted(items)).decode()
        for _, name, count, kinds in self._connection.execute(FLAGGED, (ids,)):
            flags = ", ".join(sorted(kinds.split(",")))
            raise UserError(f"{name} cannot be accepted: open flags: {count} ({flags}).", hint=IN_REVIEW)
        for _, name, fields in self._connection.execute(FORKED, (ids,)):
            raise UserError(
                f"{name} cannot be accepted: workstations have changed its {fields} independently.",
                hint="Choose one of the values in Review, or with: vantage forks PROJECT.",
            )
        if self.is_separate:
            for name in self._own(items):
                raise UserError(
                    f"{name} cannot be accepted by the person who wrote or edited it last.",
                    hint="Ask another person to accept it, or allow it in the review rules: "
                    "Review > Review rules, or vantage review PROJECT rules.",
                )

    def require_same(self, items: Collection[str]) -> None:
        """Check that accepted items are what was accepted.

        Raises:
            UserError: One of them has changed since.
        """
        for item in self.content.changed(items):
            name = self._connection.execute(NAME, (item,)).fetchone()[0]
            raise UserError(
                f"{name} cannot be accepted: it has changed since it was accepted.",
                hint="Read it again, then accept it.",
            )

    def reversed_items(self) -> set[str]:
        """Return the ids of the items that the command, an undo or redo, has changed."""
        return {item for (item,) in self._connection.execute(REVERSED, (self._command,))}

    def lapsed(self, items: Collection[str]) -> list[str]:
        """Return those items that are accepted but could not be: flagged, forked, or changed since."""
        accepted = self.content.accepted(items)
        ids = json.encode(accepted).decode()
        barred = {row[0] for select in (FLAGGED, FORKED) for row in self._connection.execute(select, (ids,))}
        return sorted(barred | {*self.content.changed(accepted)})

    @property
    def is_separate(self) -> bool:
        """Whether nobody accepts what the same person wrote."""
        rule = self._connection.execute(RULE).fetchone()[0]
        others = self._connection.execute(OTHERS, (self._actor,))
        return bool(rule == "on" or (rule == "auto" and others.fetchone() is not None))

    def is_own(self, item: str) -> bool:
        """Return whether the person who accepts wrote or edited an item last."""
        return any(self._own((item,)))

    def _own(self, items: Collection[str]) -> Iterator[str]:
        """Yield the names of the items whose author accepts them."""
        for item in sorted(items):
            author = self._author(item)
            if author is None or author.actor != self._actor:
                continue
            earlier = (item, author.lamport, self._command)
            # What was accepted after its last edit and sent back by mistake may be accepted again.
            if self._connection.execute(ACCEPTED_SINCE, earlier).fetchone() is None:
                yield str(self._connection.execute(NAME, (item,)).fetchone()[0])

    def _author(self, item: str) -> _Author | None:
        """Return who wrote an item last, None where it was imported or drafted and never edited."""
        if (found := self._connection.execute(LAST_EDIT, (item,)).fetchone()) is not None:
            event, actor, lamport, code = found
            kept = self._connection.execute(CHOSEN, (event,)).fetchone() if code in CHOICES else None
            return _Author(kept[0] if kept is not None else actor, lamport)
        made = self._connection.execute(MADE_BY_HAND, (item,)).fetchone()
        return _Author(made[0], 0) if made is not None else None
