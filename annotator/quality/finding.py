"""A finding: what one check has to say about one record or one task."""

from __future__ import annotations

import msgspec

from annotator.domain.flag import Severity


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a check found; a check says at most one thing about a target.

    Attributes:
        check: Id of the check; becomes the kind of the flag.
        severity: ``error``, ``warning`` or ``note``.
        entity: ``item``, or ``task`` for what is said about all items of a task.
        target: Id of the item; for a task ``<task set>/<task>``.
        field: Field that it is about, "" for the whole record.
        message: What was found, in words, with the values.
        advice: What to do about it.
    """

    check: str
    severity: Severity
    entity: str
    target: str
    field: str
    message: str
    advice: str
