"""A response: one person's independent answer to an item, and the decision after the key was shown."""

from __future__ import annotations

from typing import Literal

from annotator.domain.item import IssueClass
from annotator.domain.record import Column, Record, Table

KeyDecision = Literal["", "keep", "object"]
"""What a person decides on the answer key once it is shown; "" for no decision yet."""


class Response(Record, frozen=True, kw_only=True, omit_defaults=True):
    """An answer of a person who has not seen the answer key.

    Attributes:
        item: Id of the item.
        answer: Canonical text of the answer, or the original text if it cannot be parsed.
        person: Id of the actor.
        duration_s: Seconds of work between display of the question and the answer, without idle time.
        reason: What is wrong with the item in the person's view, or why the key is kept or objected to.
        shown: Digest of question, options and media that the person saw (``eval_settings.prompt_digest``):
            answers about an earlier form of the item are not compared with those about a later one.
        decision: The decision on the answer key.
        issue_classes: What is wrong with the item in the person's view.
        is_key_shown: Whether the answer key was shown right after the answer. Such an answer can be
            withdrawn, but the person cannot give another one: it would not be independent.
    """

    item: str
    answer: str
    person: str = ""
    duration_s: float = 0.0
    reason: str = ""
    shown: str = ""
    decision: KeyDecision = ""
    issue_classes: tuple[IssueClass, ...] = ()
    is_key_shown: bool = False

    table = Table(
        entity="response",
        columns=(
            Column(name="item", value=lambda r: r.item),
            Column(name="person", value=lambda r: r.person),
            Column(name="answer", value=lambda r: r.answer),
            Column(name="shown", value=lambda r: r.shown),
        ),
        indexes=(("item", "n"),),
    )
