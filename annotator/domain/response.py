"""A response: one person's independent answer to an item."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class Response(Record, frozen=True, kw_only=True, omit_defaults=True):
    """An answer of a person who has not seen the answer key.

    Attributes:
        item: Id of the item.
        answer: Canonical text of the answer, or the original text if it cannot be parsed.
        person: Id of the actor.
        duration_s: Seconds between display of the question and the answer.
        reason: Free text.
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
