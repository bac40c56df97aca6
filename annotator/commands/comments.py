"""Commands on comments: write, edit and delete them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.domain.actor import Actor
from annotator.domain.comment import OPEN_QUESTION, Comment, CommentPin
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.flag import Flag
from annotator.domain.medium import Medium
from annotator.domain.mention import find_mentions
from annotator.domain.record import Record, new_id
from annotator.domain.record_types import record_type
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader

FLAGGED = frozenset({"item", "scene", "medium", "event_label", "link"})
"""Kinds of records that carry flags themselves; the question about another record flags its medium."""
LONGEST = 10_000
"""Characters of a comment at most."""


@dataclass(frozen=True, kw_only=True)
class WriteComment(Command):
    """Add a comment to a record.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        text: The text of the comment; ``@name`` mentions a person of the project.
        person: Id of the author.
        pin: The place in an image that it is about, None for none.
        parent: Id of the comment that it answers, "" for a new thread.
        is_question: Whether it needs an answer: it raises a flag, which is open until it is decided.
    """

    entity: str
    target: str
    text: str
    person: str = ""
    pin: CommentPin | None = None
    parent: str = ""
    is_question: bool = False

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("reply_to_comment" if self.parent else "write_comment")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the comment, and the flag of a question.

        Raises:
            UserError: The text is empty or too long, the record or the answered comment is unknown, or the
                pin is outside its image.
        """
        progress.begin(self.summary, total=1)
        text = _checked(self.text)
        record = reader.require(record_type(self.entity), self.target)
        if self.pin is not None:
            _require_inside(self.pin, reader)
        flag = _question_flag(record, self.entity, text) if self.is_question else None
        comment = Comment(
            id=new_id(),
            entity=self.entity,
            target=self.target,
            text=text,
            person=self.person,
            pin=self.pin,
            parent=self._thread(reader),
            mentions=find_mentions(text, reader.records(Actor)),
            flag=flag.id if flag is not None else "",
        )
        yield Edit(entity="comment", entity_id=comment.id, field=CREATED, value=comment)
        if flag is not None:
            yield Edit(entity="flag", entity_id=flag.id, field=CREATED, value=flag)

    def _thread(self, reader: Reader) -> str:
        """Return the first comment of the answered thread: threads have one level."""
        if not self.parent:
            return ""
        answered = reader.require(Comment, self.parent)
        if answered.target != self.target:
            raise UserError(
                "The answered comment is about another record.", hint="Reply on the record of the comment."
            )
        return answered.parent or answered.id


@dataclass(frozen=True, kw_only=True)
class EditComment(Command):
    """Change the text of one's own comment.

    Attributes:
        comment: Id of the comment.
        text: The new text.
        person: Id of the person who edits.
    """

    comment: str
    text: str
    person: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("edit_comment")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the new text, its mentions and the message of its flag.

        Raises:
            UserError: The text is empty or too long, or the comment is of another person.
        """
        progress.begin(self.summary, total=1)
        text, comment = _checked(self.text), _own(reader, self.comment, person=self.person)
        if text == comment.text:
            return
        mentions = find_mentions(text, reader.records(Actor))
        yield Edit(entity="comment", entity_id=comment.id, field="text", value=text)
        if mentions != comment.mentions:
            yield Edit(entity="comment", entity_id=comment.id, field="mentions", value=mentions)
        if comment.flag and reader.get(Flag, comment.flag) is not None:
            yield Edit(entity="flag", entity_id=comment.flag, field="message", value=text)


@dataclass(frozen=True, kw_only=True)
class DeleteComment(Command):
    """Delete one's own comment; answers to it stay.

    Attributes:
        comment: Id of the comment.
        person: Id of the person who deletes.
    """

    comment: str
    person: str

    @property
    def summary(self) -> CommandSummary:
        """The text for the undo menu."""
        return CommandSummary.of("delete_comment")

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        """Yield the removal of the comment and of its flag.

        Raises:
            UserError: The comment is unknown or of another person.
        """
        progress.begin(self.summary, total=1)
        comment = _own(reader, self.comment, person=self.person)
        yield Edit(entity="comment", entity_id=comment.id, field=REMOVED, value=True)
        if comment.flag and reader.get(Flag, comment.flag) is not None:
            yield Edit(entity="flag", entity_id=comment.flag, field=REMOVED, value=True)


def comment_edit(entity: str, target: str, text: str) -> Edit:
    """Return the edit that adds a reason to a record as a comment."""
    comment = Comment(id=new_id(), entity=entity, target=target, text=text.strip())
    return Edit(entity="comment", entity_id=comment.id, field=CREATED, value=comment)


def _checked(text: str) -> str:
    text = text.strip()
    if not text:
        raise UserError("The comment is empty.", hint="Enter the text of the comment.")
    if len(text) > LONGEST:
        raise UserError(
            f"The comment has {len(text):,} characters; at most {LONGEST:,} are stored.",
            hint="Shorten it, or write several comments.",
        )
    return text


def _own(reader: Reader, comment_id: str, *, person: str) -> Comment:
    comment = reader.require(Comment, comment_id)
    if reader.comments.author_of(comment_id) != person:
        raise UserError(
            "The comment is of another person.", hint="Only its author can edit or delete it. Reply instead."
        )
    return comment


def _require_inside(pin: CommentPin, reader: Reader) -> None:
    medium = reader.require(Medium, pin.medium)
    # The size is unknown, 0, until the file has been read.
    is_inside = all(
        math.isfinite(value) and value >= 0 and (not size or value <= size)
        for value, size in ((pin.x, medium.width_px), (pin.y, medium.height_px))
    )
    is_frame = pin.frame is None or (pin.frame >= 0 and (not medium.frames or pin.frame < medium.frames))
    if not (is_inside and is_frame):
        raise UserError(f"The place of the comment is outside {medium.name}.", hint="Click inside the image.")


def _question_flag(record: Record, entity: str, text: str) -> Flag:
    target = record.id
    if entity not in FLAGGED:
        entity, target = _flagged_instead(record)
    return Flag(
        id=new_id(),
        entity=entity,
        target=target,
        kind=OPEN_QUESTION,
        message=text,
        raised_by="hand",
    )


def _flagged_instead(record: Record) -> tuple[str, str]:
    for entity in ("scene", "medium"):
        if target := getattr(record, entity, ""):
            return entity, str(target)
    raise UserError(
        f"A question cannot be asked about a record of the kind {record.table.entity}.",
        hint="Ask it about the scene or item instead.",
    )
