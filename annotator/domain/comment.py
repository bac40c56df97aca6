"""A comment: words of one person about one record."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Comment(Record, frozen=True, kw_only=True, omit_defaults=True):
    """Words about a record.

    Attributes:
        entity: Kind of the record.
        target: Id of the record.
        text: Plain text.
        person: Id of the actor who wrote it.
    """

    entity: str
    target: str
    text: str
    person: str = ""

    table = Table(
        entity="comment",
        columns=(Column(name="target", value=lambda r: r.target),),
        indexes=(("target", "n"),),
    )
