"""What people decide about replies of models that cannot be read: which answer a text means."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table

NO_ANSWER = "no answer"
"""Cell of a table for a text that people have decided to mean no answer; an empty cell is undecided."""


class SettledText(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The meaning of a reply that no rule can read.

    Attributes:
        item: Public id of the item, "" for every item.
        text: The reply as the model gave it.
        answer: The answer that the reply means, "" where it means none.
        model: Name of the model, "" for every model.
        answer_format: Id of the only answer format that it is about, "" for every format.
        person: Id of the actor who decided.
        decided_at: ISO 8601 UTC; of two decisions that meet in a merge, the later one counts.
    """

    item: str
    text: str
    answer: str = ""
    model: str = ""
    answer_format: str = ""
    person: str = ""
    decided_at: str = ""

    table = Table(
        entity="settled_text",
        columns=(
            Column(name="item", value=lambda r: r.item),
            Column(name="model", value=lambda r: r.model),
        ),
        indexes=(("item", "n"),),
    )

    @property
    def subject(self) -> tuple[str, ...]:
        """What is decided; a project has one decision on it."""
        return self.item, self.text, self.model, self.answer_format

    @property
    def moment(self) -> tuple[str, str]:
        """When it was decided, and a tie-break that is the same on every machine."""
        return self.decided_at, self.id
