"""Why a model was wrong about an item: the class of its error."""

from __future__ import annotations

import hashlib

from annotator.domain.record import Column, Record, Table


class ErrorLabel(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The class of the error that one model made about one item of a release.

    Attributes:
        release: SHA-256 of the release, or the name of a published file of questions.
        item: Public id of the item.
        model: Name of the model.
        error_class: Id of a class of the task set.
        note: Plain text.
        reply_sha256: Digest of the labelled reply (``reply_digest``), "" in labels of former versions.
        person: Id of the actor who labelled it.
        labelled_at: ISO 8601 UTC; of two labels that meet in a merge, the later one counts.
    """

    release: str
    item: str
    model: str
    error_class: str
    note: str = ""
    reply_sha256: str = ""
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

    def is_about(self, reply: str) -> bool:
        """Return whether a reply is the one that was labelled; a label without a digest is about any."""
        return self.reply_sha256 in ("", reply_digest(reply))


def reply_digest(reply: str) -> str:
    """Return the digest by which labels know a reply."""
    return hashlib.sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()
