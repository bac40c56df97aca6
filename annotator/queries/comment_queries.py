"""Comments: those on a record and on what belongs to it, and those that a person has not read."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import msgspec

from annotator.domain.comment import Comment
from annotator.domain.record import Record
from annotator.domain.rows import CommentRow, UnreadComment
from annotator.domain.scene import Scene
from annotator.store.connection import Connection

_COMMENT = """
SELECT c.record, c.actor, coalesce(a.record ->> 'name', c.actor), coalesce(e.wall_time, ''),
    coalesce(f.state, ''), EXISTS (SELECT 1 FROM event t WHERE t.entity_id=c.id AND t.field='text')
FROM comment c LEFT JOIN actor a ON a.id=c.actor LEFT JOIN event e ON e.n=c.n
LEFT JOIN flag f ON f.id=c.flag AND f.removed=0 AND c.flag<>''
WHERE c.removed=0
"""
# By the time of writing: a merge brings earlier comments of others after later ones.
OF_RECORD = f"{_COMMENT} AND c.target=?1 ORDER BY 4, c.n"
# A comment on a region, label, link or flight is shown with its scene. By the index on the target: a project
# has many more regions than comments, but a scene has few.
OF_SCENE = f"""{_COMMENT} AND c.target IN (
    SELECT ?1
    UNION ALL SELECT medium FROM scene_view WHERE scene=?1
    UNION ALL SELECT r.id FROM scene_view v JOIN region r ON r.medium=v.medium WHERE v.scene=?1
    UNION ALL SELECT id FROM event_label WHERE scene=?1
    UNION ALL SELECT id FROM link WHERE scene=?1
    UNION ALL SELECT id FROM trajectory WHERE scene=?1
) ORDER BY 4, c.n"""
SHOWN_WITH = {
    "region": "SELECT v.scene FROM region r JOIN scene_view v ON v.medium=r.medium WHERE r.id=? LIMIT 1",
    "event_label": "SELECT scene FROM event_label WHERE id=?",
    "link": "SELECT scene FROM link WHERE id=?",
    "trajectory": "SELECT scene FROM trajectory WHERE id=?",
}
"""How the scene is found that shows the comments on a record."""
BY_OTHERS = "SELECT id, entity, target, mentioned FROM comment WHERE removed=0 AND actor<>? ORDER BY n"
_MENTIONING = """
comment c WHERE c.removed=0 AND EXISTS (SELECT 1 FROM json_each(?) p WHERE instr(c.mentioned, p.value)>0)
"""
_SCENE_OF = " ".join(
    f"WHEN '{entity}' THEN ({select.replace('?', 'c.target')})" for entity, select in SHOWN_WITH.items()
)
_MENTIONED_IN = {
    "item": f"SELECT c.target FROM {_MENTIONING} AND c.entity='item'",
    "scene": f"SELECT CASE c.entity {_SCENE_OF} ELSE c.target END FROM {_MENTIONING}",
}
# A list of ids: they have one length, so none is a part of another.


def mentioned_in_sql(entity: str) -> str:
    """Return the SQL of the ids of items or scenes whose comments mention one of a JSON list of persons."""
    return _MENTIONED_IN[entity]


class CommentQueries:
    """The part of a reader that lists comments."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, kind: type[Record], record_id: str) -> list[CommentRow]:
        """Return the comments on a record, oldest first; of a scene, also those on its views and regions."""
        select = OF_SCENE if kind is Scene else OF_RECORD
        rows = self._connection.execute(select, (record_id,)).fetchall()
        return [self._comment_row(row, of=record_id) for row in rows]

    def all(self) -> list[CommentRow]:
        """Return all comments, oldest first."""
        rows = self._connection.execute(f"{_COMMENT} ORDER BY 4, c.n").fetchall()
        return [self._comment_row(row, of="") for row in rows]

    def author_of(self, comment: str) -> str:
        """Return the id of the actor who wrote a comment, "" for an unknown one."""
        found = self._connection.execute("SELECT actor FROM comment WHERE id=?", (comment,)).fetchone()
        return str(found[0]) if found else ""

    def unread(self, person: str, *, read: Container[str]) -> list[UnreadComment]:
        """Return the comments of others that a person has not read, oldest first.

        Args:
            person: Id of the person.
            read: Ids of the comments that the person has read.
        """
        # What a person has read is known to the machine, not to the project, so SQL cannot compare it.
        found = self._connection.execute(BY_OTHERS, (person,)).fetchall()
        return list(self._unread(person, [row for row in found if row[0] not in read]))

    def _unread(self, person: str, rows: list[tuple[str, str, str, str]]) -> Iterator[UnreadComment]:
        for comment, entity, target, mentioned in rows:
            shown = self._shown_with(entity, target)
            yield UnreadComment(
                id=comment, entity=shown[0], target=shown[1], mentions_person=person in mentioned.split()
            )

    def _shown_with(self, entity: str, target: str) -> tuple[str, str]:
        if entity in SHOWN_WITH:
            found = self._connection.execute(SHOWN_WITH[entity], (target,)).fetchone()
            return ("scene", str(found[0])) if found and found[0] else (entity, target)
        return entity, target

    def _comment_row(self, row: tuple[Any, ...], *, of: str) -> CommentRow:
        text, author, name, written_at, question, is_edited = row
        comment = msgspec.json.decode(text, type=Comment)
        return CommentRow(
            comment=comment,
            author=author,
            name=name,
            written_at=written_at,
            names=self._mentioned_names(comment),
            subject=self._subject(comment) if comment.target != of else "",
            question=question,
            is_edited=bool(is_edited),
        )

    def _mentioned_names(self, comment: Comment) -> dict[str, str]:
        select = "SELECT id, record ->> 'name' FROM actor WHERE id IN (SELECT value FROM json_each(?))"
        ids = msgspec.json.encode([one.person for one in comment.mentions]).decode()
        return dict(self._connection.execute(select, (ids,)).fetchall()) if comment.mentions else {}

    def _subject(self, comment: Comment) -> str:
        """Return what a record is called: its name, or the number of a region."""
        # Table names cannot be bound as values; an unknown kind has no table, and no name.
        if comment.entity not in NAMED:
            return ""
        select = f"SELECT {NAMED[comment.entity]} FROM {comment.entity} WHERE id=?"
        found = self._connection.execute(select, (comment.target,)).fetchone()
        return str(found[0]) if found and found[0] is not None else ""


NAMED = {
    "item": "name",
    "scene": "name",
    "medium": "name",
    "region": "number",
    "event_label": "record ->> 'view'",
    "source": "record ->> 'name'",
}
"""What a record of a kind is called."""
