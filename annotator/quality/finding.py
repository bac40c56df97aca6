"""A finding: the result of one check about one record or one task."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain.flag import Severity


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finding of a check, which has at most one per target.

    Attributes:
        check: Id of the check; becomes the kind of the flag.
        severity: ``error``, ``warning`` or ``note``.
        entity: ``item``, or ``task`` for a finding about all items of a task.
        target: Id of the item; for a task ``<task set>/<task>``.
        field: The field concerned, "" for the whole record.
        message: Description of the finding, with the values concerned.
        advice: How to correct it.
        option_index: Index of the option concerned, None if it is not an option.
        evidence: Further values for the decision, such as the id of another item.
    """

    check: str
    severity: Severity
    entity: str
    target: str
    field: str
    message: str
    advice: str
    option_index: int | None = msgspec.field(default=None, name="place")
    evidence: Mapping[str, str] = {}

    @property
    def field_path(self) -> str:
        """The field with the index of the option concerned: ``options[1]``."""
        return self.field if self.option_index is None else f"{self.field}[{self.option_index}]"
