"""The comments of a record with what their panel needs, read in one snapshot on the reading thread."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.domain.actor import Actor
from annotator.domain.record_types import record_type
from annotator.domain.rows import CommentRow
from annotator.queries.reader import Reader
from widgets.record_reference import RecordReference
from widgets.stage.comment_pins import PinMark


@dataclass(frozen=True, kw_only=True)
class RecordComments:
    """Comments of a record.

    Attributes:
        subject: The record, None for none.
        rows: Its comments, the answers of a thread behind its first comment.
        people: Names of the persons of the project.
    """

    subject: RecordReference | None = None
    rows: tuple[CommentRow, ...] = ()
    people: tuple[str, ...] = ()

    @property
    def pins(self) -> tuple[PinMark, ...]:
        """Their pins, numbered in the order of the list."""
        pinned = [(row.comment.id, row.comment.pin) for row in self.rows]
        positions = [(comment, pin) for comment, pin in pinned if pin is not None]
        return tuple(
            PinMark(comment=comment, number=number, medium=pin.medium, x=pin.x, y=pin.y, frame=pin.frame)
            for number, (comment, pin) in enumerate(positions, start=1)
        )

    def number_of(self, comment: str) -> int:
        """Return the number of the pin of a comment, 0 for none."""
        return next((mark.number for mark in self.pins if mark.comment == comment), 0)


def read_comments(reader: Reader, *, subject: RecordReference) -> RecordComments:
    """Read the comments of a record; called on the reading thread."""
    with reader.snapshot():
        rows = reader.comments.of(record_type(subject.entity), subject.id)
        people = (actor.name for actor in reader.records(Actor) if actor.role == "person")
        return RecordComments(subject=subject, rows=by_thread(rows), people=tuple(people))


def by_thread(rows: list[CommentRow]) -> tuple[CommentRow, ...]:
    """Return comments with each answer behind the first comment of its thread.

    Where the first comment was deleted, the first answer stands in its place.
    """
    threads: dict[str, list[CommentRow]] = {}
    for row in rows:
        threads.setdefault(row.thread, []).append(row)
    return tuple(
        row for thread in threads.values() for row in sorted(thread, key=lambda one: bool(one.comment.parent))
    )
