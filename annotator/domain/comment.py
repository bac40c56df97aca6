"""A comment: words of one person about one record."""

from __future__ import annotations

from annotator.domain.mention import Mention
from annotator.domain.record import Column, Record, Table, ValueObject

OPEN_QUESTION = "comment_open"
"""Kind of the flag of a comment that asks for an answer."""


class CommentPin(ValueObject, frozen=True, kw_only=True, omit_defaults=True):
    """The place in an image that a comment is about.

    Attributes:
        medium: Id of the medium.
        x: Image pixels, after EXIF orientation and rotation metadata.
        y: Image pixels.
        frame: Frame number in presentation order for videos, None for stills.
    """

    medium: str
    x: float
    y: float
    frame: int | None = None


class Comment(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Words about a record.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        text: Plain text.
        person: Id of the actor who wrote it, "" in comments of earlier versions; the log has the author.
        pin: The place in an image that it is about, None for the whole record.
        parent: Id of the comment that it answers, "" for the first one of a thread.
        mentions: The persons whom it addresses.
        flag: Id of the flag that it raised as a question, "" for a note. The question is open as long as the
            flag is, so that comments and lists of flags never disagree.
    """

    entity: str
    target: str
    text: str
    person: str = ""
    pin: CommentPin | None = None
    parent: str = ""
    mentions: tuple[Mention, ...] = ()
    flag: str = ""

    table = Table(
        entity="comment",
        columns=(
            Column(name="target", value=lambda r: r.target),
            Column(name="entity", value=lambda r: r.entity),
            Column(name="parent", value=lambda r: r.parent),
            Column(name="flag", value=lambda r: r.flag),
            Column(name="mentioned", value=lambda r: " ".join(one.person for one in r.mentions)),
        ),
        indexes=(("target", "n"),),
    )
