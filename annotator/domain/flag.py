"""A flag: a reason why a record needs a reviewer."""

from __future__ import annotations

from typing import Any, Literal

from annotator.domain.record import Column, Record, Table

Severity = Literal["error", "warning", "note"]
FlagState = Literal["open", "resolved", "dismissed"]


class Flag(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One contradiction, failed check or disagreement on one record.

    Attributes:
        entity: Kind of the record that it is about: ``item``, ``event_label``, ``medium``, ``scene``.
        target: Id of that record.
        kind: Id of the reason, for instance ``count_not_integer`` or ``duplicate_options``.
        message: The reason in words, with the values that it is about.
        field: Field of the record that it touches, "" for the whole record.
        severity: ``error`` (must be decided), ``warning`` (should be looked at) or ``note``.
        state: Open until somebody decided; ``resolved``: mended, ``dismissed``: right as it is.
        raised_by: ``import``, ``check``, ``blind``, ``consensus`` or ``hand``.
        evidence: Values that the decision needs (JSON).
        resolution: Why it was decided so.
    """

    entity: str
    target: str
    kind: str
    message: str = ""
    field: str = ""
    severity: Severity = "warning"
    state: FlagState = "open"
    raised_by: str = "import"
    evidence: dict[str, Any] = {}
    resolution: str = ""

    table = Table(
        entity="flag",
        columns=(
            Column(name="entity", value=lambda r: r.entity),
            Column(name="target", value=lambda r: r.target),
            Column(name="kind", value=lambda r: r.kind),
            Column(name="state", value=lambda r: r.state),
            Column(name="severity", value=lambda r: r.severity),
            Column(name="raised_by", value=lambda r: r.raised_by),
        ),
        indexes=(("target", "state", "kind"), ("state", "kind", "n")),
    )
