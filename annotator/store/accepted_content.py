"""Compares accepted items with what was accepted: a merge or an undo can change one of the two alone.

Each command that accepts items logs the digests of their content, and so does one that changes accepted items
and leaves them accepted, such as the renumbering of regions that their questions name. Acceptances of earlier
versions have none; what they accepted is read from the log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

import msgspec

from annotator.domain.accepted_content import content_digest
from annotator.domain.event import CREATED, Edit
from annotator.domain.item import Item
from annotator.store.connection import Connection
from annotator.store.event_upgrade import field_sql, value_sql
from annotator.store.projections import PROJECTIONS

ITEMS = f"""
SELECT id, {PROJECTIONS["item"].record_sql} FROM item WHERE id IN (SELECT value FROM json_each(?))
"""
# An item whose state is forked waits for the choice.
ACCEPTED = """
SELECT i.id FROM main.item i WHERE i.id IN (SELECT value FROM json_each(?)) AND i.state='accepted' AND (
    SELECT count(DISTINCT e.value) FROM head h JOIN main.event e ON e.id=h.event
    WHERE h.entity_id=i.id AND h.field='state') < 2
"""
ACCEPTANCES = """
SELECT DISTINCT e.command FROM main.event e JOIN command c ON c.id=e.command
WHERE e.entity_id IN (SELECT value FROM json_each(?))
    AND e.field IN ('state', 'question', 'options', 'answer_key') AND c.state='done' AND e.command<>?
"""
LOGGED = f"""
SELECT j.key, j.value FROM command, json_each({PROJECTIONS["command"].record_sql}, '$.accepted') j
WHERE command.id IN (SELECT value FROM json_each(?))
"""
LATEST = """
SELECT h.entity_id, e.command FROM head h JOIN main.event e ON e.id=h.event
WHERE h.entity_id IN (SELECT value FROM json_each(?)) AND h.field='state' AND e.value='"accepted"'
"""
LAST_ACCEPTANCE = f"""
SELECT coalesce(max(iif(e.field='{CREATED}', NULL, e.lamport)), min(e.lamport))
FROM main.event e LEFT JOIN command c ON c.id=e.command
WHERE e.entity_id=? AND e.command<>? AND (
    e.field='{CREATED}' OR (e.field='state' AND e.value='"accepted"' AND c.state='done'))
"""
UP_TO = f"""
SELECT {field_sql()}, {value_sql("iif(packed IS NULL, value, unpack(packed))")} FROM main.event
WHERE entity_id=? AND entity='item' AND lamport<=? AND field<>'-' ORDER BY lamport, id
"""


class AcceptedContent:
    """What was accepted of items, as of a command that is being written."""

    def __init__(self, connection: Connection, *, command: str) -> None:
        """Prepare.

        Args:
            connection: The writing connection, in the transaction of the command.
            command: Id of the command; what it sets itself is no acceptance.
        """
        self._connection, self._command = connection, command

    def digests(self, items: Iterable[str]) -> dict[str, str]:
        """Return the digests of the content that items have now."""
        decode = PROJECTIONS["item"].decode
        rows = self._connection.execute(ITEMS, (_json(items),))
        return {
            item: content_digest(record) for item, text in rows if isinstance(record := decode(text), Item)
        }

    def accepted(self, items: Iterable[str]) -> list[str]:
        """Return those items that are accepted."""
        return [item for (item,) in self._connection.execute(ACCEPTED, (_json(items),))]

    def changed(self, items: Collection[str]) -> list[str]:
        """Return those accepted items whose content nobody has accepted."""
        accepted = self.accepted(items)
        logged = self._logged(self._acceptances(accepted))
        return sorted(
            item
            for item, now in self.digests(accepted).items()
            # Any acceptance that stands counts: an undo can lead back to the content of an earlier one.
            if now not in (logged[item] or {self._digest_at_acceptance(item)})
        )

    def changed_by_merge(self, items: Collection[str], commands: Collection[str]) -> list[str]:
        """Return those accepted items whose content nobody has accepted, after events were entered.

        Args:
            items: Ids of the items that the events are about.
            commands: Ids of the commands that the events are about: a digest can arrive after its state.
        """
        accepted = self.accepted({*items, *self._logged(commands)})
        latest: defaultdict[str, set[str]] = defaultdict(set)
        for item, command in self._connection.execute(LATEST, (_json(accepted),)):
            latest[item].add(command)
        # Without a digest it is not known what was accepted: by an earlier version, or not yet merged.
        by_command = {one: self._logged([one]) for one in set().union(*latest.values())}
        known = [
            item for item, commands in latest.items() if all(item in by_command[one] for one in commands)
        ]
        return self.changed(known)

    def _acceptances(self, items: Iterable[str]) -> list[str]:
        rows = self._connection.execute(ACCEPTANCES, (_json(items), self._command))
        return [command for (command,) in rows]

    def _logged(self, commands: Iterable[str]) -> defaultdict[str, set[str]]:
        """Return the digests that commands have logged, by item."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for item, digest in self._connection.execute(LOGGED, (_json(commands),)):
            found[item].add(digest)
        return found

    def _digest_at_acceptance(self, item: str) -> str:
        """Return the digest of the content that an item had when it was accepted last, or was made."""
        lamport = self._connection.execute(LAST_ACCEPTANCE, (item, self._command)).fetchone()[0]
        fields: dict[str, msgspec.Raw] = {}
        for name, value in self._connection.execute(UP_TO, (item, lamport)):
            if name == CREATED:
                fields = msgspec.json.decode(value, type=dict[str, msgspec.Raw])
            else:
                fields[name] = msgspec.Raw(value.encode())
        return content_digest(msgspec.json.decode(msgspec.json.encode(fields), type=Item))


def refined_again(items: Iterable[str]) -> Iterator[Edit]:
    """Yield the state of items that have to be accepted again."""
    for item in items:
        yield Edit(entity="item", entity_id=item, field="state", value="refined")


def _json(ids: Iterable[str]) -> str:
    return msgspec.json.encode(sorted(ids)).decode()
