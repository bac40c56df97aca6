"""A response: one person's independent answer to an item."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Response(Record, frozen=True, kw_only=True, omit_defaults=True):
    """An answer given without sight of the key.

    Attributes:
        item: Id of the item.
        answer: Canonical text of the answer, or the text as it was given.
        person: Id of the actor who answered.
        duration_s: Seconds from the question's first sight to the answer.
        reason: Free words.
    """

    item: str
    answer: str
    person: str = ""
    duration_s: float = 0.0
    reason: str = ""

    table = Table(
        entity="response",
        columns=(
            Column(name="item", value=lambda r: r.item),
            Column(name="person", value=lambda r: r.person),
        ),
        indexes=(("item", "n"),),
    )
