"""Why a model was wrong about an item: the class of its error."""

from __future__ import annotations

from annotator.domain.record import Column, Record, Table


class ErrorLabel(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The class of the error that one model made about one item of a release.

    Attributes:
        release: SHA-256 of the release, or the name of a published file of questions.
        item: Public id of the item.
        model: Name of the model.
        error_class: Id of a class of the task set.
        note: Plain text.
        person: Id of the actor who labelled it.
        labelled_at: ISO 8601 UTC; of two labels that meet in a merge, the later one counts.
    """

    release: str
    item: str
    model: str
    error_class: str
    note: str = ""
    person: str = ""
    labelled_at: str = ""

    table = Table(
        entity="error_label",
        columns=(
            Column(name="release", value=lambda r: r.release),
            Column(name="item", value=lambda r: r.item),
            Column(name="model", value=lambda r: r.model),
            Column(name="error_class", value=lambda r: r.error_class),
        ),
        indexes=(("release", "item"),),
    )

    @property
    def subject(self) -> tuple[str, ...]:
        """What is labelled; a project has one label of it."""
        return self.release, self.item, self.model

    @property
    def moment(self) -> tuple[str, str]:
        """When it was decided, and a tie-break that is the same on every machine."""
        return self.labelled_at, self.id
